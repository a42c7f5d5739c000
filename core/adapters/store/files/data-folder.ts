import { join } from 'node:path';
import { type Encryption, KeyMissing } from '../../encryption/file-cipher.js';
import { type FileSystem, readFully, replaceFile, TEMPORARY } from '../../file-system.js';
import { keyIdOf } from '../../secrets/sealed-secrets.js';
import { mergeCollection } from '../merge-collection.js';
import { CONTENTS_FILE, type Contents, noContents, readContents, type Synced, writeContents } from './contents-file.js';
import { DataDamaged, repairOf } from './data-damaged.js';
import { firstTxOf } from './journal-file.js';
import { PART_BYTES, partCollectionOf } from './part-file.js';
import type { Placing } from './part-index.js';
import { collectionOf, openSnapshot, snapshotName } from './snapshot-file.js';

// README.md beside this file describes the files of a data folder and how to read them.

/** The version of the folder layout and of its file formats. */
export const FORMAT = 6;
export const FORMAT_FILE = 'format.json';
/** Exists while a backup is restored to the folder. */
export const RESTORING_FILE = 'restoring.json';

export interface DataFolder {
  readonly snapshots: readonly { readonly collection: string; readonly size: number }[];
  /** Files that the snapshots list, and those that a crash left behind. */
  readonly parts: readonly { readonly name: string; readonly collection: string; readonly size: number }[];
  /** In order. */
  readonly segments: readonly { readonly name: string; readonly firstTx: number; readonly size: number }[];
}

export interface OpenedFolder extends DataFolder {
  readonly contents: Contents;
}

/** The entry of `format.json` for an encrypted folder. */
export interface FolderEncryption {
  /** The ids of the keys with which its files may be encrypted. */
  readonly keys: readonly string[];
  /** Whether all files are encrypted. Otherwise a start is converting them. */
  readonly isComplete: boolean;
}

/** The fields of each collection that decide the places of its documents. The property names are collections. */
export type Placings = Readonly<Record<string, Placing>>;

/**
 * Migrations from each format to the next. A crash may interrupt one anywhere; it then runs again from the start, because the
 * format number changes last.
 */
const migrations: Readonly<Record<number, (fs: FileSystem, folder: string, placing: Placings) => Promise<void>>> = {
  /** Format 1 did not list the required files. */
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
   * Format 2 did not record how far the journal was synced, which becomes known when the journal is opened, and had no chunks.
   * Its files need no change, but a release for format 2 would misread texts that are stored in chunks.
   */
  2: async () => undefined,
  /** Format 3 had no parts. A small snapshot is the same in format 4, but a release for format 3 would not read the parts. */
  3: async (fs, folder, placing) => {
    const { snapshots } = await listData(fs, folder);
    for (const { collection, size } of snapshots) {
      if (size <= PART_BYTES) continue;
      const snapshot = openSnapshot(fs, folder, collection);
      await snapshot.read();
      await mergeCollection({ fs, folder, collection, placing: placing[collection] }, snapshot.data, new Map(), 0);
    }
  },
  /**
   * In format 4, settled deliveries were in `core.outbox`. The platform moves them in the background; a release for format 4 would not find those
   * that are moved.
   */
  4: async () => undefined,
  /** In format 5, each unsettled delivery had its whole body; a release for format 5 would not find it with the message. */
  5: async () => undefined,
};

/** The data files of a folder. */
export async function listData(fs: FileSystem, folder: string): Promise<DataFolder> {
  const files = await fs.list(folder);
  return {
    snapshots: files.flatMap(({ name, size }) => {
      const collection = collectionOf(name);
      return collection === undefined ? [] : [{ collection, size }];
    }),
    parts: files.flatMap(({ name, size }) => {
      const collection = partCollectionOf(name);
      return collection === undefined ? [] : [{ name, collection, size }];
    }),
    segments: files.flatMap(({ name, size }) => {
      const firstTx = firstTxOf(name);
      return firstTx === undefined ? [] : [{ name, firstTx, size }];
    }),
  };
}

/**
 * Opens a data folder: creates or migrates it, checks that all its files exist, and lists them.
 * @param onMigrated called after each migration
 */
export async function openDataFolder(
  fs: FileSystem,
  folder: string,
  onMigrated: (from: number, to: number) => void,
  placing: Placings = {},
  encryption?: Encryption,
): Promise<OpenedFolder> {
  const before = await listData(fs, folder);
  let format = await readFormat(fs, folder);
  if (format === undefined) {
    if ((await readFully(fs, join(folder, RESTORING_FILE))) !== undefined) throw restoreInterrupted(folder);
    if (before.snapshots.length + before.segments.length > 0) throw formatMissing(folder);
    await writeContents(fs, folder, noContents);
    format = FORMAT;
    await writeFormat(fs, folder, format, encryption?.isOn ? encryptionWith([keyIdOf(encryption.keys[0]!)]) : undefined);
  }
  assertKey(folder, await readEncryption(fs, folder), encryption);
  for (; format < FORMAT; format++) {
    await migrations[format]!(fs, folder, placing);
    await writeFormat(fs, folder, format + 1, await readEncryption(fs, folder));
    onMigrated(format, format + 1);
  }
  const contents = await readContents(fs, folder);
  const files = await listData(fs, folder);
  assertComplete(folder, contents, files);
  return { contents, ...files };
}

