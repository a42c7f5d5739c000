import { boundsOf, compareEntries, compareKeys, type Entry, isWithin } from '../../../ports/index-order.js';
import { type CollectionOptions, type IndexValue, type Range, UniqueViolation } from '../../../ports/store.js';
import { inIndexOrder, inKeyOrder, SharedStrings } from './load-index.js';
import { Ordered } from './ordered.js';
import { toJson } from './plain-json.js';
import { UniqueValues } from './unique-values.js';

/** One version of a document. Immutable: finding the same row again means that the document has not changed. */
export interface Row {
  readonly key: string;
  readonly json: string;
  /** Per index of the table, in its order; undefined if the document is not in that index. */
  readonly entries: readonly (Entry | undefined)[];
}

/** An ordered range of a table. */
export interface Span {
  /** Lazy: rows that the caller does not request are not read. */
  rows(): Iterable<Row>;
  contains(row: Row): boolean;
  compare(a: Row, b: Row): number;
}

const NO_ENTRIES: Row['entries'] = [];
/** Documents between two progress reports; reporting costs nothing at this rate. */
const SHARE_EVERY = 1_000;

/** The mutable slot of a document. Its place in an index changes only when the indexed fields change. */
interface Cell {
  row: Row;
}

interface Index {
  readonly name: string;
  readonly at: number;
  readonly fields: readonly string[];
  /** Set for a unique index. */
  readonly unique: UniqueValues<Cell> | undefined;
  /** A unique index is sorted on the first range read: most are only used for lookups. */
  rows: Ordered<Entry, Cell> | undefined;
}

/** The documents of one collection as JSON text, ordered by key and by each index. */
export class Table {
  readonly name: string;
  /** Counts the changes, so that a reader can detect that there was none. */
  changes = 0;
  /** The last transaction that changed the table. */
  changedBy = 0;
  readonly #keyField: string;
  /** The fields that place a document: the key and all index fields. */
  readonly #placing: string[];
  /** Values of the last placed document, for sharing strings. */
  readonly #latest: unknown[] = [];
  readonly #cells = new Map<string, Cell>();
  readonly #inOrder = new Ordered<string, Cell>(compareKeys);
  readonly #indexes: readonly Index[];

