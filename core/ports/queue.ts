import type { StoreTransaction } from './store.js';

/** A queue says that something must happen, even after a restart; an event only says that something happened. */

/** Which of the three priorities a job waits in. */
export type Lane = 'high' | 'default' | 'low';

export interface QueueType<T> {
  readonly name: string;
  readonly _job?: T;
}

/** Declares a queue: `queue<{ message: string }>('journeys.answers')`. */
export const queue = <T>(name: string): QueueType<T> => ({ name });

export interface Placement {
  /** Not before this moment of the platform's clock. */
  readonly notBefore?: Date;
  /** `default` if not given. */
  readonly lane?: Lane;
  /**
   * Jobs of a queue with the same value never run at the same time, and run in the order in which they became due, whatever
   * their lanes. One that waits for its next try does not hold up those behind it.
   */
  readonly serial?: string;
  /**
   * Names the job within its queue: pushing the same id again replaces the job, its payload and its time. One that runs
   * goes on to its end, is not tried again, and the new one runs after it. Random if not given.
   */
  readonly id?: string;
}

export interface Job<T> {
  readonly id: string;
  readonly payload: T;
  /** 1 at the first try. */
  readonly attempt: number;
  /**
   * Completes the job in the same transaction as its effects. Without it the job is completed when the handler returns.
   * A job pushed under the same id, also in this transaction, is another job and stays.
   */
  done(tx: StoreTransaction): void;
}

export interface Consumer {
  readonly queue: QueueType<unknown>;
  readonly handle: (job: Job<unknown>) => Promise<void>;
  /** How many jobs of this queue run at once. */
  readonly concurrency: number;
}

/**
 * Says who works on a queue. A handler that throws is tried again with growing pauses, ten times in all; then the job is
 * kept as failed. Jobs run at least once, so make the handler repeatable.
 */
export function consume<T>(type: QueueType<T>, handle: (job: Job<T>) => Promise<void>, options: { concurrency?: number } = {}): Consumer {
  return { queue: type, handle: handle as Consumer['handle'], concurrency: options.concurrency ?? 16 };
}

/** Jobs of one lane of a queue: they could run now, are due later, or run. */
export interface QueueDepth {
  readonly queue: string;
  readonly lane: Lane;
  readonly ready: number;
  readonly later: number;
  readonly running: number;
}

export interface Queue {
  push<T>(tx: StoreTransaction, type: QueueType<T>, payload: T, placement?: Placement): void;
  /** Takes a job out of its queue. One that runs goes on to its end, but is not tried again; nothing happens when there is none. */
  cancel(tx: StoreTransaction, type: QueueType<unknown>, id: string): void;
  attach(owner: string, consumer: Consumer): void;
  /** How many jobs there are, by queue and lane. */
  depths(): QueueDepth[];
  start(): Promise<void>;
  /** Takes no new job, and waits until those that run have ended or the limit (milliseconds, real time) is over. */
  stop(limitMs?: number): Promise<void>;
}
