import { boundsOf, compareEntries, compareKeys, type Entry, isWithin } from '../../../ports/index-order.js';
import { type CollectionOptions, type IndexValue, type Range, UniqueViolation } from '../../../ports/store.js';
import type { PackedDocuments } from '../files/part-file.js';
import type { Placing, StoredColumn } from '../files/part-index.js';
import { type Block, BlockRow, Cell, type Row, type Span, textIn, valuesOf } from './cells.js';
import { inKeyOrder, SharedStrings } from './load-index.js';
import { fillOrdered, fillUnique, LoadedColumns, type ValueOf } from './loaded-columns.js';
import { Ordered } from './ordered.js';
import { toJson } from './plain-json.js';
import { UniqueValues } from './unique-values.js';

const NO_ENTRIES: Row['entries'] = [];
/** Documents between two progress reports; reporting costs nothing at this rate. */
const SHARE_EVERY = 1_000;

/** The place of a document in an index: its cell, or the edge of a range. A cell's row changes only while it is in no index. */
type Place = Cell | Entry;

interface Index {
  readonly name: string;
  readonly at: number;
  readonly fields: readonly string[];
  /** Set for a unique index. */
  readonly unique: UniqueValues<Cell> | undefined;
  /** A unique index is sorted on the first range read: most are only used for lookups. */
  rows: Rows | undefined;
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
  /** Sorted on the first read in the order of keys. */
  #inOrder: Ordered<string, Cell> | undefined;
  readonly #indexes: readonly Index[];
  #columns: LoadedColumns | undefined;

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
      return { name: index, at, fields, unique, rows: unique ? undefined : this.#emptyIndex(at) };
    });
    this.#placing = [...new Set([key, ...all.flatMap(([, fields]) => fields)])];
  }

  get size(): number {
    return this.#cells.size;
  }

  /** The fields that a merge stores beside the documents, so that `loadBlock` need not parse them. */
  get placing(): Placing {
    return { key: this.#keyField, fields: this.#placing };
  }

  get(key: string): Row | undefined {
    return this.#rowOf(this.#cells.get(key));
  }

  #rowOf(cell: Cell | undefined): Row | undefined {
    return cell && this.#rowIn(cell);
  }

  #rowIn(cell: Cell): Row {
    cell.row ??= this.#readBlock(cell.block!, cell.at);
    return cell.row;
  }

  #readBlock(block: Block, at: number): Row {
    const { key, entries } = this.#place('', JSON.parse(textIn(block, at)) as Record<string, unknown>);
    return new BlockRow(key, entries, block, at);
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
    this.changes++;
    const known = this.#cells.get(key);
    const before = this.#rowOf(known);
    if (known && row && before!.entries === row.entries) {
      known.replace(row);
      return;
    }
    const isMoved = (at: number): boolean => {
      const [oldEntry, newEntry] = [before?.entries[at], row?.entries[at]];
      return !(oldEntry && newEntry && compareEntries(oldEntry, newEntry) === 0);
    };
    const moved = this.#indexes.filter(({ at }) => isMoved(at));
    // An index finds the place of a cell by its row, so the cell leaves all of them before its row changes.
    if (known) {
      for (const { at, rows, unique } of moved) {
        const entry = before!.entries[at];
        if (!entry) continue;
        rows?.remove(known, known);
        unique?.delete(entry, known);
      }
    }
    const cell = this.#put(key, row, known);
    if (!cell) return;
    for (const { at, rows, unique } of moved) {
      const entry = row!.entries[at];
      if (!entry) continue;
      rows?.add(cell, cell);
      unique?.set(entry, cell);
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
        const other = this.#rowOf(index.unique.get(entry));
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
      rows: () => this.#rowsIn(index, bounds, backwards),
      contains: ({ entries }) => entries[at] !== undefined && isWithin(entries[at], bounds),
      compare: backwards ? (a, b) => compare(b, a) : compare,
    };
  }

  /** @throws RangeError when there is no such unique index, or it has other fields */
  getBy(indexName: string, values: readonly IndexValue[]): Row | undefined {
    return this.#rowOf(this.#uniqueIndex(indexName, values).unique.get(values));
  }

  /** @throws RangeError when there is no such unique index, or it has other fields */
  uniqueSpan(indexName: string, values: readonly IndexValue[]): Span {
    const { at, unique } = this.#uniqueIndex(indexName, values);
    return {
      rows: () => {
        const row = this.#rowOf(unique.get(values));
        return row ? [row] : [];
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
    else this.#cells.set(key, new Cell({ key, json, entries: NO_ENTRIES }));
  }

  /** Whether these are all fields that `loadBlock` needs; a part of an earlier release may have others. */
  hasIndexFields(fields: Readonly<Record<string, StoredColumn>>): boolean {
    return this.#placing.every((field) => field === this.#keyField || fields[field]);
  }

  /** Loads the documents of a part as a block, given the values of the index fields. */
  loadBlock({ keys, bytes, ends }: PackedDocuments, fields: Readonly<Record<string, StoredColumn>>, superseded: Uint8Array): void {
    this.#columns ??= new LoadedColumns(this.placing);
    const block = { bytes, ends, first: this.#columns.size };
    this.#columns.add(fields, superseded, keys.length);
    for (let i = 0; i < keys.length; i++) this.#cells.set(keys[i]!, new Cell(undefined, block, i));
  }

  /**
   * Builds all indexes after a load, in steps between which other work can run.
   * @returns the share of the work done after each step, 0 to 1
   * @throws UniqueViolation, TypeError when the loaded documents do not fit the declared collection
   */
  *buildIndexes(): Generator<number, void> {
    const shared = this.#placing.map((field) => ({ field, strings: new SharedStrings() }));
    const steps = 1 + this.#indexes.length;
    const total = this.#cells.size;
    let placed = 0;
    for (const cell of this.#cells.values()) {
      if (placed % SHARE_EVERY === 0) yield placed / total / steps;
      placed++;
      if (!cell.row) continue;
      if (this.#indexes.length === 0) this.#assertKeyLooksRight(cell.row);
      else cell.row = this.#placeLoaded(cell.row, shared);
    }
    const sorted = this.#indexes.some(({ rows }) => rows) ? this.#cellsInKeyOrder() : [];
    const columns = this.#columns ?? new LoadedColumns(this.placing);
    for (const index of this.#indexes) {
      yield (1 + index.at) / steps;
      const valueIn = columns.valuesOf(index);
      if (index.rows) fillOrdered(index.rows, this.#orderOf(index), sorted, valueIn);
      if (!index.unique) continue;
      const twice = fillUnique(index.unique, index.fields.length, this.#cells.values(), valueIn);
      if (twice) throw new UniqueViolation(this.name, index.name, twice);
    }
    this.#columns = undefined;
  }

  #cellsInKeyOrder(): readonly Cell[] {
    let last = '';
    for (const key of this.#cells.keys()) {
      if (key < last) return inKeyOrder([...this.#cells], ([key]) => key).map(([, cell]) => cell);
      last = key;
    }
    return [...this.#cells.values()];
  }

  #ordered(index: Index): Rows {
    if (!index.rows) {
      index.rows = this.#emptyIndex(index.at);
      const valueIn: ValueOf = (cell, field) => this.#rowIn(cell).entries[index.at]?.[field] as IndexValue | undefined;
      fillOrdered(index.rows, this.#orderOf(index), this.#cellsInKeyOrder(), valueIn);
    }
    return index.rows;
  }

  /** The fields of an index that decide its order: after the key, nothing does. */
  #orderOf({ fields }: Index): { readonly fields: number; readonly deciding: number } {
    const keyAt = fields.indexOf(this.#keyField);
    return { fields: fields.length, deciding: keyAt < 0 ? fields.length : keyAt };
  }

  #emptyIndex(at: number): Rows {
    const entryOf = (place: Place): Entry => (place instanceof Cell ? this.#rowIn(place).entries[at]! : place);
    return new Ordered<Place, Cell>((a, b) => compareEntries(entryOf(a), entryOf(b)));
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
  #put(key: string, row: Row | undefined, known: Cell | undefined): Cell | undefined {
    if (known && row) {
      known.replace(row);
      return known;
    }
    if (!row) {
      if (known && this.#cells.delete(key)) this.#inOrder?.remove(known, key);
      return undefined;
    }
    const cell = new Cell(row);
    this.#cells.set(row.key, cell);
    this.#inOrder?.add(cell, row.key);
    return cell;
  }

  /** Rows after a key, in key order. */
  *#keysAfter(after: string): Generator<Row, void> {
    if (!this.#inOrder) {
      const sorted = inKeyOrder([...this.#cells], ([key]) => key);
      this.#inOrder = new Ordered(compareKeys);
      this.#inOrder.fill(
        sorted.map(([key]) => key),
        sorted.map(([, cell]) => cell),
      );
    }
    for (const [key, cell] of this.#inOrder.from(after)) if (key !== after) yield this.#rowIn(cell);
  }

  *#rowsIn(index: Index, { low, high }: Bounds, backwards: boolean): Generator<Row, void> {
    const { at } = index;
    const rows = this.#ordered(index);
    for (const [, cell] of backwards ? rows.backFrom(high) : rows.from(low)) {
      const row = this.#rowIn(cell);
      const entry = row.entries[at]!;
      if (backwards ? compareEntries(entry, low) < 0 : compareEntries(entry, high) > 0) return;
      yield row;
    }
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

type Rows = Ordered<Place, Cell>;
type Bounds = ReturnType<typeof boundsOf>;
