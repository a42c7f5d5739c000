import { once } from 'node:events';
import { watch } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
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
    // The folder was deleted, so all its files have changed.
    watch(folder, { signal }, (_, name) => touch(name)).on('error', () => touch(null));
  }
  signal.addEventListener('abort', () => clearTimeout(timer));
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
