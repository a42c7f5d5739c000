import { basename, dirname, join } from 'node:path';
import { type FileSystem, nodeFileSystem, readFully, replaceFile } from '../file-system.js';

/** Lists the contacts that were erased, by hashes: a file of a data folder, and beside its backups. A start erases again those that it finds. */
export const ERASURES_FILE = 'erasures.jsonl';

/** The list in a data folder; its entries are plain JSON. @param entryOf returns a valid entry, and throws for another value */
export function erasureListIn<T extends object>(folder: string, entryOf: (value: unknown) => T, fs: FileSystem = nodeFileSystem) {
  const path = join(folder, ERASURES_FILE);
  return {
    /** Empty if there is no list. @throws Error that names a damaged line */
    async read(): Promise<readonly T[]> {
      return (await linesIn(fs, path)).map((line, i) => {
        try {
          return entryOf(JSON.parse(line));
        } catch {
          throw new Error(`${path}: line ${i + 1} is not an entry. Restore the file from the folder of the backups, or remove the line`);
        }
      });
    },

    write: (all: readonly T[]): Promise<void> =>
      writeLines(
        fs,
        path,
        all.map((one) => JSON.stringify(one)),
      ),
  };
}

/** Adds the entries of lists to another one. Lists that do not exist have none. */
export async function mergeErasureLists(fs: FileSystem, into: string, from: readonly string[]): Promise<void> {
  const before = await linesIn(fs, into);
  const added = (await Promise.all(from.map((path) => linesIn(fs, path)))).flat();
  const all = [...new Set([...before, ...added])];
  if (all.length > before.length) await writeLines(fs, into, all);
}

const linesIn = async (fs: FileSystem, path: string): Promise<string[]> =>
  ((await readFully(fs, path))?.toString() ?? '').split('\n').filter((line) => line !== '');

const writeLines = (fs: FileSystem, path: string, lines: readonly string[]): Promise<void> =>
  replaceFile(fs, dirname(path), basename(path), [Buffer.from(lines.map((line) => `${line}\n`).join(''))]);
