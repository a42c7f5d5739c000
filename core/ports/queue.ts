import type { LogFields } from './logger.js';
import type { StoreTransaction } from './store.js';
import type { TraceParent } from './tracing.js';

/** A queue says that something must happen, even after a restart; an event only says that something happened. */

/** The three priorities, the highest first. */
export const lanes = ['high', 'default', 'low'] as const;
/** Which of the three priorities a job waits in. */
export type Lane = (typeof lanes)[number];

/** A queue as `queue` declares it; `T` is the payload of its jobs, plain JSON. */
export interface QueueType<T> {
  readonly name: string;
  readonly _job?: T;
}

/** Declares a queue: `queue<{ message: string }>('journeys.answers')`. */
export const queue = <T>(name: string): QueueType<T> => ({ name });

/** When and in which order a job runs. */
export interface Placement {
  /** Not before this moment of the platform's clock, which is as far away as it is now, however that clock is set meanwhile. */
  readonly notBefore?: Date;
  /** `default` if not given. */
  readonly lane?: Lane;
  /**
   * Jobs of a queue with the same value never run at the same time, and run in the order in which they became due, whatever
   * their lanes. One that waits for its next try does not hold up those behind it.
   */
  readonly serial?: string;
  /** Jobs of a group share what the consumer allows a group, and groups of a lane take turns, so that a long one holds up nobody. */
  readonly group?: string;
  /** Goes before those of its group that are not urgent. */
  readonly urgent?: boolean;
  /**
   * Names the job within its queue: pushing the same id again replaces the job, its payload and its time. One that runs
   * goes on to its end, is not tried again, and the new one runs after it. Random if not given.
   */
  readonly id?: string;
  /** What caused it, where that is traced; the job has it again. */
  readonly trace?: TraceParent;
}

/** A job under way. */
export interface Job<T> {
  readonly id: string;
  readonly payload: T;
  /** 1 at the first try. */
  readonly attempt: number;
  /** Milliseconds for which it could have run: since it was due and the queue saw that. What it waited for its time is not in it. */
  readonly waitedMs: number;
  readonly trace?: TraceParent | undefined;
  /**
   * Completes the job in the same transaction as its effects. Without it the job is completed when the handler returns.
   * A job pushed under the same id, also in this transaction, is another job and stays.
   */
  done(tx: StoreTransaction): void;
  /**
   * Gives back its slot: what it was kept for is over, and what is left is to write it down. How long the disk takes for that
   * then does not say how many jobs a second there are. Its serial key stays busy until the handler has returned.
   */
  release(): void;
}

/** How many jobs may run at once besides the concurrency of all; no bound where nothing is said. */
export interface Shares {
  /** Of one lane. */
  readonly lane?: Readonly<Record<Lane, number>>;
  /** Of one group, while the next of them would come from this lane. */
  readonly group?: Readonly<Record<Lane, number>>;
}

/** A job that has failed in its last try. */
export type FailedJob<T> = Pick<Job<T>, 'id' | 'payload' | 'attempt'>;

/** `T` is the payload of its jobs; `Tx` what `onFailed` writes through, which is a whole transaction for consumers of plugins. */
export interface ConsumerOptions<T = unknown, Tx = StoreTransaction> {
  /** How many jobs of this queue run at once; 16 if not given. */
  readonly concurrency?: number;
  readonly shares?: Shares;
  /** Asked when a job that had to wait becomes due: the lane of its group by now. The lane it was pushed with if undefined. */
  readonly laneOf?: (group: string) => Lane | undefined;
  /** How often a job is tried before it is given up; 10 if not given. */
  readonly maxAttempts?: number;
  /** What lines of the log about one of its jobs say besides. */
  readonly logged?: (job: { readonly id: string; readonly group?: string | undefined }) => LogFields;
  /**
   * Adds to the transaction that records that a job is given up; `error` is what its last try threw. May run again after a conflict, so
   * it has no side effects of its own. When it fails, that is logged, nothing of it is written, and the job is given up without it.
   * A plugin writes the type of `tx`: `async (tx: Transaction, job, error) => {…}`.
   */
  readonly onFailed?: (tx: Tx, job: FailedJob<T>, error: unknown) => Promise<void> | void;
}

/** Who works on a queue, as `consume` makes it. */
export interface Consumer<Tx = StoreTransaction> extends ConsumerOptions<unknown, Tx> {
  readonly queue: QueueType<unknown>;
  readonly handle: (job: Job<unknown>) => Promise<void>;
  readonly concurrency: number;
}

/**
 * Says who works on a queue. A handler that throws is tried again with growing pauses; after its last try the job is kept
 * as failed, and `onFailed` is called. Jobs run at least once, so make the handler repeatable. Lanes that have work share the slots six to three to one.
 */
export function consume<T, Tx = StoreTransaction>(
  type: QueueType<T>,
  handle: (job: Job<T>) => Promise<void>,
  options: ConsumerOptions<T, Tx> = {},
): Consumer<Tx> {
  return { concurrency: 16, ...(options as ConsumerOptions<unknown, Tx>), queue: type, handle: handle as Consumer['handle'] };
}

/** Jobs of one lane of a queue: they could run now, are due later, or run. */
export interface QueueDepth {
  readonly queue: string;
  readonly lane: Lane;
  readonly ready: number;
  readonly later: number;
  readonly running: number;
}

/** Jobs that survive a restart, each run at least once. */
export interface Queue {
  push<T>(tx: StoreTransaction, type: QueueType<T>, payload: T, placement?: Placement): void;
  /** Takes a job out of its queue. One that runs goes on to its end, but is not tried again; nothing happens when there is none. */
  cancel(tx: StoreTransaction, type: QueueType<unknown>, id: string): void;
  attach(owner: string, consumer: Consumer): void;
  /** How many jobs there are, by queue and lane. */
  depths(): QueueDepth[];
  /**
   * Reads the stored jobs, so that a job that is pushed before `start` comes after them. Called once, when the store is open and before
   * plugins start; no job runs yet. A queue without it reads them in `start`.
   */
  load?(): Promise<void>;
  /** Runs jobs from now on. */
  start(): Promise<void>;
  /** Takes no new job, and waits until those that run have ended or the limit (milliseconds, real time) is over. */
  stop(limitMs?: number): Promise<void>;
}
