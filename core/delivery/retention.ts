import type { Clock } from '../ports/clock.js';
import type { Database } from '../ports/transaction.js';
import { attempts, deliveryBodies, deliveryRecords } from './delivery.js';

/** The account of what was sent is for people to look into; after this long, or behind so many newer ones, nobody does. */
const KEPT_MS = 30 * 24 * 60 * 60 * 1000;
const PAGE = 200;

/** Takes away settled deliveries that are too old or too many, with their bodies and attempts, the oldest first. */
export async function forgetOldDeliveries({ store, clock, mostKept }: { store: Database; clock: Clock; mostKept: number }): Promise<void> {
  const records = store.open(deliveryRecords);
  const old = new Date(clock.now().getTime() - KEPT_MS).toISOString();
  for (;;) {
    const surplus = (await records.count()) - mostKept;
    const oldest = await records.find('settled', { limit: PAGE });
    const forgotten = oldest.filter(({ settled_at }, i) => i < surplus || settled_at! <= old);
    if (forgotten.length === 0) return;
    await store.transaction(async (tx) => {
      for (const { uuid, settled_at } of forgotten) {
        const current = await tx.in(deliveryRecords).get(uuid);
        // Otherwise it has been started again meanwhile.
        if (current?.settled_at !== settled_at) continue;
        tx.in(deliveryRecords).delete(uuid);
        tx.in(deliveryBodies).delete(uuid);
        for (const attempt of await tx.in(attempts).find('delivery', { equals: [uuid] })) tx.in(attempts).delete(attempt.uuid);
      }
    });
  }
}
