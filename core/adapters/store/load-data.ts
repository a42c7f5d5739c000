import { join } from 'node:path';
import type { FileSystem } from '../file-system.js';
import { openColdPart, type PartsPlace, rowsInMemory } from './adopt-parts.js';
import { decodedText } from './commit.js';
import { syncedBytesOf } from './files/contents-file.js';
import { DataDamaged } from './files/data-damaged.js';
import { fileCut, type OpenedFolder } from './files/data-folder.js';
import { readSegment } from './files/journal-file.js';
import {
  currentRows,
  currentTexts,
  type ListedPart,
  PART_BYTES,
  type PartContent,
  packDocuments,
  partName,
  readPart,
  readPartIndex,
  type SnapshotPart,
} from './files/part-file.js';
import { countOf } from './files/row-flags.js';
import { orDamaged } from './files/salvage-part.js';
import { openSnapshot, snapshotName } from './files/snapshot-file.js';
import { jsonOf, textIn } from './files/stored-row.js';
import type { LoadRoom } from './load-room.js';
import type { SealedSegment } from './segment-log.js';
import { StartProgress } from './start-progress.js';
import { ColdTable } from './tables/cold-table.js';
import { type LiveTable, loadLive } from './tables/live-table.js';
import type { Table } from './tables/table.js';

export interface LoadedData {
  readonly lastTx: number;
  /** Segments with transactions that are not in the snapshots, in order. */
  readonly segments: SealedSegment[];
  /** Names of segments that are merged into the snapshots and still to be deleted. There may be gaps between them. */
  readonly merged: readonly string[];
  /** The last transaction in the snapshot of each collection. */
  readonly through: Readonly<Record<string, number>>;
  /** Names of the parts that the snapshots list. */
  readonly parts: ReadonlySet<string>;
}

/** Parts that are read ahead while one is loaded. */
const READ_AHEAD = 2;
const BUFFER_BYTES = 1.5 * PART_BYTES;
/** Other work of the process runs at least this often while indexes are built. */
const MAX_TURN_MS = 50;

