import type { EventType } from './events.js';
import type { Transaction } from './transaction.js';

/** A listener for an event, created by `on` or `beforeCommit`. */
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

/** Runs `handle` after the event is durable. A failure is logged and affects nothing else. */
export function on<T>(type: EventType<T>, handle: (payload: T) => Promise<void> | void): Subscription {
  return { event: type as EventType<never>, phase: 'afterCommit', handle: handle as AfterCommit['handle'] };
}

/**
 * Runs `handle` inside the transaction that emits the event: its writes and jobs commit together with the event. `handle` may
 * run again after a conflict, so it must write only through `tx`. If it throws, the transaction fails.
 */
export function beforeCommit<T>(type: EventType<T>, handle: (payload: T, tx: Transaction) => Promise<void> | void): Subscription {
  return { event: type as EventType<never>, phase: 'beforeCommit', handle: handle as BeforeCommit['handle'] };
}
