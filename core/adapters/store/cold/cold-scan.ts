import { compareValues, type Entry } from '../../../ports/index-order.js';
import type { IndexValue } from '../../../ports/store.js';
import type { ColdFiles, EntryBlock, RowBlock } from './cold-files.js';
import { type ColdIndex, type ColdPart, compareToEdge, isMasked, type Mask } from './cold-part.js';
import type { Place } from './cold-row.js';

/** A range of an index, or of the keys if `index` is undefined. */
export interface ColdRange {
  readonly index: string | undefined;
  readonly low: Entry;
  readonly high: Entry;
  readonly backwards: boolean;
}

/** The edge of a range in a part: if it continues with a key, that is the position of a row there. */
interface Edge {
  readonly entry: Entry;
  /** The first row whose key is not before that of the edge, and whether it has this key. */
  readonly row: number;
  readonly isRow: boolean;
}

/** Goes through the entries of one part within a range, in its order. Rows that are not current are left out. */
export abstract class Cursor implements Place {
  readonly part: ColdPart;
  /** The current row; -1 before the first and after the last. */
  row = -1;
  protected readonly files: ColdFiles;
  protected readonly range: ColdRange;
  readonly #mask: Mask;
  #key: string | undefined;

  constructor(files: ColdFiles, part: ColdPart, range: ColdRange) {
    [this.files, this.part, this.range, this.#mask] = [files, part, range, part.mask];
  }

  /** The values of the current entry in the index. */
  abstract readonly values: readonly IndexValue[];
  /** Not after its first entry, in the order of the range. Known without a read. */
  abstract readonly bound: readonly IndexValue[];

  /** Moves to the first entry. */
  abstract seek(): Promise<void>;

  /** Moves to the next entry. @returns a promise if it has to read */
  abstract next(): Promise<void> | undefined;

  protected moveTo(row: number): void {
    this.row = row;
    this.#key = undefined;
  }

  protected isCurrent(row: number): boolean {
    return !isMasked(this.#mask, row);
  }

  /** The key of the current row. */
  async key(): Promise<string> {
    if (this.#key === undefined) {
      const block = await this.files.rows(this.part, this.part.rowsAround(this.row));
      this.#key = block.keyOf(this.row);
    }
    return this.#key;
  }
}

/** Entries of an index. */
export class IndexCursor extends Cursor {
  readonly #name: string;
  readonly #index: ColdIndex;
  #block = 0;
  #entries: EntryBlock | undefined;
  #at = 0;
  #low!: Edge;
  #high!: Edge;

  constructor(files: ColdFiles, part: ColdPart, range: ColdRange & { readonly index: string }) {
    super(files, part, range);
    this.#name = range.index;
    this.#index = part.indexes.get(range.index)!;
  }

  get values(): readonly IndexValue[] {
    return this.#entries!.values.map((column) => column[this.#at]!);
  }

  get bound(): readonly IndexValue[] {
    return this.#index.valuesAt(this.range.backwards ? this.#index.blocks : 0);
  }

  async seek(): Promise<void> {
    const { low, high, backwards } = this.range;
    this.#low = await this.#edge(low);
    this.#high = await this.#edge(high);
    const index = this.#index;
    // The last block that begins before the edge at which the range starts.
    let [from, to] = [0, index.blocks];
    while (to - from > 1) {
      const middle = (from + to) >>> 1;
      if (this.#compare(index.valuesAt(middle), index.firstRows[middle]!, backwards ? this.#high : this.#low) < 0) from = middle;
      else to = middle;
    }
    this.#block = from;
    await this.#load();
    const { rows } = this.#entries!;
    const isBefore = (at: number): boolean => this.#compare(this.#valuesAt(at), rows[at]!, backwards ? this.#high : this.#low) < 0;
    let [first, end] = [0, rows.length];
    while (first < end) {
      const middle = (first + end) >>> 1;
      if (isBefore(middle)) first = middle + 1;
      else end = middle;
    }
    this.#at = backwards ? first - 1 : first;
    await this.#settle();
  }

  next(): Promise<void> | undefined {
    this.#at += this.range.backwards ? -1 : 1;
    return this.#settle();
  }

  /** Moves on to a current entry within the range, or to the end. */
  #settle(): Promise<void> | undefined {
    const { backwards } = this.range;
    for (;;) {
      const { rows } = this.#entries!;
      if (this.#at < 0 || this.#at >= rows.length) {
        const next = this.#block + (backwards ? -1 : 1);
        if (next < 0 || next >= this.#index.blocks) return void this.moveTo(-1);
        this.#block = next;
        return this.#nextBlock();
      }
      const row = rows[this.#at]!;
      const values = this.#valuesAt(this.#at);
      if (backwards ? this.#compare(values, row, this.#low) < 0 : this.#compare(values, row, this.#high) > 0) return void this.moveTo(-1);
      if (this.isCurrent(row)) return void this.moveTo(row);
      this.#at += backwards ? -1 : 1;
    }
  }

  async #nextBlock(): Promise<void> {
    await this.#load();
    this.#at = this.range.backwards ? this.#entries!.rows.length - 1 : 0;
    await this.#settle();
  }

  async #load(): Promise<void> {
    this.#entries = await this.files.entries(this.part, this.#name, this.#index, this.#block);
  }

  #valuesAt(at: number): readonly IndexValue[] {
    return this.#entries!.values.map((column) => column[at]!);
  }

  async #edge(entry: Entry): Promise<Edge> {
    const key = entry[this.#index.fields.length];
    if (typeof key !== 'string') return { entry, row: 0, isRow: false };
    const { part } = this;
    const block = await this.files.rows(part, part.rowsOfBlock(part.blockOfKey(key)));
    const row = block.rowOfKey(key);
    return { entry, row, isRow: row < block.end && block.keyOf(row) === key };
  }

  /** Never 0. */
  #compare(values: readonly IndexValue[], row: number, { entry, row: edgeRow, isRow }: Edge): number {
    const order = compareToEdge(values, entry);
    if (order !== 0) return order;
    if (row < edgeRow) return -1;
    return row === edgeRow && isRow ? compareValues('', entry[values.length + 1]!) : 1;
  }
}

/** Rows in the order of their keys, ascending. Their values are their keys. */
export class KeyCursor extends Cursor {
  #block = 0;
  #rows!: RowBlock;

  get values(): readonly IndexValue[] {
    return [this.#rows.keyOf(this.row)];
  }

  get bound(): readonly IndexValue[] {
    return [this.part.listed.first];
  }

  async seek(): Promise<void> {
    const after = this.range.low[0] as string;
    this.#block = this.part.blockOfKey(after);
    await this.#load();
    const row = this.#rows.rowOfKey(after);
    await this.#settle(row < this.#rows.end && this.#rows.keyOf(row) === after ? row + 1 : row);
  }

  next(): Promise<void> | undefined {
    return this.#settle(this.row + 1);
  }

  #settle(from: number): Promise<void> | undefined {
    for (let row = from; row < this.#rows.end; row++) if (this.isCurrent(row)) return void this.moveTo(row);
    if (this.#block === this.part.blocks - 1) return void this.moveTo(-1);
    this.#block++;
    return this.#nextBlock();
  }

  async #nextBlock(): Promise<void> {
    await this.#load();
    await this.#settle(this.#rows.firstRow);
  }

  async #load(): Promise<void> {
    this.#rows = await this.files.rows(this.part, this.part.rowsOfBlock(this.#block));
  }
}
