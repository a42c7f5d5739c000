import { join } from 'node:path';
import type { Logger } from '../../ports/logger.js';
import type { FileSystem } from '../file-system.js';
import { syncedBytesOf } from './files/contents-file.js';
import { DataDamaged } from './files/data-damaged.js';
import type { OpenedFolder } from './files/data-folder.js';
import { readSegment } from './files/journal-file.js';
import { jsonOf, openSnapshot, snapshotName } from './files/snapshot-file.js';
import type { SealedSegment } from './journal.js';
import type { LoadRoom } from './load-room.js';
import { StartProgress } from './start-progress.js';
import type { Table } from './tables/table.js';

export interface LoadedData {
  readonly lastTx: number;
  /** Segments that hold something, in their order. */
  readonly segments: SealedSegment[];
  /** Names of segments that are merged into the snapshots and still to be removed. There may be gaps between them. */
  readonly merged: readonly string[];
  /** Up to which transaction the snapshot of each collection goes. */
  readonly through: Readonly<Record<string, number>>;
}

/** Fills the tables with what is on disk: the snapshots, and what the journal says has happened since. */
export async function loadData(
  place: { fs: FileSystem; folder: string; log: Logger; room: LoadRoom; now: () => number },
  { contents, snapshots, segments }: OpenedFolder,
  tables: readonly Table[],
): Promise<LoadedData> {
  const { fs, folder, log, room, now } = place;
  const totalBytes = [...snapshots, ...segments].reduce((sum, { size }) => sum + size, 0);
  const progress = new StartProgress({ log, folder, totalBytes, now });
  const tableOf = new Map(tables.map((table) => [table.name, table]));
  const through = new Map<string, number>();
  let lastTx = 0;
  for (const { collection, size } of snapshots) {
    const snapshot = openSnapshot(fs, folder, collection);
    await snapshot.read();
    through.set(collection, snapshot.data.through);
    const atLeast = contents.snapshots[collection] ?? 0;
    if (snapshot.data.through < atLeast) throw outdated(join(folder, snapshotName(collection)), snapshot.data.through, atLeast);
    lastTx = Math.max(lastTx, snapshot.data.through);
    const table = tableOf.get(collection);
    let bytes = 0;
    if (table) {
      for await (const batch of snapshot.data.rows) {
        for (const row of batch) table.load(row.key, jsonOf(row));
        const read = batch.reduce((sum, { record }) => sum + record.length, 0);
        await room.took(read);
        bytes += read;
        progress.reading(snapshotName(collection), bytes);
      }
    }
    progress.hasRead(size);
  }

  const loaded: SealedSegment[] = [];
  const merged: string[] = [];
  let journalTx: number | undefined;
  for (const [at, { name, firstTx, size }] of segments.entries()) {
    // Also of an empty one: its name says which transactions come before it. A snapshot may be ahead of others, so it does not fill a gap.
    const before = journalTx ?? lastTx;
    if (firstTx > before + 1) throw missing(join(folder, name), before + 1, firstTx - 1);
    const { commits, end } = readSegment(fs, folder, name, syncedBytesOf(contents, name));
    for await (const batch of commits) {
      let bytes = 0;
      for (const { tx, changes } of batch) {
        for (const { collection, key, json } of changes) {
          bytes += json?.length ?? 0;
          if (tx > (through.get(collection) ?? 0)) tableOf.get(collection)?.load(key, json?.toString());
        }
      }
      await room.took(bytes);
      progress.reading(name, end.whole);
    }
    progress.hasRead(size);
    lastTx = Math.max(lastTx, end.lastTx);
    if (contents.segments.includes(name)) journalTx = end.lastTx;
    if (end.torn > 0) {
      if (at < segments.length - 1) throw cut(join(folder, name));
      await cutOff(fs, join(folder, name), end.whole);
      const syncedThrough = contents.synced?.through;
      log.warn(tornWrite(syncedThrough), { file: join(folder, name), bytes: end.torn, syncedThrough });
    }
    // A segment is written to only after it is listed: one with transactions that is not listed is in the snapshots, and was to be removed.
    if (end.whole > 0) {
      if (contents.segments.includes(name)) loaded.push({ name, size: end.whole });
      else merged.push(name);
    }
  }
  const documents = tables.reduce((sum, table) => sum + table.size, 0);
  let indexed = 0;
  for (const table of tables) {
    table.buildIndexes((share) => progress.indexing(table.name, indexed + share * table.size, documents));
    await room.took(0);
    indexed += table.size;
  }
  progress.end(documents);
  return { lastTx, segments: loaded, merged, through: Object.fromEntries(through) };
}

/** What an incomplete transaction at the end of the journal means, given how far the journal is known to have been synced. */
const tornWrite = (through: number | undefined): string =>
  `the journal ended in an incomplete transaction, which was taken out. A write that a crash interrupts leaves that, and was not acknowledged. ${
    through === undefined
      ? 'If something else cut the file off, acknowledged transactions are missing: an older release did not record how far the journal was synced'
      : `All transactions up to ${through} are there; only if something else than a crash cut the file off, acknowledged ones after that are missing`
  }`;

async function cutOff(fs: FileSystem, path: string, size: number): Promise<void> {
  const file = await fs.open(path, 'append');
  try {
    await file.truncate(size);
    await file.sync();
  } finally {
    await file.close();
  }
}

const missing = (path: string, from: number, to: number): DataDamaged =>
  new DataDamaged(path, undefined, `the transactions ${from} to ${to}, which come before it, are missing`);

const cut = (path: string): DataDamaged => new DataDamaged(path, undefined, 'the file is cut off, but there is a later one');

const outdated = (path: string, through: number, atLeast: number): DataDamaged =>
  new DataDamaged(path, 3, `the file goes up to transaction ${through}, and should go up to ${atLeast} at least; it is an older one`);
