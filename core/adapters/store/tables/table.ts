import { boundsOf, compareKeys, type Entry } from '../../../ports/index-order.js';
import { type CollectionOptions, type IndexValue, type Range, UniqueViolation } from '../../../ports/store.js';
import type { PackedDocuments } from '../files/part-file.js';
import type { Placing, StoredColumn } from '../files/part-index.js';
import { BlockRow, Cell, type Row, type Span, textIn } from './cells.js';
import { IndexPlaces, KEY_AT } from './index-places.js';
import { inKeyOrder, SharedStrings } from './load-index.js';
import { fillOrdered, fillUnique, LoadedColumns, type ValueOf } from './loaded-columns.js';
import { copyOf, toJson } from './plain-json.js';
import { SharedDocuments } from './shared-documents.js';
import { Sorted } from './sorted.js';
import { SortedGroups } from './sorted-groups.js';
import { UniqueValues } from './unique-values.js';

const NO_VALUES: Row['values'] = [];
/** Documents between two progress reports; reporting costs nothing at this rate. */
const SHARE_EVERY = 1_000;

/** A cell is in an index by the values of its row, so its row changes only while the cell is in no index. */
interface Index {
  readonly name: string;
  readonly at: number;
  readonly fields: readonly string[];
  readonly places: IndexPlaces;
  /** Set for a unique index. */
  readonly unique: UniqueValues<Cell> | undefined;
  /** A unique index is sorted on the first range read: most are only used for lookups. */
  rows: SortedGroups<Cell> | undefined;
}

/** The documents of one collection as JSON text, ordered by key and by each index. */
export class Table {
  readonly name: string;
  /** Counts the changes, so that a reader can detect that there was none. */
  changes = 0;
  /** The last transaction that changed the table. */
  changedBy = 0;
  /** Documents of current and previous rows, for readers that share them. */
  readonly documents = new SharedDocuments();
  readonly #keyField: string;
  /** The fields that place a document: the key, then all index fields. */
  readonly #placing: string[];
  /** Values of the last placed document, for sharing strings. */
  readonly #latest: string[] = [];
  readonly #cells = new Map<string, Cell>();
  /** Sorted on the first read in the order of keys. */
  #inOrder: Sorted<string> | undefined;
  readonly #indexes: readonly Index[];
  #columns: LoadedColumns | undefined;

  constructor(name: string, { key, unique = {}, indexes = {} }: CollectionOptions<never>) {
    this.name = name;
    this.#keyField = key;
    const all: [string, readonly string[], boolean][] = [
      ...Object.entries<readonly string[]>(unique).map(([index, fields]): [string, readonly string[], boolean] => [index, fields, true]),
      ...Object.entries<readonly string[]>(indexes).map(([index, fields]): [string, readonly string[], boolean] => [index, fields, false]),
    ];
    this.#placing = [...new Set([key, ...all.flatMap(([, fields]) => fields)])];
    this.#indexes = all.map(([index, fields, isUnique], at) => {
      if (fields.length === 0) throw new TypeError(`${name}: index ${index} has no fields`);
      if (all.findIndex(([other]) => other === index) !== at) throw new TypeError(`${name}: two indexes have the name ${index}`);
      const unique = isUnique ? new UniqueValues<Cell>(fields.length) : undefined;
      const places = new IndexPlaces(fields, this.#placing);
      return { name: index, at, fields, places, unique, rows: unique ? undefined : this.#emptyIndex(places) };
    });
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

  has(key: string): boolean {
    return this.#cells.has(key);
  }

  #rowOf(cell: Cell | undefined): Row | undefined {
    return cell && this.#rowIn(cell);
  }

