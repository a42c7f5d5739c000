import { join } from 'node:path';
import { compareKeys } from '../../ports/index-order.js';
import { type FileSystem, nodeFileSystem } from '../file-system.js';
import type { CompactionInput, CompactionOutput } from './compaction.js';
import { DataDamaged } from './files/data-damaged.js';
import { readSegment } from './files/journal-file.js';
import { openSnapshot, rowOf, type Snapshot, type StoredRow } from './files/snapshot-file.js';

/** Changed documents whose rows are in memory at the same time. */
const BATCH = 1_000;

/** The last change of each document by key; deleted documents have no JSON. */
type Changes = Map<string, { tx: number; json: Buffer | undefined }>;

/**
 * Brings the snapshots up to the end of the segments. A snapshot is replaced atomically and records its last transaction, so a
 * crash at any point is safe: the segments still exist and are merged again.
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
          // Copied, because a slice would keep the complete buffer in memory.
          collections.set(collection, known.set(key, { tx, json: json && Buffer.from(json) }));
        }
      }
    }
    if (end.torn > 0) throw new DataDamaged(join(folder, segment), undefined, 'the segment does not end with a complete line');
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
