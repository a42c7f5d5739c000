import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { type FileSystem, hasCode, type OpenFile, replaceFile } from '../../file-system.js';
import { lookupsOf, type PartDirectory } from '../cold/lookups.js';
import type { TextIn } from '../commit.js';
import { DataDamaged } from './data-damaged.js';
import { columnsOf, isPlaceable, type PartIndex, type Placing } from './part-index.js';
import { BETWEEN_BYTES, INDENT, type RowLines } from './row-lines.js';
import { CONTENT_AT, hex, sealed, unseal } from './sealed.js';
import { endOfKey, hasPatches, jsonOf, keyIn, type StoredRow, textIn } from './stored-row.js';

// A part holds older documents of a collection. It never changes after it was written; the snapshot of the collection lists it, with
// the checksum of the whole file and the rows that are superseded by a newer document or a deletion:
// {
//   "collection": "core.messages",
//   "documents": [
//     ["<checksum>","<key>",<document>],
//     ...
//   ],
//   "lookups": [
//     ["<checksum>",{"rows":[...],"values":[...]}],
//     ...
//     ["<checksum>",{"blocks":{...},"end":...,"keys":{...},"indexes":{...}}]
//   ],
//   "index": [
//     ["<checksum>",{"keys":["<key>",...],"sizes":[...],"fields":{...}}]
//   ]
// }
// Only a part that stays on disk has `lookups` (see cold/lookups.ts), and then no `fields`.

/** A part as the snapshot lists it. */
export interface SnapshotPart {
  readonly n: number;
  readonly documents: number;
  readonly bytes: number;
  /** Where the line of the index starts. */
  readonly index: number;
  /** Where the directory of the look-ups starts, in a part that stays on disk. */
  readonly directory?: number;
  /** Of the whole file. */
  readonly checksum: string;
  /** Its first and its last key. */
  readonly first: string;
  readonly last: string;
  /** Set once a platform has run without all its documents, as after the loss of the file: it is not read any more, even if it is back. */
  readonly lost?: true;
  /** Per row, 1 if it is superseded. */
  readonly superseded: Uint8Array;
}

/** A part without its flags, which take a byte per row. */
export type ListedPart = Omit<SnapshotPart, 'superseded'>;

/** The size from which documents move into a part. A part has at most one document more. */
export const PART_BYTES = 4 << 20;

const NAME = /^([a-z0-9][a-z0-9-]*\.[a-z0-9][a-z0-9-]*)\.(\d+)\.json$/i;
const INDEX_END = '\n  ]\n}\n';

export const partName = (collection: string, n: number): string => `${collection}.${n}.json`;

/** The collection of a part; undefined if the file is not a part. */
export const partCollectionOf = (name: string): string | undefined => NAME.exec(name)?.[1];

export const partNumberOf = (name: string): number => Number(NAME.exec(name)?.[2]);

/** Where the first row starts, with its indentation. */
export const documentsStart = (collection: string): number => headOf(collection).length;

const headOf = (collection: string): string => `{\n  "collection": ${JSON.stringify(collection)},\n  "documents": [\n`;
/** The line before the look-ups. */
export const LOOKUPS_BEGIN = '  "lookups": [';
const BEFORE_LOOKUPS = `\n  ],\n${LOOKUPS_BEGIN}\n`;
const BEFORE_INDEX = '\n  ],\n  "index": [\n';

/** Whether a line belongs to the frame around documents and index, as far as the line alone shows. */
export const isPartFrame = (line: string): boolean =>
  /^(\{|\}| {2}\],?| {2}"collection": "[a-z0-9.-]+",| {2}"(documents|lookups|index)": \[)$/i.test(line);

/**
 * Writes rows as a new part, durably. With `placing`, a start needs not parse the documents, unless some are stored with patches.
 */
export async function writePart(
  fs: FileSystem,
  folder: string,
  part: { readonly collection: string; readonly n: number; readonly rows: RowLines; readonly placing: Placing | undefined },
): Promise<SnapshotPart> {
  const { collection, n, rows, placing } = part;
  const { keys, sizes } = rows;
  const parsed = placing && parsedRows(rows.rows, keys, placing);
  const head = Buffer.from(headOf(collection));
  // The last row has no comma, and the next section begins with its line end.
  const documents = rows.bytes.subarray(0, -BETWEEN_BYTES);
  const rowsEnd = head.length + documents.length;
  const lookups =
    parsed &&
    placing.lookups &&
    lookupsOf(parsed, rows, { rows: head.length + INDENT.length, lookups: rowsEnd + BEFORE_LOOKUPS.length }, placing.lookups);
  const middle = lookups ? Buffer.concat([Buffer.from(BEFORE_LOOKUPS), lookups.bytes]) : NOTHING;
  const fields = lookups ? undefined : parsed && columnsOf(parsed, placing);
  const index: PartIndex = { keys, sizes, ...(fields && { fields }) };
  const end = Buffer.concat([Buffer.from(BEFORE_INDEX + INDENT), sealed(JSON.stringify(index), NOTHING), Buffer.from(INDEX_END)]);
  await replaceFile(fs, folder, partName(collection, n), [head, documents, middle, end]);
  return {
    n,
    documents: keys.length,
    bytes: rowsEnd + middle.length + end.length,
    index: rowsEnd + middle.length + BEFORE_INDEX.length,
    ...(lookups && { directory: lookups.directory }),
    checksum: hex(crc32(end, crc32(middle, crc32(documents, crc32(head))))),
    first: keys[0]!,
    last: keys.at(-1)!,
    superseded: new Uint8Array(keys.length),
  };
}

