/**
 * The store keeps documents in collections and changes them in transactions. All writes of a transaction become durable
 * together or not at all, and the transaction resolves only when they are. Concurrency control is optimistic: conflicts are
 * found by version at commit.
 */

import type { LogLoss, ReportedLoss } from './log.js';

/** A value in an index. Order across types: null, boolean, number, string; strings by code unit. */
export type IndexValue = string | number | boolean | null;

/** The fields of an index, in order. A document in which one of them is undefined is not in the index. */
export type IndexFields<T> = readonly (keyof T & string)[];

/**
 * How the tenant of a document is found. A tenant is an account with all its numbers, or a number without an account. In a cluster,
 * everything of a tenant is in one shard, and no transaction writes documents of two tenants.
 *
 * - `number`: a field with the uuid of a number, or a function that returns it. A document without one belongs to no tenant. With
 *   `account`, this is the document of the number, and that field has its account.
 * - `account`: a field with the name of an account.
 * - `by`: a field with the key of a document of another collection, which has the same tenant.
 * - `mentions`: a field that contains keys of documents, which have the same tenant. If it contains none, the document belongs to no
 *   tenant, or with `orGlobal` to the installation.
 * - `chunk`: the document is a chunk of others, and has their tenant.
 * - `global`: the document belongs to the installation; each shard has a copy.
 */
export type TenantRule<T extends object> =
  | { readonly number: (keyof T & string) | ((document: T) => string | undefined); readonly account?: keyof T & string }
  | { readonly account: keyof T & string }
  // biome-ignore lint/suspicious/noExplicitAny: a collection of any document type
  | { readonly by: readonly [field: keyof T & string, CollectionType<any>] }
  | { readonly mentions: keyof T & string; readonly orGlobal?: true }
  | { readonly chunk: true }
  | { readonly global: true };

/** Declares a collection. The key is a non-empty string field; documents are plain JSON. */
export interface CollectionOptions<T extends object> {
  /** The field with the key of a document. */
  readonly key: keyof T & string;
  /** Without it, a platform runs, but its data cannot be distributed over several shards. */
  readonly tenant?: TenantRule<T>;
  /** No two documents have the same values in these fields. */
  readonly unique?: Readonly<Record<string, IndexFields<T>>>;
  /** The fields of each index, in order; `find` takes the name of the index. */
  readonly indexes?: Readonly<Record<string, IndexFields<T>>>;
  /** The name under which existing data folders have the documents, if it is not `<plugin>.<name>`: for a collection that had another owner. */
  readonly storedAs?: string;
  /**
   * Older documents stay on disk and are read when they are needed, by a store that can do so. `after` is how many milliseconds a document stays
   * in memory after the store has merged its latest change into its files, which takes minutes; 0 for no longer than that.
   */
  readonly cold?: { readonly after: number };
  /** Settings without personal data: the fields whose values before and after a change an audit record has, such as `['name', 'url']`. */
  readonly audited?: readonly (keyof T & string)[];
}

/** A declared collection. Only code that has this value can access the documents. */
export interface CollectionType<T extends object> extends CollectionOptions<T> {
  readonly _document?: T;
}

/** Declares a collection: `collection<Contact>({ key: 'uuid', unique: { address: ['number', 'address'] } })`. */
export const collection = <T extends object>(options: CollectionOptions<T>): CollectionType<T> => options;

/**
 * A range of an index. A bound lists values for the fields that follow `equals`, and may be shorter than the index:
 * `after: [10]` excludes every entry whose next field is 10. Entries with equal fields are ordered by key. To continue after the last
 * entry of a page, give a bound that ends with its key after the last field.
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
  /** `ascending` if not given. */
  readonly order?: 'ascending' | 'descending';
  /** Maximum number of documents; unlimited if not given. */
  readonly limit?: number;
}

/** Reads return copies: changing one does not change the store. */
export interface ReadableCollection<T extends object> {
  /** The document with this key; undefined if there is none. */
  get(key: string): Promise<T | undefined>;
  /** The document with these values in a unique index. Values for all fields of the index are required. */
  getBy(index: string, values: readonly IndexValue[]): Promise<T | undefined>;
  /** The documents in a range of a unique or plain index, in index order. Reads only that range. */
  find(index: string, range?: Range): Promise<T[]>;
  /** Documents in the order of their keys. */
  list(range?: { readonly after?: string; readonly limit?: number }): Promise<T[]>;
  /** The number of documents. */
  count(): Promise<number>;
  /**
   * A value that is the same (`===`) as long as the document has not changed, for callers that keep what they derived from it. Undefined if
   * there is no document, and outside transactions also while a change of it is not durable yet. A store may lack this method.
   */
  version?(key: string): unknown;
}

