import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { type FileSystem, hasCode, readFully } from '../../file-system.js';
import { declaredOf, type PartDirectory } from '../cold/lookups.js';
import { DataDamaged } from '../files/data-damaged.js';
import {
  currentRows,
  isPartFrame,
  LOOKUPS_BEGIN,
  lineOfRow,
  type PartContent,
  partNumberOf,
  RAN_WITHOUT,
  readPart,
  readPartIndex,
  type SnapshotPart,
} from '../files/part-file.js';
import type { DeclaredIndexes, PartIndex } from '../files/part-index.js';
import { readLines } from '../files/read-lines.js';
import { countOf } from '../files/row-flags.js';
import { INDENT } from '../files/row-lines.js';
import { orDamaged } from '../files/salvage-part.js';
import { CONTENT_AT } from '../files/sealed.js';
import { snapshotName } from '../files/snapshot-file.js';
import { rowOf, type StoredDocument, type StoredRow } from '../files/stored-row.js';
import { type Damage, decoded, piecesOf, rowsIn, strictly } from './pieces.js';

/** A part to scan; without its entry in the snapshot if that is not readable. */
export interface ListedPart {
  readonly name: string;
  readonly part: SnapshotPart | undefined;
}

/** The folder and the collection of a part. */
interface Place {
  readonly fs: FileSystem;
  readonly folder: string;
  readonly collection: string;
}

/** The documents of a collection. Those that stay on disk are read again when they are needed, because they may not fit into memory. */
export interface ScannedDocuments {
  /** JSON by key. */
  readonly inMemory: ReadonlyMap<string, string>;
  readonly onDisk: readonly DiskPart[];
}

export const documentCount = ({ inMemory, onDisk }: ScannedDocuments): number =>
  onDisk.reduce((sum, { current }) => sum + current, inMemory.size);

/** A part whose documents stay on disk. Of each row that can be read it keeps one byte in memory. */
export class DiskPart {
  /** Its entry in the snapshot, if every byte of the file is right. */
  readonly whole: SnapshotPart | undefined;
  /** Per row, 1 if its document is not current. */
  readonly replaced: Uint8Array;
  /** Of its look-ups, if they can be read. */
  readonly indexes: DeclaredIndexes | undefined;
  readonly #place: Place;
  readonly #listed: ListedPart;

