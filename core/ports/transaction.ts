import type { EventType } from './events.js';
import type { Placement, QueueType } from './queue.js';
import type { Store, StoreTransaction } from './store.js';

/** A transaction over documents, jobs and events: everything commits together or not at all. */
export interface Transaction extends StoreTransaction {
  /** Runs when the transaction has committed, in this process only and possibly before it is durable. Does not run if it fails. */
  onCommit(run: () => void): void;
  /** Queues a job that runs after the commit, even after a restart. */
  push<T>(queue: QueueType<T>, job: T, placement?: Placement): void;
  /** Removes a job from its queue. A job that already runs finishes but is not retried. */
  cancel(queue: QueueType<unknown>, id: string): void;
  /** Records an event. Handlers `beforeCommit` run inside this transaction; all others receive it after the commit. */
  emit<T>(event: EventType<T>, payload: T): void;
}

/** Starts transactions. */
export interface Transactions {
  /** Commits everything or nothing. `work` may run again after a conflict, so it must have no side effects of its own. */
  transaction<T>(work: (tx: Transaction) => Promise<T> | T): Promise<T>;
}

/** The store as every part of the platform except the adapters uses it: with jobs and events in its transactions. */
export interface Database extends Transactions {
  /** Opens a collection for reading outside of transactions. */
  readonly open: Store['open'];
}
