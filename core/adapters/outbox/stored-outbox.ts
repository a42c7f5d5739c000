import type { Clock } from '../../ports/clock.js';
import type { Logger } from '../../ports/logger.js';
import type { Outbox, OutboxConsumer, OutboxEntry, OutboxReader, OutboxTransaction } from '../../ports/outbox.js';
import type { QueueDepth } from '../../ports/queue.js';
import { liveCollection, type Store, type StoreTransaction, StoreUnavailable } from '../../ports/store.js';
import { Batches, type Transact } from './batches.js';
import { Entries } from './entries.js';
import { type Entry, numberOf, type Slot } from './entry.js';
import { OutboxView } from './outbox-view.js';

/** Documents of deliveries, stored as `core.outbox`. */
export const outboxEntries = liveCollection<Entry>('id', { number: ({ id }) => numberOf(id) });

export interface StoredOutboxOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Logger;
  /** Starts the transactions of the consumer, which may add jobs and events. */
  readonly transaction: Transact;
}

/** An outbox whose deliveries are objects in memory; the store keeps them in its journal and in its snapshots. */
export class StoredOutbox implements Outbox<OutboxEntry> {
  readonly #store: Store;
  readonly #entries = new Entries();
  readonly #batches: Batches;
  readonly #changed = (slot: Slot, entry: Entry | undefined, uuid: string) => this.#batches.changed(slot, entry, uuid);

  constructor({ store, clock, log, transaction }: StoredOutboxOptions) {
    this.#store = store;
    this.#batches = new Batches({ entries: this.#entries, clock, log, transaction });
    store.defineLive!('core.outbox', outboxEntries, this.#entries);
  }

  in(tx: StoreTransaction): OutboxTransaction<OutboxEntry> {
    const writes = tx.live!(outboxEntries);
    if (writes.state) return writes.state as OutboxView;
    const view = new OutboxView(this.#entries, writes);
    writes.state = view;
    // Only durable deliveries are sent: until then the cause of one may be withdrawn.
    tx.afterCommit(() => view.eachChanged(this.#changed));
    // Deliveries that a release queues again are durable, and must precede those that become due after the release.
    if (tx.onCommit) tx.onCommit(() => view.eachReleased(this.#changed));
    return view;
  }

  async read<T>(work: (entries: OutboxReader<OutboxEntry>) => T): Promise<T> {
    const found = work(this.#entries);
    try {
      await this.#store.durable!();
      return found;
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error;
    }
    // The store has withdrawn changes that `work` may have read.
    const again = work(this.#entries);
    await this.#store.durable!();
    return again;
  }

  continueAfter(seq: number): void {
    this.#entries.continueAfter(seq);
  }

  get newest(): OutboxReader<OutboxEntry> {
    return this.#entries;
  }

  consume<S, O>(consumer: OutboxConsumer<OutboxEntry, S, O>): void {
    this.#batches.consumer = consumer as OutboxConsumer<OutboxEntry, unknown, unknown>;
  }

  depths(): QueueDepth[] {
    return this.#batches.depths();
  }

  due(limit: number): { readonly at: Date; readonly entry: OutboxEntry }[] {
    return this.#batches.due(limit);
  }

  blocked(destination: string): { readonly conversations: number; readonly deliveries: number } {
    return this.#batches.blocked(destination);
  }

  async start(): Promise<void> {
    this.#batches.start();
  }

  stop(limitMs?: number): Promise<void> {
    return this.#batches.stop(limitMs);
  }
}