/** @throws DataDamaged when a listed file is missing, or a segment is shorter than what was synced */
export function assertComplete(folder: string, contents: Contents, files: Pick<DataFolder, 'snapshots' | 'segments'>): void {
  for (const missing of missingFiles(contents, files)) throw fileMissing(folder, missing);
  const cut = cutSegment(contents, files);
  if (cut) throw fileCut(folder, cut);
}

/**
 * Deletes files that a crash left behind, once the contents do not list them.
 * @param parts the names of the parts that the snapshots list
 */
export async function clearLeftovers(fs: FileSystem, folder: string, current: string, parts: ReadonlySet<string>): Promise<void> {
  const isLeft = (name: string, size: number): boolean => {
    if (partCollectionOf(name) !== undefined) return !parts.has(name);
    return name.endsWith(TEMPORARY) || (firstTxOf(name) !== undefined && size === 0 && name !== current);
  };
  for (const { name, size } of await fs.list(folder)) if (isLeft(name, size)) await fs.remove(join(folder, name));
}

/** The files that the contents list and that do not exist. */
export function missingFiles(contents: Contents, { snapshots, segments }: Pick<DataFolder, 'snapshots' | 'segments'>): string[] {
  const there = new Set([...snapshots.map(({ collection }) => snapshotName(collection)), ...segments.map(({ name }) => name)]);
  return [...Object.keys(contents.snapshots).map(snapshotName), ...contents.segments].filter((name) => !there.has(name));
}

/** The segment that is shorter than what was synced; undefined if there is none. */
export function cutSegment(
  { synced }: Contents,
  { segments }: Pick<DataFolder, 'segments'>,
): (Synced & { readonly size: number }) | undefined {
  const segment = segments.find(({ name }) => name === synced?.segment);
  return segment && segment.size < synced!.bytes ? { ...synced!, size: segment.size } : undefined;
}

export const fileCut = (folder: string, { segment, size, bytes, through }: Synced & { readonly size: number }): DataDamaged =>
  new DataDamaged(
    join(folder, segment),
    undefined,
    `the file has ${size} bytes, but ${bytes} were synced: it was truncated. Transactions up to ${through} were acknowledged; the last of them are missing or incomplete`,
  );

export const fileMissing = (folder: string, name: string): DataDamaged =>
  new DataDamaged(join(folder, name), undefined, `the file is missing, but ${CONTENTS_FILE} lists it`);

const restoreInterrupted = (folder: string): DataDamaged =>
  new DataDamaged(join(folder, RESTORING_FILE), undefined, 'a restore was interrupted', 'Run it again; it continues');

const formatMissing = (folder: string): DataDamaged =>
  new DataDamaged(
    join(folder, FORMAT_FILE),
    undefined,
    'the file is missing, but the folder is not empty',
    `If this is not a data folder, choose another folder. If it is: ${repairOf(folder)}`,
  );

export const writeFormat = (fs: FileSystem, folder: string, format: number, encryption?: FolderEncryption): Promise<void> =>
  replaceFile(fs, folder, FORMAT_FILE, [Buffer.from(`${JSON.stringify({ format, encryption })}\n`)]);

export const encryptionWith = (keys: readonly string[], isComplete = true): FolderEncryption => ({ keys, isComplete });

/** @throws KeyMissing when a process with these options cannot read the folder */
function assertKey(folder: string, stored: FolderEncryption | undefined, given: Encryption | undefined): void {
  if (!stored) return;
  const advice = 'Set encryptData: true and secretKey to this key; or encryptData: false and the key, to decrypt the folder';
  if (!given) throw new KeyMissing(folder, stored.keys.join(' and '), advice);
  assertKeys(folder, stored, given.keys);
}

/** @throws KeyMissing when a key of the folder is not given */
export function assertKeys(folder: string, { keys }: FolderEncryption, given: readonly Uint8Array[]): void {
  const ids = given.map(keyIdOf);
  const missing = keys.filter((id) => !ids.includes(id));
  if (missing.length > 0) throw new KeyMissing(folder, missing.join(' and '));
}

/** @returns undefined when the folder is not encrypted, or does not say so in a readable way */
export async function readEncryption(fs: FileSystem, folder: string): Promise<FolderEncryption | undefined> {
  const content = await readFully(fs, join(folder, FORMAT_FILE));
  try {
    const { encryption } = JSON.parse(content?.toString() ?? '{}') as { encryption?: FolderEncryption };
    const isReadable =
      Array.isArray(encryption?.keys) && encryption.keys.every((key) => typeof key === 'string') && encryption.keys.length > 0;
    return isReadable ? encryption : undefined;
  } catch {
    // `readFormat` reports the damage.
    return undefined;
  }
}

/** The folder has a newer format than this version supports. */
export class FormatTooNew extends Error {
  override readonly name = 'FormatTooNew';
}

/** @returns undefined when there is no such file @throws DataDamaged, FormatTooNew */
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
      `${folder} was written in format ${format} by a newer version; this one supports formats up to ${FORMAT}. Nothing has been changed. Start that version or a later one, or restore the backup from before the upgrade.`,
    );
  }
  return format;
}
