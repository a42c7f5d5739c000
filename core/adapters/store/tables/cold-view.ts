import type { Collection, IndexValue, Range } from '../../../ports/store.js';
import type { ColdRow } from '../cold/cold-row.js';
import { assertLimit, type Row } from './cells.js';
import type { ColdSpan, ColdTable, Holder } from './cold-table.js';
import { parse } from './shared-documents.js';
import type { Table } from './table.js';

/** The part of a transaction that its views use. */
interface Run {
  assertOpen(): void;
  sees(table: Table): void;
}

/** A read of a span. `since` is the number of changes of the table when it began. */
interface SpanRead {
  readonly span: ColdSpan;
  readonly since: number;
  /** The last row that it used, unless it reached the end of the span. */
  last: Row | undefined;
  ended: boolean;
}

/** A lookup in a unique index. `since` is the number of changes of the table when it began. */
interface Lookup {
  readonly index: string;
  readonly values: readonly IndexValue[];
  readonly since: number;
}

/** Rows on disk that the commit needs, and the version of the list of parts with which they were found. */
interface Prepared {
  readonly version: number;
  /** The row of each written key that is not in memory. */
  readonly previous: Map<string, ColdRow | undefined>;
  readonly holders: Holder[];
}

const NO_WRITES = new Map<string, Row | undefined>();

/**
 * A transaction's view of a table whose older rows are on disk. A read sees the rows as they are when it begins, even if it ends later. The
 * commit checks the changes of the table since each read.
 */
export class ColdView implements Collection<object> {
  readonly table: ColdTable;
  writes = NO_WRITES;
  readonly #run: Run;
  /** The number of changes of the table before the first read of each key. */
  readonly #reads = new Map<string, number>();
  readonly #spans: SpanRead[] = [];
  readonly #lookups: Lookup[] = [];
  /** The number of changes of the table when the view was opened. */
  readonly #since: number;
  #counted: number | undefined;
  #prepared: Prepared | undefined;

  constructor(run: Run, table: ColdTable) {
    this.#run = run;
    this.table = table;
    this.#since = table.log.end;
    table.log.open(this);
  }

  async get(key: string): Promise<object | undefined> {
    const row = await this.#row(key);
    return row && parse(row);
  }

