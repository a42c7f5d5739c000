import { crc32 } from 'node:zlib';

// A record on disk is the JSON array `["<checksum>",<content>]`. The checksum is the CRC-32 of the content's bytes.

const CONTENT_AT = '["00000000",'.length;
/** What stands around the digits of the checksum, by its place. */
const HEAD: Readonly<Record<number, number>> = { 0: 0x5b, 1: 0x22, 10: 0x22, 11: 0x2c };
const DIGITS = Buffer.from('0123456789abcdef');

export const hex = (crc: number): string => crc.toString(16).padStart(8, '0');

/** A character of a string may take so many bytes. How many it is exactly is worth asking of long ones only. */
const MOST_BYTES = 3;
const LONG = 64 * 1024;
const FIRST_BYTES = 64 * 1024;

/** Records as lines of bytes, one after the other in one piece of memory, as they are going to be written. */
export class SealedLines {
  #bytes: Buffer = Buffer.allocUnsafeSlow(FIRST_BYTES);
  #start = 0;
  #size = 0;

  /** Bytes of whole lines. */
  get size(): number {
    return this.#size;
  }

  /** The whole lines. They change when something is added after `clear`. */
  get bytes(): Buffer {
    return this.#bytes.subarray(0, this.#size);
  }

  clear(): void {
    this.#size = 0;
  }

  /** Begins a record; `add` gives its content piece by piece, and `end` seals it. */
  begin(): void {
    this.#start = this.#size;
    this.#reserve(CONTENT_AT);
    this.#size += CONTENT_AT;
  }

  add(text: string): void {
    this.#reserve(text.length < LONG ? text.length * MOST_BYTES : Buffer.byteLength(text));
    this.#size += this.#bytes.write(text, this.#size);
  }

  end(): void {
    const content = this.#bytes.subarray(this.#start + CONTENT_AT, this.#size);
    this.#bytes.write(`["${hex(crc32(content))}",`, this.#start, 'latin1');
    this.#reserve(2);
    this.#size += this.#bytes.write(']\n', this.#size, 'latin1');
  }

  #reserve(bytes: number): void {
    const needed = this.#size + bytes;
    if (needed <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(needed, 2 * this.#bytes.length));
    this.#bytes.copy(larger, 0, 0, this.#size);
    this.#bytes = larger;
  }
}

export const seal = (content: string): string => `["${hex(crc32(content))}",${content}]`;

/** The content of a record, or undefined when not every byte is as it was written. */
export function unseal(record: Buffer): Buffer | undefined {
  const { length } = record;
  if (length <= CONTENT_AT || record[length - 1] !== 0x5d) return undefined;
  const content = record.subarray(CONTENT_AT, length - 1);
  return isHead(record, crc32(content)) ? content : undefined;
}

/** Whether a record begins with this checksum. A start asks it of every record, so no text is made for it. */
function isHead(record: Buffer, crc: number): boolean {
  for (let i = 0; i < CONTENT_AT; i++) if (record[i] !== (HEAD[i] ?? DIGITS[(crc >>> (4 * (9 - i))) & 0xf])) return false;
  return true;
}
