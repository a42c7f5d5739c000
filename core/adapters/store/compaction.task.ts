import { join } from 'node:path';
import { compareKeys } from '../../ports/index-order.js';
import { type FileSystem, nodeFileSystem } from '../file-system.js';
import type { CompactionInput, CompactionOutput } from './compaction.js';
import { DataDamaged } from './files/data-damaged.js';
import { readSegment } from './files/journal-file.js';
import { openSnapshot, rowOf, type Snapshot, type StoredRow } from './files/snapshot-file.js';

/** New documents that are in memory a second time. */
const BATCH = 1_000;

/** What became of the documents of a collection, by key; one that is gone has no JSON. */
type Changes = Map<string, { tx: number; json: Buffer | undefined }>;

/**
 * Brings the snapshots up to the end of the segments. Each snapshot is replaced whole and says which transaction it goes
 * up to, so that it does not matter where a crash stops this: the segments are still there, and are merged again.
 */
export async function compact({ folder, segments }: CompactionInput, fs: FileSystem): Promise<CompactionOutput> {
  const { through, collections } = await changesIn(fs, folder, segments);
  for (const [collection, changes] of collections) {
    const snapshot = openSnapshot(fs, folder, collection);
    await snapshot.read();
    snapshot.data = merged(snapshot.data, changes, through);
    await snapshot.write();
  }
  return { collections: [...collections.keys()], through };
}

export default (input: CompactionInput): Promise<CompactionOutput> => compact(input, nodeFileSystem);

async function changesIn(fs: FileSystem, folder: string, segments: readonly string[]) {
  const collections = new Map<string, Changes>();
  let through = 0;
  for (const segment of segments) {
    const { commits, end } = readSegment(fs, folder, segment);
    for await (const batch of commits) {
      for (const { tx, changes } of batch) {
        through = tx;
        for (const { collection, key, json } of changes) {
          const known: Changes = collections.get(collection) ?? new Map();
          // A copy, as a piece of what was read would keep all of that in memory.
          collections.set(collection, known.set(key, { tx, json: json && Buffer.from(json) }));
        }
      }
    }
    if (end.torn > 0) throw new DataDamaged(join(folder, segment), undefined, 'the segment does not end with a whole line');
  }
  return { through, collections };
}

function merged(snapshot: Snapshot, changes: Changes, through: number): Snapshot {
  return { ...snapshot, through: Math.max(through, snapshot.through), rows: rows() };

  async function* rows(): AsyncGenerator<StoredRow[], void> {
    const isNew = ([, { tx }]: [string, { tx: number }]) => tx > snapshot.through;
    const changed = [...changes]
      .filter(isNew)
      .map(([key]) => key)
      .sort(compareKeys);
    let next = 0;
    for await (const batch of snapshot.rows) {
      const out: StoredRow[] = [];
      for (const row of batch) {
        while (next < changed.length && changed[next]! < row.key) take(changed[next++]!, out);
        if (changed[next] === row.key) take(changed[next++]!, out);
        else out.push(row);
      }
      yield out;
    }
    while (next < changed.length) {
      const out: StoredRow[] = [];
      for (let i = 0; i < BATCH && next < changed.length; i++) take(changed[next++]!, out);
      yield out;
    }
  }

  function take(key: string, out: StoredRow[]): void {
    const json = changes.get(key)?.json;
    if (json) out.push(rowOf(key, json));
  }
}
