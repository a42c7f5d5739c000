import { join } from 'node:path';
import { encryptedFiles } from '../encryption/encrypted-files.js';
import { type FileSystem, nodeFileSystem } from '../file-system.js';
import type { CompactionInput, CompactionOutput } from './compaction.js';
import { DataDamaged } from './files/data-damaged.js';
import { listData } from './files/data-folder.js';
import { readSegment } from './files/journal-file.js';
import { countOf } from './files/row-flags.js';
import { openSnapshot, type Snapshot } from './files/snapshot-file.js';
import { addChange, type MergedChanges, mergeCollection } from './merge-collection.js';

/** A snapshot, and the changes to merge into it. */
interface Merge {
  readonly snapshot: Snapshot;
  readonly changes: MergedChanges;
}

/**
 * Brings the snapshots up to the end of the segments. A snapshot is replaced atomically and records its last transaction, so a
 * crash at any point is safe: the segments still exist and are merged again.
 */
export async function compact(input: CompactionInput, disk: FileSystem): Promise<CompactionOutput> {
  const { folder, segments, placing = {}, lost = {}, partBytes, purge = false, encryption } = input;
  const fs = encryption ? encryptedFiles(disk, encryption) : disk;
  const { through, merges } = await changesIn(fs, folder, segments);
  let isLimited = false;
  const merge = async (collection: string, { snapshot, changes }: Merge, end: number): Promise<void> => {
    const place = { fs, folder, collection, placing: placing[collection], lost: lost[collection], partBytes, purge };
    if (await mergeCollection(place, snapshot, changes, end)) isLimited = true;
  };
  for (const [collection, one] of merges) await merge(collection, one, through);
  const purged: string[] = [];
  for (const { collection } of purge ? (await listData(fs, folder)).snapshots : []) {
    if (merges.has(collection)) continue;
    const one = await openMerge(fs, folder, collection);
    if (!one.snapshot.parts.some(({ superseded }) => countOf(superseded) > 0)) continue;
    await merge(collection, one, one.snapshot.through);
    purged.push(collection);
  }
  return { collections: [...merges.keys()], through, purged, isLimited };
}

export default (input: CompactionInput): Promise<CompactionOutput> => compact(input, nodeFileSystem);

/** Reads the changes after the snapshots. They keep the text of the segments in memory. */
async function changesIn(fs: FileSystem, folder: string, segments: readonly string[]) {
  const merges = new Map<string, Merge>();
  let through = 0;
  for (const segment of segments) {
    const { commits, end } = readSegment(fs, folder, segment);
    for await (const batch of commits) {
      for (const { tx, changes } of batch) {
        through = tx;
        for (const change of changes) {
          const merge = merges.get(change.collection) ?? (await openMerge(fs, folder, change.collection));
          merges.set(change.collection, merge);
          // The snapshot is ahead of the first segments if a crash interrupted the previous merge.
          if (tx > merge.snapshot.through) addChange(merge.changes, change);
        }
      }
    }
    if (end.torn > 0) throw new DataDamaged(join(folder, segment), undefined, 'the segment does not end with a complete line');
  }
  return { through, merges };
}

async function openMerge(fs: FileSystem, folder: string, collection: string): Promise<Merge> {
  const snapshot = openSnapshot(fs, folder, collection);
  await snapshot.read();
  return { snapshot: snapshot.data, changes: new Map() };
}
