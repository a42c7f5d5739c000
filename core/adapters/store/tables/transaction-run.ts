import { type Steps, wait } from '../../../ports/steps.js';
import type { Collection, CollectionType, IndexValue, LiveType, LiveWrites, Range, StoreTransaction } from '../../../ports/store.js';
import { assertLimit, type Row, type Span } from './cells.js';
import { ColdTable } from './cold-table.js';
import { ColdView } from './cold-view.js';
import { type LiveChange, type LiveTable, LiveView } from './live-table.js';
import { parse } from './shared-documents.js';
import type { Table } from './table.js';

/** The rows that a transaction read in a span, in order. `ended` if it reached the end of the span. */
interface SpanRead {
  readonly table: Table;
  readonly span: Span;
  readonly changes: number;
  readonly rows: Row[];
  ended: boolean;
}

/** The result of a lookup in a unique index. */
interface Lookup {
  readonly index: string;
  readonly values: readonly IndexValue[];
  readonly changes: number;
  readonly row: Row | undefined;
}

/** A transaction's writes to one table. An undefined row deletes the document. */
export interface Writes {
  readonly table: Table;
  readonly rows: ReadonlyMap<string, Row | undefined>;
  /** The committed row of a key. */
  before(key: string): Row | undefined;
  /** @throws UniqueViolation when two written rows, or a written and a remaining row, have the same unique values */
  assertUnique(): void;
}

/** Finds the tables of the store by the declarations of their collections. */
interface Find {
  readonly table: (type: object) => Table;
  readonly live: (type: object) => LiveTable;
}

/**
 * One run of a transaction's work. It reads the newest rows, keeps its own writes private, and records its reads, so that the
 * commit can check whether they are still current.
 */
export class TransactionRun implements StoreTransaction {
  /** The newest transaction whose writes it may have seen. */
  sawUpTo = 0;
  /** Its position among the open runs. */
  at = 0;
  readonly #find: Find;
  #lives: LiveView[] | undefined;
  /** A handful at most, so a linear search is fastest. */
  readonly #views: (TableView | ColdView)[] = [];
  #beforeCommit: (() => Promise<void> | void)[] | undefined;
  #onCommit: (() => void)[] | undefined;
  #afterCommit: (() => void)[] | undefined;
  #ended = false;

  constructor(find: Find) {
    this.#find = find;
  }

