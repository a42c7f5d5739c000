import { compareValueLists, type Entry } from '../../../ports/index-order.js';
import { DocumentDamaged, type IndexValue } from '../../../ports/store.js';
import type { Row } from '../tables/cells.js';
import { probeOf } from './bloom-filter.js';
import type { ColdFiles } from './cold-files.js';
import { type ColdPart, compareToEdge, isMasked, orderOf } from './cold-part.js';
import { ColdRow, type Place, type ValuesOf } from './cold-row.js';
import { type ColdRange, type Cursor, IndexCursor, KeyCursor } from './cold-scan.js';
import { filterText } from './lookups.js';

/** Rows that are read at a time for one range. */
const READS_AT_ONCE = 16;

/** Bytes that a row takes in memory, with its parsed document, per character. */
const ROW_FACTOR = 4;

type Found = Promise<ColdRow | undefined> | ColdRow | undefined;

/** The rows of a collection that stay on disk. A read sees the rows that are current when it begins. */
export class ColdRows {
  readonly files: ColdFiles;
  readonly #valuesOf: ValuesOf;
  #parts: readonly ColdPart[] = [];
  /** Replaced parts that reads still need. */
  readonly #retired = new Set<ColdPart>();
  /** Changes when parts are added or replaced, or rows become current: what was found before may not be right any more. */
  version = 0;
  /** Bytes outside the heap that the parts take. */
  bufferBytes = 0;

  constructor(files: ColdFiles, valuesOf: ValuesOf) {
    [this.files, this.#valuesOf] = [files, valuesOf];
  }

  get parts(): readonly ColdPart[] {
    return this.#parts;
  }

  get size(): number {
    return this.#parts.reduce((sum, { current }) => sum + current, 0);
  }

  setParts(parts: readonly ColdPart[]): void {
    for (const part of this.#parts) part.isListed = false;
    for (const part of parts) part.isListed = true;
    for (const part of this.#parts) {
      if (part.isListed) continue;
      this.files.close(part);
      if (part.readers > 0) this.#retired.add(part);
    }
    this.#parts = parts;
    this.bufferBytes = parts.reduce((sum, part) => sum + part.bufferBytes, 0);
    this.version++;
  }

  /** Makes rows of a part current again, which a transaction that prepares its commit may have found masked. */
  uncover(part: ColdPart, rows: readonly number[]): void {
    if (rows.length === 0) return;
    part.setMasked(rows, false);
    this.version++;
  }

  /** Resolves when no read needs a replaced part with this number any more. */
  async unused(n: number): Promise<void> {
    for (const part of this.#retired) {
      if (part.listed.n !== n) continue;
      if (part.readers > 0) await new Promise<void>((resolve) => (part.onUnused = resolve));
      this.#retired.delete(part);
    }
  }

  /** Whether a row that was read before is still current. */
  has({ part, row }: Place): boolean {
    return part.isListed && !part.isMasked(row);
  }

  /** The current row with this key. Undefined without a promise if no part may have it. @throws DocumentDamaged */
  find(key: string): Found {
    if (this.#parts.length === 0) return undefined;
    const name = `key:${key}`;
    const known = this.#lately(name);
    if (known) return known;
    const probe = probeOf(key);
    const parts = this.#parts.filter((part) => part.mayHave(key, probe));
    if (parts.length === 0) return undefined;
    const masks = parts.map(({ mask }) => mask);
    return this.#using(parts, async () => {
      let damaged: DocumentDamaged | undefined;
      for (const [i, part] of parts.entries()) {
        try {
          const block = await this.files.rows(part, part.rowsOfBlock(part.blockOfKey(key)));
          const row = block.find(key);
          if (row !== undefined && !isMasked(masks[i], row))
            return this.#keep(name, new ColdRow({ part, row }, block.read(row), this.#valuesOf));
        } catch (error) {
          // Another part may have it: a filter is rarely wrong.
          if (!(error instanceof DocumentDamaged)) throw error;
          damaged = error;
        }
      }
      if (damaged) throw damaged;
      return undefined;
    });
  }

  /**
   * Rows in a range in its order, merged with rows that are in memory. Undefined if no part may have any.
   * @param hot in the order of the range
   * @throws DocumentDamaged
   */
  merged(range: ColdRange, hot: readonly Row[], limit: number, hotValues: (row: Row) => readonly IndexValue[]): Promise<Row[]> | undefined {
    if (this.#parts.length === 0 || limit < 1) return undefined;
    const parts = this.#partsFor(range);
    if (parts.length === 0) return undefined;
    const cursors = parts.map((part) => cursorOf(this.files, part, range));
    return this.#using(parts, async () => {
      const places = await new Merge(cursors, range, hot, hotValues).first(limit);
      return this.#read(places, range.index === undefined);
    });
  }

