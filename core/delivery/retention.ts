import type { Chunks } from '../memory/chunks.js';
import type { NewRecordHistory } from '../memory/histories.js';
import type { History } from '../memory/history.js';
import type { Transaction } from '../ports/transaction.js';
import { type DeliveryEntry, type DeliveryOutbox, isSettled } from './delivery.js';
import type { DeliverySettings } from './delivery-options.js';
import { firstOf } from './delivery-slices.js';

const RETENTION_DAYS = 30;
/** Approximate bytes of a delivery record and one attempt record, without body and responses. */
const RECORD_BYTES = 2_000;

/** The stored settled deliveries, with their bodies and attempts. */
export type DeliveryHistory = History<DeliveryEntry>;

/** Declares the history of settled deliveries: the oldest are evicted when a limit of count, age or bytes is exceeded. */
export function deliveryHistory(
  { outbox, chunks }: { outbox: DeliveryOutbox; chunks: Pick<Chunks, 'release'> },
  { kept, keptBytes }: Pick<DeliverySettings, 'kept' | 'keptBytes'>,
): NewRecordHistory<DeliveryEntry> {
  return {
    name: 'deliveries',
    records: {
      async *all() {
        yield [...outbox.newest.settled()];
      },
      oldest: (limit, isHeld = () => false) => outbox.read((entries) => firstOf(without(entries.settled(), isHeld), limit)),
      current: async (tx, entry) => outbox.in(tx).current(entry),
    },
    at: ({ index }) => index.settled_at,
    bytes: ({ index: { kept_bytes, body_bytes = 0 } }) => RECORD_BYTES + (kept_bytes ?? body_bytes),
    number: ({ index }) => index.number,
    limits: { count: kept, days: RETENTION_DAYS, bytes: keptBytes },
    async evict(tx, entry) {
      chunks.release(tx, entry.content.body);
      outbox.in(tx).delete(entry);
    },
  };
}

/** Deletes the deliveries of messages that expire. */
export type MessageDeliveries = ReturnType<typeof createMessageDeliveries>;

export function createMessageDeliveries({
  outbox,
  chunks,
  history,
}: {
  readonly outbox: DeliveryOutbox;
  readonly chunks: Pick<Chunks, 'release'>;
  readonly history: Pick<DeliveryHistory, 'removed'>;
}) {
  return {
    /** By message, its deliveries. */
    async of(messages: readonly string[]): Promise<ReadonlyMap<string, readonly DeliveryEntry[]>> {
      return outbox.read((entries) => new Map(messages.map((message) => [message, [...entries.newest({ message })]])));
    },

    /** Deletes the deliveries of a message. @returns false, and deletes nothing, if one of them is not settled */
    delete(tx: Transaction, known: readonly DeliveryEntry[]): boolean {
      const current = known.flatMap((entry) => outbox.in(tx).current(entry) ?? []);
      if (current.some(({ record }) => !isSettled(record.state))) return false;
      for (const entry of current) {
        history.removed(tx, entry);
        chunks.release(tx, entry.content.body);
        outbox.in(tx).delete(entry);
      }
      return true;
    },
  };
}

function* without<T>(all: Iterable<T>, isLeftOut: (one: T) => boolean): Generator<T> {
  for (const one of all) if (!isLeftOut(one)) yield one;
}
