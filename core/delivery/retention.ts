import type { Chunks } from '../memory/chunks.js';
import type { NewRecordHistory } from '../memory/histories.js';
import type { History } from '../memory/history.js';
import type { DeliveryEntry, DeliveryOutbox } from './delivery.js';
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
      oldest: (limit) => outbox.read((entries) => firstOf(entries.settled(), limit)),
      current: async (tx, entry) => outbox.in(tx).current(entry),
    },
    at: ({ index }) => index.settled_at,
    bytes: ({ index: { kept_bytes, body_bytes = 0 } }) => RECORD_BYTES + (kept_bytes ?? body_bytes),
    limits: { count: kept, days: RETENTION_DAYS, bytes: keptBytes },
    async evict(tx, entry) {
      chunks.release(tx, entry.content.body);
      outbox.in(tx).delete(entry);
    },
  };
}
