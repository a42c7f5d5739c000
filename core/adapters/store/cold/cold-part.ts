import { compareKeys, compareValues, type Entry } from '../../../ports/index-order.js';
import type { IndexValue } from '../../../ports/store.js';
import type { ListedPart, SnapshotPart } from '../files/part-file.js';
import type { DeclaredIndexes } from '../files/part-index.js';
import { countOf } from '../files/row-flags.js';
import { BloomFilter, type Probe } from './bloom-filter.js';
import { GROUP_ROWS, type IndexDirectory, type PartDirectory } from './lookups.js';
import { PackedTexts, PackedValues } from './packed-values.js';

/** Where records are in the file of a part. */
export interface Extent {
  readonly at: number;
  readonly bytes: number;
}

/** Rows from `first`, without `end`. */
export interface RowRange {
  readonly first: number;
  readonly end: number;
}

/** One bit per row, set for a row that is not current. Never changed: a change makes a copy, so that a read keeps those that it began with. */
export type Mask = Uint8Array | undefined;

export const isMasked = (mask: Mask, row: number): boolean => mask !== undefined && (mask[row >>> 3]! & (1 << (row & 7))) !== 0;

let lastId = 0;

/** A part whose rows stay on disk: its filters, and where its blocks are. */
export class ColdPart {
  /** Unique in the process: the number of a part may be used again. */
  readonly id = ++lastId;
  readonly listed: ListedPart;
  readonly keys: BloomFilter;
  readonly indexes: ReadonlyMap<string, ColdIndex>;
  mask: Mask;
  /** Whether it is one of the parts now. */
  isListed = false;
  /** Rows that are current. */
  current: number;
  /** Reads that use its file. */
  readers = 0;
  /** Called after the last of them. */
  onUnused: (() => void) | undefined;
  readonly #at: Uint32Array;
  readonly #firstRows: Uint32Array;
  readonly #separators: PackedTexts;

  constructor({ superseded, ...listed }: SnapshotPart, { at, blocks, keys, indexes }: PartDirectory) {
    this.listed = listed;
    this.keys = BloomFilter.from(keys);
    this.#firstRows = Uint32Array.from([...blocks.rows, listed.documents]);
    this.#at = Uint32Array.from(at);
    this.#separators = new PackedTexts(blocks.keys);
    this.indexes = new Map(Object.entries(indexes).map(([name, directory]) => [name, new ColdIndex(directory)]));
    this.mask = maskOf(superseded);
    this.current = listed.documents - countOf(superseded);
  }

  /** Whether its look-ups are those that the collection declares now. */
  hasIndexes(declared: DeclaredIndexes): boolean {
    return Object.entries(declared).every(([name, { fields }]) => {
      const index = this.indexes.get(name);
      return index && index.fields.length === fields.length && index.fields.every((field, i) => field === fields[i]);
    });
  }

  mayHave(key: string, probe: Probe): boolean {
    return this.listed.first <= key && key <= this.listed.last && this.keys.has(probe);
  }

  get blocks(): number {
    return this.#separators.length;
  }

  /** The block that has this key, if the part has it. */
  blockOfKey(key: string): number {
    return this.#lastBlock((block) => this.#separators.at(block) <= key);
  }

  blockOfRow(row: number): number {
    return this.#lastBlock((block) => this.#firstRows[block]! <= row);
  }

