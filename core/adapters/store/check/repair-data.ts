import { join } from 'node:path';
import { compareKeys } from '../../../ports/index-order.js';
import { type FileSystem, nodeFileSystem, replaceFile } from '../../file-system.js';
import { keyDamage } from '../../secrets/check-key.js';
import { KEY_FILE } from '../../secrets/key-file.js';
import type { Change } from '../commit.js';
import { keysOfFiles, openFolderFiles } from '../encrypted-folder.js';
import { writeContents } from '../files/contents-file.js';
import { clearLeftovers, FORMAT, listData, writeFormat } from '../files/data-folder.js';
import { assertNotInUse, lockFolder } from '../files/folder-lock.js';
import { mergePatch } from '../files/merge-patch.js';
import { partName, partNumberOf, type SnapshotPart, writePart } from '../files/part-file.js';
import type { Placing } from '../files/part-index.js';
import { RowLines } from '../files/row-lines.js';
import { snapshotName } from '../files/snapshot-file.js';
import { jsonOf, rowOf } from '../files/stored-row.js';
import { SnapshotWriter } from '../snapshot-writer.js';
import { type NamedChunks, namedChunks, USES, wrongCounts } from './chunk-counts.js';
import type { Damage } from './pieces.js';
import { type ScannedData, scanData } from './scan-data.js';
import { type DiskPart, documentCount, type ScannedDocuments } from './scan-parts.js';

/** One problem of a data folder. */
export interface DataProblem {
  readonly file: string;
  readonly line?: number;
  readonly damage: string;
}

/** Options of a check, for data besides the documents. */
export interface CheckOptions {
  /** The platform gets its secret key as `secretKey`, so the key file is not expected in the folder. */
  readonly hasOwnKey?: boolean;
  /** For an encrypted folder: its secret keys, 64 hexadecimal digits each. */
  readonly secretKeys?: readonly string[];
  /**
   * Checks other files in the folder. Receives a function that returns the documents of a collection: JSON text by key. Documents that stay
   * on disk are not among them.
   */
  readonly ownFiles?: (documentsOf: (collection: string) => ReadonlyMap<string, string>) => readonly DataProblem[];
}

/** The result of a check. */
export interface DataReport {
  readonly folder: string;
  /** Undefined if the folder does not state its format. */
  readonly format: number | undefined;
  readonly is_whole: boolean;
  readonly collections: number;
  readonly documents: number;
  /** Number of transactions in the journal. */
  readonly transactions: number;
  readonly problems: readonly DataProblem[];
  /** The problems that a repair cannot fix, because only a backup has the missing data. */
  readonly beyond_repair: readonly DataProblem[];
  /**
   * Bytes of an incomplete transaction at the end of the journal, which the next start removes. An interrupted write left them:
   * all bytes known to be synced come before them. A file that was truncated earlier is a problem instead.
   */
  readonly torn_bytes: number;
  /** The last transaction known to be acknowledged; undefined if the folder does not say, as in format 2. */
  readonly synced_through?: number;
  /** Of an encrypted folder: by id of the key, the number of files that need it; `none` are not encrypted. */
  readonly keys?: Readonly<Record<string, number>>;
}

/** The result of a repair. */
export interface RepairReport extends DataReport {
  readonly repaired: boolean;
  /** The file with everything unusable, if there was any. */
  readonly set_aside?: { readonly file: string; readonly pieces: number };
}

/**
 * Checks every record of a data folder that no process uses. Changes nothing.
 * @throws FolderInUse, NoData, FormatTooNew, KeyMissing
 */
export async function checkData(folder: string, disk: FileSystem = nodeFileSystem, options: CheckOptions = {}): Promise<DataReport> {
  await assertNotInUse(disk, folder);
  const { fs, encryption } = await openFolderFiles(disk, folder, options.secretKeys);
  const scanned = await scanData(fs, folder);
  const state = await stateOf(scanned);
  const report = reportOf(folder, scanned, state, await otherProblems(fs, folder, state, options));
  return { ...report, ...(encryption && { keys: await keysOfFiles(disk, folder) }) };
}

/**
 * Repairs a damaged data folder so that it can be opened: keeps every readable document and transaction, and moves the rest to
 * a separate file. Leaves an undamaged folder unchanged. Safe to run again after an interruption.
 * @throws FolderInUse, NoData, FormatTooNew, KeyMissing
 */
