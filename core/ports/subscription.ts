import type { EventType } from './events.js';
import type { Transaction } from './transaction.js';

/** Who hears an event, as `on` and `beforeCommit` make it. */
export type Subscription = AfterCommit | BeforeCommit;

export interface AfterCommit {
  readonly event: EventType<never>;
  readonly phase: 'afterCommit';
  readonly handle: (payload: unknown) => Promise<void> | void;
}

export interface BeforeCommit {
  readonly event: EventType<never>;
  readonly phase: 'beforeCommit';
  readonly handle: (payload: unknown, tx: Transaction) => Promise<void> | void;
}

/** Runs after the event is durable. A failure is logged and harms nobody else. */
export function on<T>(type: EventType<T>, handle: (payload: T) => Promise<void> | void): Subscription {
  return { event: type as EventType<never>, phase: 'afterCommit', handle: handle as AfterCommit['handle'] };
}

/**
 * Runs inside the transaction that emits the event, so that what it writes or pushes is durable with the event or not at
 * all. It may run again after a conflict, so it only writes through `tx`. A failure fails the transaction.
 */
export function beforeCommit<T>(type: EventType<T>, handle: (payload: T, tx: Transaction) => Promise<void> | void): Subscription {
  return { event: type as EventType<never>, phase: 'beforeCommit', handle: handle as BeforeCommit['handle'] };
}
