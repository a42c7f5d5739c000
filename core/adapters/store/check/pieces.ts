import type { Commit } from '../commit.js';
import { DataDamaged } from '../files/data-damaged.js';
import { decodeCommit } from '../files/journal-file.js';
import { unseal } from '../files/sealed.js';
import { decodeDocument, type StoredDocument } from '../files/stored-row.js';

// Reads records from lines that may be damaged.

/** A part of a data folder that differs from what the store wrote. */
export interface Damage {
  readonly file: string;
  readonly line?: number;
  readonly damage: string;
  /** Bytes that cannot be used; undefined if there are none. */
  readonly bytes?: Buffer;
}

/** The damage that the store would report, if any. */
export async function strictly(read: () => Promise<void>): Promise<DataDamaged | undefined> {
  try {
    await read();
    return undefined;
  } catch (error) {
    if (error instanceof DataDamaged) return error;
    throw error;
  }
}

export const decoded = <T>(record: Buffer, decode: (content: Buffer) => T): T | undefined => {
  const content = unseal(record);
  try {
    return content && decode(content);
  } catch {
    return undefined;
  }
};

export const commitsIn = (record: Buffer): Commit | undefined =>
  // Tries the line without its last byte too, because a damaged line end would be there.
  decoded(record, decodeCommit) ?? decoded(record.subarray(0, -1), decodeCommit);

/** Positions of a row in its line: with the surrounding text, or joined with the line before or after the documents. */
const ROW_PLACES: readonly (readonly [start: number, before: number])[] = [
  [4, 0],
  [4, 1],
  [4, 2],
  [4, 5],
  [21, 0],
  [21, 1],
];

export function rowsIn(row: Buffer): StoredDocument | undefined {
  for (const [start, before] of ROW_PLACES) {
    const document = decoded(row.subarray(start, row.length - before), decodeDocument);
    if (document) return document;
  }
  return undefined;
}

const RECORD_START = /\["[0-9a-f]{8}",/g;
/** A line with more matches is not a damaged record: stop searching it. */
const MAX_STARTS = 1_000;

/**
 * Splits a line into one record, or into two joined by a damaged line end. Accepts two records only if both are valid,
 * because part of a document can look like a record. @returns `[undefined]` if nothing is readable
 */
export function piecesOf<T>(line: Buffer, read: (record: Buffer) => T | undefined): (T | undefined)[] {
  const one = read(line);
  if (one) return [one];
  let candidates = 0;
  for (const { index } of line.toString('latin1').matchAll(RECORD_START)) {
    if (++candidates > MAX_STARTS) break;
    // A row of a snapshot is indented.
    for (const start of [index, index - 4]) {
      const first = start > 4 ? read(line.subarray(0, start)) : undefined;
      const second = first && read(line.subarray(start));
      if (first && second) return [first, second];
    }
  }
  return [undefined];
}
