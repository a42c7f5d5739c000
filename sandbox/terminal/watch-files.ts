import { watch } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';

/** What an editor does in one go comes as several events. */
const QUIET_MS = 50;

/**
 * Tells of changes of files until the signal. Their folders are watched, because editors replace a file by another one.
 * @throws when a folder cannot be watched
 */
export function watchFiles(files: readonly string[], onChange: (changed: readonly string[]) => void, signal: AbortSignal): void {
  const changed = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  const tell = (): void => {
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
      timer = setTimeout(tell, QUIET_MS);
    };
    // A folder that is gone has taken its files along.
    watch(folder, { signal }, (_, name) => touch(name)).on('error', () => touch(null));
  }
  signal.addEventListener('abort', () => clearTimeout(timer));
}
