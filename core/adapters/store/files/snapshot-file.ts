import { basename, dirname, join } from 'node:path';
import { crc32 } from 'node:zlib';
import { type Adapter, Low } from 'lowdb';
import { type FileSystem, hasCode, replaceFile } from '../../file-system.js';
import { DataDamaged } from './data-damaged.js';
import { partName, type SnapshotPart } from './part-file.js';
import { readLines } from './read-lines.js';
import { flagsOf, rangesOf } from './row-flags.js';
import { hex, sealed, unseal } from './sealed.js';
import { decodeRow, type StoredRow } from './stored-row.js';

// A snapshot is one JSON document that people can read, with one stored document per line so that it streams:
// {
//   "collection": "core.contacts",
//   "through": 812,
//   "parts": [
//     ["<checksum>",{"file":"core.contacts.1.json",...}],
//     ...
//   ],
//   "documents": [
//     ["<checksum>","<key>",<document>],
//     ...
//   ],
//   "count": 2,
//   "checksum": "<of all lines before the count, without their ends and the bracket>"
// }
// `parts` lists the files with the older documents (see part-file.ts); it is missing if there are none.

/**
 * The documents of a collection after transaction `through`: those of the parts that are not superseded, and the rows, in
 * batches in key order. A key occurs once.
 */
export interface Snapshot {
  readonly collection: string;
  readonly through: number;
  /** Oldest first. */
  readonly parts: readonly SnapshotPart[];
  readonly rows: AsyncIterable<readonly StoredRow[]>;
}

const NAME = /^([a-z0-9][a-z0-9-]*\.[a-z0-9][a-z0-9-]*)\.json$/i;
const INDENT = '    ';
const BATCH_BYTES = 1 << 18;
const COMMA = 0x2c;
const LINE_END = 0x0a;

export const snapshotName = (collection: string): string => `${collection}.json`;

/** The collection of a snapshot file; undefined if the file is not a snapshot. */
export const collectionOf = (name: string): string | undefined => NAME.exec(name)?.[1];

