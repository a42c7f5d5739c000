import { messageOf } from '../../../errors.js';
import type { Logger } from '../../../ports/logger.js';
import { promiseOf, runSteps, type Steps, wait } from '../../../ports/steps.js';
import {
  type CollectionType,
  type LiveOwner,
  type LiveType,
  type OpenCollection,
  type StoreHealth,
  type StoreTransaction,
  StoreUnavailable,
  TransactionConflict,
} from '../../../ports/store.js';
import type { Change, Commit } from '../commit.js';
import { durableReads } from './durable-reads.js';
import { type LiveTable, liveTable } from './live-table.js';
import { Table } from './table.js';
import { TransactionRun } from './transaction-run.js';
import { type Before, Unsettled, UnsettledTransactions } from './unsettled.js';

export interface RecordsOptions {
  readonly log: Logger;
  /** The name of the store in messages; `the store` if not given. */
  readonly name?: string;
  /**
   * Encodes a commit, runs `apply`, and makes the commit durable; reports the outcome through `durable` or `fail`. If the
   * encoding or `apply` throws, rethrows the error and the commit never becomes durable.
   */
  readonly write: (commit: Commit, apply: () => void) => void;
  /** Throws when nothing may be read or written at the moment. */
  readonly assertUsable?: (() => void) | undefined;
  /** Real milliseconds that an exclusive transaction may take while all others wait. */
  readonly exclusiveLimitMs?: number;
  /** Makes the table of a collection; `Table` if not given. */
  readonly tableOf?: (name: string, type: CollectionType<never>) => Table;
}

/** A full name, `<owner>.<name>`, which is also a file name. */
const NAME = /^[a-z0-9][a-z0-9-]*\.[a-z0-9][a-z0-9-]*$/i;
/** After this many conflicts a transaction runs exclusively: the others wait with their commits. */
const CONCURRENT_ATTEMPTS = 5;
const EXCLUSIVE_LIMIT_MS = 10_000;
const STOP_LIMIT_MS = 10_000;

/** The end of one run of a transaction's work: a result or an error. */
interface Ended<T> {
  readonly run: TransactionRun;
  /** Resolves when the writes are durable; undefined without writes or when they already are. */
  readonly durable?: Promise<void> | undefined;
  /** Without writes: whether everything it read becomes durable; undefined when it already is. Never rejects: it may have no listener. */
  readonly seen?: Promise<boolean> | undefined;
  readonly result?: T;
  readonly error?: { readonly thrown: unknown };
}

type Work<T> = (tx: StoreTransaction) => Promise<T> | T;

/** Collections in memory with optimistic transactions; shared by all embedded stores. */
export class Records {
  readonly #log: Logger;
  readonly #name: string;
  readonly #write: RecordsOptions['write'];
  readonly #assertUsable: (() => void) | undefined;
  readonly #exclusiveLimitMs: number;
  readonly #newTable: NonNullable<RecordsOptions['tableOf']>;
  readonly #tables = new Map<object, Table>();
  readonly #lives = new Map<object, LiveTable>();
  readonly #unsettled = new UnsettledTransactions();
  #state: Records['state'] = 'new';
  #failure: Error | undefined;
  /** Why it accepts no writes. */
  #reason: string | undefined;
  /** Set when a change of the tables was interrupted: only a restart can allow writes again. */
  #isTorn = false;
  /** Set when that change could not be rolled back either. */
  #isUnreadable = false;
  readonly #listeners: ((health: StoreHealth) => void)[] = [];
  #lastTx = 0;
  #running = 0;
  /**
   * Runs whose work has not ended. Not a set: V8 links each outgrown table of a set to the next one, so that dead ones in the old
   * generation kept later runs with their requests until the next full collection (five times the pauses per request).
   */
  readonly #open: TransactionRun[] = [];
  #whenIdle: (() => void)[] = [];
  #exclusive: Promise<void> | undefined;
  readonly #find = { table: (type: object) => this.#tableOf(type), live: (type: object) => this.#liveTableOf(type) };