export async function repairData(folder: string, disk: FileSystem = nodeFileSystem, options: CheckOptions = {}): Promise<RepairReport> {
  // Checks first, because repairing writes a lock file, which does not belong into a folder that is not a data folder.
  const { secretKeys = [] } = options;
  await checkData(folder, disk, { secretKeys });
  const { fs, encryption } = await openFolderFiles(disk, folder, secretKeys);
  let lost: Error | undefined;
  const unlock = await lockFolder(fs, folder, {
    onLost: () => {
      lost = new Error(`another process has taken over ${folder}`);
    },
  });
  try {
    const scanned = await scanData(fs, folder);
    const state = await stateOf(scanned);
    const report = reportOf(folder, scanned, state, await otherProblems(fs, folder, state, options));
    if (scanned.damages.length === 0) return { ...report, repaired: false };
    const setAside = await setAsideDamaged(fs, folder, [...scanned.damages, ...(scanned.torn ? [scanned.torn] : [])]);
    const snapshots: Record<string, number> = {};
    const parts = new Set<string>();
    for (const [collection, of] of state.collections) {
      if (lost) throw lost;
      snapshots[collection] = of.through;
      const listed = scanned.snapshots.get(collection)?.parts ?? [];
      const names = of.isUnchanged ? listed : await rewrite({ fs, folder, collection }, of, listed);
      for (const name of names) parts.add(name);
    }
    if (lost) throw lost;
    await writeContents(fs, folder, { snapshots, segments: [] });
    await writeFormat(fs, folder, FORMAT, encryption);
    // Everything readable in them is now in the snapshots, and the rest is set aside.
    for (const name of scanned.segments) await fs.remove(join(folder, name));
    await clearLeftovers(fs, folder, '', parts);
    await fs.syncFolder(folder);
    return { ...report, repaired: true, ...(setAside && { set_aside: setAside }) };
  } finally {
    await unlock();
  }
}

interface CollectionState extends ScannedDocuments {
  readonly through: number;
  /** Whether its snapshot is current and undamaged. */
  readonly isUnchanged: boolean;
}

interface State {
  readonly collections: ReadonlyMap<string, CollectionState>;
  readonly chunks: NamedChunks;
}

/** The readable documents of every collection: snapshots plus journal. */
async function stateOf({ snapshots, contents, commits, damages }: ScannedData): Promise<State> {
  const through = new Map([...snapshots].map(([collection, snapshot]) => [collection, snapshot.through]));
  const changed = new Set([...snapshots].flatMap(([collection, { isComplete }]) => (isComplete ? [] : [collection])));
  const documents = new Map([...snapshots].map(([collection, snapshot]) => [collection, snapshot.documents]));
  const changes = commits.flatMap(({ tx, changes }) => changes.filter(({ collection }) => tx > (through.get(collection) ?? 0)));
  const first = new Map<string, Map<string, Change>>();
  for (const change of changes) {
    const keys = first.get(change.collection) ?? new Map<string, Change>();
    first.set(change.collection, keys);
    if (!keys.has(change.key)) keys.set(change.key, change);
  }
  for (const [collection, keys] of first) {
    changed.add(collection);
    if (!documents.has(collection)) documents.set(collection, new Map());
    for (const part of snapshots.get(collection)?.onDisk ?? []) await replaceRows(part, keys, documents.get(collection)!);
  }
  for (const { collection, key, json, patch } of changes) {
    const known = documents.get(collection)!;
    const before = known.get(key);
    // A patch of a document that is lost with a damaged line has nothing to change.
    if (patch !== undefined) {
      if (before !== undefined) known.set(key, JSON.stringify(mergePatch(JSON.parse(before), JSON.parse(patch))));
    } else if (json === undefined) known.delete(key);
    else known.set(key, json);
  }
  const scanned = new Map(
    [...documents].map(([collection, inMemory]) => [collection, { inMemory, onDisk: snapshots.get(collection)?.onDisk ?? [] }]),
  );
  const chunks = await namedChunks(scanned);
  for (const [id, json] of damages.length > 0 ? wrongCounts(chunks, documents.get(USES) ?? new Map<string, string>()) : []) {
    const counts = documents.get(USES) ?? new Map<string, string>();
    documents.set(USES, counts);
    scanned.set(USES, { inMemory: counts, onDisk: [] });
    changed.add(USES);
    if (json === undefined) counts.delete(id);
    else counts.set(id, json);
  }
  const last = Math.max(0, commits.at(-1)?.tx ?? 0, ...through.values(), ...Object.values(contents.snapshots));
  const collections = new Map(
    [...scanned].map(([collection, all]) => {
      const isUnchanged = !changed.has(collection);
      return [collection, { ...all, through: isUnchanged ? through.get(collection)! : last, isUnchanged }];
    }),
  );
  return { collections, chunks };
}

/** Marks the rows of documents that the journal has changed. A patch needs the document in memory. */
async function replaceRows(part: DiskPart, first: ReadonlyMap<string, Change>, documents: Map<string, string>): Promise<void> {
  const keys = await part.keys();
  const isChanged = (key: string, i: number): boolean => part.replaced[i] === 0 && first.has(key);
  if (keys.some((key, i) => isChanged(key, i) && first.get(key)!.patch !== undefined))
    for (const row of await part.rows()) if (first.get(row.key)?.patch !== undefined) documents.set(row.key, jsonOf(row));
  for (const [i, key] of keys.entries()) if (isChanged(key, i)) part.replaced[i] = 1;
}