  constructor(name: string, { key, unique = {}, indexes = {} }: CollectionOptions<never>) {
    this.name = name;
    this.#keyField = key;
    const all: [string, readonly string[], boolean][] = [
      ...Object.entries<readonly string[]>(unique).map(([index, fields]): [string, readonly string[], boolean] => [index, fields, true]),
      ...Object.entries<readonly string[]>(indexes).map(([index, fields]): [string, readonly string[], boolean] => [index, fields, false]),
    ];
    this.#indexes = all.map(([index, fields, isUnique], at) => {
      if (fields.length === 0) throw new TypeError(`${name}: index ${index} has no fields`);
      if (all.findIndex(([other]) => other === index) !== at) throw new TypeError(`${name}: two indexes have the name ${index}`);
      const unique = isUnique ? new UniqueValues<Cell>(fields.length) : undefined;
      return { name: index, at, fields, unique, rows: unique ? undefined : new Ordered<Entry, Cell>(compareEntries) };
    });
    this.#placing = [...new Set([key, ...all.flatMap(([, fields]) => fields)])];
  }

  get size(): number {
    return this.#cells.size;
  }

  get(key: string): Row | undefined {
    return this.#cells.get(key)?.row;
  }

  /** Creates a row for a document. @throws TypeError when the document cannot be stored */
  rowOf(document: object): Row {
    const json = toJson(document, this.name);
    const fields = document as Record<string, unknown>;
    const before = this.get(fields[this.#keyField] as string);
    if (before && this.#isPlacedLike(before, fields)) return { key: before.key, json, entries: before.entries };
    // Copied through JSON: a string of the caller could be a slice that keeps a large buffer in memory.
    const values = JSON.parse(JSON.stringify(this.#placing.map((field) => fields[field]))) as unknown[];
    const placing: Record<string, unknown> = {};
    for (let i = 0; i < values.length; i++) {
      const field = this.#placing[i]!;
      // Consecutive documents often have the same number: sharing its string saves 50 bytes per document.
      if (values[i] === this.#latest[i]) values[i] = this.#latest[i];
      else this.#latest[i] = values[i];
      if (fields[field] !== undefined) placing[field] = values[i];
    }
    return this.#place(json, placing);
  }

  /** Replaces or deletes the row of a key. The caller has checked uniqueness. */
  set(key: string, row: Row | undefined): void {
    const known = this.#cells.get(key);
    const before = known?.row;
    this.changes++;
    const cell = this.#put(key, row) ?? known;
    if (!cell || before?.entries === row?.entries) return;
    for (const { at, rows, unique } of this.#indexes) {
      const oldEntry = before?.entries[at];
      const newEntry = row?.entries[at];
      if (oldEntry && newEntry && compareEntries(oldEntry, newEntry) === 0) continue;
      if (oldEntry) {
        rows?.remove(cell, oldEntry);
        unique?.delete(oldEntry, cell);
      }
      if (newEntry) {
        rows?.add(cell, newEntry);
        unique?.set(newEntry, cell);
      }
    }
  }

  /** @throws UniqueViolation when two written rows, or a written and a remaining row, have the same unique values */
  assertUnique(written: ReadonlyMap<string, Row | undefined>): void {
    for (const index of this.#indexes) {
      if (!index.unique) continue;
      let seen: Set<string> | undefined;
      for (const row of written.values()) {
        const entry = row?.entries[index.at];
        if (!row || !entry) continue;
        const own = this.get(row.key)?.entries[index.at];
        const isSame = own === entry || (own !== undefined && compareEntries(own, entry) === 0);
        if (isSame && written.size === 1) continue;
        if (written.size > 1) {
          seen ??= new Set();
          const text = JSON.stringify(valuesOf(entry));
          if (seen.has(text)) throw new UniqueViolation(this.name, index.name, valuesOf(entry));
          seen.add(text);
        }
        if (isSame) continue;
        const other = index.unique.get(entry)?.row;
        if (other && !written.has(other.key)) throw new UniqueViolation(this.name, index.name, valuesOf(entry));
      }
    }
  }

  /** @throws RangeError when the index does not exist or the range does not fit it */
  span(indexName: string, range: Range): Span {
    const index = this.#index(indexName);
    const { at, fields } = index;
    const bounds = boundsOf(range, fields.length + 1);
    const backwards = range.order === 'descending';
    const compare = (a: Row, b: Row) => compareEntries(a.entries[at]!, b.entries[at]!);
    return {
      rows: () => (backwards ? descending(this.#ordered(index), bounds) : ascending(this.#ordered(index), bounds)),
      contains: ({ entries }) => entries[at] !== undefined && isWithin(entries[at], bounds),
      compare: backwards ? (a, b) => compare(b, a) : compare,
    };
  }

  /** @throws RangeError when there is no such unique index, or it has other fields */
  getBy(indexName: string, values: readonly IndexValue[]): Row | undefined {
    return this.#uniqueIndex(indexName, values).unique.get(values)?.row;
  }

  /** @throws RangeError when there is no such unique index, or it has other fields */
  uniqueSpan(indexName: string, values: readonly IndexValue[]): Span {
    const { at, unique } = this.#uniqueIndex(indexName, values);
    return {
      rows: () => {
        const cell = unique.get(values);
        return cell ? [cell.row] : [];
      },
      contains: ({ entries }) => entries[at] !== undefined && values.every((value, i) => value === entries[at]![i]),
      compare: (a, b) => compareKeys(a.key, b.key),
    };
  }

  keySpan(after = ''): Span {
    return {
      rows: () => this.#keysAfter(after),
      contains: ({ key }) => key > after,
      compare: (a, b) => compareKeys(a.key, b.key),
    };
  }

  /** Loads a document from disk. Call `buildIndexes` after the last one. */
  load(key: string, json: string | undefined): void {
    if (json === undefined) this.#cells.delete(key);
    else this.#cells.set(key, { row: { key, json, entries: NO_ENTRIES } });
  }

  /**
   * Builds all indexes after a load.
   * @param onShare receives the share of the work done, 0 to 1, from time to time
   * @throws UniqueViolation, TypeError when the loaded documents do not fit the declared collection
   */
  buildIndexes(onShare: (share: number) => void = () => {}): void {
    const cells = inKeyOrder([...this.#cells.values()], ({ row }) => row.key);
    this.#inOrder.fill(
      cells.map(({ row }) => row.key),
      cells,
    );
    if (this.#indexes.length === 0) {
      for (const { row } of cells) this.#assertKeyLooksRight(row);
      return;
    }
    const shared = this.#placing.map((field) => ({ field, strings: new SharedStrings() }));
    const steps = 1 + this.#indexes.length;
    for (const [placed, cell] of cells.entries()) {
      if (placed % SHARE_EVERY === 0) onShare(placed / cells.length / steps);
      cell.row = this.#placeLoaded(cell.row, shared);
    }
    for (const index of this.#indexes) {
      const { name, at, unique, rows } = index;
      onShare((1 + at) / steps);
      if (rows) this.#fill(rows, index, cells);
      if (!unique) continue;
      for (const cell of cells) {
        const entry = cell.row.entries[at];
        if (!entry) continue;
        if (unique.get(entry)) throw new UniqueViolation(this.name, name, valuesOf(entry));
        unique.set(entry, cell);
      }
    }
  }

  #ordered(index: Index): Rows {
    if (!index.rows) {
      index.rows = new Ordered(compareEntries);
      this.#fill(
        index.rows,
        index,
        inKeyOrder([...this.#cells.values()], ({ row }) => row.key),
      );
    }
    return index.rows;
  }

  /** @param cells all cells, in the order of their keys */
  #fill(rows: Rows, { at, fields }: Index, cells: readonly Cell[]): void {
    const entryOf = ({ row }: Cell): Entry => row.entries[at]!;
    const indexed = cells.filter(({ row }) => row.entries[at]);
    const keyAt = fields.indexOf(this.#keyField);
    const sorted = inIndexOrder(indexed, entryOf, keyAt < 0 ? fields.length : keyAt);
    rows.fill(sorted.map(entryOf), sorted);
  }

  #placeLoaded({ key, json }: Row, shared: readonly { readonly field: string; readonly strings: SharedStrings }[]): Row {
    const fields = this.#fieldsOf(key, json);
    for (const { field, strings } of shared) {
      const value = fields[field];
      if (typeof value === 'string') fields[field] = field === this.#keyField ? key : strings.of(value);
    }
    return this.#place(json, fields);
  }

  /** Without indexes, searching the text for the key is faster than parsing the document. */
  #assertKeyLooksRight({ key, json }: Row): void {
    if (!json.includes(`"${this.#keyField}":"${key}"`)) this.#fieldsOf(key, json);
  }

  /** @throws TypeError when the document was stored under another key: it would become unreachable, and a write would duplicate it */
  #fieldsOf(key: string, json: string): Record<string, unknown> {
    const fields = JSON.parse(json) as Record<string, unknown>;
    const stored = fields[this.#keyField];
    if (stored !== key)
      throw new TypeError(`${this.name}: document ${key} has ${stored} in its key field ${this.#keyField}; a key cannot change`);
    return fields;
  }

  /** @returns the cell of the current row; undefined after a deletion */
  #put(key: string, row: Row | undefined): Cell | undefined {
    const known = this.#cells.get(key);
    if (known && row) {
      known.row = row;
      return known;
    }
    if (!row) {
      if (known && this.#cells.delete(key)) this.#inOrder.remove(known, known.row.key);
      return undefined;
    }
    const cell = { row };
    this.#cells.set(row.key, cell);
    this.#inOrder.add(cell, row.key);
    return cell;
  }

  /** Rows after a key, in key order. */
  *#keysAfter(after: string): Generator<Row, void> {
    for (const [key, { row }] of this.#inOrder.from(after)) if (key !== after) yield row;
  }

  #index(name: string): Index {
    const index = this.#indexes.find((one) => one.name === name);
    if (!index) throw new RangeError(`${this.name} has no index ${name}`);
    return index;
  }

  #uniqueIndex(name: string, values: readonly IndexValue[]): Index & { readonly unique: UniqueValues<Cell> } {
    const index = this.#index(name);
    const { fields, unique } = index;
    if (!unique) throw new RangeError(`${this.name}: index ${name} is not unique; use find`);
    if (values.length !== fields.length) throw new RangeError(`${this.name}: index ${name} needs values for ${fields.join(', ')}`);
    return index as Index & { readonly unique: UniqueValues<Cell> };
  }

  /** Whether a document has the same key and index entries as this row. */
  #isPlacedLike({ key, entries }: Row, fields: Record<string, unknown>): boolean {
    if (fields[this.#keyField] !== key) return false;
    for (const { at, fields: ordered } of this.#indexes) {
      const entry = entries[at];
      if (!entry) {
        if (!ordered.some((field) => fields[field] === undefined)) return false;
        continue;
      }
      for (let i = 0; i < ordered.length; i++) if (fields[ordered[i]!] !== entry[i]) return false;
    }
    return true;
  }

  #place(json: string, fields: Record<string, unknown>): Row {
    const key = fields[this.#keyField];
    if (typeof key !== 'string' || key === '')
      throw new TypeError(`${this.name}: the key field ${this.#keyField} is not a non-empty string`);
    return { key, json, entries: this.#indexes.map((index) => this.#entry(index, fields, key)) };
  }

  #entry({ name, fields }: Index, document: Record<string, unknown>, key: string): Entry | undefined {
    // Allocated at its final length: a growing array takes several times the memory.
    const entry = new Array<IndexValue>(fields.length + 1);
    for (let i = 0; i < fields.length; i++) {
      const field = fields[i]!;
      const value = document[field];
      if (value === undefined) return undefined;
      if (typeof value === 'object' && value !== null) {
        throw new TypeError(`${this.name}: document ${key} has an object in ${field}, which index ${name} cannot order`);
      }
      entry[i] = value as IndexValue;
    }
    entry[fields.length] = key;
    return entry;
  }
}

type Rows = Ordered<Entry, Cell>;
type Bounds = ReturnType<typeof boundsOf>;

/** The unique values of an entry: everything except the key. */
const valuesOf = (entry: Entry): IndexValue[] => entry.slice(0, -1) as IndexValue[];

function* ascending(rows: Rows, { low, high }: Bounds): Generator<Row, void> {
  for (const [entry, { row }] of rows.from(low)) {
    if (compareEntries(entry, high) > 0) return;
    yield row;
  }
}

function* descending(rows: Rows, { low, high }: Bounds): Generator<Row, void> {
  for (const [entry, { row }] of rows.backFrom(high)) {
    if (compareEntries(entry, low) < 0) return;
    yield row;
  }
}
