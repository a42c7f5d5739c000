import { join } from 'node:path';
import { DataDamaged } from './data-damaged.js';
import { type FileSystem, readWhole, replaceFile, TEMPORARY } from './file-system.js';
import { firstTxOf } from './journal-file.js';
import { collectionOf } from './snapshot-file.js';

// A data folder:
//   format.json                  the number of this layout; written first
//   lock                         who works in it
//   <owner>.<collection>.json    snapshots
//   journal-<transaction>.jsonl  what has happened since, in segments

/** The number of the layout and of the formats of its files. */
export const FORMAT = 1;
const FORMAT_FILE = 'format.json';

export interface DataFolder {
  readonly snapshots: readonly { readonly collection: string; readonly size: number }[];
  /** In their order. */
  readonly segments: readonly { readonly name: string; readonly firstTx: number; readonly size: number }[];
}

/** Sees to it that a folder is one of ours, and says what is in it. Leftovers of a crash are cleared away. */
export async function openDataFolder(fs: FileSystem, folder: string): Promise<DataFolder> {
  const files = await fs.list(folder);
  const snapshots = files.flatMap(({ name, size }) => {
    const collection = collectionOf(name);
    return collection === undefined ? [] : [{ collection, size }];
  });
  const segments = files.flatMap(({ name, size }) => {
    const firstTx = firstTxOf(name);
    return firstTx === undefined ? [] : [{ name, firstTx, size }];
  });
  await checkFormat(fs, folder, snapshots.length + segments.length > 0);
  for (const { name, size } of files) {
    if (name.endsWith(TEMPORARY) || (firstTxOf(name) !== undefined && size === 0)) await fs.remove(join(folder, name));
  }
  return { snapshots, segments: segments.filter(({ size }) => size > 0) };
}

async function checkFormat(fs: FileSystem, folder: string, hasData: boolean): Promise<void> {
  const path = join(folder, FORMAT_FILE);
  const content = await readWhole(fs, path);
  if (!content) {
    if (hasData) throw new DataDamaged(path, undefined, 'the file is missing, but the folder is not empty', 'Choose another folder.');
    return replaceFile(fs, folder, FORMAT_FILE, [Buffer.from(`${JSON.stringify({ format: FORMAT })}\n`)]);
  }
  let format: unknown;
  try {
    ({ format } = JSON.parse(content.toString()) as { format?: unknown });
  } catch {
    format = undefined;
  }
  if (typeof format !== 'number' || !Number.isInteger(format) || format < 1)
    throw new DataDamaged(path, 1, 'the format number cannot be read', 'Restore the folder from a backup.');
  if (format > FORMAT) {
    throw new Error(`${folder} was written in format ${format} by a newer version; this one knows formats up to ${FORMAT}. Update it.`);
  }
}
