import type { Lane, QueueDepth, Shares } from './queue.js';
import type { StoreTransaction } from './store.js';

/**
 * The outbox keeps deliveries until they are settled. A delivery is added in the transaction that records
 * its cause, so that it is pending exactly when the cause is stored. A consumer starts and settles deliveries in batches, each in one
 * transaction. Each delivery is sent at least once.
 */

/** The fields of a delivery that the outbox orders by. */
export interface OutboxRecord {
  readonly uuid: string;
  readonly number: string;
  /** The destination: deliveries to one destination share its limits of concurrency. */
  readonly webhook: string;
  /** Idempotency key within the destination. */
  readonly event: string;
  readonly state: 'queued' | 'sending' | 'retry_wait' | 'delivered' | 'cancelled' | 'dropped';
  readonly run: number;
  /** Attempts of this run that have ended. */
  readonly attempts: number;
  readonly created_at: string;
  readonly lane?: Lane | undefined;
  readonly message?: string | undefined;
  readonly conversation?: string | undefined;
  /** `strict`: the next delivery of the conversation to the destination starts when this one is settled, also if it is retried. */
  readonly order?: 'strict' | undefined;
  readonly body_bytes?: number | undefined;
  readonly kept_bytes?: number | undefined;
  readonly due_at?: string | undefined;
  /** Set while the destination is paused. */
  readonly held_at?: string | undefined;
  readonly settled_at?: string | undefined;
  readonly redelivered_at?: string | undefined;
}

/** The fields of a delivery by which it is found and counted. */
export type OutboxIndex = Pick<
  OutboxRecord,
  'uuid' | 'number' | 'webhook' | 'event' | 'message' | 'state' | 'created_at' | 'settled_at' | 'body_bytes' | 'kept_bytes'
>;

/** The fields of an attempt that the outbox reads. */
export interface OutboxAttempt {
  readonly started_at: string;
  readonly duration_ms?: number | undefined;
}

/** The place of a delivery among those of its paused destination. Kept after the release, so that the released ones keep their order. */
export interface HeldPlace {
  readonly order: number;
  /** Time since which the pause delays the delivery, ISO 8601. */
  readonly since: string;
}

/** The content of a delivery. A body that is a string is JSON text, and stored as the value that it describes. */
export interface OutboxContent {
  readonly body?: string | object;
  /** Its reader makes the body from this. Then the body is in memory only. */
  readonly of_message?: object;
}

/** A delivery in the outbox. Immutable: a change replaces it. `C` is its content, `A` an attempt. */
export interface OutboxEntry<
  R extends OutboxRecord = OutboxRecord,
  C extends OutboxContent = OutboxContent,
  A extends OutboxAttempt = OutboxAttempt,
> {
  /** `<number>/<seq>`: each journal line about the delivery names its number. */
  readonly id: string;
  /** Counts the deliveries of the platform, in their order of creation. */
  readonly seq: number;
  /** Some fields of the record. The others of a delivery that was stored before the start are read when they are needed. */
  readonly index: Pick<R, keyof OutboxIndex>;
  readonly record: R;
  readonly content: C;
  /** Attempts by `<run>.<n>`, or `<run>.<n>.<interruptions>` after an interruption, in their order. */
  readonly attempts: Readonly<Record<string, A>>;
  readonly held: HeldPlace | undefined;
}

export type OutboxOutcome = 'pending' | 'delivered' | 'cancelled' | 'dropped';

/** Selects deliveries: those of a webhook, of a number, or of a message; all if none is given. */
export interface OutboxScope {
  readonly webhook?: string | undefined;
  readonly number?: string | undefined;
  readonly message?: string | undefined;
  /** Those that have settled so, or are `pending`: not settled. All if not given. The outbox may return others too. */
  readonly outcomes?: readonly OutboxOutcome[] | undefined;
}

/** The deliveries in memory. */
export interface OutboxReader<E extends OutboxEntry> {
  readonly size: number;
  get(uuid: string): E | undefined;
  /** In the reverse order of creation, starting before the delivery with the number `before`. */
  newest(scope?: OutboxScope, before?: number): Iterable<E>;
  /** In the order of creation, starting after the delivery with the number `after`. */
  oldest(scope?: OutboxScope, after?: number): Iterable<E>;
  /** Deliveries of a paused destination, in their order. */
  held(webhook: string, limit: number): E[];
  /** Number and body bytes of unsettled deliveries, and how many of them are paused. */
  unsettled(): { readonly count: number; readonly bytes: number; readonly held: number };
  /** Number of unsettled deliveries to a destination. */
  waiting(webhook: string): number;
}