const NOTHING = new Uint8Array(0);

/** The documents of rows, parsed; undefined if they do not fit the declared collection, or some are stored with patches. */
function parsedRows(rows: readonly StoredRow[], keys: readonly string[], placing: Placing): readonly Fields[] | undefined {
  if (rows.some((row) => hasPatches(textIn(row)))) return undefined;
  const parsed = rows.map((row) => JSON.parse(jsonOf(row)) as Fields);
  return isPlaceable(parsed, keys, placing) ? parsed : undefined;
}

type Fields = Readonly<Record<string, unknown>>;

/** The verified bytes of a part, and its index. */
export interface PartContent {
  readonly bytes: Buffer;
  readonly index: PartIndex;
}

/**
 * Reads a part, into the given buffer if it is large enough.
 * @throws DataDamaged if any byte differs from what was written
 */
export async function readPart(
  fs: FileSystem,
  folder: string,
  collection: string,
  part: SnapshotPart,
  into?: Buffer,
): Promise<PartContent> {
  const path = await usedPath(fs, folder, collection, part);
  const bytes = await readAt(fs, path, 0, part.bytes + 1, into);
  if (bytes.length !== part.bytes || hex(crc32(bytes)) !== part.checksum) throw damageIn(path, bytes, part);
  return { bytes, index: indexIn(path, bytes.subarray(part.index), part) };
}

/** Reads the index of a part without its documents. @throws DataDamaged */
export async function readPartIndex(fs: FileSystem, folder: string, collection: string, part: ListedPart): Promise<PartIndex> {
  const path = await usedPath(fs, folder, collection, part);
  return indexIn(path, await readAt(fs, path, part.index, part.bytes - part.index), part);
}

/** Reads what a process keeps of a part that stays on disk. @throws DataDamaged */
export async function readDirectory(
  fs: FileSystem,
  folder: string,
  collection: string,
  part: SnapshotPart & { readonly directory: number },
): Promise<PartDirectory> {
  const { directory, index } = part;
  const path = await usedPath(fs, folder, collection, part);
  const content = unseal(await readAt(fs, path, directory, index - BEFORE_INDEX.length - directory));
  if (!content) throw new DataDamaged(path, undefined, 'the checksum does not match the directory of the look-ups');
  return JSON.parse(content.toString()) as PartDirectory;
}

/** @throws DataDamaged for a part without which a platform has run */
async function usedPath(fs: FileSystem, folder: string, collection: string, { n, lost }: ListedPart): Promise<string> {
  const path = join(folder, partName(collection, n));
  if (!lost) return path;
  await readAt(fs, path, 0, 1);
  throw new DataDamaged(path, undefined, RAN_WITHOUT);
}

/** Why a part that is back is not read. */
export const RAN_WITHOUT =
  'the platform has run without this file, so its documents may have been recorded again since then, and it is not read';

/** Where the record of each row starts. */
export function startsOf(collection: string, sizes: readonly number[]): number[] {
  let at = headOf(collection).length + INDENT.length;
  return sizes.map((size) => {
    const start = at;
    at += size + BETWEEN_BYTES + INDENT.length;
    return start;
  });
}

/** The rows that are not superseded. */
export function currentRows(collection: string, { superseded }: SnapshotPart, { bytes, index }: PartContent): StoredRow[] {
  const starts = startsOf(collection, index.sizes);
  return index.keys.flatMap((key, i) =>
    superseded[i] === 1 ? [] : [{ key, record: bytes.subarray(starts[i], starts[i]! + index.sizes[i]!) }],
  );
}

/** The texts of the rows that are not superseded: each of a document, or of a list of a document and its patches. */
export function* currentTexts(collection: string, { superseded }: SnapshotPart, { bytes, index }: PartContent): Generator<TextIn> {
  for (const [i, start] of startsOf(collection, index.sizes).entries())
    if (superseded[i] !== 1) yield { bytes, start: endOfKey(bytes, start + CONTENT_AT) + 1, end: start + index.sizes[i]! - 1 };
}

/** Rows with at most this many bytes between them are read together. */
const MAX_GAP_BYTES = 64 * 1024;

