import { join } from 'node:path';
import { type FileSystem, readFully } from '../../file-system.js';
import { DataDamaged } from './data-damaged.js';
import { documentsStart, indexIn, partName, type SnapshotPart, startsOf } from './part-file.js';
import type { PartIndex } from './part-index.js';
import { CONTENT_AT, unseal } from './sealed.js';
import { decodeRow, keyIn, type StoredRow } from './stored-row.js';

/** The readable rows of a damaged part, by the position of its rows. */
export interface SalvagedPart {
  readonly rows: readonly (StoredRow | undefined)[];
  /** The keys of all rows, if the index is whole. */
  readonly keys: readonly string[] | undefined;
}

const LINE_END = 0x0a;

/** Reads a damaged part of a collection whose parts stay on disk. Only a failing disk makes it throw. */
export async function salvagePart(fs: FileSystem, folder: string, collection: string, part: SnapshotPart): Promise<SalvagedPart> {
  const path = join(folder, partName(collection, part.n));
  const bytes = (part.lost ? undefined : await readFully(fs, path)) ?? Buffer.alloc(0);
  const index = await orDamaged(async () => indexIn(path, bytes.subarray(part.index, part.bytes), part));
  const rows =
    index instanceof DataDamaged ? rowsOfLines(bytes.subarray(documentsStart(collection)), part) : rowsOf(bytes, collection, index);
  // The file may be that of another part.
  const own = rows.map((row) => (row && part.first <= row.key && row.key <= part.last ? row : undefined));
  return { rows: own, keys: index instanceof DataDamaged ? undefined : index.keys };
}

/** Returns the result of a read, or the damage that it has found. */
export async function orDamaged<T>(read: () => Promise<T>): Promise<T | DataDamaged> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof DataDamaged) return error;
    throw error;
  }
}

function rowsOf(bytes: Buffer, collection: string, { sizes }: PartIndex): (StoredRow | undefined)[] {
  const starts = startsOf(collection, sizes);
  return sizes.map((size, i) => {
    const record = bytes.subarray(starts[i], starts[i]! + size);
    return unseal(record) && { key: keyIn(record, CONTENT_AT), record };
  });
}

/** Without an index: the position of a row is that of its line, unless a line end before it may be damaged. */
function rowsOfLines(bytes: Buffer, { documents, last }: SnapshotPart): (StoredRow | undefined)[] {
  const rows: (StoredRow | undefined)[] = [];
  for (let start = 0; start < bytes.length && rows.length < documents; ) {
    const end = bytes.indexOf(LINE_END, start);
    const line = bytes.subarray(start, end < 0 ? bytes.length : end);
    rows.push(decodeRow(line));
    start += line.length + 1;
  }
  const damaged = rows.findIndex((row) => !row);
  const known = damaged < 0 || rows[documents - 1]?.key === last ? rows.length : damaged;
  return Array.from({ length: documents }, (_, i) => (i < known ? rows[i] : undefined));
}
