import { join } from 'node:path';
import { compareKeys } from '../../ports/index-order.js';
import { combineParts } from './combine-parts.js';
import { decodedText, type StoredChange, type TextIn } from './commit.js';
import { DataDamaged } from './files/data-damaged.js';
import { mergePatch } from './files/merge-patch.js';
import {
  currentRows,
  partCollectionOf,
  partName,
  partNumberOf,
  readPart,
  readPartIndex,
  readRows,
  type SnapshotPart,
} from './files/part-file.js';
import { countOf } from './files/row-flags.js';
import type { RowLines } from './files/row-lines.js';
import { orDamaged, salvagePart } from './files/salvage-part.js';
import { openSnapshot, type Snapshot } from './files/snapshot-file.js';
import { documentIn, hasPatches, type StoredRow, textIn } from './files/stored-row.js';
import { type CollectionPlace, SnapshotWriter } from './snapshot-writer.js';

/** A merge rewrites parts of at most this size; the others that are due follow with the next merges. */
const MAX_REWRITTEN_BYTES = 32 << 20;
/** A part is rewritten when more than this share of its rows is superseded. */
const MAX_SUPERSEDED_SHARE = 0.5;
const CONVERTED_SHARE = 0.51;
/** A row stores at most this many patches beside its document. */
const MAX_PATCHES = 8;

/** A change in the journal, after the snapshot. */
export interface MergedChange extends TextIn {
  readonly kind: StoredChange['kind'];
  /** Of a patch: the previous change of its document, if that is in the journal too. */
  readonly previous: MergedChange | undefined;
}

/** The newest change of each key. */
export type MergedChanges = Map<string, MergedChange>;

export function addChange(changes: MergedChanges, { key, kind, bytes, start, end }: StoredChange): void {
  changes.set(key, { kind, bytes, start, end, previous: kind === 'patch' ? changes.get(key) : undefined });
}

/**
 * Merges changes into a snapshot. New and changed documents go to the snapshot file, from which full parts are split off. A part
 * never changes: the list in the snapshot file marks which of its rows are superseded. When most of them are, the rest moves to
 * the snapshot file and the part is deleted. New parts are durable before the list that names them, and old parts are deleted
 * after it, so a crash leaves at most files that are not listed.
 * @returns with `purge`, whether parts with superseded rows are left for another merge; those that are damaged do not count
 */
export async function mergeCollection(
  place: CollectionPlace,
  before: Snapshot,
  changes: ReadonlyMap<string, MergedChange>,
  through: number,
): Promise<boolean> {
  const lastPart = await lastPartOf(place);
  try {
    return await merge(place, before, changes, { through, lastPart });
  } catch (error) {
    await removeNew(place, lastPart);
    throw error;
  }
}

async function merge(
  place: CollectionPlace,
  before: Snapshot,
  changes: ReadonlyMap<string, MergedChange>,
  { through, lastPart }: { readonly through: number; readonly lastPart: number },
): Promise<boolean> {
  const { fs, folder, collection } = place;
  const bases = new Map<string, StoredRow>();
  const keys = [...changes.keys()].sort(compareKeys);
  const marked: SnapshotPart[] = [];
  for (const listed of before.parts) {
    const part = place.lost?.includes(listed.n) ? { ...listed, lost: true as const } : listed;
    // New keys are usually after those of older parts: then a merge does not read these parts.
    const isTouched = hasBetween(keys, part.first, part.last);
    const supersededOf = () => supersede(place, part, changes, bases);
    const touched = isTouched && (await (staysOnDisk(place) ? orDamaged(supersededOf) : supersededOf()));
    if (touched instanceof DataDamaged) marked.push(await supersedeDamaged(place, part, changes, bases));
    else marked.push(touched || part);
  }
  const { kept, rewritten, moved, isLimited } = await rewriteParts(place, marked);
  const placed = moved.size === 0 ? keys : [...keys, ...moved.keys()].sort(compareKeys);
  const parts = staysOnDisk(place) ? await combineParts(place, kept, lastPart) : kept;
  const writer = new SnapshotWriter(place, parts, Math.max(lastPart, ...parts.map(({ n }) => n)));
  const add = (key: string, row?: StoredRow): void => {
    const unchanged = moved.get(key);
    if (unchanged) writer.rows.add(unchanged);
    else addChanged(writer.rows, key, changes.get(key)!, row ?? bases.get(key));
  };
  let next = 0;
  for await (const batch of before.rows) {
    for (const row of batch) {
      while (next < placed.length && placed[next]! < row.key) {
        add(placed[next++]!);
        if (writer.isFull) await writer.split();
      }
      if (placed[next] === row.key) add(placed[next++]!, row);
      else writer.rows.add(row);
      if (writer.isFull) await writer.split();
    }
  }
  while (next < placed.length) {
    add(placed[next++]!);
    if (writer.isFull) await writer.split();
  }
  await writer.end(Math.max(through, before.through));
  // The process may still read those that stay on disk, and removes them itself.
  if (!staysOnDisk(place)) for (const { n } of rewritten) await fs.remove(join(folder, partName(collection, n)));
  return isLimited;
}

/**
 * Removes the parts that a failed merge has written, as on a full disk: the next merge writes them again. The snapshot may list them already,
 * if the merge failed after that. The next start removes those that this cannot remove.
 */
