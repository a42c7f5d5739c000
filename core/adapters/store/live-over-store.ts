import {
  type CollectionType,
  collection,
  type LiveOwner,
  type LiveType,
  type LiveWrites,
  type MergePatch,
  type OpenCollection,
  pagesOf,
  type Store,
  type StoreTransaction,
  StoreUnavailable,
  TransactionConflict,
} from '../../ports/store.js';
import type { Change } from './commit.js';
import { mergePatch } from './files/merge-patch.js';
import { type LiveTable, LiveView, liveTable } from './tables/live-table.js';
import { Turns } from './turns.js';

type LiveStore = Store & Required<Pick<Store, 'defineLive' | 'durable'>>;
type Document = Readonly<Record<string, unknown>>;

/** A live collection, and the plain collection that keeps its documents. */
interface Kept {
  readonly table: LiveTable;
  readonly documents: CollectionType<Document>;
}

/** After this many runs a transaction runs alone: other transactions with live collections wait until it has ended. */
const CONCURRENT_RUNS = 5;
const STOP_LIMIT_MS = 10_000;

/**
 * Adds live collections to a store that has none, such as that of a host application: it keeps them as plain collections, and their
 * owners get a change once it is durable. Transactions with live collections commit one after the other.
 */
export function liveOverStore(store: Store): LiveStore {
  return new LiveOverStore(store);
}

class LiveOverStore implements LiveStore {
  readonly #store: Store;
  readonly #kept = new Map<object, Kept>();
  readonly #turns = new Turns();
  readonly #running = new Set<Promise<unknown>>();
  #isStopping = false;
  readonly health?: NonNullable<Store['health']>;
  readonly offHeapBytes?: NonNullable<Store['offHeapBytes']>;
  readonly freeMemory?: NonNullable<Store['freeMemory']>;
  readonly onHealth?: NonNullable<Store['onHealth']>;
  readonly reopen?: NonNullable<Store['reopen']>;

  constructor(store: Store) {
    this.#store = store;
    if (store.health) this.health = () => store.health!();
    if (store.offHeapBytes) this.offHeapBytes = () => store.offHeapBytes!();
    if (store.freeMemory) this.freeMemory = () => store.freeMemory!();
    if (store.onHealth) this.onHealth = (listener) => store.onHealth!(listener);
    if (store.reopen) this.reopen = () => store.reopen!();
  }

  define<T extends object>(name: string, type: CollectionType<T>): void {
    this.#store.define(name, type);
  }

  defineLive<T extends object>(name: string, type: LiveType<T>, owner: LiveOwner<T>): void {
    const known = this.#kept.get(type);
    if (known) throw new Error(`collection ${name} is already defined as ${known.table.name}`);
    const documents = collection<Document>({ key: type.key });
    this.#store.define(name, documents);
    this.#kept.set(type, { documents, table: liveTable(name, type as unknown as LiveType<never>, owner as unknown as LiveOwner<never>) });
  }

