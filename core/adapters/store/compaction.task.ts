import { join } from 'node:path';
import { type FileSystem, nodeFileSystem } from '../file-system.js';
import type { CompactionInput, CompactionOutput } from './compaction.js';
import { DataDamaged } from './files/data-damaged.js';
import { readSegment } from './files/journal-file.js';
import { type Changed, mergeCollection } from './merge-collection.js';

/** The changes of a collection by key. */
type Changes = Map<string, Changed>;

/**
 * Brings the snapshots up to the end of the segments. A snapshot is replaced atomically and records its last transaction, so a
 * crash at any point is safe: the segments still exist and are merged again.
 */
export async function compact(input: CompactionInput, fs: FileSystem): Promise<CompactionOutput> {
  const { folder, segments, placing = {}, partBytes } = input;
  const { through, collections } = await changesIn(fs, folder, segments);
  for (const [collection, changes] of collections) {
    await mergeCollection({ fs, folder, collection, placing: placing[collection], partBytes }, changes, through);
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
        for (const { collection, key, json, patch } of changes) {
          const known: Changes = collections.get(collection) ?? new Map();
          // Copied, because a slice would keep the complete buffer in memory.
          const changed = known.get(key) ?? { tx, patches: [] };
          changed.tx = tx;
          if (patch) changed.patches.push({ tx, patch: Buffer.from(patch) });
          else {
            changed.written = { tx, json: json && Buffer.from(json) };
            changed.patches = [];
          }
          collections.set(collection, known.set(key, changed));
        }
      }
    }
    if (end.torn > 0) throw new DataDamaged(join(folder, segment), undefined, 'the segment does not end with a complete line');
  }
  return { through, collections };
}