async function removeNew({ fs, folder, collection }: CollectionPlace, lastPart: number): Promise<void> {
  try {
    const snapshot = openSnapshot(fs, folder, collection);
    await snapshot.read();
    const listed = new Set(snapshot.data.parts.map(({ n }) => partName(collection, n)));
    for (const { name } of await fs.list(folder)) {
      const isNew = partCollectionOf(name) === collection && partNumberOf(name) > lastPart;
      if (isNew && !listed.has(name)) await fs.remove(join(folder, name));
    }
  } catch {
    // The error of the merge says what is wrong.
  }
}

/** The highest number of the parts in the folder, also of those that are replaced. */
async function lastPartOf({ fs, folder, collection, partsAfter = 0 }: CollectionPlace): Promise<number> {
  const files = await fs.list(folder);
  return Math.max(partsAfter, ...files.filter(({ name }) => partCollectionOf(name) === collection).map(({ name }) => partNumberOf(name)));
}

/** Adds the row of a changed document, unless it is deleted. */
function addChanged(rows: RowLines, key: string, newest: MergedChange, before: StoredRow | undefined): void {
  const patches: TextIn[] = [];
  let change: MergedChange | undefined = newest;
  for (; change?.kind === 'patch'; change = change.previous) patches.push(change);
  if (change?.kind === 'deletion') return;
  const document = change ?? (before && textIn(before));
  if (!document) return;
  patches.reverse();
  const isFolded = patches.length > MAX_PATCHES || (patches.length > 0 && hasPatches(document));
  if (isFolded) rows.addDocument(key, folded(document, patches), []);
  else rows.addDocument(key, document, patches);
}

/** The oldest of the changes that decide what a document is now. */
function firstOf(newest: MergedChange): MergedChange {
  let first = newest;
  while (first.previous) first = first.previous;
  return first;
}

function folded(document: TextIn, patches: readonly TextIn[]): TextIn {
  const patched = patches.reduce((value, patch) => mergePatch(value, JSON.parse(decodedText(patch))) as object, documentIn(document));
  const bytes = Buffer.from(JSON.stringify(patched));
  return { bytes, start: 0, end: bytes.length };
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
  part: SnapshotPart,
  changes: ReadonlyMap<string, MergedChange>,
  bases: Map<string, StoredRow>,
): Promise<SnapshotPart> {
  const { keys, sizes } = await readPartIndex(fs, folder, collection, part);
  const superseded = part.superseded.slice();
  const positions: number[] = [];
  for (const [i, key] of keys.entries()) {
    const changed = changes.get(key);
    if (!changed || superseded[i] === 1) continue;
    superseded[i] = 1;
    if (firstOf(changed).kind === 'patch') positions.push(i);
  }
  for (const row of await readRows(fs, folder, collection, { n: part.n, sizes, positions })) bases.set(row.key, row);
  return { ...part, superseded };
}

/**
 * The same for a damaged part of a collection whose parts stay on disk. Merges leave such a part where it is, for a repair, because otherwise
 * the journal would grow until nothing can be written any more.
 */
async function supersedeDamaged(
  { fs, folder, collection }: CollectionPlace,
  part: SnapshotPart,
  changes: ReadonlyMap<string, MergedChange>,
  bases: Map<string, StoredRow>,
): Promise<SnapshotPart> {
  const { rows, keys } = await salvagePart(fs, folder, collection, part);
  const superseded = part.superseded.slice();
  for (const [i, row] of rows.entries()) {
    const key = keys?.[i] ?? row?.key;
    const changed = key === undefined ? undefined : changes.get(key);
    if (!changed || superseded[i] === 1) continue;
    // A patch of a document that cannot be read changes nothing.
    if (!row && firstOf(changed).kind === 'patch') continue;
    superseded[i] = 1;
    if (row) bases.set(row.key, row);
  }
  return { ...part, superseded };
}

const staysOnDisk = ({ placing }: CollectionPlace): boolean => placing?.lookups !== undefined;

/** Chooses the parts to rewrite, those with the fewest current rows first. @returns their current rows as `moved` */
async function rewriteParts(place: CollectionPlace, parts: readonly SnapshotPart[]) {
  const { fs, folder, collection } = place;
  const shareOf = ({ superseded, documents, directory }: SnapshotPart): number => {
    const share = countOf(superseded) / documents;
    // A part of an earlier release is converted, so that it can stay on disk.
    return staysOnDisk(place) && directory === undefined ? Math.max(share, CONVERTED_SHARE) : share;
  };
  const rewritten = new Set<SnapshotPart>();
  const moved = new Map<string, StoredRow>();
  const keptShare = place.purge ? 0 : MAX_SUPERSEDED_SHARE;
  let bytes = 0;
  let isLimited = false;
  for (const part of parts.toSorted((a, b) => shareOf(b) - shareOf(a))) {
    const share = shareOf(part);
    if (share <= keptShare) break;
    isLimited = bytes > MAX_REWRITTEN_BYTES;
    if (isLimited) break;
    if (share < 1) {
      const read = () => readPart(fs, folder, collection, part);
      const content = await (staysOnDisk(place) ? orDamaged(read) : read());
      if (content instanceof DataDamaged) continue;
      bytes += part.bytes;
      for (const row of currentRows(collection, part, content)) moved.set(row.key, row);
    }
    rewritten.add(part);
  }
  return { kept: parts.filter((part) => !rewritten.has(part)), rewritten, moved, isLimited };
}
