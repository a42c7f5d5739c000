import { join } from 'node:path';
import { DocumentDamaged, type IndexValue } from '../../../ports/store.js';
import { hasCode } from '../../file-system.js';
import { DataDamaged } from '../files/data-damaged.js';
import { indexIn, partName, startsOf } from '../files/part-file.js';
import { decodeInto } from '../files/part-index.js';
import { BETWEEN_BYTES, INDENT } from '../files/row-lines.js';
import { orDamaged } from '../files/salvage-part.js';
import { CONTENT_AT, unseal } from '../files/sealed.js';
import { jsonOf, keyIn } from '../files/stored-row.js';
import type { ColdIndex, ColdPart, Extent, RowRange } from './cold-part.js';
import type { ColdRow } from './cold-row.js';
import { BLOCK_ENTRIES, entriesOf, type StoredBlock } from './lookups.js';
import type { OpenFiles } from './open-files.js';
import { UsedLately } from './used-lately.js';

/** A row as read from a part. */
export interface ReadRow {
  readonly key: string;
  readonly json: string;
}

/** Entries of an index, in its order. */
export interface EntryBlock {
  readonly rows: readonly number[];
  /** Per field, the value of each entry. */
  readonly values: readonly (readonly IndexValue[])[];
}

/** Rows of a part, in the order of their keys. A row is checked when it is read. */
export class RowBlock {
  readonly firstRow: number;
  readonly #bytes: Buffer;
  /** Where each record starts; after the last one, where the next would start. */
  readonly #starts: readonly number[];
  readonly #damaged: (start: number, end: number) => DocumentDamaged;

  constructor(bytes: Buffer, firstRow: number, starts: readonly number[], damaged: (start: number, end: number) => DocumentDamaged) {
    this.#bytes = bytes;
    this.firstRow = firstRow;
    this.#starts = starts;
    this.#damaged = damaged;
  }

  /** The rows after the last one. */
  get end(): number {
    return this.firstRow + this.#starts.length - 1;
  }

  keyOf(row: number): string {
    return keyIn(this.#record(row), CONTENT_AT);
  }

  read(row: number): ReadRow {
    const record = this.#record(row);
    const key = keyIn(record, CONTENT_AT);
    return { key, json: jsonOf({ key, record }) };
  }

  /** The row with this key; undefined if no row has it. Reads all rows if one is damaged, and fails only if that may be the one. */
  find(key: string): number | undefined {
    let damaged: unknown;
    try {
      const row = this.rowOfKey(key);
      return row < this.end && this.keyOf(row) === key ? row : undefined;
    } catch (error) {
      damaged = error;
    }
    for (let row = this.firstRow; row < this.end; row++) if (this.#isWhole(row) && this.keyOf(row) === key) return row;
    throw damaged;
  }

  /** The first row whose key is not before this one; `end` if there is none. */
  rowOfKey(key: string): number {
    let [low, high] = [this.firstRow, this.end];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.keyOf(middle) < key) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #isWhole(row: number): boolean {
    return unseal(this.#bytes.subarray(...this.#extent(row))) !== undefined;
  }

  #extent(row: number): [start: number, end: number] {
    const at = row - this.firstRow;
    return [this.#starts[at]!, this.#starts[at + 1]! - BETWEEN_BYTES - INDENT.length];
  }

  /** @throws DocumentDamaged */
  #record(row: number): Buffer {
    const [start, end] = this.#extent(row);
    const record = this.#bytes.subarray(start, end);
    if (!unseal(record)) throw this.#damaged(start, end);
    return record;
  }
}

/** Entries are parsed, which takes more memory than their text. */
const ENTRY_FACTOR = 4;
const LINE_END = 0x0a;

export interface ColdFilesOptions {
  readonly files: OpenFiles;
  readonly folder: string;
  readonly collection: string;
  readonly cache: BlockCache;
  readonly onDamage: (damaged: DocumentDamaged) => void;
}

/** Reads blocks of parts, and keeps those read lately. */
export class ColdFiles {
  readonly #files: OpenFiles;
  readonly #folder: string;
  readonly #collection: string;
  readonly #cache: BlockCache;
  readonly #onDamage: ColdFilesOptions['onDamage'];

  constructor({ files, folder, collection, cache, onDamage }: ColdFilesOptions) {
    [this.#files, this.#folder, this.#collection, this.#cache, this.#onDamage] = [files, folder, collection, cache, onDamage];
  }

  /** Closes the file of a part that is replaced. */
  close(part: ColdPart): void {
    this.#files.close(this.path(part));
  }

  path(part: ColdPart): string {
    return join(this.#folder, partName(this.#collection, part.listed.n));
  }

  /** A row that was kept under this name, if it is still in the cache. It may not be current any more. */
  kept(name: string): ColdRow | undefined {
    return this.#cache.known(`${this.#collection}:${name}`) as ColdRow | undefined;
  }

  keep(name: string, row: ColdRow, bytes: number): void {
    this.#cache.keep(`${this.#collection}:${name}`, row, bytes);
  }

  /** @throws DocumentDamaged */
  rows(part: ColdPart, rows: RowRange): Promise<RowBlock> | RowBlock {
    return this.#cache.get(`${part.id}:${rows.first}-${rows.end}`, async () => {
      const extent = part.extentOf(rows);
      const bytes = await this.#read(part, extent);
      return { value: await this.#rowsIn(part, rows, bytes, extent), bytes: bytes.length };
    });
  }

  /** @throws DocumentDamaged */
  entries(part: ColdPart, name: string, index: ColdIndex, block: number): Promise<EntryBlock> | EntryBlock {
    return this.#cache.get(`${part.id}:${name}:${block}`, async () => {
      const extent = index.extentOf(block);
      const record = await this.#read(part, extent);
      const content = unseal(record);
      if (!content) return { value: await this.#entriesAgain(part, name, index, block), bytes: record.length * ENTRY_FACTOR };
      const { rows, values } = JSON.parse(content.toString()) as StoredBlock;
      const columns = values.map((column) => {
        const decoded: IndexValue[] = [];
        decodeInto(decoded, column, new Uint8Array(rows.length));
        return decoded;
      });
      return { value: { rows, values: columns }, bytes: record.length * ENTRY_FACTOR };
    });
  }