/** A collection read outside transactions. */
export interface OpenCollection<T extends object> extends ReadableCollection<T> {
  /**
   * A number that differs after every change to the collection: while it is equal, a previous read is still current. A store
   * without this method cannot tell.
   * @throws StoreUnavailable when the store cannot be read
   */
  revision?(): number;
}

/** A collection inside a transaction. Reads see the transaction's own writes; writes take effect at commit. */
export interface Collection<T extends object> extends ReadableCollection<T> {
  /**
   * As `get`, but the document is shared by all callers, and frozen. For documents that are read often; a store may lack this method.
   * A promise only in a collection with `cold`, for a document that may be on disk.
   */
  peek?(key: string): Promise<T | undefined> | T | undefined;
  /** As `getBy`, like `peek`. */
  peekBy?(index: string, values: readonly IndexValue[]): Promise<T | undefined> | T | undefined;
  /** Whether a document may have this value in the first field of an index; false is certain. Fast, and not a read: no change is a conflict. */
  mayHave?(index: string, value: IndexValue): boolean;
  /** As `find`, like `peek`. */
  peekAll?(index: string, range?: Range): Promise<readonly T[]> | readonly T[];
  /**
   * Creates or replaces a document. Freeze it, with the objects in it, to let `peek` return this object instead of parsing it.
   * @param json the document as JSON, if the caller has it. `document` then needs the key and the fields of indexes only, and is not checked
   */
  put(document: T, json?: string): void;
  /** Deletes the document with this key. Does nothing if there is none. */
  delete(key: string): void;
}

/**
 * A collection whose documents live as objects of their owner instead of JSON in the store: for records that change often and are
 * read rarely. On disk it is a collection like any other; a change can be a patch of a document. A store without `defineLive` keeps
 * it as a plain collection (see `core/adapters/store/live-over-store.ts`).
 */
export interface LiveType<T extends object> {
  readonly key: keyof T & string;
  /** Reads the key only. */
  readonly tenant?: TenantRule<T>;
  readonly _document?: T;
}

/** Declares a live collection. */
export const liveCollection = <T extends object>(key: keyof T & string, tenant?: TenantRule<T>): LiveType<T> => ({
  key,
  ...(tenant && { tenant }),
});

/** A JSON merge patch (RFC 7396): null removes a field, objects merge, everything else replaces. */
export type MergePatch = Readonly<Record<string, unknown>>;

/** JSON of a stored document, or of a list of a document and merge patches, within a buffer. */
export interface StoredText {
  readonly bytes: Buffer;
  readonly start: number;
  readonly end: number;
}

/**
 * Keeps the documents of a live collection. The store calls it at start for everything on disk, then for each change when its
 * transaction commits, in the order of commits. Each method returns what undoes the change, for a transaction that the disk
 * refuses; changes are undone newest first. None of them may throw.
 */
export interface LiveOwner<T extends object> {
  put(document: T): () => void;
  /**
   * Puts a document of a snapshot at the start, as it is stored. `parse` gives the document of such a text. The bytes do not change later,
   * so the owner may keep them. `put` gets the parsed document if this is not given.
   */
  load?(text: StoredText, parse: (json: string) => object): void;
  patch(key: string, patch: MergePatch): () => void;
  delete(key: string): () => void;
  /** All documents: each a function that gives the JSON as of the call of `documents`. A store over a log needs it for its snapshots. */
  documents?(): readonly { readonly key: string; readonly toJson: () => string }[];
}

/** Changes of a live collection in a transaction. The owner learns of them at the commit. */
export interface LiveWrites<T extends object> {
  /** @param json the document as JSON, if the caller has it */
  put(document: T, json?: string): void;
  /** The document must exist. @param json the patch as JSON, if the caller has it */
  patch(key: string, patch: MergePatch, json?: string): void;
  delete(key: string): void;
  /** Runs the transaction's work again when the condition does not hold at the commit: the owner's objects have changed meanwhile. */
  expect(holds: () => boolean): void;
  /** For the owner: whatever it keeps about the transaction. Undefined at first. */
  state?: unknown;
}