  live<T extends object>(type: LiveType<T>): LiveWrites<T> {
    this.assertOpen();
    let view = this.#lives?.find((one) => one.type === type);
    if (!view) {
      view = new LiveView(type, this.#find.live(type), () => this.assertOpen());
      this.#lives ??= [];
      this.#lives.push(view);
    }
    return view as unknown as LiveWrites<T>;
  }

  /** Its changes of live collections, in its order within each. */
  get liveChanges(): readonly LiveChange[] {
    if (!this.#lives) return NO_CHANGES;
    return this.#lives.length === 1 ? this.#lives[0]!.changes : this.#lives.flatMap(({ changes }) => changes);
  }

  in<T extends object>(type: CollectionType<T>): Collection<T> {
    this.assertOpen();
    const table = this.#find.table(type);
    let view = this.#views.find((one) => one.table === table);
    if (!view) {
      view = table instanceof ColdTable ? new ColdView(this, table) : new TableView(this, table);
      this.#views.push(view);
    }
    return view as unknown as Collection<T>;
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
    return this.#views.every(({ writes }) => writes.size === 0) && (this.#lives?.every(({ changes }) => changes.length === 0) ?? true);
  }

  /** The names of the collections it has accessed. */
  get touched(): string[] {
    return [...this.#views, ...(this.#lives ?? [])].map(({ table }) => table.name);
  }

  /** Records that its outcome depends on the current state of this table. */
  sees({ changedBy }: Table): void {
    if (changedBy > this.sawUpTo) this.sawUpTo = changedBy;
  }

  /** Its writes by table. Deleting an unknown document is not a write, but counts as a read. */
  writes(): Writes[] {
    const written: Writes[] = [];
    for (const view of this.#views) {
      const { table, writes } = view;
      for (const [key, row] of writes) {
        if (row || view.before(key)) continue;
        this.sees(table);
        writes.delete(key);
      }
      if (writes.size > 0)
        written.push({ table, rows: writes, before: (key) => view.before(key), assertUnique: () => view.assertUnique() });
    }
    return written;
  }

  /** Reads what the commit must know of documents on disk. @returns a promise if it has to read; call it again then */
  prepare(): Promise<unknown> | undefined {
    const reads: Promise<unknown>[] = [];
    for (const view of this.#views) {
      const read = view instanceof ColdView ? view.prepare() : undefined;
      if (read) reads.push(read);
    }
    return reads.length === 0 ? undefined : Promise.all(reads);
  }

  *runBeforeCommit(): Steps<void> {
    for (const run of this.#beforeCommit ?? []) yield* wait(run());
  }

  get hasBeforeCommit(): boolean {
    return this.#beforeCommit !== undefined;
  }

  runOnCommit(onError: (error: unknown) => void): void {
    if (this.#onCommit) runAll(this.#onCommit, onError);
    this.#onCommit = undefined;
  }

  runAfterCommit(onError: (error: unknown) => void): void {
    if (this.#afterCommit) runAll(this.#afterCommit, onError);
    this.#afterCommit = undefined;
  }

  /** Ends the run; later reads and writes throw. */
  end(): void {
    this.#ended = true;
    for (const view of this.#views) if (view instanceof ColdView) view.end();
    // Frees the recorded reads early: the commit may take a while to become durable.
    this.#views.length = 0;
    this.#lives = undefined;
    this.#beforeCommit = undefined;
  }

  /** Whether everything it read is still current. */
  isStillValid(): boolean {
    return this.#views.every((view) => view.isCurrent()) && (this.#lives?.every((live) => live.isStillValid()) ?? true);
  }

  assertOpen(): void {
    if (this.#ended) throw new Error('the transaction has ended: await all its operations inside its work');
  }
}

const NO_CHANGES: readonly LiveChange[] = [];

/** Runs every callback even if one throws. */
function runAll(callbacks: readonly (() => void)[], onError: (error: unknown) => void): void {
  for (const callback of callbacks) {
    try {
      callback();
    } catch (error) {
      onError(error);
    }
  }
}

/** Shared by read-only transactions, which are the majority. Never modified. */
const NO_WRITES = new Map<string, Row | undefined>();

/** A transaction's view of one table. */
class TableView implements Collection<object> {
  readonly table: Table;
  writes = NO_WRITES;
  readonly #run: TransactionRun;
  /** The first result per key. */
  #reads: Map<string, Row | undefined> | undefined;
  /** Set when two reads of a key differ: no consistent state explains that, whatever the final state is. */
  #hasSeenChange = false;
  #lookups: Lookup[] | undefined;
  #spans: SpanRead[] | undefined;
  #size: number | undefined;

  constructor(run: TransactionRun, table: Table) {
    this.#run = run;
    this.table = table;
  }

  async get(key: string): Promise<object | undefined> {
    const row = this.version(key);
    return row && parse(row);
  }

  peek(key: string): object | undefined {
    const row = this.version(key);
    return row && this.table.documents.shared(row);
  }

  version(key: string): Row | undefined {
    this.#run.assertOpen();
    return this.writes.has(key) ? this.writes.get(key) : this.#readKey(key);
  }

  peekBy(index: string, values: readonly IndexValue[]): object | undefined {
    const row = this.#rowBy(index, values);
    return row && this.table.documents.shared(row);
  }

  mayHave(index: string, value: IndexValue): boolean {
    return this.writes.size > 0 || this.table.mayHave(index, value);
  }

  peekAll(index: string, range: Range = {}): readonly object[] {
    return this.#read(this.table.span(index, range), range.limit).map((row) => this.table.documents.shared(row));
  }

  async getBy(index: string, values: readonly IndexValue[]): Promise<object | undefined> {
    const row = this.#rowBy(index, values);
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
    for (const [key, row] of this.writes) count += (row ? 1 : 0) - (this.#readKey(key) ? 1 : 0);
    this.#run.sees(this.table);
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

  #write(key: string, row: Row | undefined): void {
    if (this.writes === NO_WRITES) this.writes = new Map();
    this.writes.set(key, row);
  }

  before(key: string): Row | undefined {
    return this.table.get(key);
  }

  assertUnique(): void {
    this.table.assertUnique(this.writes);
  }

  isCurrent(): boolean {
    if (this.#hasSeenChange) return false;
    if (this.#size !== undefined && this.table.size !== this.#size) return false;
    if (this.#reads) for (const [key, row] of this.#reads) if (this.table.get(key) !== row) return false;
    const { table } = this;
    if (this.#lookups) {
      for (const { index, values, changes, row } of this.#lookups)
        if (table.changes !== changes && table.getBy(index, values) !== row) return false;
    }
    return this.#spans?.every(sameRows) ?? true;
  }

  #readKey(key: string): Row | undefined {
    const row = this.table.get(key);
    this.#reads ??= new Map();
    if (!this.#reads.has(key)) this.#reads.set(key, row);
    else if (this.#reads.get(key) !== row) this.#hasSeenChange = true;
    this.#run.sees(this.table);
    return row;
  }

  #rowBy(index: string, values: readonly IndexValue[]): Row | undefined {
    this.#run.assertOpen();
    return this.writes.size === 0 ? this.#lookUp(index, values) : this.#read(this.table.uniqueSpan(index, values), 1)[0];
  }

  #lookUp(index: string, values: readonly IndexValue[]): Row | undefined {
    const { table } = this;
    const row = table.getBy(index, values);
    this.#lookups ??= [];
    this.#lookups.push({ index, values: values.slice(), changes: table.changes, row });
    this.#run.sees(table);
    return row;
  }

  /** Reads a span: committed rows merged with the transaction's own writes. */
  #read(span: Span, limit = Number.POSITIVE_INFINITY): Row[] {
    this.#run.assertOpen();
    assertLimit(limit);
    const { table, writes } = this;
    const read: SpanRead = { table, span, changes: table.changes, rows: [], ended: false };
    this.#spans ??= [];
    this.#spans.push(read);
    this.#run.sees(table);
    const own: Row[] = [];
    for (const row of writes.values()) if (row && span.contains(row)) own.push(row);
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
