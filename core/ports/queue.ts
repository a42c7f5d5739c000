import type { TimerLabel } from './clock.js';
import type { LogFields } from './logger.js';
import type { StoreTransaction } from './store.js';
import type { TraceParent } from './tracing.js';

/** Push a job for work that must happen, even after a restart; emit an event to report that something happened. */

/** The three priorities, highest first. */
export const lanes = ['high', 'default', 'low'] as const;
/** The priority of a job. */
export type Lane = (typeof lanes)[number];

/** A declared queue; `T` is the payload of its jobs, plain JSON. */
export interface QueueType<T> {
  readonly name: string;
  /** Describes a delayed job for a clock that people move. */
  label?(payload: T): TimerLabel;
  readonly _job?: T;
}

/**
 * Declares a queue: `queue<{ message: string }>('journeys.answers')`. `label` says what a delayed job waits for, which a clock that can
 * be moved shows; without it, the name of the queue.
 */
export const queue = <T>(name: string, label?: (payload: T) => TimerLabel): QueueType<T> => ({ name, ...(label && { label }) });

/** When and in which order a job runs. */
export interface Placement {
  /** Not before this time of the platform's clock. The queue stores the remaining wait: later clock changes do not change it. */
  readonly notBefore?: Date;
  /** `default` if not given. */
  readonly lane?: Lane;
  /**
   * Jobs of a queue with the same serial key never run concurrently. They run in the order in which they became due, whatever
   * their lanes. A job that waits for a retry does not block those behind it.
   */
  readonly serial?: string;
  /**
   * Jobs of a group share the group's limit (`Shares.group`). The groups of a lane take turns, so that a long group does not
   * block the others.
   */
  readonly group?: string;
  /** Runs before the jobs of its group that are not urgent. */
  readonly urgent?: boolean;
  /**
   * The id of the job within its queue; random if not given. Pushing an existing id replaces the job, its payload and its time.
   * If that job is already running, it finishes and is not retried, and the new job runs after it.
   */
  readonly id?: string;
  /** The trace context of the cause; the job receives it back. */
  readonly trace?: TraceParent;
}

/** A running job. */
export interface Job<T> {
  /** The id of the job within its queue. */
  readonly id: string;
  /** The pushed value. */
  readonly payload: T;
  /** 1 for the first attempt. */
  readonly attempt: number;
  /**
   * Milliseconds from when the queue noticed that the job was due until the job started. Waiting for `notBefore` or for a retry
   * does not count.
   */
  readonly waitedMs: number;
  /** The trace context with which the job was pushed. */
  readonly trace?: TraceParent | undefined;
  /**
   * Completes the job in the same transaction as its effects. Without it the job completes when the handler returns. A job
   * pushed under the same id, even in this transaction, is a new job and stays queued.
   */
  done(tx: StoreTransaction): void;
  /**
   * Frees the job's slot. Call it when the handler only has to record its result, so that slow disk writes do not limit
   * throughput. The job's serial key stays busy until the handler returns.
   */
  release(): void;
}

/** Limits on concurrent jobs, in addition to `concurrency`. A limit that is not given does not apply. */
export interface Shares {
  /** Per lane. */
  readonly lane?: Readonly<Record<Lane, number>>;
  /** Per group; the lane of the group's next job selects the limit. */
  readonly group?: Readonly<Record<Lane, number>>;
}

/** A job whose last attempt failed. */
export type FailedJob<T> = Pick<Job<T>, 'id' | 'payload' | 'attempt'>;

/** `T` is the payload of the jobs; `Tx` is the transaction type of `onFailed`: for plugins, one with jobs and events. */
export interface ConsumerOptions<T = unknown, Tx = StoreTransaction> {
  /** Jobs of this queue that run concurrently; 16 if not given. */
  readonly concurrency?: number;
  /** Limits per lane and per group; none if not given. */
  readonly shares?: Shares;
  /**
   * Called when a delayed job becomes due, to get the current lane of its group. The job keeps its own lane if this returns
   * undefined.
   */
  readonly laneOf?: (group: string) => Lane | undefined;
  /** Attempts before the job fails permanently; 10 if not given. */
  readonly maxAttempts?: number;
  /** Fields added to log lines about a job. */
  readonly logged?: (job: { readonly id: string; readonly group?: string | undefined }) => LogFields;
  /**
   * Adds writes to the transaction that records a permanent failure; `error` is what the last attempt threw. It may run again
   * after a conflict, so it must have no side effects of its own. If it fails, the failure is logged, none of its writes are
   * kept, and the job is still recorded as failed. A plugin declares the type of `tx`:
   * `async (tx: Transaction, job, error) => {…}`.
   */
  readonly onFailed?: (tx: Tx, job: FailedJob<T>, error: unknown) => Promise<void> | void;
}

/** A handler for the jobs of a queue, created by `consume`. */
export interface Consumer<Tx = StoreTransaction> extends ConsumerOptions<unknown, Tx> {
  readonly queue: QueueType<unknown>;
  readonly handle: (job: Job<unknown>) => Promise<void>;
  readonly concurrency: number;
}

/**
 * Declares the handler of a queue. A job whose handler throws is retried with growing delays; after its last attempt it is
 * stored as failed and `onFailed` runs. Jobs run at least once, so handlers must be idempotent. The lanes `high`,
 * `default` and `low` share the slots 6:3:1 while all have queued jobs.
 */
export function consume<T, Tx = StoreTransaction>(
  type: QueueType<T>,
  handle: (job: Job<T>) => Promise<void>,
  options: ConsumerOptions<T, Tx> = {},
): Consumer<Tx> {
  return { concurrency: 16, ...(options as ConsumerOptions<unknown, Tx>), queue: type, handle: handle as Consumer['handle'] };
}

/** Number of jobs in one lane of a queue: ready to run, due later, and running. */
export interface QueueDepth {
  readonly queue: string;
  readonly lane: Lane;
  readonly ready: number;
  readonly later: number;
  readonly running: number;
}

/** Work that becomes due later, with a label that says what it does. */
export interface PendingTimer extends TimerLabel {
  readonly at: Date;
}

/** A job that is stored because it is not completed. */
export interface StoredJob {
  /** When it is due; in the past for a job that is ready or running. */
  readonly at: Date;
  /** Failed attempts, and the message of the last error. */
  readonly attempts: number;
  readonly error?: string | undefined;
  /** Whether the last attempt failed, so that the job never runs again. */
  readonly hasFailed: boolean;
}

/** A durable job queue; each job runs at least once. */
export interface Queue {
  push<T>(tx: StoreTransaction, type: QueueType<T>, payload: T, placement?: Placement): void;
  /** Removes a job from its queue. A running job finishes but is not retried. Does nothing when there is no such job. */
  cancel(tx: StoreTransaction, type: QueueType<unknown>, id: string): void;
  attach(owner: string, consumer: Consumer): void;
  /** Number of jobs by queue and lane. */
  depths(): QueueDepth[];
  /** The delayed jobs that become due first, by due time. */
  due?(limit: number): Promise<PendingTimer[]>;
  /** A job that is not completed; undefined if there is none with this id. */
  find?(type: QueueType<unknown>, id: string): Promise<StoredJob | undefined>;
  /**
   * Reads the stored jobs, so that jobs pushed before `start` run after them. Called once, when the store is open and before
   * plugins start; no job runs yet. A queue without `load` reads them in `start`.
   */
  load?(): Promise<void>;
  /** Starts to run jobs. */
  start(): Promise<void>;
  /** Starts no new jobs, and waits until running jobs have finished or `limitMs` (real time) has passed. */
  stop(limitMs?: number): Promise<void>;
}
