import { type Chunks, createChunks } from '../memory/chunks.js';
import { createHistories, type NewHistory } from '../memory/histories.js';
import type { History } from '../memory/history.js';
import type { Clock } from '../ports/clock.js';
import type { Database } from '../ports/transaction.js';
import { attempts, type DeliveryRecord, deliveryBodies, deliveryRecords } from './delivery.js';
import type { DeliverySettings } from './delivery-options.js';

const RETENTION_DAYS = 30;
/** Approximate bytes of a delivery record and one attempt record, without body and responses. */
const RECORD_BYTES = 2_000;

/** The stored settled deliveries, with their bodies and attempts. */
export type DeliveryHistory = History<DeliveryRecord>;

/** Declares the history of settled deliveries: the oldest are evicted when a limit of count, age or bytes is exceeded. */
export function deliveryHistory(
  chunks: Pick<Chunks, 'release'>,
  { kept, keptBytes }: Pick<DeliverySettings, 'kept' | 'keptBytes'>,
): NewHistory<DeliveryRecord> {
  return {
    name: 'deliveries',
    type: deliveryRecords,
    index: 'settled',
    at: ({ settled_at }) => settled_at,
    bytes: ({ kept_bytes, body_bytes = 0 }) => RECORD_BYTES + (kept_bytes ?? body_bytes),
    limits: { count: kept, days: RETENTION_DAYS, bytes: keptBytes },
    async evict(tx, { uuid }) {
      chunks.release(tx, (await tx.in(deliveryBodies).get(uuid))?.body);
      tx.in(deliveryRecords).delete(uuid);
      tx.in(deliveryBodies).delete(uuid);
      for (const attempt of await tx.in(attempts).find('delivery', { equals: [uuid] })) tx.in(attempts).delete(attempt.uuid);
    },
  };
}

/** Evicts once, in a store that no running platform uses. */
export async function evictOldDeliveries({ store, clock, maxKept }: { store: Database; clock: Clock; maxKept: number }): Promise<void> {
  const histories = createHistories({ store, clock, log: { error: () => undefined } }, { maxBytes: Number.POSITIVE_INFINITY });
  const history = histories.create(deliveryHistory(createChunks({ store }), { kept: maxKept }));
  await history.load();
  await history.evict();
}