  constructor(
    place: Place,
    listed: ListedPart,
    { isWhole, rows, indexes }: Pick<DiskPart, 'indexes'> & { isWhole: boolean; rows: number },
  ) {
    [this.#place, this.#listed, this.indexes] = [place, listed, indexes];
    this.whole = isWhole ? listed.part : undefined;
    this.replaced = this.whole?.superseded ?? new Uint8Array(rows);
  }

  get name(): string {
    return this.#listed.name;
  }

  get isListed(): boolean {
    return this.#listed.part !== undefined;
  }

  get current(): number {
    return this.replaced.length - countOf(this.replaced);
  }

  /** The key of each row. */
  async keys(): Promise<readonly string[]> {
    const { fs, folder, collection } = this.#place;
    if (this.whole) return (await readPartIndex(fs, folder, collection, this.whole)).keys;
    return (await scanPart(this.#place, this.#listed)).rows.map(({ key }) => key);
  }

  /** The rows of current documents. */
  async rows(): Promise<readonly StoredRow[]> {
    const { fs, folder, collection } = this.#place;
    if (this.whole) return currentRows(collection, this.whole, await readPart(fs, folder, collection, this.whole));
    const { rows } = await scanPart(this.#place, this.#listed);
    return rows.flatMap(({ key, json }, i) => (this.replaced[i] === 1 ? [] : [rowOf(key, Buffer.from(json))]));
  }
}

/**
 * Reads the parts of a collection, newest part first: a document that is already known is newer.
 * @param documents those of the snapshot file; gets those of parts that do not stay on disk
 */
export async function scanParts(
  place: Place,
  parts: readonly ListedPart[],
  documents: Map<string, string>,
): Promise<{ damages: Damage[]; onDisk: DiskPart[] }> {
  const damages: Damage[] = [];
  const onDisk: DiskPart[] = [];
  const known = new KnownKeys(documents);
  for (const listed of parts.toSorted((a, b) => partNumberOf(b.name) - partNumberOf(a.name))) {
    const whole = await wholeOnDisk(place, listed);
    if (whole) {
      onDisk.push(whole.part);
      known.addDisk(whole.part, whole.keys);
      continue;
    }
    const { found, rows, isOnDisk, indexes } = await scanPart(place, listed);
    damages.push(...found);
    const keys = rows.map(({ key }) => key);
    if (isOnDisk) {
      const part = new DiskPart(place, listed, { isWhole: false, rows: rows.length, indexes });
      onDisk.push(part);
      known.addDisk(part, keys);
      continue;
    }
    const older = rows.filter(({ key }) => documents.has(key));
    if (older.length > 0 && listed.part && found.length === 0) damages.push(alsoElsewhere(listed.name, older.length, older[0]!.key));
    known.addInMemory(partNumberOf(listed.name), keys);
    for (const { key, json } of rows) if (!documents.has(key)) documents.set(key, json);
  }
  damages.push(...(await known.dropOlder(onDisk)));
  return { damages, onDisk };
}

const alsoElsewhere = (file: string, documents: number, first: string): Damage => ({
  file,
  damage: `${documents === 1 ? 'a document of it is' : `${documents} documents of it are`} also in a newer file of the collection; the first is ${JSON.stringify(first)}`,
});

/** Finds documents that are in several files, with four bytes for each document on disk. */
class KnownKeys {
  readonly #documents: Map<string, string>;
  /** The parts from which documents came into memory; those of the snapshot file are missing. */
  readonly #partOf = new Map<string, number>();
  /** Per part on disk, the checksums of the keys of its current rows. */
  readonly #checksums: Uint32Array[] = [];
  #mayBeInMemory = false;

  constructor(documents: Map<string, string>) {
    this.#documents = documents;
  }

  addInMemory(part: number, keys: readonly string[]): void {
    for (const key of keys) if (!this.#documents.has(key)) this.#partOf.set(key, part);
    this.#mayBeInMemory ||= this.#checksums.length > 0;
  }

  addDisk({ replaced }: DiskPart, keys: readonly string[]): void {
    const current = keys.filter((_, i) => replaced[i] === 0);
    this.#mayBeInMemory ||= current.some((key) => this.#documents.has(key));
    this.#checksums.push(Uint32Array.from(current, (key) => crc32(key)));
  }

  /** Keeps the newest version of each document. @param parts newest first */
  async dropOlder(parts: readonly DiskPart[]): Promise<Damage[]> {
    const repeated = this.#repeated();
    if (repeated.size === 0 && !this.#mayBeInMemory) return [];
    const seen = new Set<string>();
    const damages: Damage[] = [];
    for (const part of parts) {
      const older: string[] = [];
      for (const [i, key] of (await part.keys()).entries()) {
        if (part.replaced[i] === 1) continue;
        const isOlder = seen.has(key) || this.#isNewerInMemory(key, partNumberOf(part.name));
        if (isOlder) {
          part.replaced[i] = 1;
          older.push(key);
        } else if (repeated.has(crc32(key))) seen.add(key);
      }
      // Without the list of parts, older versions are expected.
      if (older.length > 0 && part.whole) damages.push(alsoElsewhere(part.name, older.length, older[0]!));
    }
    return damages;
  }

  /** A version in memory that came from an older part is removed. */
  #isNewerInMemory(key: string, part: number): boolean {
    if (!this.#documents.has(key)) return false;
    if ((this.#partOf.get(key) ?? Number.POSITIVE_INFINITY) > part) return true;
    this.#documents.delete(key);
    return false;
  }

  #repeated(): Set<number> {
    const all = new Uint32Array(this.#checksums.reduce((sum, { length }) => sum + length, 0));
    let at = 0;
    for (const checksums of this.#checksums.splice(0)) {
      all.set(checksums, at);
      at += checksums.length;
    }
    all.sort();
    const repeated = new Set<number>();
    for (let i = 1; i < all.length; i++) if (all[i] === all[i - 1]) repeated.add(all[i]!);
    return repeated;
  }
}

/** A part of which every byte is right, if its documents stay on disk. */
async function wholeOnDisk(place: Place, listed: ListedPart): Promise<{ part: DiskPart; keys: readonly string[] } | undefined> {
  const { fs, folder, collection } = place;
  const { part } = listed;
  if (part?.directory === undefined) return undefined;
  const content = await orDamaged(() => readPart(fs, folder, collection, part));
  if (content instanceof DataDamaged) return undefined;
  const indexes = indexesIn(directoryOf(content, part.directory));
  return { part: new DiskPart(place, listed, { isWhole: true, rows: part.documents, indexes }), keys: content.index.keys };
}

const LINE_END = 0x0a;

const directoryOf = ({ bytes }: PartContent, at: number): Buffer => bytes.subarray(at, bytes.indexOf(LINE_END, at));

function indexesIn(record: Buffer): DeclaredIndexes | undefined {
  const directory = decoded(record, (content) => JSON.parse(content.toString()) as Partial<PartDirectory>);
  return directory?.indexes && declaredOf(directory.indexes);
}

interface ScannedRows {
  readonly found: Damage[];
  readonly rows: StoredDocument[];
  /** Whether the documents stay on disk. */
  readonly isOnDisk: boolean;
  readonly indexes: DeclaredIndexes | undefined;
}

/** The rows of a part that can be read and are not superseded. */
async function scanPart({ fs, folder, collection }: Place, { name: file, part }: ListedPart): Promise<ScannedRows> {
  const back = part?.lost && (await readFully(fs, join(folder, file)));
  if (back) return { found: [{ file, damage: RAN_WITHOUT, bytes: back }], rows: [], isOnDisk: true, indexes: undefined };
  const found: Damage[] = [];
  const rows: (StoredDocument & { readonly line: number })[] = [];
  let index: PartIndex | undefined;
  let indexes: DeclaredIndexes | undefined;
  let isInLookups = false;
  let isOnDisk = part?.directory !== undefined;
  try {
    for await (const lines of readLines(fs, join(folder, file))) {
      for (const { bytes, number: line } of lines) {
        const frame = bytes.length < 200 ? bytes.toString() : '';
        if (isPartFrame(frame)) {
          isInLookups = frame === LOOKUPS_BEGIN;
          isOnDisk ||= isInLookups;
          continue;
        }
        // The lines around them may be damaged.
        const made = madeIn(bytes);
        if (Array.isArray(made?.keys)) index ??= made as PartIndex;
        indexes ??= made?.indexes && declaredOf(made.indexes);
        isOnDisk ||= made?.indexes !== undefined;
        if (made) continue;
        if (isInLookups) {
          // They are made of the documents, so nothing of them is set aside.
          found.push({ file, line, damage: 'the checksum does not match the look-ups' });
          continue;
        }
        const pieces = piecesOf(bytes, rowsIn);
        for (const piece of pieces) {
          if (piece) rows.push({ ...piece, line });
          else found.push({ file, line, damage: 'the checksum does not match the document', bytes: Buffer.from(bytes) });
        }
      }
    }
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) throw error;
    const documents = part ? ` with ${part.documents} documents` : '';
    const missing = { file, damage: `the file is missing, but ${snapshotName(collection)} lists it${documents}` };
    return { found: [missing], rows, isOnDisk, indexes };
  }
  if (!part) return { found, rows, isOnDisk, indexes };
  const verdict = await strictly(async () => void (await readPart(fs, folder, collection, part)));
  if (verdict && found.length === 0) found.push({ file, ...(verdict.line && { line: verdict.line }), damage: verdict.damage });
  const { superseded } = part;
  const supersededKeys = index && new Set(index.keys.filter((_, i) => superseded[i] === 1));
  const isSuperseded = ({ key, line }: (typeof rows)[number]): boolean =>
    supersededKeys ? supersededKeys.has(key) : superseded[line - lineOfRow(0)] === 1;
  return { found, rows: rows.filter((row) => !isSuperseded(row)), isOnDisk, indexes };
}

/** Reads a line that is made of the documents: a block or the directory of the look-ups, or the index. Undefined for a row. */
function madeIn(line: Buffer): Partial<Pick<PartIndex, 'sizes'> & Pick<PartDirectory, 'indexes'> & { keys: unknown }> | undefined {
  if (line[MADE_AT] !== OPEN) return undefined;
  for (const end of [line.length, -1]) {
    const made = decoded(line.subarray(INDENT.length, end), (content) => JSON.parse(content.toString()) as object);
    if (made) return made;
  }
  return undefined;
}

/** Where the content of a record starts in its line. A row starts with its key, everything else is an object. */
const MADE_AT = INDENT.length + CONTENT_AT;
const OPEN = 0x7b;