/** Opens a snapshot through lowdb: `read` opens the file, `write` replaces it with the rows that `data` streams. */
export function openSnapshot(fs: FileSystem, folder: string, collection: string): Low<Snapshot> {
  return new Low<Snapshot>(new SnapshotFile(fs, join(folder, snapshotName(collection))), {
    collection,
    through: 0,
    parts: [],
    rows: nothing(),
  });
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
      const { collection, through, parts, lines } = await this.#header();
      return { collection, through, parts, rows: this.#rows(lines) };
    } catch (error) {
      if (hasCode(error, 'ENOENT')) return null;
      throw error;
    }
  }

  write(snapshot: Snapshot): Promise<void> {
    return replaceFile(this.#fs, dirname(this.#path), basename(this.#path), encode(snapshot));
  }

  async #header(): Promise<Pick<Snapshot, 'collection' | 'through' | 'parts'> & { readonly lines: number }> {
    const collection = collectionOf(basename(this.#path))!;
    const lines: Buffer[] = [];
    read: for await (const batch of readLines(this.#fs, this.#path)) {
      for (const { bytes } of batch) {
        lines.push(bytes);
        if (bytes.equals(ROWS_BEGIN) || (lines.length === 4 && !bytes.equals(PARTS_BEGIN))) break read;
      }
    }
    if (lines.length === 0) throw this.#damaged(1, 'the file is empty');
    const through = Number(/\d+/.exec(lines[2]?.toString() ?? ''));
    const hasParts = lines[3]?.equals(PARTS_BEGIN) ?? false;
    const parts = hasParts ? lines.slice(4, -2).map((line, i) => decodePart(line, collection) ?? `${5 + i}`) : [];
    const damaged = parts.find((part) => typeof part === 'string');
    if (damaged !== undefined && lines.at(-1)!.equals(ROWS_BEGIN))
      throw this.#damaged(Number(damaged), 'the checksum does not match the entry of a part');
    const around = hasParts ? [...lines.slice(0, 4), ...lines.slice(-2)] : lines;
    const expected = header(collection, through, hasParts ? [] : undefined);
    const wrong = expected.findIndex((line, at) => around[at]?.toString() !== line);
    if (wrong >= 0) throw this.#damaged(wrong + 1, `this is not the header of a snapshot of ${collection}`);
    return { collection, through, parts: parts as SnapshotPart[], lines: lines.length };
  }

  async *#rows(headerLines: number): AsyncGenerator<StoredRow[], void> {
    let crc = 0;
    let count = 0;
    let last: { key: string; line: number } = { key: '', line: 0 };
    let ending: string[] | undefined;
    for await (const lines of readLines(this.#fs, this.#path)) {
      const rows: StoredRow[] = [];
      for (const { bytes, number } of lines) {
        if (number > headerLines && bytes.length === ROWS_END.length && bytes.toString() === ROWS_END) ending ??= footer(count, crc);
        if (ending) {
          if (ending.shift() !== bytes.toString())
            throw this.#damaged(number, 'the end of the snapshot does not match the documents before it');
          continue;
        }
        crc = crc32(bytes, crc);
        if (number <= headerLines) continue;
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
const ROWS_BEGIN = Buffer.from('  "documents": [');
const PARTS_BEGIN = Buffer.from('  "parts": [');

/** @param parts the encoded entries of the parts; undefined if the snapshot lists none */
const header = (collection: string, through: number, parts: readonly string[] | undefined): string[] => [
  '{',
  `  "collection": ${JSON.stringify(collection)},`,
  `  "through": ${through},`,
  ...(parts ? [PARTS_BEGIN.toString(), ...parts, ROWS_END] : []),
  ROWS_BEGIN.toString(),
];

function encodePart({ n, superseded, ...part }: SnapshotPart, collection: string, end: string): string {
  const entry = { file: partName(collection, n), ...part, superseded: rangesOf(superseded) };
  return `${INDENT}${sealed('', Buffer.from(JSON.stringify(entry)))}${end}`;
}

/** The part that a line of the list describes; undefined if any byte differs from what the store wrote. */
export function decodePart(line: Buffer, collection: string): SnapshotPart | undefined {
  const content = unseal(line.subarray(INDENT.length, line.at(-1) === COMMA ? -1 : undefined));
  if (!content) return undefined;
  try {
    const { file, superseded, ...part } = JSON.parse(content.toString()) as Omit<SnapshotPart, 'n' | 'superseded'> &
      Record<'file' | 'superseded', string>;
    const n = Number(/\.(\d+)\.json$/.exec(file)?.[1]);
    const flags = flagsOf(superseded, part.documents);
    return flags && partName(collection, n) === file ? { ...part, n, superseded: flags } : undefined;
  } catch {
    return undefined;
  }
}

const footer = (count: number, crc: number): string[] => [ROWS_END, `  "count": ${count},`, `  "checksum": "${hex(crc)}"`, '}'];

/** Whether a line belongs to the frame around the documents, as far as the line alone shows. */
export const isFrame = (line: string): boolean =>
  /^(\{|\}| {2}\],| {2}"(collection": "[a-z0-9.-]+"|through": \d+|count": \d+),| {2}"(parts|documents)": \[| {2}"checksum": "[0-9a-f]{8}")$/i.test(
    line,
  );

/** The `through` transaction, if this line contains it. */
export function throughIn(line: string): number | undefined {
  const digits = /^ {2}"through": (\d+),$/.exec(line)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

/** Yields buffers that are valid only until the next one is requested. */
async function* encode({ collection, through, parts, rows }: Snapshot): AsyncGenerator<Buffer, void> {
  const lines = new Lines();
  let count = 0;
  const entries = parts.map((part, i) => encodePart(part, collection, i < parts.length - 1 ? ',' : ''));
  for (const line of header(collection, through, parts.length > 0 ? entries : undefined)) lines.add(line);
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
