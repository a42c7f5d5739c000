import type { Collection, CollectionType, IndexValue, Range, StoreTransaction } from '../../../ports/store.js';
import type { Row, Span, Table } from './table.js';

/** The rows a transaction met in a span, in their order; `ended` when it saw that there were no more. */
interface SpanRead {
  readonly table: Table;
  readonly span: Span;
  readonly changes: number;
  readonly rows: Row[];
  ended: boolean;
}

/** What a transaction found under the values of a unique index. */
interface Find {
  readonly index: string;
  readonly values: readonly IndexValue[];
  readonly changes: number;
  readonly row: Row | undefined;
}

/** What a transaction writes to a table. A row that is undefined takes the document away. */
export interface Writes {
  readonly table: Table;
  readonly rows: ReadonlyMap<string, Row | undefined>;
}

/**
 * One run of the work of a transaction. It reads the newest rows, keeps its own writes to itself, and remembers what it
 * saw, so that the commit can tell whether all of it still holds.
 */
export class TransactionRun implements StoreTransaction {
  /** The newest transaction it may have seen something of. */
  sawUpTo = 0;
  readonly #tableOf: (type: object) => Table;
  /** A handful at most, so that looking through them is the quickest way to one. */
  readonly #parts: TableView[] = [];
  #beforeCommit: (() => Promise<void> | void)[] | undefined;
  #onCommit: (() => void)[] | undefined;
  #afterCommit: (() => void)[] | undefined;
  #ended = false;

  constructor(tableOf: (type: object) => Table) {
    this.#tableOf = tableOf;
  }

  in<T extends object>(type: CollectionType<T>): Collection<T> {
    this.assertOpen();
    const table = this.#tableOf(type);
    let part = this.#parts.find((one) => one.table === table);
    if (!part) {
      part = new TableView(this, table);
      this.#parts.push(part);
    }
    return part as unknown as Collection<T>;
  }

  afterCommit(run: () => void): void {
    this.assertOpen();
    this.#afterCommit ??= [];
    this.#afterCommit.push(run);
  }

  onCommit(run: () => void): void {
    this.assertOpen();
    this.#onCommit ??= [];
    this.#onCommit.push(run);
  }

  beforeCommit(run: () => Promise<void> | void): void {
    this.assertOpen();
    this.#beforeCommit ??= [];
    this.#beforeCommit.push(run);
  }

  get isReadOnly(): boolean {
    return this.#parts.every(({ writes }) => writes.size === 0);
  }

  /** The names of the collections that it has looked into. */
  get touched(): string[] {
    return this.#parts.map(({ table }) => table.name);
  }

  /** Its end depends on how this table is now. */
  sees({ changedBy }: Table): void {
    if (changedBy > this.sawUpTo) this.sawUpTo = changedBy;
  }

  /** What it writes, by table. Taking away what is not there is no write, but has looked. */
  writes(): Writes[] {
    const written: Writes[] = [];
    for (const { table, writes } of this.#parts) {
      for (const [key, row] of writes) {
        if (row || table.get(key)) continue;
        this.sees(table);
        writes.delete(key);
      }
      if (writes.size > 0) written.push({ table, rows: writes });
    }
    return written;
  }