/** A transaction of the store, which knows documents only. */
export interface StoreTransaction {
  /** The documents of a collection, as this transaction sees and changes them. */
  in<T extends object>(type: CollectionType<T>): Collection<T>;
  /** Runs once the writes are durable, in the async context that started the transaction. Does not run if it fails. */
  afterCommit(run: () => void): void;
  /**
   * Runs when the transaction has committed: it can no longer conflict, and every later transaction sees it, but it may not be
   * durable yet. Use it for effects that may repeat after a crash and cannot wait for the disk. Does not run if the transaction
   * fails. A store without this method runs the callbacks like those of `afterCommit`.
   */
  onCommit?(run: () => void): void;
  /** In a store without it, `liveOverStore` adds it. */
  live?<T extends object>(type: LiveType<T>): LiveWrites<T>;
  /**
   * Allows this transaction to write documents of several tenants: for work on whatever a shard has, such as a batch of deliveries, and for work
   * on the whole installation, which a cluster refuses. Only in a store that checks it.
   */
  acrossTenants?(): void;
  /**
   * Runs after `work`, inside the transaction, for code that needs its final state before it writes. Callbacks run in the order
   * in which they were added, including those added by other callbacks.
   */
  beforeCommit(run: () => Promise<void> | void): void;
}

/**
 * Whether the store accepts writes, and why not. `waiting`: it writes as soon as its log is back, and callers wait. `standby`: another
 * process owns the data.
 */
export interface StoreHealth {
  readonly state: 'open' | 'waiting' | 'standby' | 'failed' | 'closed';
  /** For the operator: what is wrong and how to fix it. */
  readonly reason?: string;
  /** Files with documents that could not be read since the start; all others can. The store works meanwhile. */
  readonly damaged?: readonly DamagedFile[];
}

/** A file whose damage a read has found: where it is, and what the operator can do. */
export interface DamagedFile {
  readonly file: string;
  readonly damage: string;
  readonly fix: string;
}

/** The part of a store that several processes share. One of them owns the data; the others are standbys. */
export interface Ownership {
  /**
   * Why this process must not respond from the data: it does not own them, or could not confirm for some seconds that it does. Undefined
   * while it may.
   */
  refusal(): string | undefined;
  /** Calls the listener when `refusal` begins to return a reason in a process that owned the data: calls in progress must not respond. */
  onRefusal(listener: (reason: string) => void): void;
  /** Calls the listener when the process becomes a standby. `start` of the store then resolves when the process takes over. */
  onStandby(listener: () => void): void;
  /** Ends a wait as a standby: `start` rejects. */
  interrupt(): void;
}

/** The reports that operators get when the log of a store has lost transactions. */
export interface StoreLosses {
  /** The losses of all shards, newest first. @throws LogUnreachable */
  list(): Promise<readonly ReportedLoss[]>;
  /** An operator has seen a loss. @returns false when there is none with this id @throws LogUnreachable */
  confirm(id: string): Promise<boolean>;
  /** Calls the listener when this process finds a loss. */
  onLoss(listener: (loss: LogLoss) => void): void;
}

