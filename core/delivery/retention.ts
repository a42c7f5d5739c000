import type { Chunks } from '../memory/chunks.js';
import type { NewHistory } from '../memory/histories.js';
import type { History } from '../memory/history.js';
import type { Transaction } from '../ports/transaction.js';
import type { DeliverySettings } from './delivery-options.js';
import type { SettledDeliveries } from './settled-deliveries.js';
import { type AnyDelivery, type SettledDelivery, SettledEntry, settledDeliveries } from './settled-delivery.js';

const RETENTION_DAYS = 30;
/** Approximate bytes of a delivery record and one attempt record, without body and responses. */
const RECORD_BYTES = 2_000;

/** The stored settled deliveries, with their bodies and attempts. */
export type DeliveryHistory = History<SettledDelivery>;

/** Declares the history of settled deliveries: the oldest are evicted when a limit of count, age or bytes is exceeded. */
export const deliveryHistory = (
  chunks: Pick<Chunks, 'release'>,
  { kept, keptBytes }: Pick<DeliverySettings, 'kept' | 'keptBytes'>,
): NewHistory<SettledDelivery> => ({
  name: 'deliveries',
  type: settledDeliveries,
  index: 'age',
  at: ({ settled_at: at }) => at,
  bytes: ({ kept_bytes: bytes, body_bytes: ofBody = 0 }) => RECORD_BYTES + (bytes ?? ofBody),
  number: ({ number }) => number,
  wholeBy: 'number',
  limits: { count: kept, days: RETENTION_DAYS, bytes: keptBytes },
  async evict(tx, { id, content }) {
    chunks.release(tx, content?.body);
    tx.in(settledDeliveries).delete(id);
  },
});

/** Deletes the deliveries of messages that expire. */
export type MessageDeliveries = ReturnType<typeof createMessageDeliveries>;

export function createMessageDeliveries({
  settled,
  chunks,
  history,
}: {
  readonly settled: Pick<SettledDeliveries, 'find' | 'get'>;
  readonly chunks: Pick<Chunks, 'release'>;
  readonly history: Pick<DeliveryHistory, 'removed'>;
}) {
  return {
    /** By message, its deliveries. */
    async of(messages: readonly string[]): Promise<ReadonlyMap<string, readonly AnyDelivery[]>> {
      const all = messages.map(async (message) => [message, await settled.find('oldest', { message }, Number.MAX_SAFE_INTEGER)] as const);
      return new Map(await Promise.all(all));
    },

    /** Deletes the deliveries of a message. @returns false, and deletes nothing, if one of them is not settled */
    async delete(tx: Transaction, known: readonly AnyDelivery[]): Promise<boolean> {
      const current = await Promise.all(known.map(({ index }) => settled.get(tx, index.uuid)));
      const found = current.filter((entry) => entry !== undefined);
      if (!found.every((entry) => entry instanceof SettledEntry)) return false;
      for (const { document } of found) {
        history.removed(tx, document);
        chunks.release(tx, document.content?.body);
        tx.in(settledDeliveries).delete(document.id);
      }
      return true;
    },
  };
}
