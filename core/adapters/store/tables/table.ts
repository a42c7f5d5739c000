import { boundsOf, compareEntries, compareKeys, type Entry, isWithin } from '../../../ports/index-order.js';
import { type CollectionOptions, type IndexValue, type Range, UniqueViolation } from '../../../ports/store.js';
import { inIndexOrder, inKeyOrder, SharedStrings } from './load-index.js';
import { Ordered } from './ordered.js';
import { toJson } from './plain-json.js';
import { UniqueValues } from './unique-values.js';

/** One state of a document. It never changes: whoever finds the same row again knows that nothing has happened to it. */
export interface Row {
  readonly key: string;
  readonly json: string;
  /** Per index of the table, in its order; undefined where the document is not in the index. */
  readonly entries: readonly (Entry | undefined)[];
}

/** A part of a table in some order. */
export interface Span {
  /** One row at a time: what nobody asks for is not looked at. */
  rows(): Iterable<Row>;
  holds(row: Row): boolean;
  compare(a: Row, b: Row): number;
}

const NO_ENTRIES: Row['entries'] = [];
/** Documents between two reports on a long start: enough that to report costs nothing. */
const SHARE_EVERY = 1_000;

/** Where a document stands. Its place in an order is changed only when what the order goes by has changed. */
interface Cell {
  row: Row;
}

interface Index {
  readonly name: string;
  readonly at: number;
  readonly fields: readonly string[];
  /** Of a unique index. */
  readonly unique: UniqueValues<Cell> | undefined;
  /** A unique index is in order from when somebody first asks for a range of it: most are only asked for one document. */
  rows: Ordered<Entry, Cell> | undefined;
}

/** The documents of one collection as JSON text, in the order of their keys and of its indexes. */
export class Table {
  readonly name: string;
  /** Counts the changes, so that a reader can tell at once that there was none. */
  changes = 0;
  /** The number of the last transaction that changed it. */
  changedBy = 0;
  readonly #keyField: string;
  /** The fields that are needed of a document to place it. */
  readonly #placing: string[];
  /** The values of the document that was placed last. */
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
      if (all.findIndex(([other]) => other === index) !== at) throw new TypeError(`${name}: two indexes are called ${index}`);
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

  /** The row a document would become. @throws TypeError when it cannot be kept */
  rowOf(document: object): Row {
    const json = toJson(document, this.name);
    const fields = document as Record<string, unknown>;
    const before = this.get(fields[this.#keyField] as string);
    if (before && this.#isPlacedLike(before, fields)) return { key: before.key, json, entries: before.entries };
    // Through JSON, so that no string of the caller's is kept: it could be a small piece that holds on to a large whole.
    const kept = JSON.parse(JSON.stringify(this.#placing.map((field) => fields[field]))) as unknown[];
    const placing: Record<string, unknown> = {};
    for (let i = 0; i < kept.length; i++) {
      const field = this.#placing[i]!;
      // Many documents of a moment have the number of the one before: one string for all of them saves 50 bytes each.
      if (kept[i] === this.#latest[i]) kept[i] = this.#latest[i];
      else this.#latest[i] = kept[i];
      if (fields[field] !== undefined) placing[field] = kept[i];
    }
    return this.#place(json, placing);
  }

  /** Puts a row in the place of what has its key, or takes that away. Uniqueness has been checked before. */
  set(key: string, row: Row | undefined): void {
    const known = this.#cells.get(key);
    const before = known?.row;
    this.changes++;
    const cell = this.#put(key, row) ?? known;
    if (!cell || before?.entries === row?.entries) return;
    for (const { at, rows, unique } of this.#indexes) {
      const left = before?.entries[at];
      const taken = row?.entries[at];
      if (left && taken && compareEntries(left, taken) === 0) continue;
      if (left) {
        rows?.remove(cell, left);
        unique?.delete(left, cell);
      }
      if (taken) {
        rows?.add(cell, taken);
        unique?.set(taken, cell);
      }
    }
  }

  /** @throws UniqueViolation when what is written shares values with each other, or with a row that it does not replace */
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

  /** @throws RangeError when there is no such index, or when it cannot have such a range */
  span(indexName: string, range: Range): Span {
    const index = this.#index(indexName);
    const { at, fields } = index;
    const bounds = boundsOf(range, fields.length + 1);
    const backwards = range.order === 'descending';
    const compare = (a: Row, b: Row) => compareEntries(a.entries[at]!, b.entries[at]!);
    return {
      rows: () => (backwards ? descending(this.#ordered(index), bounds) : ascending(this.#ordered(index), bounds)),
      holds: ({ entries }) => entries[at] !== undefined && isWithin(entries[at], bounds),
      compare: backwards ? (a, b) => compare(b, a) : compare,
    };
  }

  /** @throws RangeError when there is no such unique index, or when it has other fields */
  getBy(indexName: string, values: readonly IndexValue[]): Row | undefined {
    return this.#uniqueIndex(indexName, values).unique.get(values)?.row;
  }

  /** @throws RangeError when there is no such unique index, or when it has other fields */
  uniqueSpan(indexName: string, values: readonly IndexValue[]): Span {
    const { at, unique } = this.#uniqueIndex(indexName, values);
    return {
      rows: () => {
        const cell = unique.get(values);
        return cell ? [cell.row] : [];
      },
      holds: ({ entries }) => entries[at] !== undefined && values.every((value, i) => value === entries[at]![i]),
      compare: (a, b) => compareKeys(a.key, b.key),
    };
  }

  keySpan(after = ''): Span {
    return {
      rows: () => this.#keysAfter(after),
      holds: ({ key }) => key > after,
      compare: (a, b) => compareKeys(a.key, b.key),
    };
  }

  /** Takes in a document as it was kept. `buildIndexes` has to follow when all are in. */
  load(key: string, json: string | undefined): void {
    if (json === undefined) this.#cells.delete(key);
    else this.#cells.set(key, { row: { key, json, entries: NO_ENTRIES } });
  }

  /**
   * @param onShare called now and then with how much of the work is done, from 0 to 1
   * @throws UniqueViolation, TypeError when the documents that were loaded do not fit what is declared now
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

  /** @param cells all there are, in the order of their keys */
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

  /** Without an index nothing of a document is needed: and to look for its key in the text is quicker than to read it. */
  #assertKeyLooksRight({ key, json }: Row): void {
    if (!json.includes(`"${this.#keyField}":"${key}"`)) this.#fieldsOf(key, json);
  }

  /** @throws TypeError when it was kept under another key, which would make it two: one that nobody reaches, and one that is written anew */
  #fieldsOf(key: string, json: string): Record<string, unknown> {
    const fields = JSON.parse(json) as Record<string, unknown>;
    const said = fields[this.#keyField];
    if (said !== key)
      throw new TypeError(`${this.name}: document ${key} has ${said} in its key field ${this.#keyField}; a key cannot change`);
    return fields;
  }

  /** The cell of a row that is there now; undefined when it is taken away. */
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

  /** Every row, in the order of the keys. */
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
    if (values.length !== fields.length) throw new RangeError(`${this.name}: index ${name} is over ${fields.join(', ')}`);
    return index as Index & { readonly unique: UniqueValues<Cell> };
  }

  /** Whether a document has the same key, and stands in the same places, as this row. */
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
    // Made as long as it will be: an array that grows takes several times the memory.
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

/** What makes an entry unique: all of it but the key. */
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
