import { join } from 'node:path';
import { type FileSystem, readFully, replaceFile, TEMPORARY } from '../../file-system.js';
import { CONTENTS_FILE, type Contents, noContents, readContents, type Synced, writeContents } from './contents-file.js';
import { DataDamaged, repairOf } from './data-damaged.js';
import { firstTxOf } from './journal-file.js';
import { collectionOf, openSnapshot, snapshotName } from './snapshot-file.js';

// What is in a data folder, and how to read it, is told in README.md beside this file.

/** The number of the layout and of the formats of its files. */
export const FORMAT = 3;
export const FORMAT_FILE = 'format.json';

export interface DataFolder {
  readonly snapshots: readonly { readonly collection: string; readonly size: number }[];
  /** In their order. */
  readonly segments: readonly { readonly name: string; readonly firstTx: number; readonly size: number }[];
}

export interface OpenedFolder extends DataFolder {
  readonly contents: Contents;
}

/**
 * What has to be done to a folder to bring it from one format to the next. A crash may stop it anywhere: it is done again
 * from the beginning, as the number of the format changes last.
 */
const migrations: Readonly<Record<number, (fs: FileSystem, folder: string) => Promise<void>>> = {
  /** Format 1 did not say which files there have to be. */
  1: async (fs, folder) => {
    const { snapshots, segments } = await listData(fs, folder);
    const through: Record<string, number> = {};
    for (const { collection } of snapshots) {
      const snapshot = openSnapshot(fs, folder, collection);
      await snapshot.read();
      through[collection] = snapshot.data.through;
    }
    await writeContents(fs, folder, { snapshots: through, segments: segments.map(({ name }) => name) });
  },
  /**
   * Format 2 did not say how far the journal was synced, which becomes known when the journal is opened; and it had no chunks. Its
   * files are alike, but a release for format 2 would take a text that is stored in chunks for something else.
   */
  2: async () => undefined,
};

/** The files of a folder that hold data. */
export async function listData(fs: FileSystem, folder: string): Promise<DataFolder> {
  const files = await fs.list(folder);
  return {
    snapshots: files.flatMap(({ name, size }) => {
      const collection = collectionOf(name);
      return collection === undefined ? [] : [{ collection, size }];
    }),
    segments: files.flatMap(({ name, size }) => {
      const firstTx = firstTxOf(name);
      return firstTx === undefined ? [] : [{ name, firstTx, size }];
    }),
  };
}

/**
 * Sees to it that a folder is one of ours, in the format of today and with all its files, and says what is in it.
 * @param onMigrated hears of each step from an older format
 */
export async function openDataFolder(
  fs: FileSystem,
  folder: string,
  onMigrated: (from: number, to: number) => void,
): Promise<OpenedFolder> {
  const { snapshots, segments } = await listData(fs, folder);
  let format = await readFormat(fs, folder);
  if (format === undefined) {
    if (snapshots.length + segments.length > 0) throw formatMissing(folder);
    await writeContents(fs, folder, noContents);
    await writeFormat(fs, folder, FORMAT);
    format = FORMAT;
  }
  for (; format < FORMAT; format++) {
    await migrations[format]!(fs, folder);
    await writeFormat(fs, folder, format + 1);
    onMigrated(format, format + 1);
  }
  const contents = await readContents(fs, folder);
  for (const missing of missingFiles(contents, { snapshots, segments })) throw fileMissing(folder, missing);
  const cut = cutSegment(contents, { snapshots, segments });
  if (cut) throw fileCut(folder, cut);
  return { contents, snapshots, segments };
}

/** Takes away what a crash has left behind, once the contents do not name it any more. */
export async function clearLeftovers(fs: FileSystem, folder: string, current: string): Promise<void> {
  for (const { name, size } of await fs.list(folder)) {
    if (name.endsWith(TEMPORARY) || (firstTxOf(name) !== undefined && size === 0 && name !== current)) await fs.remove(join(folder, name));
  }
}

/** The files that the contents name and that are not there. */
export function missingFiles(contents: Contents, { snapshots, segments }: DataFolder): string[] {
  const there = new Set([...snapshots.map(({ collection }) => snapshotName(collection)), ...segments.map(({ name }) => name)]);
  return [...Object.keys(contents.snapshots).map(snapshotName), ...contents.segments].filter((name) => !there.has(name));
}

/** The segment that has fewer bytes than were synced; undefined when there is none. */
export function cutSegment({ synced }: Contents, { segments }: DataFolder): (Synced & { readonly size: number }) | undefined {
  const segment = segments.find(({ name }) => name === synced?.segment);
  return segment && segment.size < synced!.bytes ? { ...synced!, size: segment.size } : undefined;
}

const fileCut = (folder: string, { segment, size, bytes, through }: Synced & { readonly size: number }): DataDamaged =>
  new DataDamaged(
    join(folder, segment),
    undefined,
    `the file has ${size} bytes, and ${bytes} were synced: it was cut off. The transactions up to ${through} were acknowledged, and the last of them are missing or incomplete`,
  );

const fileMissing = (folder: string, name: string): DataDamaged =>
  new DataDamaged(join(folder, name), undefined, `the file is missing; ${CONTENTS_FILE} names it`);

const formatMissing = (folder: string): DataDamaged =>
  new DataDamaged(
    join(folder, FORMAT_FILE),
    undefined,
    'the file is missing, but the folder is not empty',
    `If this is no data folder, choose another folder. If it is one: ${repairOf(folder)}`,
  );

export const writeFormat = (fs: FileSystem, folder: string, format: number): Promise<void> =>
  replaceFile(fs, folder, FORMAT_FILE, [Buffer.from(`${JSON.stringify({ format })}\n`)]);

/** The folder is in a format that this version does not know yet. */
export class FormatTooNew extends Error {
  override readonly name = 'FormatTooNew';
}

/** Undefined when there is no such file. @throws DataDamaged, FormatTooNew */
export async function readFormat(fs: FileSystem, folder: string): Promise<number | undefined> {
  const path = join(folder, FORMAT_FILE);
  const content = await readFully(fs, path);
  if (!content) return undefined;
  let format: unknown;
  try {
    ({ format } = JSON.parse(content.toString()) as { format?: unknown });
  } catch {
    format = undefined;
  }
  if (typeof format !== 'number' || !Number.isInteger(format) || format < 1)
    throw new DataDamaged(path, 1, 'the format number cannot be read');
  if (format > FORMAT) {
    throw new FormatTooNew(
      `${folder} was written in format ${format} by a newer version; this one knows formats up to ${FORMAT}. Nothing has been changed. Start it with that version or a later one; or restore the backup that was made before the upgrade.`,
    );
  }
  return format;
}
