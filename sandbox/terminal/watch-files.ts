import { once } from 'node:events';
import { existsSync, watch } from 'node:fs';
import { basename, dirname, relative, resolve, sep } from 'node:path';
import type { Terminal } from './terminal.js';

/** Saving a file causes several events; those within this time count as one change. */
const QUIET_MS = 50;

/**
 * Calls `onChange` with changed files until the signal aborts. Watches their folders, because editors replace files.
 * @throws when a folder cannot be watched
 */
export function watchFiles(files: readonly string[], onChange: (changed: readonly string[]) => void, signal: AbortSignal): void {
  const changed = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  const notify = (): void => {
    onChange(files.filter((file) => changed.has(file)));
    changed.clear();
  };
  for (const folder of new Set(files.map((file) => dirname(resolve(file))))) {
    const inside = files.filter((file) => dirname(resolve(file)) === folder);
    const touch = (name: string | null): void => {
      const touched = inside.filter((file) => name === null || basename(file) === name);
      if (touched.length === 0) return;
      for (const file of touched) changed.add(file);
      clearTimeout(timer);
      timer = setTimeout(notify, QUIET_MS);
    };
    watchFolder(folder, touch, signal);
  }
  signal.addEventListener('abort', () => clearTimeout(timer));
}

/**
 * Calls `touch` with the name of each changed file, and with null after the folder was deleted, replaced or created again: a version
 * control system does that. Watches the nearest parent that exists while the folder does not.
 */
function watchFolder(folder: string, touch: (name: string | null) => void, signal: AbortSignal): void {
  let existing = folder;
  while (!existsSync(existing)) existing = dirname(existing);
  const [missing = ''] = relative(existing, folder).split(sep);
  const again = (): void => {
    watcher.close();
    touch(null);
    if (!signal.aborted) watchFolder(folder, touch, signal);
  };
  const watcher = watch(existing, { signal }, (_, name) => {
    // The watched folder itself was deleted or moved: its watcher sees no later change.
    if (name === basename(existing) || !existsSync(existing) || (missing !== '' && name === missing)) again();
    else if (missing === '') touch(name);
  });
  watcher.on('error', () => touch(null));
}

/** Calls `again` with changed files, one round after the other, until SIGINT or SIGTERM. */
export async function watchUntilStopped(
  files: readonly string[],
  again: (changed: readonly string[]) => Promise<unknown>,
  hint: string,
  { cwd, err }: Terminal,
): Promise<void> {
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
  const byPath = new Map(files.map((file) => [resolve(cwd, file), file]));
  let round: Promise<unknown> = Promise.resolve();
  const onChange = (changed: readonly string[]): void => {
    const files = changed.map((path) => byPath.get(path)!);
    // A failed round, such as a file that is not JSON yet, must not end the watch.
    round = round.then(() => again(files)).catch((error: Error) => err(`posthorn: ${error.message}`));
  };
  watchFiles([...byPath.keys()], onChange, stop.signal);
  err(`Watching until Ctrl-C.${hint === '' ? '' : ` ${hint}`}`);
  await once(stop.signal, 'abort');
  await round;
}
