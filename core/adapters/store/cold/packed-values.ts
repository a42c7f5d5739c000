import type { IndexValue } from '../../../ports/store.js';

const LATIN = /^[\0-\xff]*$/;

/** Texts in one buffer outside the heap, where each would take 16 bytes more, and 8 in an array. */
export class PackedTexts {
  readonly #bytes: Buffer;
  /** Where each text ends. */
  readonly #ends: Uint32Array;
  /** Keeps every code unit, also half of a surrogate pair. */
  readonly #encoding: 'latin1' | 'utf16le';

  constructor(texts: readonly string[]) {
    this.#encoding = texts.every((text) => LATIN.test(text)) ? 'latin1' : 'utf16le';
    const bytes = this.#encoding === 'latin1' ? 1 : 2;
    let end = 0;
    this.#ends = Uint32Array.from(texts, (text) => (end += bytes * text.length));
    this.#bytes = Buffer.allocUnsafeSlow(end);
    for (const [i, text] of texts.entries()) this.#bytes.write(text, this.#ends[i - 1] ?? 0, this.#encoding);
  }

  get length(): number {
    return this.#ends.length;
  }

  get bytes(): number {
    return this.#bytes.length + this.#ends.byteLength;
  }

  at(i: number): string {
    return this.#bytes.toString(this.#encoding, this.#ends[i - 1] ?? 0, this.#ends[i]);
  }
}

/** A column of values: one for all, texts, or any others. */
type Column = { readonly all: IndexValue } | PackedTexts | readonly IndexValue[];

/** Lists of values of the same fields, outside the heap as far as they are texts. */
export class PackedValues {
  readonly #columns: readonly Column[];

  constructor(lists: readonly (readonly IndexValue[])[]) {
    this.#columns = (lists[0] ?? []).map((_, field) => columnOf(lists.map((values) => values[field]!)));
  }

  get bytes(): number {
    return this.#columns.reduce((sum, column) => sum + (column instanceof PackedTexts ? column.bytes : 0), 0);
  }

  at(i: number): readonly IndexValue[] {
    return this.#columns.map((column) => (column instanceof PackedTexts ? column.at(i) : 'all' in column ? column.all : column[i]!));
  }
}

function columnOf(values: readonly IndexValue[]): Column {
  const [first] = values;
  if (first !== undefined && values.every((value) => value === first)) return { all: first };
  return values.every((value) => typeof value === 'string') ? new PackedTexts(values) : values;
}
