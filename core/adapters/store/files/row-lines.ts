import type { TextIn } from '../commit.js';
import { CONTENT_AT, sealBytes } from './sealed.js';
import type { StoredRow } from './stored-row.js';

const [SPACE, COMMA, LINE_END, OPEN_LIST, CLOSE_LIST] = [0x20, 0x2c, 0x0a, 0x5b, 0x5d];
export const INDENT = '    ';
/** Comma and line end after a record. */
export const BETWEEN_BYTES = 2;
const FIRST_BYTES = 64 * 1024;
/** Maximum UTF-8 bytes per UTF-16 code unit. */
const MAX_BYTES = 3;

/** Builds the lines of rows in one buffer: each row is indented and ends with a comma, as in snapshots and parts. */
export class RowLines {
  readonly keys: string[] = [];
  /** Bytes of each record. */
  readonly sizes: number[] = [];
  #bytes = Buffer.allocUnsafeSlow(FIRST_BYTES);
  #size = 0;

  /** Bytes of all lines. */
  get size(): number {
    return this.#size;
  }

  /** Bytes of all records, without the text between them. */
  get recordBytes(): number {
    return this.#size - this.keys.length * (INDENT.length + BETWEEN_BYTES);
  }

  /** All lines. The next change of the rows overwrites them. */
  get bytes(): Buffer {
    return this.#bytes.subarray(0, this.#size);
  }

  /** The rows, as slices of the lines. */
  get rows(): StoredRow[] {
    let at = INDENT.length;
    return this.keys.map((key, i) => {
      const record = this.#bytes.subarray(at, at + this.sizes[i]!);
      at += record.length + BETWEEN_BYTES + INDENT.length;
      return { key, record };
    });
  }

  clear(): void {
    this.keys.length = 0;
    this.sizes.length = 0;
    this.#size = 0;
  }

  /** Adds a row that is sealed already. */
  add({ key, record }: StoredRow): void {
    const start = this.#begin(record.length);
    this.#bytes.set(record, start);
    this.#end(key, start, start + record.length);
  }

  /** Adds a row of a document and the merge patches that it needs, in their order. Parses neither. */
  addDocument(key: string, document: TextIn, patches: readonly TextIn[]): void {
    const keyText = `${JSON.stringify(key)},`;
    let needed = CONTENT_AT + keyText.length * MAX_BYTES + document.end - document.start + 3;
    for (const { start, end } of patches) needed += end - start + 1;
    const start = this.#begin(needed);
    const bytes = this.#bytes;
    let at = start + CONTENT_AT;
    at += bytes.write(keyText, at);
    if (patches.length > 0) bytes[at++] = OPEN_LIST;
    at += document.bytes.copy(bytes, at, document.start, document.end);
    for (const patch of patches) {
      bytes[at++] = COMMA;
      at += patch.bytes.copy(bytes, at, patch.start, patch.end);
    }
    if (patches.length > 0) bytes[at++] = CLOSE_LIST;
    sealBytes(bytes, start, at);
    this.#end(key, start, at + 1);
  }

  /** @returns where a record of at most this many bytes starts */
  #begin(bytes: number): number {
    const needed = this.#size + INDENT.length + bytes + BETWEEN_BYTES;
    if (needed > this.#bytes.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(needed, 2 * this.#bytes.length));
      larger.set(this.bytes);
      this.#bytes = larger;
    }
    return this.#size + INDENT.length;
  }

  #end(key: string, start: number, end: number): void {
    for (let at = this.#size; at < start; at++) this.#bytes[at] = SPACE;
    this.#bytes[end] = COMMA;
    this.#bytes[end + 1] = LINE_END;
    this.#size = end + BETWEEN_BYTES;
    this.keys.push(key);
    this.sizes.push(end - start);
  }
}
