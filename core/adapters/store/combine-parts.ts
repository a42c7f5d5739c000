import { compareKeys } from '../../ports/index-order.js';
import { DataDamaged } from './files/data-damaged.js';
import { currentRows, PART_BYTES, readPart, type SnapshotPart, writePart } from './files/part-file.js';
import { RowLines } from './files/row-lines.js';
import { orDamaged } from './files/salvage-part.js';
import type { StoredRow } from './files/stored-row.js';
import type { CollectionPlace } from './snapshot-writer.js';

/** A combined part has this many times the size of a new one: a look-up asks the filter of each part, so they must not be too many. */
const COMBINED_FACTOR = 4;

/**
 * Combines the small parts of a collection whose parts stay on disk, once they are large enough together. Their superseded rows are left out.
 * @param lastPart the highest number of a part
 * @returns the parts that replace them, with those that stay
 */
export async function combineParts(
  place: CollectionPlace,
  parts: readonly SnapshotPart[],
  lastPart: number,
): Promise<readonly SnapshotPart[]> {
  const { fs, folder, collection, placing, partBytes = PART_BYTES } = place;
  const wantedBytes = COMBINED_FACTOR * partBytes;
  const small = parts.filter(({ bytes }) => bytes < wantedBytes / 2);
  if (small.length < 2 || small.reduce((sum, { bytes }) => sum + bytes, 0) < wantedBytes) return parts;
  const rows: StoredRow[] = [];
  const replaced = new Set<SnapshotPart>();
  for (const part of small) {
    const content = await orDamaged(() => readPart(fs, folder, collection, part));
    // A damaged part stays where it is, for a repair.
    if (content instanceof DataDamaged) continue;
    replaced.add(part);
    rows.push(...currentRows(collection, part, content));
  }
  rows.sort((a, b) => compareKeys(a.key, b.key));
  const combined: SnapshotPart[] = [];
  const lines = new RowLines();
  for (const [i, row] of rows.entries()) {
    lines.add(row);
    if (lines.recordBytes < wantedBytes && i < rows.length - 1) continue;
    combined.push(await writePart(fs, folder, { collection, n: lastPart + combined.length + 1, rows: lines, placing }));
    lines.clear();
  }
  return [...parts.filter((part) => !replaced.has(part)), ...combined];
}
