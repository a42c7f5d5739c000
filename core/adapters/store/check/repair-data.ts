import { join } from 'node:path';
import { compareKeys } from '../../../ports/index-order.js';
import { type FileSystem, nodeFileSystem, replaceFile } from '../../file-system.js';
import { keyDamage } from '../../secrets/check-key.js';
import { KEY_FILE } from '../../secrets/key-file.js';
import { writeContents } from '../files/contents-file.js';
import { clearLeftovers, FORMAT, writeFormat } from '../files/data-folder.js';
import { assertNotInUse, lockFolder } from '../files/folder-lock.js';
import { openSnapshot, rowOf, type StoredRow, snapshotName } from '../files/snapshot-file.js';
import { lostChunks, USES, wrongCounts } from './chunk-counts.js';
import { type Damage, type ScannedData, scanData } from './scan-data.js';

/** Something that is not as it should be. */
export interface DataProblem {
  readonly file: string;
  readonly line?: number;
  readonly damage: string;
}

/** What a check looks at beside the documents. */
export interface CheckOptions {
  /** The key with which secrets are sealed is not in the folder: the platform is given it as `secretKey`. */
  readonly hasOwnKey?: boolean;
  /** Finds what is wrong with files that the platform's owner keeps in the folder, given the documents of a collection by their keys, as JSON. */
  readonly ownFiles?: (documentsOf: (collection: string) => ReadonlyMap<string, string>) => readonly DataProblem[];
}

/** What somebody who asks about a data folder is told. */
export interface DataReport {
  readonly folder: string;
  /** Undefined when the folder does not say. */
  readonly format: number | undefined;
  readonly is_whole: boolean;
  readonly collections: number;
  readonly documents: number;
  /** Transactions in the journal. */
  readonly transactions: number;
  readonly problems: readonly DataProblem[];
  /** Those of them that no repair can mend, as only a backup has what it would take. */
  readonly beyond_repair: readonly DataProblem[];
  /**
   * Bytes of an incomplete transaction at the end of the journal, which the next start takes out. They lie behind everything that is
   * known to have been synced, so a write that a crash interrupted has left them; a file that was cut off before that is a problem.
   */
  readonly torn_bytes: number;
  /** The last transaction that is known to have been acknowledged; undefined when the folder does not say, as in format 2. */
  readonly synced_through?: number;
}

/** What a repair found, and what it did. */
export interface RepairReport extends DataReport {
  readonly repaired: boolean;
  /** Where what cannot be used has been put, if there was any. */
  readonly set_aside?: { readonly file: string; readonly pieces: number };
}

/**
 * Looks at every record of a data folder in which nobody works. Changes nothing.
 * @throws FolderInUse, NoData, FormatTooNew
 */
export async function checkData(folder: string, fs: FileSystem = nodeFileSystem, options: CheckOptions = {}): Promise<DataReport> {
  await assertNotInUse(fs, folder);
  const scanned = await scanData(fs, folder);
  const state = stateOf(scanned);
  return reportOf(folder, scanned, state, await besides(fs, folder, state, options));
}

/**
 * Makes a damaged data folder one that can be opened: every document and every transaction that can be read is kept, and
 * the rest goes into a file of its own. A folder that is whole is left as it is. Can be done again wherever it is stopped.
 * @throws FolderInUse, NoData, FormatTooNew
 */
export async function repairData(folder: string, fs: FileSystem = nodeFileSystem, options: CheckOptions = {}): Promise<RepairReport> {
  // First without leaving a lock in a folder that is none of ours.
  await checkData(folder, fs);
  let lost: Error | undefined;
  const unlock = await lockFolder(fs, folder, {
    onLost: () => {
      lost = new Error(`another process has taken over ${folder}`);
    },
  });
  try {
    const scanned = await scanData(fs, folder);
    const state = stateOf(scanned);
    const report = reportOf(folder, scanned, state, await besides(fs, folder, state, options));
    if (scanned.damages.length === 0) return { ...report, repaired: false };
    const setAside = await setAsideDamaged(fs, folder, [...scanned.damages, ...(scanned.torn ? [scanned.torn] : [])]);
    const snapshots: Record<string, number> = {};
    for (const [collection, { through, documents, isOnDisk }] of state) {
      if (lost) throw lost;
      snapshots[collection] = through;
      if (!isOnDisk) await writeSnapshot(fs, folder, collection, through, documents);
    }
    if (lost) throw lost;
    await writeContents(fs, folder, { snapshots, segments: [] });
    await writeFormat(fs, folder, FORMAT);
    // Everything that could be read of them is in the snapshots now, and the rest is set aside.
    for (const name of scanned.segments) await fs.remove(join(folder, name));
    await clearLeftovers(fs, folder, '');
    await fs.syncFolder(folder);
    return { ...report, repaired: true, ...(setAside && { set_aside: setAside }) };
  } finally {
    await unlock();
  }
}

interface State {
  readonly through: number;
  readonly documents: ReadonlyMap<string, string>;
  /** Whether its snapshot is good as it is. */
  readonly isOnDisk: boolean;
}

