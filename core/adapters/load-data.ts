import { join } from 'node:path';
import type { Logger } from '../ports/logger.js';
import { DataDamaged } from './data-damaged.js';
import type { OpenedFolder } from './data-folder.js';
import type { FileSystem } from './file-system.js';
import type { SealedSegment } from './journal.js';
import { readSegment } from './journal-file.js';
import { jsonOf, openSnapshot, snapshotName } from './snapshot-file.js';
import type { Table } from './table.js';

export interface LoadedData {
  readonly lastTx: number;
  /** Segments that hold something, in their order. */
  readonly segments: SealedSegment[];
  /** Up to which transaction the snapshot of each collection goes. */
  readonly through: Readonly<Record<string, number>>;
}

/** Fills the tables with what is on disk: the snapshots, and what the journal says has happened since. */
export async function loadData(
  place: { fs: FileSystem; folder: string; log: Logger },
  { contents, snapshots, segments }: OpenedFolder,
  tables: readonly Table[],
): Promise<LoadedData> {
  const { fs, folder, log } = place;
  const tableOf = new Map(tables.map((table) => [table.name, table]));
  const through = new Map<string, number>();
  let lastTx = 0;
  for (const { collection } of snapshots) {
    const snapshot = openSnapshot(fs, folder, collection);
    await snapshot.read();
    through.set(collection, snapshot.data.through);
    const atLeast = contents.snapshots[collection] ?? 0;
    if (snapshot.data.through < atLeast) throw outdated(join(folder, snapshotName(collection)), snapshot.data.through, atLeast);
    lastTx = Math.max(lastTx, snapshot.data.through);
    const table = tableOf.get(collection);
    if (!table) continue;
    for await (const batch of snapshot.data.rows) for (const row of batch) table.load(row.key, jsonOf(row));
  }

  const loaded: SealedSegment[] = [];
  for (const [at, { name, firstTx }] of segments.entries()) {
    if (firstTx > lastTx + 1) throw missing(join(folder, name), lastTx + 1, firstTx - 1);
    const { commits, end } = readSegment(fs, folder, name);
    for await (const batch of commits) {
      for (const { tx, changes } of batch) {
        lastTx = Math.max(lastTx, tx);
        for (const { collection, key, json } of changes) {
          if (tx > (through.get(collection) ?? 0)) tableOf.get(collection)?.load(key, json?.toString());
        }
      }
    }
    if (end.torn > 0) {
      if (at < segments.length - 1) throw cut(join(folder, name));
      await cutOff(fs, join(folder, name), end.whole);
      log.warn('a transaction that a crash had cut off was taken out of the journal; nobody had been told that it was kept', {
        file: join(folder, name),
        bytes: end.torn,
      });
    }
    if (end.whole > 0) loaded.push({ name, size: end.whole });
  }
  for (const table of tables) table.buildIndexes();
  return { lastTx, segments: loaded, through: Object.fromEntries(through) };
}

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