  async start(): Promise<void> {
    await this.#store.start();
    for (const { documents, table } of this.#kept.values())
      for await (const page of pagesOf(this.#store, documents)) for (const document of page) table.owner.put(document);
  }

  /** Waits for running transactions first: when one of them has to run again, the store must still accept it. */
  async stop(limitMs = STOP_LIMIT_MS): Promise<void> {
    this.#isStopping = true;
    const began = performance.now();
    let limit: NodeJS.Timeout | undefined;
    const tooLate = new Promise<void>((resolve) => (limit = setTimeout(resolve, limitMs)));
    await Promise.race([Promise.allSettled(this.#running), tooLate]);
    clearTimeout(limit);
    await this.#store.stop(Math.max(0, limitMs - (performance.now() - began)));
  }

  open<T extends object>(type: CollectionType<T>): OpenCollection<T> {
    return this.#store.open(type);
  }

  /** Owners have durable changes only. */
  async durable(): Promise<void> {}

  async transaction<T>(work: (tx: StoreTransaction) => Promise<T> | T): Promise<T> {
    if (this.#isStopping) throw new StoreUnavailable('the store is being stopped');
    const running = this.#run(work);
    this.#running.add(running);
    try {
      return await running;
    } finally {
      this.#running.delete(running);
    }
  }

  /** Runs the work again when the store's transaction ended because an expectation did not hold. */
  async #run<T>(work: (tx: StoreTransaction) => Promise<T> | T): Promise<T> {
    for (let runs = 1; ; runs++) {
      const turn = {};
      try {
        if (runs > CONCURRENT_RUNS) await this.#turns.wait(turn);
        return await this.#once(work, () => this.#turns.wait(turn));
      } catch (error) {
        if (!(error instanceof ConditionFailed)) throw error;
        if (runs > CONCURRENT_RUNS) throw new TransactionConflict(`a transaction conflicted with other writes ${runs} times`);
      } finally {
        this.#turns.end(turn);
      }
    }
  }

  /** Runs the work in one transaction of the store, which may run it again. @throws ConditionFailed when an expectation does not hold */
  async #once<T>(work: (tx: StoreTransaction) => Promise<T> | T, wait: () => Promise<void>): Promise<T> {
    return this.#store.transaction(async (tx) => {
      const run = new LiveRun(tx, (type) => this.#keptAs(type));
      try {
        const result = await work(run);
        await run.runBeforeCommit();
        if (!run.hasLiveWork) return result;
        // Until the transaction has settled, no other changes what the conditions have read.
        await wait();
        if (!run.isStillValid()) throw new ConditionFailed();
        await run.write();
        return result;
      } catch (error) {
        // The error may follow from objects that have changed meanwhile.
        throw run.isStillValid() ? error : new ConditionFailed();
      } finally {
        run.end();
      }
    });
  }

  #keptAs(type: object): Kept {
    const kept = this.#kept.get(type);
    if (!kept) throw new Error('this live collection is not defined in this store');
    return kept;
  }
}

/** An expectation of a transaction does not hold: its work runs again. */
class ConditionFailed extends Error {}

/** One run of a transaction's work. */
class LiveRun implements StoreTransaction {
  readonly #tx: StoreTransaction;
  readonly #keptAs: (type: object) => Kept;
  readonly #views = new Map<object, { readonly view: LiveView; readonly kept: Kept }>();
  readonly #beforeCommit: (() => Promise<void> | void)[] = [];
  #isApplied = false;
  #hasEnded = false;

  constructor(tx: StoreTransaction, keptAs: (type: object) => Kept) {
    this.#tx = tx;
    this.#keptAs = keptAs;
  }

  in: StoreTransaction['in'] = (type) => this.#tx.in(type);

  live<T extends object>(type: LiveType<T>): LiveWrites<T> {
    this.#assertOpen();
    let known = this.#views.get(type);
    if (!known) {
      const kept = this.#keptAs(type);
      known = { kept, view: new LiveView(type, kept.table, () => this.#assertOpen()) };
      this.#views.set(type, known);
    }
    return known.view as unknown as LiveWrites<T>;
  }

  /** Callbacks find the owners with the changes of the transaction. */
  afterCommit(run: () => void): void {
    this.#tx.afterCommit(() => {
      this.#apply();
      run();
    });
  }

  beforeCommit(run: () => Promise<void> | void): void {
    this.#assertOpen();
    this.#beforeCommit.push(run);
  }

  async runBeforeCommit(): Promise<void> {
    for (const run of this.#beforeCommit) await run();
  }

  get hasLiveWork(): boolean {
    return this.#views.size > 0;
  }

  isStillValid(): boolean {
    return [...this.#views.values()].every(({ view }) => view.isStillValid());
  }

  /** Writes the changes to the plain collections. */
  async write(): Promise<void> {
    for (const { view, kept } of this.#views.values()) for (const { change } of view.changes) await this.#writeOne(kept, change);
    this.#tx.afterCommit(() => this.#apply());
  }

  async #writeOne({ documents, table }: Kept, { key, json, patch }: Change): Promise<void> {
    const writes = this.#tx.in(documents);
    if (json !== undefined) return writes.put(JSON.parse(json) as Document);
    if (patch === undefined) return writes.delete(key);
    const before = await writes.get(key);
    if (!before) throw new Error(`${table.name} has no document ${key} to patch`);
    writes.put(mergePatch(before, JSON.parse(patch) as MergePatch) as Document);
  }

  #apply(): void {
    if (this.#isApplied) return;
    this.#isApplied = true;
    for (const { view } of this.#views.values()) for (const change of view.changes) change.apply();
  }

  /** Later changes throw. */
  end(): void {
    this.#hasEnded = true;
  }

  #assertOpen(): void {
    if (this.#hasEnded) throw new Error('the transaction has ended: await all its operations inside its work');
  }
}
