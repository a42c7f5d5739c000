import type { FileSystem } from '../file-system.js';
import { PART_BYTES, type SnapshotPart, writePart } from './files/part-file.js';
import type { Placing } from './files/part-index.js';
import { RowLines } from './files/row-lines.js';
import { openSnapshot } from './files/snapshot-file.js';
import type { StoredRow } from './files/stored-row.js';

export interface CollectionPlace {
  readonly fs: FileSystem;
  readonly folder: string;
  readonly collection: string;
  readonly placing: Placing | undefined;
  /** The numbers of parts of which the process has no document. */
  readonly lost?: readonly number[] | undefined;
  readonly partBytes?: number | undefined;
  /** New parts get higher numbers than this one; by the files in the folder if not given. */
  readonly partsAfter?: number | undefined;
  /** Rewrites every part that has superseded rows, so that deleted documents are in no file any more. */
  readonly purge?: boolean | undefined;
}

/** Writes a snapshot, durably. Splits full parts off its rows. */
export class SnapshotWriter {
  /** Rows that are not in a part yet, in key order. */
  readonly rows = new RowLines();
  readonly #place: CollectionPlace;
  readonly #parts: SnapshotPart[];
  #lastPart: number;

  /** @param parts are on the disk; new parts get numbers above `lastPart` */
  constructor(place: CollectionPlace, parts: readonly SnapshotPart[], lastPart: number) {
    this.#place = place;
    this.#parts = [...parts];
    this.#lastPart = lastPart;
  }

  /** Whether the rows are due for `split`, which the caller checks after each row. */
  get isFull(): boolean {
    return this.rows.recordBytes >= (this.#place.partBytes ?? PART_BYTES);
  }

  /** Moves the rows to a new part. */
  async split(): Promise<void> {
    const { fs, folder, collection, placing } = this.#place;
    this.#parts.push(await writePart(fs, folder, { collection, n: ++this.#lastPart, rows: this.rows, placing }));
    this.rows.clear();
  }

  /** Replaces the snapshot. @returns all its parts */
  async end(through: number): Promise<readonly SnapshotPart[]> {
    const { fs, folder, collection } = this.#place;
    const snapshot = openSnapshot(fs, folder, collection);
    snapshot.data = { collection, through, parts: this.#parts, rows: inOneBatch(this.rows.rows) };
    await snapshot.write();
    return this.#parts;
  }
}

async function* inOneBatch(rows: StoredRow[]): AsyncGenerator<StoredRow[], void> {
  yield rows;
}