  #rowIn(cell: Cell): Row {
    if (cell.row) return cell.row;
    const { key, values } = this.#place('', JSON.parse(textIn(cell.block!, cell.at)) as Record<string, unknown>);
    cell.row = new BlockRow(key, values, cell.block!, cell.at);
    return cell.row;
  }

  /** Creates a row for a document. @throws TypeError when the document cannot be stored */
  rowOf(document: object, json = toJson(document, this.name)): Row {
    const fields = document as Record<string, unknown>;
    const before = this.get(fields[this.#keyField] as string);
    if (before && this.#isPlacedLike(before, fields)) return { key: before.key, json, values: before.values };
    const placing: Record<string, unknown> = {};
    for (let i = 0; i < this.#placing.length; i++) {
      const field = this.#placing[i]!;
      const value = fields[field];
      placing[field] = typeof value === 'string' ? this.#shared(i, value) : value;
    }
    return this.#place(json, placing);
  }

  /** A copy of a string, because it could be a slice of a large text. Consecutive documents share theirs, such as that of their number. */
  #shared(field: number, value: string): string {
    if (value !== this.#latest[field]) this.#latest[field] = copyOf(value);
    return this.#latest[field]!;
  }

  /** Makes a change of a transaction, or undoes it. @param _before what the key had */
  replace(key: string, row: Row | undefined, _before?: Row): void {
    this.set(key, row);
  }

  /** Replaces or deletes the row of a key. The caller has checked uniqueness. */
  set(key: string, row: Row | undefined): void {
    this.changes++;
    const known = this.#cells.get(key);
    const before = this.#rowOf(known);
    if (known && row && before!.values === row.values) {
      known.replace(row);
      return;
    }
    const moved = before && row ? this.#indexes.filter(({ places }) => !places.isSame(before, row)) : this.#indexes;
    // An index finds the place of a cell by its row, so the cell leaves all of them before its row changes.
    if (known) {
      for (const { places, rows, unique } of moved) {
        if (!places.has(before!)) continue;
        rows?.remove(known);
        unique?.delete(places.unique(before!), known);
      }
    }
    const cell = this.#put(key, row, known);
    if (!cell) return;
    for (const { places, rows, unique } of moved) {
      if (!places.has(row!)) continue;
      rows?.add(cell);
      unique?.set(places.unique(row!), cell);
    }
  }

  /** @throws UniqueViolation when two written rows, or a written and a remaining row, have the same unique values */
  assertUnique(written: ReadonlyMap<string, Row | undefined>): void {
    for (const { name, places, unique } of this.#indexes) {
      if (!unique) continue;
      let seen: Set<string> | undefined;
      for (const row of written.values()) {
        if (!row || !places.has(row)) continue;
        const own = this.get(row.key);
        const isSame = own !== undefined && places.isSame(own, row);
        if (isSame && written.size === 1) continue;
        const values = places.unique(row);
        if (written.size > 1) {
          seen ??= new Set();
          const text = JSON.stringify(values);
          if (seen.has(text)) throw new UniqueViolation(this.name, name, values);
          seen.add(text);
        }
        if (isSame) continue;
        const other = this.#rowOf(unique.get(values));
        if (other && !written.has(other.key)) throw new UniqueViolation(this.name, name, values);
      }
    }
  }

  /** @throws RangeError when the index does not exist or the range does not fit it */
  span(indexName: string, range: Range): Span {
    const index = this.#index(indexName);
    const { fields, places } = index;
    const { low, high } = boundsOf(range, fields.length + 1);
    const backwards = range.order === 'descending';
    return {
      rows: () => this.#rowsIn(this.#ordered(index), low, high, backwards),
      contains: (row) => places.has(row) && places.compareTo(row, low) > 0 && places.compareTo(row, high) < 0,
      compare: backwards ? (a, b) => places.compare(b, a) : (a, b) => places.compare(a, b),
    };
  }

  /** Whether a document may have this value in the first field of an index. @throws RangeError when the index does not exist */
  mayHave(index: string, value: IndexValue): boolean {
    return this.#index(index).rows?.mayHave(value) ?? true;
  }

  /** @throws RangeError when there is no such unique index, or it has other fields */
  getBy(indexName: string, values: readonly IndexValue[]): Row | undefined {
    return this.#rowOf(this.#uniqueIndex(indexName, values).unique.get(values));
  }

  /** @throws RangeError when there is no such unique index, or it has other fields */
  uniqueSpan(indexName: string, values: readonly IndexValue[]): Span {
    const { places, unique } = this.#uniqueIndex(indexName, values);
    return {
      rows: () => {
        const row = this.#rowOf(unique.get(values));
        return row ? [row] : [];
      },
      contains: (row) => places.has(row) && values.every((value, i) => value === row.values[places.positions[i]!]),
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
    else this.#cells.set(key, new Cell({ key, json, values: NO_VALUES }));
  }

  /** Applies a change of another process, after `buildIndexes`. */
  apply(key: string, json: string | undefined): void {
    this.set(key, json === undefined ? undefined : this.#place(json, this.#fieldsOf(key, json)));
  }

  /** The values of a document that is stored elsewhere. @throws TypeError as `apply` */
  valuesOf(key: string, json: string): Row['values'] {
    return this.#place('', this.#fieldsOf(key, json)).values;
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
    this.#inOrder = undefined;
    const shared = this.#placing.map((field) => ({ field, strings: new SharedStrings() }));
    const [steps, total] = [1 + this.#indexes.length, this.#cells.size];
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
      const valueIn = columns.valuesOf({ fields: index.fields, positions: index.places.positions });
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

  #ordered(index: Index): SortedGroups<Cell> {
    if (!index.rows) {
      const { positions } = index.places;
      index.rows = this.#emptyIndex(index.places);
      const valueIn: ValueOf = (cell, field) => this.#rowIn(cell).values[positions[field]!];
      fillOrdered(index.rows, this.#orderOf(index), this.#cellsInKeyOrder(), valueIn);
    }
    return index.rows;
  }

  /** The fields of an index that decide its order: after the key, nothing does. */
  #orderOf({ fields }: Index): { readonly fields: number; readonly deciding: number } {
    const keyAt = fields.indexOf(this.#keyField);
    return { fields: fields.length, deciding: keyAt < 0 ? fields.length : keyAt };
  }

  #emptyIndex(places: IndexPlaces): SortedGroups<Cell> {
    const [first, second] = places.positions;
    return new SortedGroups<Cell>({
      compare: (a, b) => places.compare(this.#rowIn(a), this.#rowIn(b)),
      compareTo: (cell, edge) => places.compareTo(this.#rowIn(cell), edge),
      // Groups help only if another field orders the documents of each.
      group: second === KEY_AT ? undefined : (cell) => this.#rowIn(cell).values[first!]!,
    });
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
      if (known && this.#cells.delete(key)) this.#inOrder?.remove(key);
      return undefined;
    }
    const cell = new Cell(row);
    this.#cells.set(row.key, cell);
    this.#inOrder?.add(row.key);
    return cell;
  }

  /** Rows after a key, in key order. */
  *#keysAfter(after: string): Generator<Row, void> {
    if (!this.#inOrder) {
      this.#inOrder = new Sorted(compareKeys);
      this.#inOrder.fill(inKeyOrder([...this.#cells.keys()], (key) => key));
    }
    for (const key of this.#inOrder.from((key) => key <= after)) yield this.#rowIn(this.#cells.get(key)!);
  }

  *#rowsIn(rows: SortedGroups<Cell>, low: Entry, high: Entry, backwards: boolean): Generator<Row, void> {
    for (const cell of backwards ? rows.descending(low, high) : rows.ascending(low, high)) yield this.#rowIn(cell);
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

  /** Whether a document has the same key and values of index fields as this row. */
  #isPlacedLike({ values }: Row, fields: Record<string, unknown>): boolean {
    for (let i = 0; i < values.length; i++) if (fields[this.#placing[i]!] !== values[i]) return false;
    return true;
  }

  #place(json: string, fields: Record<string, unknown>): Row {
    const key = fields[this.#keyField];
    if (typeof key !== 'string' || key === '')
      throw new TypeError(`${this.name}: the key field ${this.#keyField} is not a non-empty string`);
    // Allocated at its final length: a growing array takes several times the memory.
    const values = new Array<IndexValue | undefined>(this.#placing.length);
    for (let i = 0; i < values.length; i++) {
      const value = fields[this.#placing[i]!];
      if (typeof value === 'object' && value !== null) this.#refuseInIndexes(this.#placing[i]!, fields, key);
      else values[i] = value as IndexValue | undefined;
    }
    return { key, json, values };
  }

  /** Refuses an object in a field, unless the document is in no index of that field. @throws TypeError */
  #refuseInIndexes(field: string, document: Record<string, unknown>, key: string): void {
    const index = this.#indexes.find(({ fields }) => {
      const at = fields.indexOf(field);
      return at >= 0 && fields.slice(0, at).every((before) => document[before] !== undefined);
    });
    if (index) throw new TypeError(`${this.name}: document ${key} has an object in ${field}, which index ${index.name} cannot order`);
  }
}