  /** Whether a row may have this value in the first field of an index. */
  mayHave(name: string, value: IndexValue): boolean {
    if (this.#parts.length === 0) return false;
    const probe = probeOf(filterText([value]));
    return this.#parts.some((part) => {
      const { prefix, filter } = part.indexes.get(name)!;
      return prefix > 1 || filter.has(probe);
    });
  }

  /** The current row with these values in a unique index. Undefined without a promise if no part may have it. @throws DocumentDamaged */
  findBy(index: string, values: readonly IndexValue[], range: () => ColdRange): Found {
    if (this.#parts.length === 0) return undefined;
    const text = filterText(values);
    const name = `${index}:${text}`;
    const known = this.#lately(name);
    if (known) return known;
    const probe = probeOf(text);
    // Filters of unique indexes have all values.
    if (!this.#parts.some((part) => part.current > 0 && part.indexes.get(index)!.filter.has(probe))) return undefined;
    return this.merged(range(), [], 1, () => values)?.then(([row]) => row && this.#keep(name, row as ColdRow));
  }

  #lately(name: string): ColdRow | undefined {
    const row = this.files.kept(name);
    return row && this.has(row) ? row : undefined;
  }

  #keep(name: string, row: ColdRow): ColdRow {
    this.files.keep(name, row, ROW_FACTOR * row.json.length);
    return row;
  }

  #partsFor({ index: name, low, high }: ColdRange): readonly ColdPart[] {
    if (name === undefined) return this.#parts.filter(({ listed, current }) => current > 0 && listed.last > (low[0] as string));
    const prefix = commonValues(low, high);
    const probes = prefix.map((_, i) => probeOf(filterText(prefix.slice(0, i + 1))));
    return this.#parts.filter((part) => {
      const index = part.indexes.get(name)!;
      if (part.current === 0 || !index.overlaps(low, high)) return false;
      return index.prefix > prefix.length || index.filter.has(probes[index.prefix - 1]!);
    });
  }

  /** @param isOfKeys whether the blocks with these places were just read, for their keys */
  async #read(places: readonly (Row | Place)[], isOfKeys: boolean): Promise<Row[]> {
    const rows: Row[] = new Array(places.length);
    let next = 0;
    const work = async (): Promise<void> => {
      while (next < places.length) {
        const at = next++;
        const place = places[at]!;
        if (!('part' in place)) {
          rows[at] = place;
          continue;
        }
        const { part, row } = place;
        const read = this.files.rows(part, isOfKeys ? part.rowsOfBlock(part.blockOfRow(row)) : part.rowsAround(row));
        const block = read instanceof Promise ? await read : read;
        rows[at] = new ColdRow(place, block.read(row), this.#valuesOf);
      }
    };
    await Promise.all(Array.from({ length: Math.min(READS_AT_ONCE, places.length) }, work));
    return rows;
  }

  /** Keeps the files of parts while they are read. */
  async #using<T>(parts: readonly ColdPart[], read: () => Promise<T>): Promise<T> {
    for (const part of parts) part.readers++;
    try {
      return await read();
    } finally {
      for (const part of parts) {
        if (--part.readers > 0) continue;
        // A read of a replaced part may have opened its file again, and the next part may get the same name.
        if (!part.isListed) this.files.close(part);
        part.onUnused?.();
      }
    }
  }
}