  constructor({ log, name = 'the store', write, assertUsable, exclusiveLimitMs = EXCLUSIVE_LIMIT_MS, tableOf }: RecordsOptions) {
    this.#newTable = tableOf ?? ((name, type) => new Table(name, type));
    this.#log = log;
    this.#name = name;
    this.#write = write;
    this.#assertUsable = assertUsable;
    this.#exclusiveLimitMs = exclusiveLimitMs;
  }

  get state(): 'new' | 'open' | 'failed' | 'closing' | 'closed' {
    return this.#state;
  }

  get tables(): readonly Table[] {
    return [...this.#tables.values()];
  }

  get lives(): readonly LiveTable[] {
    return [...this.#lives.values()];
  }

  define<T extends object>(name: string, type: CollectionType<T>): void {
    this.#assertDefinable(name, type);
    this.#tables.set(type, this.#newTable(name, type as unknown as CollectionType<never>));
  }

  defineLive<T extends object>(name: string, type: LiveType<T>, owner: LiveOwner<T>): void {
    this.#assertDefinable(name, type);
    this.#lives.set(type, liveTable(name, type as unknown as LiveType<never>, owner as unknown as LiveOwner<never>));
  }

  #assertDefinable(name: string, type: object): void {
    if (this.#state !== 'new') throw new Error(`collection ${name} must be defined before the store starts`);
    if (!NAME.test(name)) throw new TypeError(`a collection name must be <owner>.<name> in letters, digits and dashes, not ${name}`);
    const all = [...this.tables, ...this.lives];
    if (all.some((table) => table.name.toLowerCase() === name.toLowerCase())) throw new Error(`collection ${name} is defined twice`);
    const known = this.#tables.get(type) ?? this.#lives.get(type);
    if (known) throw new Error(`collection ${name} is already defined as ${known.name}`);
  }

  /** Opens the store after transaction `lastTx`. */
  begin(lastTx: number): void {
    if (this.#state !== 'new') throw new StoreUnavailable('the store is already started');
    this.#state = 'open';
    this.#lastTx = lastTx;
  }

  /** Marks every transaction up to `tx` as durable. */
  durable(tx: number): void {
    this.#unsettled.settle(tx);
  }

  health(): StoreHealth & { readonly state: 'open' | 'failed' | 'closed' } {
    if (this.#reason !== undefined) return { state: 'failed', reason: this.#reason };
    return { state: this.#state === 'open' ? 'open' : 'closed' };
  }

  onHealth(listener: (health: StoreHealth) => void): void {
    this.#listeners.push(listener);
  }

  /** Rolls back and refuses every transaction after `lastDurable`, and accepts no more writes. Reads still work. */
  fail(error: unknown, lastDurable: number): void {
    const failure = this.#refuseWrites(error, messageOf(error));
    this.#unsettled.settle(lastDurable);
    this.#lastTx = lastDurable;
    for (const table of this.tables) table.changedBy = Math.min(table.changedBy, lastDurable);
    this.#unsettled.undo(failure);
    this.#announce();
  }

  /** @throws StoreUnavailable when only a restart allows writes again */
  assertRecoverable(): void {
    if (this.#isTorn) throw this.#failure;
  }

  /** Accepts writes again after a failure. */
  recover(): void {
    this.#failure = undefined;
    this.#reason = undefined;
    if (this.#state === 'failed') this.#state = 'open';
    this.#announce();
  }

  #refuseWrites(cause: unknown, reason: string): Error {
    const message = `${this.#name} accepts no more writes: ${reason}. Acknowledged writes are safe and readable`;
    this.#failure = new StoreUnavailable(message, { cause });
    this.#reason = reason;
    if (this.#state === 'open') this.#state = 'failed';
    this.#log.error(message, { error: cause });
    return this.#failure;
  }

  #announce(): void {
    for (const listen of this.#listeners) listen(this.health());
  }

  /** Waits for running transactions and accepts no new ones. After `limitMs` (real time) it refuses the writes of those that remain. */
  async close(limitMs = STOP_LIMIT_MS): Promise<void> {
    this.#state = 'closing';
    if (this.#running > 0) {
      let limit: NodeJS.Timeout | undefined;
      await new Promise<void>((resolve) => {
        this.#whenIdle.push(resolve);
        limit = setTimeout(resolve, limitMs);
      });
      clearTimeout(limit);
    }
    this.#state = 'closed';
    if (this.#open.length === 0) return;
    const collections = [...new Set(this.#open.flatMap((run) => run.touched))];
    const fields = { transactions: this.#open.length, collections };
    this.#log.error('transactions did not end before the store was stopped; their writes are refused', fields);
  }

  transaction<T>(work: Work<T>): Promise<T> {
    return promiseOf(this.#transaction(work));
  }

  *#transaction<T>(work: Work<T>): Steps<T> {
    if (this.#state === 'closing') throw new StoreUnavailable('the store is being stopped');
    this.#assertReadable();
    this.#running++;
    try {
      for (let tries = 0; tries < CONCURRENT_ATTEMPTS; tries++) {
        const ended = yield* this.#attempt(work, () => this.#exclusive);
        if (ended) return yield* this.#end(ended);
      }
      return yield* this.#end(yield* wait(this.#attemptExclusively(work)));
    } finally {
      // Allocates nothing unless a stop waits: a throw here would refuse a transaction that is durable.
      if (--this.#running === 0 && this.#whenIdle.length > 0) for (const idle of this.#whenIdle.splice(0)) idle();
    }
  }

  open<T extends object>(type: CollectionType<T>): OpenCollection<T> {
    return durableReads(this.#tableOf(type), this.#unsettled, () => this.#assertReadable()) as OpenCollection<T>;
  }

  /** Waits until the outcome of a transaction is durable, then runs its callbacks in the caller's async context. */
  *#end<T>({ run, durable, seen, result, error }: Ended<T>): Steps<T> {
    if (durable) yield durable;
    if (seen && !(yield seen)) throw this.#failure;
    if (error) throw error.thrown;
    this.#runCallbacks(run, 'runAfterCommit');
    return result as T;
  }

  #runCallbacks(run: TransactionRun, which: 'runOnCommit' | 'runAfterCommit'): void {
    const report = (error: unknown): void => this.#log.error('a callback after a commit failed', { error });
    try {
      run[which](report);
    } catch (error) {
      // The transaction is committed, so its caller must not get an error.
      report(error);
    }
  }

  /** Runs the work once. @returns undefined when its reads were no longer current at commit */
  *#attempt<T>(work: Work<T>, waitFor: () => Promise<void> | undefined): Steps<Ended<T> | undefined> {
    const run = new TransactionRun(this.#find);
    run.at = this.#open.push(run) - 1;
    try {
      const result = yield* wait(work(run));
      if (run.hasBeforeCommit) yield* run.runBeforeCommit();
      if (!run.isReadOnly) for (let other = waitFor() ?? run.prepare(); other; other = waitFor() ?? run.prepare()) yield other;
      if (!run.isStillValid()) return undefined;
      const durable = this.#commit(run);
      return { run, durable, seen: durable ? undefined : this.#unsettled.watch(run.sawUpTo), result };
    } catch (thrown) {
      // Its reads may mix two states; the error counts only if they do not.
      if (!run.isStillValid()) return undefined;
      return { run, seen: this.#unsettled.watch(run.sawUpTo), error: { thrown } };
    } finally {
      this.#close(run);
      run.end();
    }
  }

  /** Calls nothing, because a throw would refuse a transaction that is committed. */
  #close(run: TransactionRun): void {
    const last = this.#open[this.#open.length - 1]!;
    this.#open[run.at] = last;
    last.at = run.at;
    this.#open.length--;
  }

  async #attemptExclusively<T>(work: Work<T>): Promise<Ended<T>> {
    while (this.#exclusive) await this.#exclusive;
    let leave = () => {};
    let limit: NodeJS.Timeout | undefined;
    this.#exclusive = new Promise<void>((resolve) => (leave = resolve));
    const tooLate = new Promise<never>((_, reject) => {
      const message = `a transaction did not end within ${this.#exclusiveLimitMs / 1000} s while all others waited for it; a transaction must not await another transaction`;
      limit = setTimeout(() => reject(new TransactionConflict(message)), this.#exclusiveLimitMs);
    });
    let expired = false;
    const commitInTime = () => {
      if (expired) throw new TransactionConflict('the transaction ran longer than its time limit');
      return undefined;
    };
    try {
      const ended = await Promise.race([runSteps(this.#attempt(work, commitInTime)), tooLate]);
      if (!ended) throw new TransactionConflict(`a transaction conflicted with other writes ${CONCURRENT_ATTEMPTS + 1} times`);
      return ended;
    } finally {
      expired = true;
      clearTimeout(limit);
      this.#exclusive = undefined;
      leave();
    }
  }

  /** Applies the writes synchronously. @returns a promise of their durability; undefined when there is nothing to wait for */
  #commit(run: TransactionRun): Promise<void> | undefined {
    const writes = run.writes();
    const live = run.liveChanges;
    if (writes.length === 0 && live.length === 0) {
      this.#runCallbacks(run, 'runOnCommit');
      return undefined;
    }
    this.#assertWritable();
    for (const written of writes) {
      run.sees(written.table);
      written.assertUnique();
    }
    const tx = this.#lastTx + 1;
    const changes: Change[] = [];
    const changed: Before[] = [];
    for (const { table, rows, before } of writes) {
      for (const [key, row] of rows) {
        changed.push({ table, key, row: before(key) });
        changes.push({ collection: table.name, key, json: row?.json });
      }
    }
    for (const { change } of live) changes.push(change);
    const unsettled = new Unsettled(tx, changed);
    let isApplying = false;
    try {
      this.#write({ tx, changes }, () => {
        isApplying = true;
        this.#lastTx = tx;
        this.#unsettled.add(unsettled);
        let at = 0;
        for (const { table, rows } of writes) {
          table.changedBy = tx;
          for (const [key, row] of rows) table.replace(key, row, changed[at++]!.row);
        }
        for (const change of live) unsettled.undo.push(change.apply());
      });
    } catch (error) {
      // The encoding failed before any change: only this transaction is refused.
      throw isApplying ? this.#rollBack(unsettled, error) : error;
    }
    this.#runCallbacks(run, 'runOnCommit');
    if (!unsettled.isDurable) return unsettled.durable;
    // Runs before any reader continues, so that a reader of the writes also finds the effects of the callbacks.
    this.#runCallbacks(run, 'runAfterCommit');
    return undefined;
  }

  /** Handles a throw between the first and the last change of a table. @returns the reason for refusing the transaction */
  #rollBack(unsettled: Unsettled, error: unknown): Error {
    this.#isTorn = true;
    const failure = this.#refuseWrites(error, `${messageOf(error)} while a transaction was applied; restart the process`);
    this.#lastTx = unsettled.tx - 1;
    try {
      this.#unsettled.withdraw(unsettled);
      for (const { table } of unsettled.changed) table.changedBy = Math.min(table.changedBy, this.#lastTx);
    } catch (second) {
      this.#isUnreadable = true;
      this.#log.error('rolling back a refused transaction failed; the store cannot be read until the next start', {
        error: second,
      });
    }
    this.#announce();
    return failure;
  }

  #tableOf(type: object): Table {
    const table = this.#tables.get(type);
    if (!table) throw new Error('this collection is not defined in this store; define it before the start');
    return table;
  }

  #liveTableOf(type: object): LiveTable {
    const table = this.#lives.get(type);
    if (!table) throw new Error('this live collection is not defined in this store');
    return table;
  }

  /** Resolves when everything that has been committed so far is durable. @throws StoreUnavailable when it never will be */
  async allDurable(): Promise<void> {
    this.#assertReadable();
    const seen = this.#unsettled.watch(this.#lastTx);
    if (seen && !(await seen)) throw this.#failure;
  }

  #assertReadable(): void {
    if (this.#state === 'new') throw new StoreUnavailable('the store is not started');
    if (this.#state === 'closed') throw new StoreUnavailable('the store is stopped');
    if (this.#isUnreadable) throw this.#failure;
    this.#assertUsable?.();
  }

  #assertWritable(): void {
    this.#assertReadable();
    if (this.#failure) throw new StoreUnavailable(this.#failure.message, { cause: this.#failure.cause });
  }
}