/** Fills the tables from disk: reads the snapshots, then replays the journal. */
export async function loadData(
  place: PartsPlace & { readonly room: LoadRoom },
  { contents, snapshots, parts: partFiles, segments }: OpenedFolder,
  tables: readonly Table[],
  lives: readonly LiveTable[] = [],
): Promise<LoadedData> {
  const { fs, folder, log, room, now } = place;
  const totalBytes = [...snapshots, ...partFiles, ...segments].reduce((sum, { size }) => sum + size, 0);
  const progress = new StartProgress({ log, folder, totalBytes, now });
  const tableOf = new Map(tables.map((table) => [table.name, table]));
  const ownerOf = new Map(lives.map(({ name, owner }) => [name, owner]));
  const through = new Map<string, number>();
  const listed = new Set<string>();
  // Reused, because new memory for each part costs as much as reading it. A part needs more only if a document is larger.
  const buffers = Array.from({ length: READ_AHEAD + 1 }, () => (partFiles.length > 0 ? Buffer.allocUnsafeSlow(BUFFER_BYTES) : undefined));
  let lastTx = 0;
  for (const { collection, size } of snapshots) {
    const snapshot = openSnapshot(fs, folder, collection);
    await snapshot.read();
    through.set(collection, snapshot.data.through);
    const atLeast = contents.snapshots[collection] ?? 0;
    if (snapshot.data.through < atLeast) throw outdated(join(folder, snapshotName(collection)), snapshot.data.through, atLeast);
    lastTx = Math.max(lastTx, snapshot.data.through);
    const table = tableOf.get(collection);
    const owner = ownerOf.get(collection);
    const { parts } = snapshot.data;
    for (const { n } of parts) listed.add(partName(collection, n));
    const cold = table instanceof ColdTable ? table : undefined;
    // A damaged or missing part whose documents stay on disk must not stop the others.
    const absent = parts.find(({ n }) => !partFiles.some(({ name }) => name === partName(collection, n)));
    if (absent && !cold) throw partMissing(folder, collection, absent.n);
    if (!table && !owner) {
      progress.hasRead(size + parts.reduce((sum, part) => sum + part.bytes, 0));
      continue;
    }
    const inMemory = cold ? await openColdParts(place, cold, parts) : parts;
    let documents = cold?.cold.size ?? 0;
    const read = (part: SnapshotPart, i: number) =>
      // An owner may keep the bytes.
      readPart(fs, folder, collection, part, owner ? undefined : buffers[i % buffers.length]);
    for await (const [part, content] of readAhead(inMemory, (part, i) => (cold ? orDamaged(() => read(part, i)) : read(part, i)))) {
      if (content instanceof DataDamaged) {
        const rows = await rowsInMemory(place, cold!, part, content);
        for (const row of rows) cold!.load(row.key, jsonOf(row));
        documents += rows.length;
      } else {
        if (owner) for (const text of currentTexts(collection, part, content)) loadLive(owner, text);
        else loadPart(table!, part, content);
        documents += part.documents - countOf(part.superseded);
      }
      if (table && table.size !== documents) throw twice(join(folder, partName(collection, part.n)));
      await room.checkAfter(part.bytes);
      progress.reading(partName(collection, part.n), part.bytes);
      progress.hasRead(part.bytes);
    }
    let bytes = 0;
    for await (const batch of snapshot.data.rows) {
      for (const row of batch) {
        if (owner) loadLive(owner, textIn(row));
        else table!.load(row.key, jsonOf(row));
        cold?.latest.set(row.key, snapshot.data.through);
      }
      const read = batch.reduce((sum, { record }) => sum + record.length, 0);
      await room.checkAfter(read);
      bytes += read;
      documents += batch.length;
      progress.reading(snapshotName(collection), bytes);
    }
    if (table && table.size !== documents) throw twice(join(folder, snapshotName(collection)));
    progress.hasRead(size);
  }

  const changed = new Map<ColdTable, Set<string>>();
  const changedIn = (table: ColdTable, key: string, tx: number): void => {
    table.latest.set(key, tx);
    const keys = changed.get(table) ?? new Set<string>();
    changed.set(table, keys.add(key));
  };
  const loaded: SealedSegment[] = [];
  const merged: string[] = [];
  let journalTx: number | undefined;
  for (const [at, { name, firstTx, size }] of segments.entries()) {
    // Checks empty segments too: the name of a segment states its first transaction. Snapshots can end at different transactions,
    // so they do not fill a gap in the journal.
    const before = journalTx ?? lastTx;
    if (firstTx > before + 1) throw missing(join(folder, name), before + 1, firstTx - 1);
    const { commits, end } = readSegment(fs, folder, name, syncedBytesOf(contents, name));
    for await (const batch of commits) {
      let bytes = 0;
      for (const { tx, changes } of batch) {
        for (const change of changes) {
          const { collection, key, kind } = change;
          bytes += change.end - change.start;
          if (tx <= (through.get(collection) ?? 0)) continue;
          const owner = ownerOf.get(collection);
          const table = tableOf.get(collection);
          if (table instanceof ColdTable) changedIn(table, key, tx);
          if (!owner) table?.load(key, kind === 'document' ? decodedText(change) : undefined);
          else if (kind === 'patch') owner.patch(key, JSON.parse(decodedText(change)));
          else if (kind === 'document') owner.put(JSON.parse(decodedText(change)));
          else owner.delete(key);
        }
      }
      await room.checkAfter(bytes);
      progress.reading(name, end.whole);
    }
    // The size on the disk has shown this before, unless the file is encrypted and has lost whole records.
    const syncedBytes = syncedBytesOf(contents, name);
    if (end.whole < syncedBytes) throw fileCut(folder, { ...contents.synced!, size: end.whole });
    progress.hasRead(size);
    lastTx = Math.max(lastTx, end.lastTx);
    if (contents.segments.includes(name)) journalTx = end.lastTx;
    const isLast = at === segments.length - 1;
    // A process that was killed may have written the last transactions without a sync. From now on they count, so they have to survive a power failure.
    if (isLast && end.whole + end.torn > 0) await keep(fs, join(folder, name), end);
    if (end.torn > 0) {
      if (!isLast) throw cut(join(folder, name));
      const syncedThrough = contents.synced?.through;
      log.warn(tornWrite(syncedThrough), { file: join(folder, name), bytes: end.torn, syncedThrough });
    }
    // A segment is listed before its first write. If one with transactions is not listed, it is already merged and was about to
    // be deleted.
    if (end.whole > 0) {
      if (contents.segments.includes(name)) loaded.push({ name, size: end.whole });
      else merged.push(name);
    }
  }
  for (const [table, keys] of changed) await table.maskChanged(keys, ({ listed }) => keysOf(place, table.name, listed));
  const documents = tables.reduce((sum, table) => sum + table.size, 0);
  let indexed = 0;
  for (const table of tables) {
    let pausedAt = performance.now();
    for (const share of table.buildIndexes()) {
      progress.indexing(table.name, indexed + share * table.size, documents);
      if (performance.now() - pausedAt < MAX_TURN_MS) continue;
      await new Promise(setImmediate);
      pausedAt = performance.now();
    }
    await room.checkAfter(0);
    indexed += table.size;
  }
  progress.end(documents);
  return { lastTx, segments: loaded, merged, through: Object.fromEntries(through), parts: listed };
}