  /** The last block that does not begin too late; the first one if all do. */
  #lastBlock(isInTime: (block: number) => boolean): number {
    let [low, high] = [0, this.blocks];
    while (high - low > 1) {
      const middle = (low + high) >>> 1;
      if (isInTime(middle)) low = middle;
      else high = middle;
    }
    return low;
  }

  /** Bytes outside the heap. */
  get bufferBytes(): number {
    const indexes = [...this.indexes.values()].reduce((sum, index) => sum + index.bufferBytes, 0);
    return indexes + this.keys.bytes + this.#separators.bytes + this.#at.byteLength + this.#firstRows.byteLength;
  }

  /** The rows of a block. */
  rowsOfBlock(block: number): RowRange {
    return { first: this.#firstRows[block]!, end: this.#firstRows[block + 1]! };
  }

  /** The rows that are read together with a row, for an entry of an index. */
  rowsAround(row: number): RowRange {
    const first = row - (row % GROUP_ROWS);
    return { first, end: Math.min(first + GROUP_ROWS, this.listed.documents) };
  }

  /** The records of rows that are read together, with the text between them. */
  extentOf({ first, end }: RowRange): Extent {
    const at = this.#at[first / GROUP_ROWS]!;
    return { at, bytes: this.#at[Math.ceil(end / GROUP_ROWS)]! - at };
  }

  isMasked(row: number): boolean {
    return isMasked(this.mask, row);
  }

  /** Marks rows as not current, or as current again. */
  setMasked(rows: readonly number[], masked: boolean): void {
    if (rows.length === 0) return;
    const mask = this.mask ? Uint8Array.from(this.mask) : new Uint8Array((this.listed.documents + 7) >>> 3);
    for (const row of rows) {
      if (isMasked(mask, row) === masked) continue;
      mask[row >>> 3]! ^= 1 << (row & 7);
      this.current += masked ? -1 : 1;
    }
    this.mask = mask;
  }
}

/** An index of a part: where its blocks are, and which values it may have. */
export class ColdIndex {
  readonly fields: readonly string[];
  readonly firstRows: Uint32Array;
  readonly prefix: number;
  readonly filter: BloomFilter;
  /** The values of the first entry of each block. Those of the first and the last entry are here too, because every read compares them. */
  readonly #starts: PackedValues;
  readonly #first: readonly IndexValue[];
  readonly #last: readonly IndexValue[];
  readonly #at: Uint32Array;
  readonly #bytes: Uint32Array;

  constructor({ fields, firstRows, prefix, filter, first, last, at, bytes }: IndexDirectory) {
    this.fields = fields;
    this.firstRows = Uint32Array.from(firstRows);
    this.prefix = prefix;
    this.filter = BloomFilter.from(filter);
    this.#starts = new PackedValues(first);
    this.#first = first[0] ?? [];
    this.#last = last;
    this.#at = Uint32Array.from(at);
    this.#bytes = Uint32Array.from(bytes);
  }

  get blocks(): number {
    return this.#at.length;
  }

  get bufferBytes(): number {
    return this.filter.bytes + this.#starts.bytes + this.firstRows.byteLength + this.#at.byteLength + this.#bytes.byteLength;
  }

  extentOf(block: number): Extent {
    return { at: this.#at[block]!, bytes: this.#bytes[block]! };
  }

  /** The values of the first entry of a block; after the last block, of the last entry. */
  valuesAt(block: number): readonly IndexValue[] {
    if (block === 0) return this.#first;
    return block < this.blocks ? this.#starts.at(block) : this.#last;
  }

  /** Whether entries may be between these edges, as far as the first and the last entry tell. */
  overlaps(low: Entry, high: Entry): boolean {
    return this.blocks > 0 && compareToEdge(this.#first, high) <= 0 && compareToEdge(this.#last, low) >= 0;
  }
}

/** Compares the values of an entry with an edge. 0 if they do not decide, because the edge continues with a key. */
export function compareToEdge(values: readonly IndexValue[], edge: Entry): number {
  for (let i = 0; i < values.length; i++) {
    const order = compareValues(values[i]!, edge[i]!);
    if (order !== 0) return order;
  }
  const next = edge[values.length]!;
  return typeof next === 'symbol' ? compareValues('', next) : 0;
}

/** The order of two keys in the direction of a read. */
export const orderOf = (a: string, b: string, backwards: boolean): number => (backwards ? compareKeys(b, a) : compareKeys(a, b));

function maskOf(superseded: Uint8Array): Mask {
  if (!superseded.includes(1)) return undefined;
  const mask = new Uint8Array((superseded.length + 7) >>> 3);
  for (let row = 0; row < superseded.length; row++) if (superseded[row] === 1) mask[row >>> 3]! |= 1 << (row & 7);
  return mask;
}