/** An attempt that has ended: its run, its number in the run from 0, and its outcome. Stored without fields that are null. */
export interface EndedAttempt<A extends OutboxAttempt> {
  readonly run: number;
  readonly n: number;
  readonly ended: A;
}

/** The change of a delivery. */
export interface OutboxChange<E extends OutboxEntry> {
  /** Its next record. */
  readonly record: E['record'];
  readonly attempt?: EndedAttempt<E['attempts'][string]> | undefined;
  /** Its place among the paused deliveries; null removes it. */
  readonly held?: HeldPlace | null;
  /** Null deletes the content. */
  readonly content?: null;
}

/** The place and the attempts of a delivery that has left the outbox. */
export type EarlierEntry<E extends OutboxEntry = OutboxEntry> = Pick<E, 'seq' | 'attempts'>;

/** The outbox inside a transaction. Reads see the transaction's own changes; a change of another transaction in between is a conflict. */
export interface OutboxTransaction<E extends OutboxEntry> {
  get(uuid: string): E | undefined;
  /** The state of a delivery of which the caller has an earlier one; undefined when it was deleted. Faster than `get`. */
  current(entry: E): E | undefined;
  ofEvent(webhook: string, event: string): E | undefined;
  /** Deliveries of a paused destination, in their order. */
  held(webhook: string, limit: number): E[];
  /** @param earlier of a delivery that was in the outbox before, and returns to its place in the order */
  add(record: E['record'], content: E['content'], earlier?: EarlierEntry<E>): E;
  change(entry: E, change: OutboxChange<E>): E;
  delete(entry: E): void;
}

/** A delivery that is due. */
export interface DueEntry<E extends OutboxEntry> {
  readonly entry: E;
  /** Milliseconds since the outbox noticed that it was due. */
  readonly waitedMs: number;
}

/** Sends deliveries. `S` is a started attempt, `O` an ended one. */
export interface OutboxConsumer<E extends OutboxEntry, S, O, Tx = StoreTransaction> {
  /** Maximum number of attempts at the same time. */
  readonly concurrency: number;
  readonly shares?: Shares;
  /** The current lane of a destination, for a delivery whose retry becomes due. */
  readonly laneOf?: (webhook: string) => Lane | undefined;
  /** Milliseconds between the starts of attempts of a destination; undefined without a limit. */
  readonly gapOf?: (destination: string) => number | undefined;
  /** Whether it can send a delivery now or later. Others stay in the outbox, for example until their plugin is loaded again. All if not given. */
  readonly sends?: (entry: E) => boolean;
  /**
   * Starts attempts, or settles or holds deliveries that may not be sent now. May run again after a conflict. @returns the started
   * attempts in the order of `due`; undefined for a delivery that is not sent, an error for one that cannot be started now
   */
  begin(tx: Tx, due: readonly DueEntry<E>[]): Promise<readonly (S | Error | undefined)[]> | readonly (S | Error | undefined)[];
  /** Sends a request. The outbox repeats the attempt after a pause if this rejects. */
  send(started: S): Promise<O>;
  /** Records the outcome of one attempt. May run again after a conflict, and without the others of its batch when one of them fails. */
  settle(tx: Tx, ended: O): Promise<void> | void;
}

/** A durable outbox. */
export interface Outbox<E extends OutboxEntry, Tx = StoreTransaction> {
  /** The outbox inside a transaction. */
  in(tx: StoreTransaction): OutboxTransaction<E>;
  /** Runs `work`, which only reads, and resolves when everything that it has read is durable. It may run again. */
  read<T>(work: (entries: OutboxReader<E>) => T): Promise<T>;
  /** The newest state, which may not be durable yet. For counters and limits only. */
  readonly newest: OutboxReader<E>;
  /** New deliveries get higher numbers than this one, also after a restart. */
  continueAfter(seq: number): void;
  /** Attaches the consumer. Call it once, before `start`. */
  consume<S, O>(consumer: OutboxConsumer<E, S, O, Tx>): void;
  /** Number of deliveries by lane. */
  depths(): QueueDepth[];
  /** Conversations to a destination whose next deliveries wait for a retry of the previous one, and the number of these deliveries. */
  blocked(destination: string): { readonly conversations: number; readonly deliveries: number };
  /** The deliveries whose next attempt becomes due first, by due time. */
  due(limit: number): { readonly at: Date; readonly entry: E }[];
  /** Starts to hand out due deliveries. */
  start(): Promise<void>;
  /** Starts no new attempts, and waits until running attempts have ended or `limitMs` (real time) has passed. */
  stop(limitMs?: number): Promise<void>;
}