/** Opens the parts of a table that stay on disk. @returns those that must be in memory */
async function openColdParts(
  place: { readonly fs: FileSystem; readonly folder: string },
  table: ColdTable,
  parts: readonly SnapshotPart[],
): Promise<SnapshotPart[]> {
  const opened = [];
  const others: SnapshotPart[] = [];
  for (const part of parts) {
    const cold = await openColdPart(place, table, part);
    if (cold) opened.push(cold);
    else others.push(part);
  }
  table.cold.setParts(opened);
  return others;
}

async function keysOf({ fs, folder }: PartsPlace, collection: string, part: ListedPart): Promise<readonly string[] | undefined> {
  const index = await orDamaged(() => readPartIndex(fs, folder, collection, part));
  return index instanceof DataDamaged ? undefined : index.keys;
}

function loadPart(table: Table, part: SnapshotPart, content: PartContent): void {
  const { fields } = content.index;
  const { placing } = table;
  // A part of an earlier release may have other fields.
  const hasAll = placing.fields.every((field) => field === placing.key || fields?.[field]);
  if (fields && hasAll) table.loadBlock(packDocuments(table.name, part, content), fields, part.superseded);
  else for (const row of currentRows(table.name, part, content)) table.load(row.key, jsonOf(row));
}

/** Reads items in their order, `READ_AHEAD` of them ahead of the one that is in use. */
async function* readAhead<Item, Content>(
  items: readonly Item[],
  read: (item: Item, i: number) => Promise<Content>,
): AsyncGenerator<[Item, Content]> {
  const reading: Promise<Content>[] = [];
  for (const [i, item] of items.entries()) {
    while (reading.length <= READ_AHEAD && i + reading.length < items.length) {
      const content = read(items[i + reading.length]!, i + reading.length);
      // An error is reported when its item is due; the load may have failed before that.
      content.catch(() => undefined);
      reading.push(content);
    }
    yield [item, await reading.shift()!];
  }
}

/** Explains an incomplete transaction at the end of the journal, given the last transaction known to be synced. */
const tornWrite = (through: number | undefined): string =>
  `the journal ended in an incomplete transaction, which was removed. A crash during a write leaves one; it was not acknowledged. ${
    through === undefined
      ? 'If something else truncated the file, acknowledged transactions may be missing: an older release did not record how far the journal was synced'
      : `All transactions up to ${through} are present; later acknowledged ones are missing only if something other than a crash truncated the file`
  }`;

/** Makes the complete transactions of a segment durable, and removes an incomplete one at its end. */
async function keep(fs: FileSystem, path: string, { whole, torn }: { readonly whole: number; readonly torn: number }): Promise<void> {
  const file = await fs.open(path, 'append');
  try {
    if (torn > 0) await file.truncate(whole);
    await file.sync();
  } finally {
    await file.close();
  }
}

const missing = (path: string, from: number, to: number): DataDamaged =>
  new DataDamaged(path, undefined, `transactions ${from} to ${to} before it are missing`);

const cut = (path: string): DataDamaged => new DataDamaged(path, undefined, 'the file is truncated, but a later one exists');

const outdated = (path: string, through: number, atLeast: number): DataDamaged =>
  new DataDamaged(path, 3, `the file is outdated: it ends at transaction ${through}, but should reach at least ${atLeast}`);

const partMissing = (folder: string, collection: string, n: number): DataDamaged =>
  new DataDamaged(join(folder, partName(collection, n)), undefined, `the file is missing, but ${snapshotName(collection)} lists it`);

const twice = (path: string): DataDamaged =>
  new DataDamaged(path, undefined, 'a document of this file is also in another file of its collection');