/** Problems of the other files in the folder, and of documents whose chunks are missing. */
async function otherProblems(
  fs: FileSystem,
  folder: string,
  { collections, chunks }: State,
  { hasOwnKey = false, ownFiles }: CheckOptions,
): Promise<DataProblem[]> {
  const documentsOf = (collection: string): ReadonlyMap<string, string> => collections.get(collection)?.inMemory ?? new Map();
  const ofKey = hasOwnKey ? undefined : await keyDamage(fs, folder, documentsOf('core.secrets'));
  const ofChunks = chunks.lost.map(({ collection, documents, first }) => ({
    file: snapshotName(collection),
    damage: `${documents === 1 ? 'a document has' : `${documents} documents have`} lost a long value; the first is ${JSON.stringify(first)}`,
  }));
  return [...(ofKey === undefined ? [] : [{ file: KEY_FILE, damage: ofKey }]), ...ofChunks, ...(ownFiles?.(documentsOf) ?? [])];
}

function reportOf(
  folder: string,
  { format, contents, damages, commits, torn }: ScannedData,
  { collections }: State,
  besides: readonly DataProblem[],
): DataReport {
  return {
    folder,
    format,
    is_whole: damages.length + besides.length === 0,
    collections: collections.size,
    documents: [...collections.values()].reduce((sum, documents) => sum + documentCount(documents), 0),
    transactions: commits.length,
    problems: [...damages.map(({ file, line, damage }) => ({ file, ...(line !== undefined && { line }), damage })), ...besides],
    beyond_repair: besides,
    torn_bytes: torn?.bytes?.length ?? 0,
    ...(contents.synced && { synced_through: contents.synced.through }),
  };
}

/**
 * Writes a snapshot with these documents beside the files of the present one. Parts on disk without damage stay; the readable rows of each
 * other one get a new part.
 * @param listed the names of all parts until now, also of missing ones
 * @returns the names of its parts
 */
async function rewrite(
  place: { readonly fs: FileSystem; readonly folder: string; readonly collection: string },
  { through, inMemory, onDisk }: CollectionState,
  listed: readonly string[],
): Promise<string[]> {
  const { fs, folder, collection } = place;
  const files = (await listData(fs, folder)).parts.filter((part) => part.collection === collection).map(({ name }) => name);
  let lastPart = Math.max(0, ...[...files, ...listed].map(partNumberOf));
  const placing = await placingOf(onDisk);
  const kept: SnapshotPart[] = [];
  for (const part of onDisk.toReversed()) {
    if (part.current === 0) continue;
    if (part.whole) {
      kept.push(part.whole);
      continue;
    }
    const rows = new RowLines();
    for (const row of await part.rows()) rows.add(row);
    kept.push(await writePart(fs, folder, { collection, n: ++lastPart, rows, placing }));
  }
  const writer = new SnapshotWriter({ ...place, placing }, kept, lastPart);
  for (const key of [...inMemory.keys()].sort(compareKeys)) {
    writer.rows.add(rowOf(key, Buffer.from(inMemory.get(key)!)));
    if (writer.isFull) await writer.split();
  }
  const written = await writer.end(through);
  return written.map(({ n }) => partName(collection, n));
}

/** How the parts on disk place their documents; undefined if none of them tells. */
async function placingOf(parts: readonly DiskPart[]): Promise<Placing | undefined> {
  for (const part of parts) {
    const { indexes } = part;
    const [row] = indexes ? await part.rows() : [];
    if (!indexes || !row) continue;
    const key = Object.entries(JSON.parse(jsonOf(row)) as object).find(([, value]) => value === row.key)?.[0];
    if (key === undefined) continue;
    const fields = [...new Set([key, ...Object.values(indexes).flatMap(({ fields }) => fields)])];
    return { key, fields, lookups: indexes };
  }
  return undefined;
}

/** Writes one JSON line per piece: file, line, damage, and its bytes as text or, if not valid UTF-8, in Base64. */
async function setAsideDamaged(
  fs: FileSystem,
  folder: string,
  damages: readonly Damage[],
): Promise<{ file: string; pieces: number } | undefined> {
  const pieces = damages.filter(({ bytes }) => bytes !== undefined);
  if (pieces.length === 0) return undefined;
  const existing = new Set((await fs.list(folder)).map(({ name }) => name));
  let n = 1;
  while (existing.has(`set-aside-${n}.jsonl`)) n++;
  const name = `set-aside-${n}.jsonl`;
  const lines = pieces.map(({ bytes, ...where }) => Buffer.from(`${JSON.stringify({ ...where, ...asText(bytes!) })}\n`));
  await replaceFile(fs, folder, name, lines);
  return { file: join(folder, name), pieces: pieces.length };
}

function asText(bytes: Buffer): { text: string } | { base64: string } {
  const text = bytes.toString();
  return Buffer.from(text).equals(bytes) ? { text } : { base64: bytes.toString('base64') };
}
