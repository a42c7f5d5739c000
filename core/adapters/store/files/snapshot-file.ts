import { basename, dirname, join } from 'node:path';
import { crc32 } from 'node:zlib';
import { type Adapter, Low } from 'lowdb';
import { type FileSystem, hasCode, replaceFile } from '../../file-system.js';
import { DataDamaged } from './data-damaged.js';
import { type Line, readLines } from './read-lines.js';
import { CONTENT_AT, hex, sealed, unseal } from './sealed.js';

// A snapshot is one JSON document that people can read, with one stored document per line so that it streams:
// {
//   "collection": "core.contacts",
//   "through": 812,
//   "documents": [
//     ["<checksum>","<key>",<document>],
//     ...
//   ],
//   "count": 2,
//   "checksum": "<of all lines before the count, without their ends and the bracket>"
// }

export interface StoredDocument {
  readonly key: string;
  readonly json: string;
}

/** A document as in the file. Code that only moves it creates no string from it. */
export interface StoredRow {
  readonly key: string;
  readonly record: Buffer;
}

/** The documents of a collection after transaction `through`, in batches in key order. */
export interface Snapshot {
  readonly collection: string;
  readonly through: number;
  readonly rows: AsyncIterable<readonly StoredRow[]>;
}

const NAME = /^([a-z0-9][a-z0-9-]*\.[a-z0-9][a-z0-9-]*)\.json$/i;
const INDENT = '    ';
const BATCH_BYTES = 1 << 18;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const LINE_END = 0x0a;

export const snapshotName = (collection: string): string => `${collection}.json`;

/** The collection of a snapshot file; undefined if the file is not a snapshot. */
export const collectionOf = (name: string): string | undefined => NAME.exec(name)?.[1];

/** Opens a snapshot through lowdb: `read` opens the file, `write` replaces it with the rows that `data` streams. */
export function openSnapshot(fs: FileSystem, folder: string, collection: string): Low<Snapshot> {
  return new Low<Snapshot>(new SnapshotFile(fs, join(folder, snapshotName(collection))), { collection, through: 0, rows: nothing() });
}

class SnapshotFile implements Adapter<Snapshot> {
  readonly #fs: FileSystem;
  readonly #path: string;

  constructor(fs: FileSystem, path: string) {
    this.#fs = fs;
    this.#path = path;
  }

