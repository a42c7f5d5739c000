import type { EventType } from './events.js';
import type { Placement, QueueType } from './queue.js';
import type { Store, StoreTransaction } from './store.js';

/** One transaction: what it writes, pushes and emits becomes durable together or not at all. */
export interface Transaction extends StoreTransaction {
  onCommit(run: () => void): void;
  /** Something that must happen, even after a restart. */
  push<T>(queue: QueueType<T>, job: T, placement?: Placement): void;
  /** Takes a job that has not started out of its queue. */
  cancel(queue: QueueType<unknown>, id: string): void;
  /** Something that happened. Handlers before the commit run inside this transaction; it is announced after the commit. */
  emit<T>(event: EventType<T>, payload: T): void;
}

/** Where transactions begin. */
export interface Transactions {
  /** Durable together or not at all. `work` may run again after a conflict, so it has no side effects of its own. */
  transaction<T>(work: (tx: Transaction) => Promise<T> | T): Promise<T>;
}

/** The store with whole transactions: what every part of the platform but the adapters works with. */
export interface Database extends Transactions {
  readonly open: Store['open'];
}