const cursorOf = (files: ColdFiles, part: ColdPart, range: ColdRange): Cursor =>
  range.index === undefined ? new KeyCursor(files, part, range) : new IndexCursor(files, part, { ...range, index: range.index });

/** The values that every entry between two edges begins with. */
function commonValues(low: Entry, high: Entry): IndexValue[] {
  const values: IndexValue[] = [];
  for (let i = 0; i < low.length && low[i] === high[i] && typeof low[i] !== 'symbol'; i++) values.push(low[i] as IndexValue);
  return values;
}

/** Merges the entries of parts, and rows in memory, in the order of a range. Reads no row, unless two entries differ in the key only. */
class Merge {
  /** Cursors that have read nothing yet, in the order of their bounds. */
  readonly #waiting: Cursor[];
  readonly #moving: Cursor[] = [];
  readonly #backwards: boolean;
  readonly #low: Entry;
  readonly #high: Entry;
  readonly #hot: readonly Row[];
  readonly #hotValues: (row: Row) => readonly IndexValue[];

  constructor(
    cursors: readonly Cursor[],
    { backwards, low, high }: ColdRange,
    hot: readonly Row[],
    hotValues: (row: Row) => readonly IndexValue[],
  ) {
    [this.#backwards, this.#low, this.#high, this.#hot, this.#hotValues] = [backwards, low, high, hot, hotValues];
    this.#waiting = cursors.toSorted((a, b) => this.#order(a.bound, b.bound));
  }

  async first(limit: number): Promise<(Row | Place)[]> {
    const found: (Row | Place)[] = [];
    // Those that may have the first entry begin together.
    const start = this.#backwards ? this.#high : this.#low;
    const isAtStart = ({ bound }: Cursor): boolean =>
      this.#backwards ? compareToEdge(bound, start) >= 0 : compareToEdge(bound, start) <= 0;
    let atStart = this.#waiting.findIndex((cursor) => !isAtStart(cursor));
    if (atStart < 0) atStart = this.#waiting.length;
    await this.#seek(atStart);
    let hotAt = 0;
    while (found.length < limit) {
      const best = await this.#best();
      const hot = this.#hot[hotAt];
      if (!best && !hot) break;
      if (hot && (!best || (await this.#isBefore(hot, best)))) {
        found.push(hot);
        hotAt++;
      } else {
        found.push({ part: best!.part, row: best!.row });
        await best!.next();
      }
    }
    return found;
  }

  async #seek(count: number): Promise<void> {
    const cursors = this.#waiting.splice(0, count);
    await Promise.all(cursors.map((cursor) => cursor.seek()));
    this.#moving.push(...cursors);
  }

  /** The cursor with the next entry. */
  async #best(): Promise<Cursor | undefined> {
    for (;;) {
      let best: Cursor | undefined;
      for (const cursor of this.#moving) {
        if (cursor.row < 0) continue;
        const order = best ? this.#order(cursor.values, best.values) : -1;
        if (order < 0 || (order === 0 && orderOf(await cursor.key(), await best!.key(), this.#backwards) < 0)) best = cursor;
      }
      const [next] = this.#waiting;
      if (!next || (best && this.#order(best.values, next.bound) < 0)) return best;
      await this.#seek(1);
    }
  }

  async #isBefore(hot: Row, cursor: Cursor): Promise<boolean> {
    const order = this.#order(this.#hotValues(hot), cursor.values);
    return order < 0 || (order === 0 && orderOf(hot.key, await cursor.key(), this.#backwards) < 0);
  }

  #order(a: readonly IndexValue[], b: readonly IndexValue[]): number {
    return this.#backwards ? compareValueLists(b, a) : compareValueLists(a, b);
  }
}
