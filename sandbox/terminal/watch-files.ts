import { once } from 'node:events';
import { existsSync, watch } from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import type { Terminal } from './terminal.js';

/** Saving a file causes several events; those within this time count as one change. */
const QUIET_MS = 50;

/**
 * Calls `onChange` with changed files until the signal aborts. Watches their folders, because editors replace files.
 * @param isWatched whether another file of these folders is watched too, by its path
 * @throws when a folder cannot be watched
 */
export function watchFiles(
  files: readonly string[],
  onChange: (changed: readonly string[]) => void,
  signal: AbortSignal,
  isWatched: (path: string) => boolean = () => false,
): void {
  const changed = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  const notify = (): void => {
    const known = files.filter((file) => changed.delete(file));
    onChange([...known, ...changed]);
    changed.clear();
  };
  for (const folder of new Set(files.map((file) => dirname(resolve(file))))) {
    const inside = files.filter((file) => dirname(resolve(file)) === folder);
    const touch = (name: string | null): void => {
      const known = inside.filter((file) => name === null || basename(file) === name);
      const touched = known.length === 0 && name !== null && isWatched(join(folder, name)) ? [join(folder, name)] : known;
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

/** The watched files when they change: which others in their folders are watched too, by path, and all of them after a round. */
export interface Growing {
  readonly isWatched: (path: string) => boolean;
  readonly files: () => readonly string[];
}

/** Calls `again` with changed files, one round after the other, until SIGINT or SIGTERM. */
export async function watchUntilStopped(
  files: readonly string[],
  again: (changed: readonly string[]) => Promise<unknown>,
  hint: string,
  { cwd, err }: Terminal,
  growing?: Growing,
): Promise<void> {
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
  const byPath = new Map<string, string>();
  let round: Promise<unknown> = Promise.resolve();
  const onChange = (changed: readonly string[]): void => {
    const files = changed.map((path) => byPath.get(path) ?? relative(cwd, path));
    // A failed round, such as a file that is not JSON yet, must not end the watch.
    round = round
      .then(() => again(files))
      .catch((error: Error) => err(`posthorn: ${error.message}`))
      .then(() => watchMore(growing?.files() ?? []));
  };
  const watchMore = (files: readonly string[]): void => {
    const added = new Map(files.map((file) => [resolve(cwd, file), file]));
    for (const path of byPath.keys()) added.delete(path);
    for (const [path, file] of added) byPath.set(path, file);
    if (added.size > 0 && !stop.signal.aborted) watchFiles([...added.keys()], onChange, stop.signal, growing && isNew);
  };
  /** Files that were added later have watchers of their own. */
  const isNew = (path: string): boolean => growing!.isWatched(path) && !byPath.has(path);
  watchMore(files);
  err(`Watching until Ctrl-C.${hint === '' ? '' : ` ${hint}`}`);
  await once(stop.signal, 'abort');
  await round;
}