  async runBeforeCommit(): Promise<void> {
    for (const run of this.#beforeCommit ?? []) await run();
  }

  get hasBeforeCommit(): boolean {
    return this.#beforeCommit !== undefined;
  }

  runOnCommit(onError: (error: unknown) => void): void {
    if (this.#onCommit) runAll(this.#onCommit, onError);
  }

  runAfterCommit(onError: (error: unknown) => void): void {
    if (this.#afterCommit) runAll(this.#afterCommit, onError);
    this.#afterCommit = undefined;
  }

  /** Nothing may be read or written through it any more. */
  end(): void {
    this.#ended = true;
    // What it read is not needed any more, and there is a while until it is durable.
    this.#parts.length = 0;
  }

  /** Whether everything that was read is still so. */
  isStillValid(): boolean {
    return this.#parts.every((part) => part.stillHolds());
  }

  assertOpen(): void {
    if (this.#ended) throw new Error('the transaction has ended: what belongs to it must be awaited inside its work');
  }
}

/** One that fails does not keep the others from running. */
function runAll(callbacks: readonly (() => void)[], onError: (error: unknown) => void): void {
  for (const callback of callbacks) {
    try {
      callback();
    } catch (error) {
      onError(error);
    }
  }
}

/** Of who only reads, which is most; nothing is put in. */
const NO_WRITES = new Map<string, Row | undefined>();

/** What a transaction does in one table. */
class TableView implements Collection<object> {
  readonly table: Table;
  writes = NO_WRITES;
  readonly #run: TransactionRun;
  /** What it found first under a key. */
  #reads: Map<string, Row | undefined> | undefined;
  /** A second look has found something else than the first: no moment was like that, whatever is there at the end. */
  #hasSeenChange = false;
  #finds: Find[] | undefined;
  #spans: SpanRead[] | undefined;
  #size: number | undefined;

  constructor(run: TransactionRun, table: Table) {
    this.#run = run;
    this.table = table;
  }

  async get(key: string): Promise<object | undefined> {
    this.#run.assertOpen();
    const row = this.writes.has(key) ? this.writes.get(key) : this.#look(key);
    return row && parse(row);
  }

  async getBy(index: string, values: readonly IndexValue[]): Promise<object | undefined> {
    this.#run.assertOpen();
    const row = this.writes.size === 0 ? this.#lookBy(index, values) : this.#read(this.table.uniqueSpan(index, values), 1)[0];
    return row && parse(row);
  }

  async find(index: string, range: Range = {}): Promise<object[]> {
    return this.#read(this.table.span(index, range), range.limit).map(parse);
  }

  async list({ after, limit }: { readonly after?: string; readonly limit?: number } = {}): Promise<object[]> {
    return this.#read(this.table.keySpan(after), limit).map(parse);
  }

  async count(): Promise<number> {
    this.#run.assertOpen();
    this.#size ??= this.table.size;
    let count = this.#size;
    for (const [key, row] of this.writes) count += (row ? 1 : 0) - (this.#look(key) ? 1 : 0);
    this.#run.sees(this.table);
    return count;
  }

  put(document: object): void {
    this.#run.assertOpen();
    const row = this.table.rowOf(document);
    this.#write(row.key, row);
  }

  delete(key: string): void {
    this.#run.assertOpen();
    this.#write(key, undefined);
  }

  #write(key: string, row: Row | undefined): void {
    if (this.writes === NO_WRITES) this.writes = new Map();
    this.writes.set(key, row);
  }

  stillHolds(): boolean {
    if (this.#hasSeenChange) return false;
    if (this.#size !== undefined && this.table.size !== this.#size) return false;
    if (this.#reads) for (const [key, row] of this.#reads) if (this.table.get(key) !== row) return false;
    const { table } = this;
    if (this.#finds) {
      for (const { index, values, changes, row } of this.#finds)
        if (table.changes !== changes && table.getBy(index, values) !== row) return false;
    }
    return this.#spans?.every(sameRows) ?? true;
  }

  #look(key: string): Row | undefined {
    const row = this.table.get(key);
    this.#reads ??= new Map();
    if (!this.#reads.has(key)) this.#reads.set(key, row);
    else if (this.#reads.get(key) !== row) this.#hasSeenChange = true;
    this.#run.sees(this.table);
    return row;
  }

  #lookBy(index: string, values: readonly IndexValue[]): Row | undefined {
    const { table } = this;
    const row = table.getBy(index, values);
    this.#finds ??= [];
    this.#finds.push({ index, values: values.slice(), changes: table.changes, row });
    this.#run.sees(table);
    return row;
  }

  /** The first rows of a span as the transaction would have it: the committed ones, its own writes laid over them. */
  #read(span: Span, limit = Number.POSITIVE_INFINITY): Row[] {
    this.#run.assertOpen();
    assertLimit(limit);
    const { table, writes } = this;
    const read: SpanRead = { table, span, changes: table.changes, rows: [], ended: false };
    this.#spans ??= [];
    this.#spans.push(read);
    this.#run.sees(table);
    const own: Row[] = [];
    for (const row of writes.values()) if (row && span.holds(row)) own.push(row);
    own.sort(span.compare);
    const found: Row[] = [];
    if (limit === 0) return found;
    for (const row of span.rows()) {
      read.rows.push(row);
      while (own.length > 0 && span.compare(own[0]!, row) < 0 && found.length < limit) found.push(own.shift()!);
      if (found.length < limit && !writes.has(row.key)) found.push(row);
      if (found.length >= limit) return found;
    }
    read.ended = true;
    while (own.length > 0 && found.length < limit) found.push(own.shift()!);
    return found;
  }
}

function sameRows({ table, span, changes, rows, ended }: SpanRead): boolean {
  if (table.changes === changes) return true;
  let seen = 0;
  if (rows.length > 0 || ended) {
    for (const row of span.rows()) {
      if (seen === rows.length) return !ended;
      if (row !== rows[seen]) return false;
      if (++seen === rows.length && !ended) return true;
    }
  }
  return seen === rows.length;
}

export function assertLimit(limit: number): void {
  if (Number.isNaN(limit) || limit < 0) throw new RangeError(`a limit is a number of documents, not ${limit}`);
}

export const parse = (row: Row): object => JSON.parse(row.json) as object;
