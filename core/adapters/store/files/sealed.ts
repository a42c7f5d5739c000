import { crc32 } from 'node:zlib';

// A record on disk is the JSON array `["<checksum>",<content>]`. The checksum is the CRC-32 of the content's bytes.

const HEAD = Buffer.from('["00000000",');
export const CONTENT_AT = HEAD.length;
const [DIGITS_AT, DIGITS_END] = [2, 10];
const DIGITS = Buffer.from('0123456789abcdef');
const [CLOSE, LINE_END] = [0x5d, 0x0a];

export const hex = (crc: number): string => crc.toString(16).padStart(8, '0');

/** Maximum UTF-8 bytes per UTF-16 code unit. Only long strings are measured exactly. */
const MAX_BYTES = 3;
const LONG = 64 * 1024;
const FIRST_BYTES = 64 * 1024;

/** Builds records as lines in one buffer, ready to be written. */
export class SealedLines {
  #bytes: Buffer = Buffer.allocUnsafeSlow(FIRST_BYTES);
  #start = 0;
  #size = 0;

  /** Bytes of complete lines. */
  get size(): number {
    return this.#size;
  }

  /** The complete lines. Adding after `cut` overwrites them. */
  get bytes(): Buffer {
    return this.#bytes.subarray(0, this.#size);
  }

  /** Starts a record; `add` appends to its content, and `end` seals it. */
  begin(): void {
    this.#start = this.#size;
    this.#reserve(CONTENT_AT);
    this.#size += CONTENT_AT;
  }

  add(text: string): void {
    this.#reserve(text.length < LONG ? text.length * MAX_BYTES : Buffer.byteLength(text));
    this.#size += this.#bytes.write(text, this.#size);
  }

  end(): void {
    this.#reserve(2);
    sealBytes(this.#bytes, this.#start, this.#size);
    this.#bytes[this.#size + 1] = LINE_END;
    this.#size += 2;
  }

  /** Removes everything after the first `size` bytes. */
  cut(size: number): void {
    this.#size = size;
  }

  #reserve(bytes: number): void {
    const needed = this.#size + bytes;
    if (needed <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(needed, 2 * this.#bytes.length));
    this.#bytes.copy(larger, 0, 0, this.#size);
    this.#bytes = larger;
  }
}

/** Seals a content given in two parts. */
export function sealed(first: string, rest: Uint8Array): Buffer {
  const length = CONTENT_AT + Buffer.byteLength(first) + rest.length;
  const record = Buffer.allocUnsafe(length + 1);
  record.set(rest, CONTENT_AT + record.write(first, CONTENT_AT));
  sealBytes(record, 0, length);
  return record;
}

/** Writes head and end around the content of the record that begins at `start`. The buffer must have room for both. */
export function sealBytes(bytes: Buffer, start: number, end: number): void {
  const crc = crc32(bytes.subarray(start + CONTENT_AT, end));
  for (let i = 0; i < CONTENT_AT; i++) bytes[start + i] = headByte(i, crc);
  bytes[end] = CLOSE;
}

const headByte = (i: number, crc: number): number =>
  i < DIGITS_AT || i >= DIGITS_END ? HEAD[i]! : DIGITS[(crc >>> (4 * (DIGITS_END - 1 - i))) & 0xf]!;

/** The content of a record; undefined if any byte differs from what the store wrote. */
export function unseal(record: Buffer): Buffer | undefined {
  const { length } = record;
  if (length <= CONTENT_AT || record[length - 1] !== CLOSE) return undefined;
  const content = record.subarray(CONTENT_AT, length - 1);
  return isHead(record, crc32(content)) ? content : undefined;
}

/** Whether a record starts with this checksum. Creates no string, because a start checks every record. */
function isHead(record: Buffer, crc: number): boolean {
  for (let i = 0; i < CONTENT_AT; i++) if (record[i] !== headByte(i, crc)) return false;
  return true;
}