  /** Makes a damaged block of an index again, from the documents. @throws DocumentDamaged if one of them is damaged too */
  async #entriesAgain(part: ColdPart, name: string, index: ColdIndex, block: number): Promise<EntryBlock> {
    this.#damage(part, index.extentOf(block), `the checksum does not match the entries of index ${name}, which the documents replace`);
    const all: RowRange = { first: 0, end: part.listed.documents };
    const extent = part.extentOf(all);
    const rows = await this.#rowsIn(part, all, await this.#read(part, extent), extent);
    const documents = Array.from({ length: all.end }, (_, row) => JSON.parse(rows.read(row).json) as Readonly<Record<string, unknown>>);
    const entries = entriesOf(documents, index.fields).slice(block * BLOCK_ENTRIES, (block + 1) * BLOCK_ENTRIES);
    return { rows: entries.map(({ row }) => row), values: index.fields.map((_, field) => entries.map(({ values }) => values[field]!)) };
  }

  async #rowsIn(part: ColdPart, { first, end }: RowRange, bytes: Buffer, extent: Extent): Promise<RowBlock> {
    let starts = [0];
    for (let at = bytes.indexOf(LINE_END); at >= 0; at = bytes.indexOf(LINE_END, at + 1)) starts.push(at + 1 + INDENT.length);
    // The last rows end with their last record, the others with the text before the next one.
    if (end === part.listed.documents) starts.push(bytes.length + BETWEEN_BYTES + INDENT.length);
    if (starts.length !== end - first + 1) starts = await this.#startsIn(part, { first, end }, extent);
    return new RowBlock(bytes, first, starts, (start, end) =>
      this.#damage(part, { at: extent.at + start, bytes: end - start }, 'the checksum does not match the document'),
    );
  }

  /** Where rows start, in a block whose line ends are damaged. @throws DocumentDamaged if the index of the part is damaged too */
  async #startsIn(part: ColdPart, { first, end }: RowRange, extent: Extent): Promise<number[]> {
    const damaged = this.#damage(part, extent, 'the line ends do not match the rows');
    const { listed } = part;
    const bytes = await this.#read(part, { at: listed.index, bytes: listed.bytes - listed.index });
    const index = await orDamaged(async () => indexIn(this.path(part), bytes, listed));
    if (index instanceof DataDamaged) throw damaged;
    const { sizes } = index;
    const starts = startsOf(this.#collection, sizes).slice(first, end);
    return [...starts, starts.at(-1)! + sizes[end - 1]! + BETWEEN_BYTES + INDENT.length].map((start) => start - extent.at);
  }

  async #read(part: ColdPart, extent: Extent): Promise<Buffer> {
    const bytes = await this.#files.read(this.path(part), extent.at, Buffer.allocUnsafeSlow(extent.bytes)).catch((error) => {
      if (hasCode(error, 'ENOENT')) throw this.#damage(part, extent, 'the file is missing');
      throw error;
    });
    if (bytes.length < extent.bytes) throw this.#damage(part, extent, 'the rest of the file is missing');
    return bytes;
  }

  #damage(part: ColdPart, { at, bytes }: Extent, damage: string): DocumentDamaged {
    const damaged = new DocumentDamaged(this.path(part), `bytes ${at} to ${at + bytes - 1}: ${damage}`);
    this.#onDamage(damaged);
    return damaged;
  }
}

type Cached = RowBlock | EntryBlock | ColdRow;

/** The cost of keeping a block besides its bytes. */
const ENTRY_BYTES = 200;

/** The blocks and rows read lately, of all collections, up to a number of bytes. */
export class BlockCache {
  readonly #blocks: UsedLately<{ readonly value: Cached; readonly bytes: number }>;
  readonly #reading = new Map<string, Promise<Cached>>();
  /** Bytes outside the heap. */
  bufferBytes = 0;

  constructor(maxBytes: number) {
    this.#blocks = new UsedLately(maxBytes, ({ value, bytes }) => {
      if (value instanceof RowBlock) this.bufferBytes -= bytes;
    });
  }

  known(key: string): Cached | undefined {
    return this.#blocks.get(key)?.value;
  }

  keep(key: string, value: Cached, bytes: number): void {
    if (this.#blocks.set(key, { value, bytes }, bytes + ENTRY_BYTES) && value instanceof RowBlock) this.bufferBytes += bytes;
  }

  /** Several reads of a block at a time read it once. An error is not kept. */
  get<T extends Cached>(key: string, read: () => Promise<{ readonly value: T; readonly bytes: number }>): Promise<T> | T {
    const known = this.known(key);
    if (known) return known as T;
    const reading = this.#reading.get(key);
    if (reading) return reading as Promise<T>;
    const started = read()
      .then((block) => {
        this.keep(key, block.value, block.bytes);
        return block.value;
      })
      .finally(() => this.#reading.delete(key));
    this.#reading.set(key, started);
    return started;
  }
}
