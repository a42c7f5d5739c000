import { AsyncResource } from 'node:async_hooks';
import type { Collection, CollectionType, IndexValue, Range, StoreTransaction } from '../ports/store.js';
import type { Row, Span, Table } from './table.js';

/** The rows a transaction met in a span, in their order; `ended` when it saw that there were no more. */
interface SpanRead {
  readonly table: Table;
  readonly span: Span;
  readonly changes: number;
  readonly rows: Row[];
  ended: boolean;
}

/** What a transaction writes to a table. A row that is undefined takes the document away. */
export interface Writes {
  readonly table: Table;
  readonly rows: ReadonlyMap<string, Row | undefined>;
}

interface Part {
  readonly table: Table;
  readonly collection: Collection<object>;
  readonly writes: Map<string, Row | undefined>;
  readonly reads: Map<string, Row | undefined>;
  size: number | undefined;
}

/**
 * One run of the work of a transaction. It reads the newest rows, keeps its own writes to itself, and remembers what it
 * saw, so that the commit can tell whether all of it still holds.
 */
export class TransactionRun {
  readonly handle: StoreTransaction;
  readonly afterCommit: (() => void)[] = [];
  /** The newest transaction it may have seen something of. */
  sawUpTo = 0;
  readonly #parts = new Map<Table, Part>();
  readonly #spans: SpanRead[] = [];
  readonly #beforeCommit: (() => Promise<void> | void)[] = [];
  #ended = false;

  constructor(tableOf: (type: object) => Table) {
    this.handle = {
      in: <T extends object>(type: CollectionType<T>) => this.#part(tableOf(type)).collection as unknown as Collection<T>,
      afterCommit: (run) => {
        this.#assertOpen();
        // Whoever's write happens to make it durable: it belongs to the one who asked for it.
        const asked = new AsyncResource('afterCommit', { requireManualDestroy: true });
        this.afterCommit.push(() => asked.runInAsyncScope(run));
      },
      beforeCommit: (run) => {
        this.#assertOpen();
        this.#beforeCommit.push(run);
      },
    };
  }

  get isReadOnly(): boolean {
    for (const { writes } of this.#parts.values()) if (writes.size > 0) return false;
    return true;
  }

  /** Its end depends on how this table is now. */
  sees(table: Table): void {
    this.sawUpTo = Math.max(this.sawUpTo, table.changedBy);
  }

  /** What it writes, by table. Taking away what is not there is no write, but has looked. */
  writes(): Writes[] {
    const written: Writes[] = [];
    for (const { table, writes } of this.#parts.values()) {
      const changed: [string, Row | undefined][] = [];
      for (const [key, row] of writes) {
        if (row || table.get(key)) changed.push([key, row]);
        else this.sees(table);
      }
      if (changed.length > 0) written.push({ table, rows: new Map(changed) });
    }
    return written;
  }

  async runBeforeCommit(): Promise<void> {
    for (const run of this.#beforeCommit) await run();
  }

  /** Nothing may be read or written through it any more. */
  end(): void {
    this.#ended = true;
  }

  /** Whether everything that was read is still so. */
  stillHolds(): boolean {
    for (const { table, reads, size } of this.#parts.values()) {
      if (size !== undefined && table.size !== size) return false;
      for (const [key, row] of reads) if (table.get(key) !== row) return false;
    }
    return this.#spans.every(sameRows);
  }

  #part(table: Table): Part {
    this.#assertOpen();
    let part = this.#parts.get(table);
    if (!part) {
      part = { table, collection: this.#collection(table), writes: new Map(), reads: new Map(), size: undefined };
      this.#parts.set(table, part);
    }
    return part;
  }

  #collection(table: Table): Collection<object> {
    const part = () => this.#part(table);
    const find = (span: Span, limit: number | undefined) => this.#read(part(), span, limit).map(parse);
    return {
      get: async (key) => optional(this.#get(part(), key)),
      getBy: async (index: string, values: readonly IndexValue[]) => find(table.uniqueSpan(index, values), 1)[0],
      find: async (index: string, range: Range = {}) => find(table.span(index, range), range.limit),
      list: async ({ after, limit } = {}) => find(table.keySpan(after), limit),
      count: async () => this.#count(part()),
      put: (document) => {
        const row = table.rowOf(document);
        part().writes.set(row.key, row);
      },
      delete: (key) => void part().writes.set(key, undefined),
    };
  }

  #get({ table, writes, reads }: Part, key: string): Row | undefined {
    if (writes.has(key)) return writes.get(key);
    const row = table.get(key);
    // What it read first is what has to hold: a second look that finds something else is a conflict anyway.
    if (!reads.has(key)) reads.set(key, row);
    this.sees(table);
    return row;
  }

  #count(part: Part): number {
    const { table, writes } = part;
    part.size ??= table.size;
    let count = part.size;
    for (const [key, row] of writes) {
      const before = table.get(key);
      if (!part.reads.has(key)) part.reads.set(key, before);
      count += (row ? 1 : 0) - (before ? 1 : 0);
    }
    this.sees(table);
    return count;
  }

  /** The first rows of a span as the transaction would have it: the committed ones, its own writes laid over them. */
  #read({ table, writes }: Part, span: Span, limit = Number.POSITIVE_INFINITY): Row[] {
    assertLimit(limit);
    const read: SpanRead = { table, span, changes: table.changes, rows: [], ended: false };
    this.#spans.push(read);
    this.sees(table);
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

  #assertOpen(): void {
    if (this.#ended) throw new Error('the transaction has ended: what belongs to it must be awaited inside its work');
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

const optional = (row: Row | undefined): object | undefined => row && parse(row);
