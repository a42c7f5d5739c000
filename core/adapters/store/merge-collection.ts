import { join } from 'node:path';
import { compareKeys } from '../../ports/index-order.js';
import type { FileSystem } from '../file-system.js';
import { mergePatch } from './files/merge-patch.js';
import { currentRows, PART_BYTES, type Part, partName, readPart, readPartIndex, readRows, writePart } from './files/part-file.js';
import type { Placing } from './files/part-index.js';
import { countOf } from './files/row-flags.js';
import { openSnapshot, type Snapshot } from './files/snapshot-file.js';
import { jsonOf, rowOf, type StoredRow } from './files/stored-row.js';

/** Rows of changed documents that are encoded at the same time. */
const BATCH = 1_000;
/** A merge rewrites parts of at most this size; the others that are due follow with the next merges. */
const MAX_REWRITTEN_BYTES = 32 << 20;
/** A part is rewritten when more than this share of its rows is superseded. */
const MAX_SUPERSEDED_SHARE = 0.5;

/** The changes of one document in the journal. */
export interface Changed {
  /** Of its newest change. */
  tx: number;
  /** Its newest JSON in the segments and the transaction that wrote it; a deletion has a transaction and no JSON. */
  written?: { readonly tx: number; readonly json: Buffer | undefined };
  /** Patches after that, in their order. */
  patches: { readonly tx: number; readonly patch: Buffer }[];
}

export interface CollectionPlace {
  readonly fs: FileSystem;
  readonly folder: string;
  readonly collection: string;
  readonly placing: Placing | undefined;
  readonly partBytes?: number | undefined;
}

/**
 * Merges changes into a snapshot. New and changed documents go to the snapshot file, from which full parts are split off. A part
 * never changes: the list in the snapshot file marks which of its rows are superseded. When most of them are, the rest moves to
 * the snapshot file and the part is deleted. New parts are durable before the list that names them, and old parts are deleted
 * after it, so a crash leaves at most files that are not listed.
 */
export async function mergeCollection(place: CollectionPlace, changes: ReadonlyMap<string, Changed>, through: number): Promise<void> {
  const { fs, folder, collection } = place;
  const snapshot = openSnapshot(fs, folder, collection);
  await snapshot.read();
  const before = snapshot.data;
  const due = new Map([...changes].filter(([, { tx }]) => tx > before.through));
  const bases = new Map<string, StoredRow>();
  const keys = [...due.keys()].sort(compareKeys);
  const marked: Part[] = [];
  for (const part of before.parts) {
    // New keys are usually after those of older parts: then a merge does not read these parts.
    const isTouched = hasBetween(keys, part.first, part.last);
    marked.push(isTouched ? await supersede(place, part, due, before.through, bases) : part);
  }
  const { kept, rewritten, moved } = await rewriteParts(place, marked);

  await writeSnapshot(place, {
    through: Math.max(through, before.through),
    parts: kept,
    lastPart: Math.max(0, ...before.parts.map(({ n }) => n)),
    rows: mergedRows(before, due, moved, bases),
  });
  for (const { n } of rewritten) await fs.remove(join(folder, partName(collection, n)));
}

/**
 * Writes a snapshot, durably. Splits full parts off its rows.
 * @param content `parts` are on the disk; new parts get numbers above `lastPart`
 * @returns all parts
 */
export async function writeSnapshot(
  { fs, folder, collection, placing, partBytes = PART_BYTES }: CollectionPlace,
  content: { readonly through: number; readonly parts: readonly Part[]; readonly lastPart: number; readonly rows: Snapshot['rows'] },
): Promise<readonly Part[]> {
  const parts = [...content.parts];
  const remaining: StoredRow[] = [];
  let n = content.lastPart;
  let bytes = 0;
  for await (const batch of content.rows) {
    for (const row of batch) {
      remaining.push(row);
      bytes += row.record.length;
      if (bytes < partBytes) continue;
      parts.push(await writePart(fs, folder, { collection, n: ++n, rows: remaining.splice(0), placing }));
      bytes = 0;
    }
  }
  const snapshot = openSnapshot(fs, folder, collection);
  snapshot.data = { collection, through: content.through, parts, rows: inOneBatch(remaining) };
  await snapshot.write();
  return parts;
}

