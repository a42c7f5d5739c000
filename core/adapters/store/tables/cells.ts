import type { IndexValue } from '../../../ports/store.js';

/** One version of a document. Immutable: finding the same row again means that the document has not changed. */
export interface Row {
  readonly key: string;
  readonly json: string;
  /** The values of the fields that place the document, in the order of the table: the key, then all index fields. */
  readonly values: readonly (IndexValue | undefined)[];
}

/** An ordered range of a table. */
export interface Span {
  /** Lazy: rows that the caller does not request are not read. */
  rows(): Iterable<Row>;
  contains(row: Row): boolean;
  compare(a: Row, b: Row): number;
}

/** Documents that were loaded together, as JSON in one buffer outside the heap of V8. */
export interface Block {
  readonly bytes: Buffer;
  /** Where each document ends. */
  readonly ends: Uint32Array;
  /** Position of its first document in the columns of the load. */
  readonly first: number;
}

/**
 * The mutable slot of a document. A loaded document is only a position in its block until it is read, which saves the row
 * and its values. Its place in an index changes only when the indexed fields change.
 */
export class Cell {
  row: Row | undefined;
  block: Block | undefined;
  /** The position of the document in its block. */
  readonly at: number;

  constructor(row: Row | undefined, block?: Block, at = 0) {
    this.row = row;
    this.block = block;
    this.at = at;
  }

  /** Replaces the row; the block is freed with its last document. */
  replace(row: Row): void {
    this.row = row;
    this.block = undefined;
  }
}

/** The row of a loaded document: its text stays in the block. */
export class BlockRow implements Row {
  readonly key: string;
  readonly values: Row['values'];
  readonly #block: Block;
  readonly #at: number;

  constructor(key: string, values: Row['values'], block: Block, at: number) {
    this.key = key;
    this.values = values;
    this.#block = block;
    this.#at = at;
  }

  get json(): string {
    return textIn(this.#block, this.#at);
  }
}

/** The JSON of a loaded document. */
export const textIn = ({ bytes, ends }: Block, at: number): string => bytes.toString('utf8', at === 0 ? 0 : ends[at - 1], ends[at]);

/** The first rows of a span. */
export function firstOf(rows: Iterable<Row>, limit: number): Row[] {
  const found: Row[] = [];
  if (limit < 1) return found;
  for (const row of rows) {
    found.push(row);
    if (found.length >= limit) break;
  }
  return found;
}

export function assertLimit(limit: number): void {
  if (Number.isNaN(limit) || limit < 0) throw new RangeError(`a limit is a number of documents, not ${limit}`);
}
