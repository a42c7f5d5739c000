import { basename, dirname, join } from 'node:path';
import { crc32 } from 'node:zlib';
import { type Adapter, Low } from 'lowdb';
import { DataDamaged } from './data-damaged.js';
import { type FileSystem, hasCode, replaceFile } from './file-system.js';
import { type Line, readLines } from './read-lines.js';
import { hex, seal, unseal } from './sealed.js';

// A snapshot is one JSON file for people, with one document a line for machines, so that it streams:
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

/** The documents of a collection after the transaction `through`, in batches in the order of their keys. */
export interface Snapshot {
  readonly collection: string;
  readonly through: number;
  readonly documents: AsyncIterable<readonly StoredDocument[]>;
}

const NAME = /^([a-z0-9][a-z0-9-]*\.[a-z0-9][a-z0-9-]*)\.json$/i;
const INDENT = '    ';
const BATCH_CHARACTERS = 1 << 18;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;

export const snapshotName = (collection: string): string => `${collection}.json`;

/** The collection a file is the snapshot of; undefined when it is none. */
export const collectionOf = (name: string): string | undefined => NAME.exec(name)?.[1];

/** A snapshot as lowdb holds it: `read` opens what is on disk, `write` puts what `data` streams in its place. */
export function openSnapshot(fs: FileSystem, folder: string, collection: string): Low<Snapshot> {
  return new Low<Snapshot>(new SnapshotFile(fs, join(folder, snapshotName(collection))), { collection, through: 0, documents: nothing() });
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
      for await (const lines of readLines(this.#fs, this.#path)) return { ...this.#header(lines), documents: this.#documents() };
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
    if (wrong >= 0) throw this.#damaged(wrong + 1, `this is not the beginning of a snapshot of ${collection}`);
    return { collection, through };
  }

  async *#documents(): AsyncGenerator<StoredDocument[], void> {
    let crc = 0;
    let count = 0;
    let last: { key: string; line: number } = { key: '', line: 0 };
    let ending: string[] | undefined;
    for await (const lines of readLines(this.#fs, this.#path)) {
      const documents: StoredDocument[] = [];
      for (const { bytes, number } of lines) {
        if (bytes.length === ROWS_END.length && bytes.toString() === ROWS_END) ending ??= footer(count, crc);
        if (ending) {
          if (ending.shift() !== bytes.toString()) throw this.#damaged(number, 'the end of the snapshot does not fit what is before it');
          continue;
        }
        crc = crc32(bytes, crc);
        if (number <= HEADER_LINES) continue;
        const document = decodeRow(bytes);
        if (!document) throw this.#damaged(number, 'the checksum does not fit the document');
        if (document.key <= last.key) throw this.#damaged(number, `the key does not come after that of line ${last.line}`);
        last = { key: document.key, line: number };
        count++;
        documents.push(document);
      }
      yield documents;
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

/** Whether a line is one of those around the documents, as far as that can be told from the line alone. */
export const isFrame = (line: string): boolean =>
  /^(\{|\}| {2}\],| {2}"(collection": "[a-z0-9.-]+"|through": \d+|count": \d+),| {2}"documents": \[| {2}"checksum": "[0-9a-f]{8}")$/i.test(
    line,
  );

/** The transaction a snapshot goes up to, if this is the line that says so. */
export function throughIn(line: string): number | undefined {
  const digits = /^ {2}"through": (\d+),$/.exec(line)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

const encodeRow = ({ key, json }: StoredDocument): string => `${INDENT}${seal(`${JSON.stringify(key)},${json}`)}`;

function decodeRow(line: Buffer): StoredDocument | undefined {
  const content = unseal(line.subarray(INDENT.length, line.at(-1) === COMMA ? -1 : undefined));
  return content && decodeDocument(content);
}

/** What unsealing a row has given. */
export function decodeDocument(content: Buffer): StoredDocument {
  let end = 1;
  while (end < content.length && content[end] !== QUOTE) end += content[end] === BACKSLASH ? 2 : 1;
  return { key: JSON.parse(content.toString('utf8', 0, end + 1)) as string, json: content.toString('utf8', end + 2) };
}

async function* encode({ collection, through, documents }: Snapshot): AsyncGenerator<Buffer, void> {
  let crc = 0;
  let count = 0;
  let text = '';
  const add = (line: string) => {
    crc = crc32(line, crc);
    text += `${line}\n`;
  };
  header(collection, through).forEach(add);
  let row: string | undefined;
  for await (const batch of documents) {
    for (const document of batch) {
      if (row !== undefined) add(`${row},`);
      row = encodeRow(document);
      count++;
      if (text.length < BATCH_CHARACTERS) continue;
      yield Buffer.from(text);
      text = '';
    }
  }
  if (row !== undefined) add(row);
  for (const line of footer(count, crc)) text += `${line}\n`;
  yield Buffer.from(text);
}

async function* nothing(): AsyncGenerator<StoredDocument[], void> {}
