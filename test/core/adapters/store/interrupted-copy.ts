import type { FileSystem } from '../../../../core/adapters/file-system.js';
import { SimulatedDisk } from './simulated-disk.js';
import { FOLDER } from './store-on-disk.js';

/** The folder to which tests copy a data folder. */
export const COPY = '/copy';

/** Runs `before` before each operation of a backup. */
export function interrupted(disk: SimulatedDisk, before: (operation: string, path: string) => Promise<void> | void): FileSystem {
  const wrapped =
    <A extends readonly [string, ...string[]], R>(name: string, work: (...args: A) => Promise<R>) =>
    async (...args: A): Promise<R> => {
      await before(name, args[0]);
      return work(...args);
    };
  return {
    open: async (path, how) => {
      await before(`open to ${how}`, path);
      const file = await disk.open(path, how);
      return {
        ...file,
        read: async (into, position) => {
          await before('read', path);
          return file.read(into, position);
        },
        write: async (bytes) => {
          await before('write', path);
          await file.write(bytes);
        },
      };
    },
    rename: wrapped('rename', (from, to) => disk.rename(from, to!)),
    link: wrapped('link', (from, to) => disk.link(from, to!)),
    remove: wrapped('remove', (path) => disk.remove(path)),
    list: wrapped('list', (folder) => disk.list(folder)),
    listFolders: wrapped('list folders', (folder) => disk.listFolders(folder)),
    syncFolder: wrapped('sync folder', (folder) => disk.syncFolder(folder)),
    touch: () => disk.touch(),
    makeFolder: () => disk.makeFolder(),
  };
}

/** The copy, as the data folder of a disk of its own. */
export function copyOn(disk: SimulatedDisk): SimulatedDisk {
  const other = new SimulatedDisk(disk.encryption);
  for (const path of disk.files) if (path.startsWith(`${COPY}/`)) other.put(`${FOLDER}${path.slice(COPY.length)}`, disk.read(path));
  return other;
}