  async read(): Promise<Snapshot | null> {
    try {
      for await (const lines of readLines(this.#fs, this.#path)) return { ...this.#header(lines), rows: this.#rows() };
      throw this.#damaged(1, 'the file is empty');
    } catch (error) {
      if (hasCode(error, 'ENOENT')) return null;
      throw error;
    }
  }

  write(snapshot: Snapshot): Promise<void> {
    return replaceFile(this.#fs, dirname(this.#path), basename(this.#path), encode(snapshot));
  }

  #header(lines: readonly Line[]): Pick<Snapshot, 'collection' | 'through'> {
    const collection = collectionOf(basename(this.#path))!;
    const through = Number(/\d+/.exec(lines[2]?.bytes.toString() ?? ''));
    const wrong = header(collection, through).findIndex((line, at) => lines[at]?.bytes.toString() !== line);
    if (wrong >= 0) throw this.#damaged(wrong + 1, `this is not the header of a snapshot of ${collection}`);
    return { collection, through };
  }

  async *#rows(): AsyncGenerator<StoredRow[], void> {
    let crc = 0;
    let count = 0;
    let last: { key: string; line: number } = { key: '', line: 0 };
    let ending: string[] | undefined;
    for await (const lines of readLines(this.#fs, this.#path)) {
      const rows: StoredRow[] = [];
      for (const { bytes, number } of lines) {
        if (bytes.length === ROWS_END.length && bytes.toString() === ROWS_END) ending ??= footer(count, crc);
        if (ending) {
          if (ending.shift() !== bytes.toString())
            throw this.#damaged(number, 'the end of the snapshot does not match the documents before it');
          continue;
        }
        crc = crc32(bytes, crc);
        if (number <= HEADER_LINES) continue;
        const row = decodeRow(bytes);
        if (!row) throw this.#damaged(number, 'the checksum does not match the document');
        if (row.key <= last.key) throw this.#damaged(number, `the key is not greater than that of line ${last.line}`);
        last = { key: row.key, line: number };
        count++;
        rows.push(row);
      }
      yield rows;
    }
    if (ending?.length !== 0) throw this.#damaged(last.line + 1, 'the rest of the file is missing');
  }

  #damaged(line: number, damage: string): DataDamaged {
    return new DataDamaged(this.#path, line, damage);
  }
}

const ROWS_END = '  ],';

const header = (collection: string, through: number): string[] => [
  '{',
  `  "collection": ${JSON.stringify(collection)},`,
  `  "through": ${through},`,
  '  "documents": [',
];
const HEADER_LINES = header('', 0).length;

const footer = (count: number, crc: number): string[] => [ROWS_END, `  "count": ${count},`, `  "checksum": "${hex(crc)}"`, '}'];

/** Whether a line belongs to the frame around the documents, as far as the line alone shows. */
export const isFrame = (line: string): boolean =>
  /^(\{|\}| {2}\],| {2}"(collection": "[a-z0-9.-]+"|through": \d+|count": \d+),| {2}"documents": \[| {2}"checksum": "[0-9a-f]{8}")$/i.test(
    line,
  );

/** The `through` transaction, if this line contains it. */
export function throughIn(line: string): number | undefined {
  const digits = /^ {2}"through": (\d+),$/.exec(line)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

/** A row for a snapshot. */
export const rowOf = (key: string, json: Uint8Array): StoredRow => ({ key, record: sealed(`${JSON.stringify(key)},`, json) });

/** The JSON of a row's document. */
export const jsonOf = ({ record }: StoredRow): string => record.toString('utf8', endOfKey(record, CONTENT_AT) + 1, record.length - 1);

function decodeRow(line: Buffer): StoredRow | undefined {
  const record = line.subarray(INDENT.length, line.at(-1) === COMMA ? -1 : undefined);
  return unseal(record) && { key: keyIn(record, CONTENT_AT), record };
}

/** Parses the content of an unsealed row. */
export const decodeDocument = (content: Buffer): StoredDocument => ({
  key: keyIn(content, 0),
  json: content.toString('utf8', endOfKey(content, 0) + 1),
});

const keyIn = (bytes: Buffer, start: number): string => JSON.parse(bytes.toString('utf8', start, endOfKey(bytes, start))) as string;

/** The index of the comma after the key that starts here. */
function endOfKey(bytes: Buffer, start: number): number {
  let end = start + 1;
  while (end < bytes.length && bytes[end] !== QUOTE) end += bytes[end] === BACKSLASH ? 2 : 1;
  return end + 1;
}

/** Yields buffers that are valid only until the next one is requested. */
async function* encode({ collection, through, rows }: Snapshot): AsyncGenerator<Buffer, void> {
  const lines = new Lines();
  let count = 0;
  for (const line of header(collection, through)) lines.add(line);
  let last: Buffer | undefined;
  for await (const batch of rows) {
    for (const { record } of batch) {
      if (last) lines.addRow(last, ',');
      last = record;
      count++;
      if (lines.size < BATCH_BYTES) continue;
      yield lines.bytes;
      lines.clear();
    }
  }
  if (last) lines.addRow(last, '');
  for (const line of footer(count, lines.crc)) lines.add(line);
  yield lines.bytes;
}

/** A buffer of snapshot lines, and the running checksum of all lines so far. */
class Lines {
  crc = 0;
  size = 0;
  #bytes = Buffer.allocUnsafeSlow(2 * BATCH_BYTES);

  get bytes(): Buffer {
    return this.#bytes.subarray(0, this.size);
  }

  clear(): void {
    this.size = 0;
  }

  add(line: string): void {
    this.#begin(Buffer.byteLength(line));
    this.#end(this.#bytes.write(line, this.size));
  }

  addRow(record: Buffer, end: string): void {
    this.#begin(INDENT.length + record.length + end.length);
    const indent = this.#bytes.write(INDENT, this.size, 'latin1');
    this.#bytes.set(record, this.size + indent);
    this.#end(indent + record.length + this.#bytes.write(end, this.size + indent + record.length, 'latin1'));
  }

  #begin(bytes: number): void {
    const needed = this.size + bytes + 1;
    if (needed <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafeSlow(2 * needed);
    this.#bytes.copy(larger, 0, 0, this.size);
    this.#bytes = larger;
  }

  #end(bytes: number): void {
    this.crc = crc32(this.#bytes.subarray(this.size, this.size + bytes), this.crc);
    this.size += bytes;
    this.#bytes[this.size++] = LINE_END;
  }
}

async function* nothing(): AsyncGenerator<StoredRow[], void> {}