/** Stores documents. */
export interface Store {
  /** Only in a store whose database may fail over to a replica, or be restored from a backup. */
  readonly losses?: StoreLosses;
  /** Only in a store that several processes share. */
  readonly ownership?: Ownership;
  /** Registers a collection as `<owner>.<name>`. Call it before `start`. */
  define<T extends object>(name: string, type: CollectionType<T>): void;
  /** Makes a live collection known with its owner, before `start`. */
  defineLive?<T extends object>(name: string, type: LiveType<T>, owner: LiveOwner<T>): void;
  /** Resolves when everything that has been committed so far is durable. @throws StoreUnavailable when it never will be */
  durable?(): Promise<void>;
  /** Loads the stored data. Rejects with a message that says what is wrong and what to do. */
  start(): Promise<void>;
  /** Waits until writes are durable, then releases all resources. Transactions that run longer than `limitMs` (real time) cannot write. */
  stop(limitMs?: number): Promise<void>;
  /**
   * Runs `work` and commits its writes, all or nothing. `work` may run again after a conflict, so it must have no side effects
   * of its own. It reads the newest state; the transaction resolves only when everything it read and wrote is durable. An error
   * that `work` throws rejects the transaction only if its reads are still current; otherwise `work` runs again.
   * @throws UniqueViolation when two documents would have the same values in a unique index
   * @throws TransactionConflict when conflicts persist or the transaction does not end
   * @throws StoreUnavailable when it writes and the store accepts no writes
   */
  transaction<T>(work: (tx: StoreTransaction) => Promise<T> | T): Promise<T>;
  /** Reads outside a transaction see only durable data. A read may wait for a write in progress. */
  open<T extends object>(type: CollectionType<T>): OpenCollection<T>;
  /** A store without this method counts as open. */
  health?(): StoreHealth;
  /** Bytes outside the heap that documents on disk take: those read lately, and filters. 65 % of them count like bytes of the heap. */
  offHeapBytes?(): number;
  /** Moves documents from memory to disk, if there are enough of them. Called while memory is short. @returns whether it has moved some */
  freeMemory?(): Promise<boolean>;
  /** Calls the listener when a fault stops writes, and when the store accepts writes again. */
  onHealth?(listener: (health: StoreHealth) => void): void;
  /** Accepts writes again after a fault; does nothing without one. Rejects while the fault lasts or if only a restart can fix it. */
  reopen?(): Promise<void>;
  /** Removes deleted documents and earlier versions from all files, with the next compaction or `now`; from a log with a second call. */
  purge?(now: boolean): Promise<void>;
}

/** A copy with fields changed or added. To `{ ...document, ...changes }` V8 adds fields one by one, which costs as much as parsing. */
export const withFields = <T extends object, C extends object>(document: T, changes: C): Omit<T, keyof C> & C =>
  Object.assign({}, document, changes);

/** Reads a document that the caller will not change. @returns a promise only if the store has no `peek`, or the document may be on disk */
export function peek<T extends object>(
  tx: Pick<StoreTransaction, 'in'>,
  type: CollectionType<T>,
  key: string,
): Promise<T | undefined> | T | undefined {
  const records = tx.in(type);
  return records.peek ? records.peek(key) : records.get(key);
}

/** As `peek`, for the document with these values in a unique index. */
export function peekBy<T extends object>(
  tx: Pick<StoreTransaction, 'in'>,
  type: CollectionType<T>,
  index: string,
  values: readonly IndexValue[],
): Promise<T | undefined> | T | undefined {
  const records = tx.in(type);
  return records.peekBy ? records.peekBy(index, values) : records.getBy(index, values);
}

/** As `peek`, for the documents in a range of an index. */
export function peekAll<T extends object>(
  tx: Pick<StoreTransaction, 'in'>,
  type: CollectionType<T>,
  index: string,
  range: Range,
): Promise<readonly T[]> | readonly T[] {
  const records = tx.in(type);
  return records.peekAll ? records.peekAll(index, range) : records.find(index, range);
}

const PAGE = 500;

/** All documents in the order of their keys, in pages; other work runs between two pages. */
export async function* pagesOf<T extends object>(
  store: Pick<Store, 'open'>,
  type: CollectionType<T>,
  limit = PAGE,
): AsyncGenerator<readonly T[]> {
  const records = store.open(type);
  for (let after = ''; ; ) {
    const page = await records.list({ after, limit });
    yield page;
    if (page.length < limit) return;
    after = String(page.at(-1)![type.key]);
  }
}

/** The store is not started, is stopped, or accepts no writes after a disk failure (reads still work). */
export class StoreUnavailable extends Error {
  override readonly name = 'StoreUnavailable';
}

/** A transaction conflicted too often, or did not end while it ran alone. */
export class TransactionConflict extends Error {
  override readonly name = 'TransactionConflict';
}

/** A document of a collection with `cold` cannot be read from its file. All others can. */
export class DocumentDamaged extends Error {
  override readonly name = 'DocumentDamaged';
  readonly file: string;
  readonly damage: string;

  constructor(file: string, damage: string) {
    super(`${file}: ${damage}. Other documents can be read`);
    this.file = file;
    this.damage = damage;
  }
}

/** A document with these values in a unique index already exists. */
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