  /** Without a promise for a document in memory. */
  peek(key: string): Promise<object | undefined> | object | undefined {
    const row = this.#row(key);
    return row instanceof Promise ? row.then((found) => found && this.#shared(found)) : row && this.#shared(row);
  }

  /** Without a promise for a document in memory. */
  peekBy(index: string, values: readonly IndexValue[]): Promise<object | undefined> | object | undefined {
    const row = this.#rowBy(index, values);
    return row instanceof Promise ? row.then((found) => found && this.#shared(found)) : row && this.#shared(row);
  }

  mayHave(index: string, value: IndexValue): boolean {
    return this.writes.size > 0 || this.table.mayHave(index, value);
  }

  /** Without a promise if no document on disk may be in the range. */
  peekAll(index: string, range: Range = {}): Promise<readonly object[]> | readonly object[] {
    const rows = this.#read(this.table.span(index, range), range.limit);
    const all = (found: readonly Row[]) => found.map((row) => this.#shared(row));
    return rows instanceof Promise ? rows.then(all) : all(rows);
  }

  async getBy(index: string, values: readonly IndexValue[]): Promise<object | undefined> {
    const row = await this.#rowBy(index, values);
    return row && parse(row);
  }

  async find(index: string, range: Range = {}): Promise<object[]> {
    return (await this.#read(this.table.span(index, range), range.limit)).map(parse);
  }

  async list({ after, limit }: { readonly after?: string; readonly limit?: number } = {}): Promise<object[]> {
    return (await this.#read(this.table.keySpan(after), limit)).map(parse);
  }

  async count(): Promise<number> {
    this.#run.assertOpen();
    this.#run.sees(this.table);
    this.#counted ??= this.table.log.end;
    let count = this.table.size;
    const written = [...this.writes].map(async ([key, row]) => (row ? 1 : 0) - ((await this.#readKey(key)) ? 1 : 0));
    for (const change of written) count += await change;
    return count;
  }

  put(document: object, json?: string): void {
    this.#run.assertOpen();
    const row = this.table.rowOf(document, json);
    this.table.documents.shareIfFrozen(row, document);
    this.#write(row.key, row);
  }

  delete(key: string): void {
    this.#run.assertOpen();
    this.#write(key, undefined);
  }

  #shared(row: Row): object {
    return this.table.documents.shared(row);
  }

  #write(key: string, row: Row | undefined): void {
    if (this.writes === NO_WRITES) this.writes = new Map();
    this.writes.set(key, row);
  }

  #row(key: string): Promise<Row | undefined> | Row | undefined {
    this.#run.assertOpen();
    return this.writes.has(key) ? this.writes.get(key) : this.#readKey(key);
  }

  #readKey(key: string): Promise<Row | undefined> | Row | undefined {
    const { table } = this;
    if (!this.#reads.has(key)) this.#reads.set(key, table.log.end);
    this.#run.sees(table);
    return table.read(key);
  }

  /** Looks up the row with these values in a unique index, by the transaction's own writes as they are now. */
  #rowBy(index: string, values: readonly IndexValue[]): Promise<Row | undefined> | Row | undefined {
    this.#run.assertOpen();
    const { table, writes } = this;
    this.#lookups.push({ index, values: values.slice(), since: table.log.end });
    this.#run.sees(table);
    const committed = table.readBy(index, values);
    if (writes.size === 0) return committed;
    for (const row of writes.values()) if (table.hasValues(index, values, row)) return row;
    // A row that it has written has other values now.
    const unlessWritten = (written: ReadonlyMap<string, unknown>, row: Row | undefined) => (row && written.has(row.key) ? undefined : row);
    if (!(committed instanceof Promise)) return unlessWritten(writes, committed);
    const written = new Map(writes);
    return committed.then((row) => unlessWritten(written, row));
  }

  /** Reads a span: committed rows merged with the transaction's own writes as they are now. */
  #read(span: ColdSpan, limit = Number.POSITIVE_INFINITY): Promise<Row[]> | Row[] {
    this.#run.assertOpen();
    assertLimit(limit);
    const { table, writes } = this;
    const read: SpanRead = { span, since: table.log.end, last: undefined, ended: false };
    this.#spans.push(read);
    this.#run.sees(table);
    if (limit === 0) return [];
    const written = new Set(writes.keys());
    const own: Row[] = [];
    for (const row of writes.values()) if (row && span.contains(row)) own.push(row);
    own.sort(span.compare);
    const merged = (committed: readonly Row[]): Row[] => {
      const found: Row[] = [];
      for (const row of committed) {
        read.last = row;
        while (own.length > 0 && span.compare(own[0]!, row) < 0 && found.length < limit) found.push(own.shift()!);
        if (found.length < limit && !written.has(row.key)) found.push(row);
        if (found.length >= limit) return found;
      }
      read.ended = true;
      while (own.length > 0 && found.length < limit) found.push(own.shift()!);
      return found;
    };
    // Each written row may stand for one of the committed rows.
    const committed = table.rowsIn(span, limit + written.size);
    return committed instanceof Promise ? committed.then(merged) : merged(committed);
  }

  /** Whether nothing that it read has changed since. */
  isCurrent(): boolean {
    const { table } = this;
    if (table.log.end === this.#since) return true;
    for (const [at, { key, before, after }] of table.log.since(this.#since)) {
      if (this.#counted !== undefined && at >= this.#counted && !before !== !after) return false;
      if (at >= (this.#reads.get(key) ?? Number.POSITIVE_INFINITY)) return false;
      for (const read of this.#spans) if (at >= read.since && (isIn(read, before) || isIn(read, after))) return false;
      for (const { index, values, since } of this.#lookups)
        if (at >= since && (table.hasValues(index, values, before) || table.hasValues(index, values, after))) return false;
    }
    return true;
  }

  /**
   * Reads the rows on disk that the commit needs: the previous row of each written key, and the rows with unique values of written rows.
   * @returns a promise if it has to read; call it again then
   */
  prepare(): Promise<unknown> | undefined {
    const { table } = this;
    const { version } = table.cold;
    const isNew = this.#prepared?.version !== version;
    if (!this.#prepared || isNew) this.#prepared = { version, previous: new Map(), holders: [] };
    const { previous, holders } = this.#prepared;
    const reads: Promise<void>[] = [];
    const look = (found: Promise<ColdRow | undefined> | ColdRow | undefined, set: (row: ColdRow | undefined) => void): void => {
      if (found instanceof Promise) reads.push(found.then(set));
      else set(found);
    };
    // Each time, because a row that was in memory may have left it since.
    for (const key of this.writes.keys())
      if (!table.has(key) && !table.latest.has(key) && !previous.has(key)) look(table.cold.find(key), (row) => void previous.set(key, row));
    for (const [index, values] of isNew ? table.uniqueValues(this.writes.values()) : []) {
      const holder: Holder = { index, values, row: undefined };
      holders.push(holder);
      look(table.coldBy(index, values), (row) => {
        holder.row = row;
      });
    }
    return reads.length === 0 ? undefined : Promise.all(reads);
  }

  /** The committed row of a key, after `prepare`. */
  before(key: string): Row | undefined {
    const { table } = this;
    return table.get(key) ?? (table.latest.has(key) ? undefined : this.#prepared?.previous.get(key));
  }

  /** @throws UniqueViolation */
  assertUnique(): void {
    this.table.assertUniqueWith(this.writes, this.#prepared?.holders ?? []);
  }

  end(): void {
    this.table.log.close(this);
  }
}

/** Whether a row is in what was read of a span. */
function isIn({ span, last, ended }: SpanRead, row: Row | undefined): boolean {
  return row !== undefined && span.contains(row) && (ended || (last !== undefined && span.compare(row, last) <= 0));
}
