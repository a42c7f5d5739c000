/**
 * The store keeps documents in collections and changes them in transactions: all the writes of a transaction become
 * durable together or not at all, and it resolves only when they are durable. Conflicts are found by version at commit.
 */

/** A value an index can hold. Values of unlike types are ordered null, boolean, number, string; strings by code unit. */
export type IndexValue = string | number | boolean | null;

/** The fields an index orders by, in order. A document in which one of them is undefined is not in that index. */
export type IndexFields<T> = readonly (keyof T & string)[];

/** What a collection declares. The key is a non-empty string field; documents are plain JSON. */
export interface CollectionOptions<T extends object> {
  readonly key: keyof T & string;
  /** No two documents have the same values in these fields. */
  readonly unique?: Readonly<Record<string, IndexFields<T>>>;
  readonly indexes?: Readonly<Record<string, IndexFields<T>>>;
}

/** A declared collection. Whoever holds this value can reach the documents, and nobody else can. */
export interface CollectionType<T extends object> extends CollectionOptions<T> {
  readonly _document?: T;
}

/** Declares a collection: `collection<Contact>({ key: 'uuid', unique: { address: ['number', 'address'] } })`. */
export const collection = <T extends object>(options: CollectionOptions<T>): CollectionType<T> => options;

/**
 * Which part of an index to read. A bound is a list of values for the fields that follow `equals`, and may be shorter
 * than the index: `after: [10]` leaves out every entry whose next field is 10. Entries alike in every field are ordered by
 * key, and a bound may end with a key after the last field, to go on where a page ended.
 */
export interface Range {
  /** Values of the leading fields. */
  readonly equals?: readonly IndexValue[];
  /** Inclusive lower bound. */
  readonly from?: readonly IndexValue[];
  /** Exclusive lower bound. */
  readonly after?: readonly IndexValue[];
  /** Inclusive upper bound. */
  readonly to?: readonly IndexValue[];
  /** Exclusive upper bound. */
  readonly before?: readonly IndexValue[];
  readonly order?: 'ascending' | 'descending';
  /** The most documents to return; without it all of the range. */
  readonly limit?: number;
}

/** Every read returns copies: changing one changes nothing in the store. */
export interface ReadableCollection<T extends object> {
  get(key: string): Promise<T | undefined>;
  /** The document with these values in a unique index (all of its fields). */
  getBy(index: string, values: readonly IndexValue[]): Promise<T | undefined>;
  /** The documents in a range of a unique or plain index, in its order. Never scans what is outside the range. */
  find(index: string, range?: Range): Promise<T[]>;
  /** Documents in the order of their keys. */
  list(range?: { readonly after?: string; readonly limit?: number }): Promise<T[]>;
  count(): Promise<number>;
}

/** A collection as it is read outside of transactions. */
export interface OpenCollection<T extends object> extends ReadableCollection<T> {
  /**
   * A number that is another one after every change to the collection: as long as it is the same, what was read since it was
   * is what would be read now. Undefined in a store that does not say. @throws StoreUnavailable when nothing can be read
   */
  revision?(): number;
}

/** Inside a transaction: reads see the transaction's own writes. Writes take effect when it commits. */
export interface Collection<T extends object> extends ReadableCollection<T> {
  put(document: T): void;
  delete(key: string): void;
}

/** A transaction as the store knows it: documents only. */
export interface StoreTransaction {
  in<T extends object>(type: CollectionType<T>): Collection<T>;
  /** Runs once the writes are durable, in the async context in which the transaction was begun; not at all when it fails. */
  afterCommit(run: () => void): void;
  /**
   * Runs when the transaction is committed: it can no longer conflict, and every later transaction sees it. It may not be durable
   * yet, so this is for effects that may be repeated after a crash and cannot wait for the disk. Not at all when the transaction
   * fails. In a store without it, `afterCommit` takes its place.
   */
  onCommit?(run: () => void): void;
  /**
   * Runs after `work`, still inside the transaction: for what must see how things stand at the end before it writes. Runs
   * in the order given, and what it adds runs too.
   */
  beforeCommit(run: () => Promise<void> | void): void;
}

/** Whether a store takes writes; with a reason when it does not. */
export interface StoreHealth {
  readonly state: 'open' | 'failed' | 'closed';
  /** What a person needs to know to mend it. */
  readonly reason?: string;
}

/** Where documents are kept. */
export interface Store {
  /** Makes a collection known under its full name `<owner>.<name>`, before `start`. */
  define<T extends object>(name: string, type: CollectionType<T>): void;
  /** Loads what is there. Rejects with a message that says what is wrong and what to do. */
  start(): Promise<void>;
  /**
   * Waits for what was accepted to be durable, then lets go of everything. Transactions whose work has not ended within the limit
   * (milliseconds, real time) are not waited for any longer: what they would write then is refused.
   */
  stop(limitMs?: number): Promise<void>;
  /**
   * Durable together or not at all. `work` may run again after a conflict, so it has no side effects of its own. It reads
   * the newest state, and the transaction ends only when all that it read and wrote is durable. What `work` throws counts
   * only if what it had read still holds; then nothing is written.
   * @throws UniqueViolation when two documents would share the values of a unique index
   * @throws TransactionConflict when it cannot be brought to an end
   * @throws StoreUnavailable when it writes and the store cannot
   */
  transaction<T>(work: (tx: StoreTransaction) => Promise<T> | T): Promise<T>;
  /** Reads outside a transaction see only what is durable; a read may wait for what is being written. */
  open<T extends object>(type: CollectionType<T>): OpenCollection<T>;
  /** A store that does not say counts as open. */
  health?(): StoreHealth;
  /** Hears when it stops to take writes because of a fault, and when it takes them again. */
  onHealth?(listener: (health: StoreHealth) => void): void;
  /** Takes writes again after a fault. Rejects while the fault lasts, and after one that only a restart ends; does nothing when there is none. */
  reopen?(): Promise<void>;
}

/**
 * A copy of a document with some fields changed or added: `{ ...document, ...changes }`, but where fields are added V8 does
 * that one by one in its slowest way, which costs as much as reading the document from JSON.
 */
export const withFields = <T extends object, C extends object>(document: T, changes: C): Omit<T, keyof C> & C =>
  Object.assign({}, document, changes);

const PAGE = 500;

/** Every document, in the order of their keys, a page at a time: between two pages others have their turn. */
export async function* pagesOf<T extends object>(store: Pick<Store, 'open'>, type: CollectionType<T>): AsyncGenerator<readonly T[]> {
  const records = store.open(type);
  for (let after = ''; ; ) {
    const page = await records.list({ after, limit: PAGE });
    yield page;
    if (page.length < PAGE) return;
    after = String(page.at(-1)![type.key]);
  }
}

/** The store is not started, is stopped, or takes no more writes because its disk has failed (reads go on). */
export class StoreUnavailable extends Error {
  override readonly name = 'StoreUnavailable';
}

/** A transaction met others' writes too often, or did not end while it ran alone. */
export class TransactionConflict extends Error {
  override readonly name = 'TransactionConflict';
}

/** A document with these values in a unique index exists already. */
export class UniqueViolation extends Error {
  override readonly name = 'UniqueViolation';
  readonly collection: string;
  readonly index: string;
  readonly values: readonly IndexValue[];

  constructor(collection: string, index: string, values: readonly IndexValue[]) {
    super(`${collection} already has a document with ${index} ${JSON.stringify(values)}`);
    this.collection = collection;
    this.index = index;
    this.values = values;
  }
}