async function* inOneBatch(rows: StoredRow[]): AsyncGenerator<StoredRow[], void> {
  yield rows;
}

/** Whether one of these keys, which are in order, is in this range. */
function hasBetween(keys: readonly string[], first: string, last: string): boolean {
  let [low, high] = [0, keys.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (keys[middle]! < first) low = middle + 1;
    else high = middle;
  }
  return low < keys.length && keys[low]! <= last;
}

/** Marks the rows of changed documents as superseded. Reads those that a patch needs into `bases`. */
async function supersede(
  { fs, folder, collection }: CollectionPlace,
  part: Part,
  due: ReadonlyMap<string, Changed>,
  through: number,
  bases: Map<string, StoredRow>,
): Promise<Part> {
  const { keys, sizes } = await readPartIndex(fs, folder, collection, part);
  const superseded = part.superseded.slice();
  const positions: number[] = [];
  for (const [i, key] of keys.entries()) {
    const changed = due.get(key);
    if (!changed || superseded[i] === 1) continue;
    superseded[i] = 1;
    if (!isWritten(changed, through)) positions.push(i);
  }
  for (const row of await readRows(fs, folder, collection, { n: part.n, sizes, positions })) bases.set(row.key, row);
  return { ...part, superseded };
}

/** Chooses the parts to rewrite, those with the fewest current rows first. @returns their current rows as `moved` */
async function rewriteParts({ fs, folder, collection }: CollectionPlace, parts: readonly Part[]) {
  const shareOf = ({ superseded, documents }: Part): number => countOf(superseded) / documents;
  const rewritten = new Set<Part>();
  const moved = new Map<string, StoredRow>();
  let bytes = 0;
  for (const part of parts.toSorted((a, b) => shareOf(b) - shareOf(a))) {
    const share = shareOf(part);
    if (share <= MAX_SUPERSEDED_SHARE || bytes > MAX_REWRITTEN_BYTES) break;
    rewritten.add(part);
    if (share === 1) continue;
    bytes += part.bytes;
    for (const row of currentRows(collection, part, await readPart(fs, folder, collection, part))) moved.set(row.key, row);
  }
  return { kept: parts.filter((part) => !rewritten.has(part)), rewritten, moved };
}

/** Whether the journal has a whole document or a deletion that the snapshot does not have. */
const isWritten = ({ written }: Changed, through: number): boolean => written !== undefined && written.tx > through;

/** The rows of the snapshot file with the changes and the moved rows, in key order. */
async function* mergedRows(
  { rows, through }: Snapshot,
  due: ReadonlyMap<string, Changed>,
  moved: ReadonlyMap<string, StoredRow>,
  bases: ReadonlyMap<string, StoredRow>,
): AsyncGenerator<StoredRow[], void> {
  const placed = [...due.keys(), ...moved.keys()].sort(compareKeys);
  let next = 0;
  for await (const batch of rows) {
    const out: StoredRow[] = [];
    for (const row of batch) {
      while (next < placed.length && placed[next]! < row.key) take(placed[next++]!, out);
      if (placed[next] === row.key) take(placed[next++]!, out, row);
      else out.push(row);
    }
    yield out;
  }
  while (next < placed.length) {
    const out: StoredRow[] = [];
    for (let i = 0; i < BATCH && next < placed.length; i++) take(placed[next++]!, out);
    yield out;
  }

  function take(key: string, out: StoredRow[], before = bases.get(key)): void {
    const unchanged = moved.get(key);
    if (unchanged) return void out.push(unchanged);
    const { written, patches } = due.get(key)!;
    // The snapshot may be ahead of the first segments: then it has what they wrote, and some of the patches, already.
    const isNewer = written !== undefined && written.tx > through;
    const newer = patches.filter(({ tx }) => tx > through);
    if (newer.length === 0) {
      if (isNewer && written.json) out.push(rowOf(key, written.json));
      return;
    }
    const base = isNewer ? written.json?.toString() : before && jsonOf(before);
    if (base === undefined) return;
    const document = newer.reduce<unknown>((value, { patch }) => mergePatch(value, JSON.parse(patch.toString())), JSON.parse(base));
    out.push(rowOf(key, Buffer.from(JSON.stringify(document))));
  }
}