/** The documents of every collection as far as they can be read: those of the snapshots, and what has happened since. */
function stateOf({ snapshots, contents, commits, damages }: ScannedData): Map<string, State> {
  const through = new Map([...snapshots].map(([collection, snapshot]) => [collection, snapshot.through]));
  const documents = new Map([...snapshots].map(([collection, snapshot]) => [collection, new Map(snapshot.documents)]));
  const changed = new Set([...snapshots].flatMap(([collection, { isComplete }]) => (isComplete ? [] : [collection])));
  for (const { tx, changes } of commits) {
    for (const { collection, key, json } of changes) {
      if (tx <= (through.get(collection) ?? 0)) continue;
      const known = documents.get(collection) ?? new Map<string, string>();
      documents.set(collection, known);
      changed.add(collection);
      if (json === undefined) known.delete(key);
      else known.set(key, json);
    }
  }
  for (const [id, json] of damages.length > 0 ? wrongCounts(documents) : []) {
    const counts = documents.get(USES) ?? new Map<string, string>();
    documents.set(USES, counts);
    changed.add(USES);
    if (json === undefined) counts.delete(id);
    else counts.set(id, json);
  }
  const last = Math.max(0, commits.at(-1)?.tx ?? 0, ...through.values(), ...Object.values(contents.snapshots));
  return new Map(
    [...documents].map(([collection, all]) => {
      const isOnDisk = !changed.has(collection);
      return [collection, { through: isOnDisk ? through.get(collection)! : last, documents: all, isOnDisk }];
    }),
  );
}

/** What is wrong with the files beside the documents, and what documents have lost with others. */
async function besides(
  fs: FileSystem,
  folder: string,
  state: ReadonlyMap<string, State>,
  { hasOwnKey = false, ownFiles }: CheckOptions,
): Promise<DataProblem[]> {
  const documentsOf = (collection: string): ReadonlyMap<string, string> => state.get(collection)?.documents ?? new Map();
  const ofKey = hasOwnKey ? undefined : await keyDamage(fs, folder, documentsOf('core.secrets'));
  const lost = lostChunks(new Map([...state].map(([collection, { documents }]) => [collection, documents])));
  const ofChunks = lost.map(({ collection, documents, first }) => ({
    file: snapshotName(collection),
    damage: `${documents === 1 ? 'a document has' : `${documents} documents have`} lost a long value; the first is ${JSON.stringify(first)}`,
  }));
  return [...(ofKey === undefined ? [] : [{ file: KEY_FILE, damage: ofKey }]), ...ofChunks, ...(ownFiles?.(documentsOf) ?? [])];
}

function reportOf(
  folder: string,
  { format, contents, damages, commits, torn }: ScannedData,
  state: ReadonlyMap<string, State>,
  besides: readonly DataProblem[],
): DataReport {
  return {
    folder,
    format,
    is_whole: damages.length + besides.length === 0,
    collections: state.size,
    documents: [...state.values()].reduce((sum, { documents }) => sum + documents.size, 0),
    transactions: commits.length,
    problems: [...damages.map(({ file, line, damage }) => ({ file, ...(line !== undefined && { line }), damage })), ...besides],
    beyond_repair: besides,
    torn_bytes: torn?.bytes?.length ?? 0,
    ...(contents.synced && { synced_through: contents.synced.through }),
  };
}

async function writeSnapshot(
  fs: FileSystem,
  folder: string,
  collection: string,
  through: number,
  documents: ReadonlyMap<string, string>,
): Promise<void> {
  const snapshot = openSnapshot(fs, folder, collection);
  const sorted = [...documents].map(([key, json]) => rowOf(key, Buffer.from(json))).sort((a, b) => compareKeys(a.key, b.key));
  snapshot.data = { collection, through, rows: batches() };
  await snapshot.write();

  async function* batches(): AsyncGenerator<StoredRow[], void> {
    yield sorted;
  }
}

/** One line of JSON for each piece: where it was, what is wrong with it, and its bytes as text or, if they are none, in Base64. */
async function setAsideDamaged(
  fs: FileSystem,
  folder: string,
  damages: readonly Damage[],
): Promise<{ file: string; pieces: number } | undefined> {
  const pieces = damages.filter(({ bytes }) => bytes !== undefined);
  if (pieces.length === 0) return undefined;
  const taken = new Set((await fs.list(folder)).map(({ name }) => name));
  let n = 1;
  while (taken.has(`set-aside-${n}.jsonl`)) n++;
  const name = `set-aside-${n}.jsonl`;
  const lines = pieces.map(({ bytes, ...where }) => Buffer.from(`${JSON.stringify({ ...where, ...asText(bytes!) })}\n`));
  await replaceFile(fs, folder, name, lines);
  return { file: join(folder, name), pieces: pieces.length };
}

function asText(bytes: Buffer): { text: string } | { base64: string } {
  const text = bytes.toString();
  return Buffer.from(text).equals(bytes) ? { text } : { base64: bytes.toString('base64') };
}