/** Reads single rows of a part, by position, in ascending order. @throws DataDamaged */
export async function readRows(
  fs: FileSystem,
  folder: string,
  collection: string,
  { n, sizes, positions }: { readonly n: number; readonly sizes: readonly number[]; readonly positions: readonly number[] },
): Promise<StoredRow[]> {
  if (positions.length === 0) return [];
  const path = join(folder, partName(collection, n));
  const starts = startsOf(collection, sizes);
  const endOf = (position: number): number => starts[position]! + sizes[position]!;
  const file = await fs.open(path, 'read');
  try {
    const rows: StoredRow[] = [];
    for (let from = 0, to = 1; from < positions.length; from = to++) {
      while (to < positions.length && starts[positions[to]!]! - endOf(positions[to - 1]!) <= MAX_GAP_BYTES) to++;
      const start = starts[positions[from]!]!;
      const bytes = await readFrom(file, start, Buffer.allocUnsafeSlow(endOf(positions[to - 1]!) - start));
      for (const position of positions.slice(from, to)) {
        const record = bytes.subarray(starts[position]! - start, endOf(position) - start);
        if (!unseal(record)) throw new DataDamaged(path, lineOfRow(position), 'the checksum does not match the document');
        rows.push({ key: keyIn(record, CONTENT_AT), record });
      }
    }
    return rows;
  } finally {
    await file.close();
  }
}

/** Documents of a part as JSON, one after the other. */
export interface PackedDocuments {
  readonly keys: readonly string[];
  readonly bytes: Buffer;
  /** Where each document ends. */
  readonly ends: Uint32Array;
}

/**
 * The documents that are not superseded, copied without the text between them, which is a tenth of the file. Overwrites the
 * content, because moving the documents within it first is faster than copying each.
 */
export function packDocuments(collection: string, { documents, superseded }: SnapshotPart, { bytes, index }: PartContent): PackedDocuments {
  const keys: string[] = [];
  const ends = new Uint32Array(documents);
  let size = 0;
  for (const [i, start] of startsOf(collection, index.sizes).entries()) {
    if (superseded[i] === 1) continue;
    const from = endOfKey(bytes, start + CONTENT_AT) + 1;
    const end = start + index.sizes[i]! - 1;
    bytes.copyWithin(size, from, end);
    size += end - from;
    ends[keys.length] = size;
    keys.push(index.keys[i]!);
  }
  const packed = Buffer.allocUnsafeSlow(size);
  packed.set(bytes.subarray(0, size));
  return { keys, bytes: packed, ends: ends.slice(0, keys.length) };
}

const HEAD_LINES = 3;
/** The line of a row, counted from 1. */
export const lineOfRow = (position: number): number => HEAD_LINES + 1 + position;

/** @param bytes of the part, from its index on @throws DataDamaged */
export function indexIn(path: string, bytes: Buffer, part: ListedPart): PartIndex {
  const content = unseal(bytes.subarray(INDENT.length, -INDEX_END.length));
  const index = content && (JSON.parse(content.toString()) as PartIndex);
  if (index?.keys.length !== part.documents) throw new DataDamaged(path, undefined, 'the checksum does not match the index');
  return index;
}

/** Finds the first damaged line of a part whose bytes differ from what was written. */
function damageIn(path: string, bytes: Buffer, part: SnapshotPart): DataDamaged {
  let start = 0;
  for (let line = 1; start < bytes.length; line++) {
    const end = bytes.indexOf('\n', start);
    const text = bytes.subarray(start, end < 0 ? bytes.length : end);
    const isSealed = line > HEAD_LINES && (unseal(text.subarray(INDENT.length)) ?? unseal(text.subarray(INDENT.length, -1)));
    if (!isSealed && !isPartFrame(text.length < 200 ? text.toString() : ''))
      return new DataDamaged(
        path,
        line,
        line === lineOfRow(part.documents) + 2 ? 'the checksum does not match the index' : 'the checksum does not match the document',
      );
    start = end < 0 ? bytes.length : end + 1;
  }
  if (bytes.length < part.bytes) return new DataDamaged(path, undefined, 'the rest of the file is missing');
  return new DataDamaged(path, undefined, 'this is not the file that the snapshot lists: its checksum is different');
}

async function readAt(fs: FileSystem, path: string, start: number, bytes: number, into?: Buffer): Promise<Buffer> {
  try {
    const file = await fs.open(path, 'read');
    try {
      return await readFrom(file, start, into && into.length >= bytes ? into.subarray(0, bytes) : Buffer.allocUnsafeSlow(bytes));
    } finally {
      await file.close();
    }
  } catch (error) {
    if (hasCode(error, 'ENOENT'))
      throw new DataDamaged(path, undefined, 'the file is missing, but the snapshot of its collection lists it');
    throw error;
  }
}

/** Fills a buffer from a position of a file. @returns its part up to the end of the file */
async function readFrom(file: OpenFile, start: number, buffer: Buffer): Promise<Buffer> {
  let size = 0;
  for (let read = -1; read !== 0 && size < buffer.length; size += read) read = await file.read(buffer.subarray(size), start + size);
  return buffer.subarray(0, size);
}
