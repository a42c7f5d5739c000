import type { ChunkedText } from '../memory/chunks.js';
import { queue } from '../ports/queue.js';
import { collection } from '../ports/store.js';
import type { Database, Transaction } from '../ports/transaction.js';
import {
  type AttemptRecord,
  type DeliveryContent,
  type DeliveryOutbox,
  type DeliveryRecord,
  isSettled,
  type MediaLink,
  type StoredAttempt,
} from './delivery.js';
import { changedRecord, deliveryRecord } from './delivery-record.js';

interface EarlierBody {
  readonly delivery: string;
  readonly body: ChunkedText;
  readonly headers: Readonly<Record<string, string>>;
  readonly media_links: readonly MediaLink[];
}

/**
 * Deliveries as releases before the outbox stored them: a record, a body, records of attempts, a job, and a place while paused.
 * `convertEarlierRecords` moves them into the outbox.
 */
const deliveries = collection<DeliveryRecord>({ key: 'uuid', tenant: { number: 'number' }, indexes: { created: ['created_at', 'uuid'] } });
const bodies = collection<EarlierBody>({ key: 'delivery', tenant: { by: ['delivery', deliveries] } });
const attempts = collection<AttemptRecord>({
  key: 'uuid',
  tenant: { by: ['delivery', deliveries] },
  indexes: { delivery: ['delivery', 'run', 'n', 'started_at', 'uuid'] },
});
const held = collection<{ readonly delivery: string; readonly order: number; readonly since: string }>({
  key: 'delivery',
  tenant: { by: ['delivery', deliveries] },
});
const jobs = queue('core.deliveries');

/** Stored as `core.<name>`. Empty since the conversion. */
export const earlierCollections = { deliveries, 'delivery-bodies': bodies, attempts, 'held-deliveries': held };

/** Deliveries per transaction. A crash in between leaves each delivery in one of the two places. */
const PAGE = 100;

/** Moves deliveries that an earlier release stored into the outbox, in their order of creation. */
export async function convertEarlierRecords({ store, outbox }: { store: Database; outbox: DeliveryOutbox }): Promise<void> {
  for (;;) {
    const page = await store.open(deliveries).find('created', { limit: PAGE });
    if (page.length === 0) return;
    await store.transaction(async (tx) => {
      tx.acrossTenants?.();
      for (const record of page) await convert(tx, outbox, record);
    });
  }
}

async function convert(tx: Transaction, outbox: DeliveryOutbox, earlier: DeliveryRecord): Promise<void> {
  const record = deliveryRecord(earlier);
  const { uuid } = record;
  const stored = await tx.in(bodies).get(uuid);
  const place = await tx.in(held).get(uuid);
  let entry = outbox.in(tx).add(record, stored ? contentOf(stored) : {});
  const made = await tx.in(attempts).find('delivery', { equals: [uuid] });
  for (const attempt of made) {
    const { run, n } = attempt;
    entry = outbox.in(tx).change(entry, { record, attempt: { run, n, ended: storedAttempt(attempt) } });
    tx.in(attempts).delete(attempt.uuid);
  }
  if (place && !isSettled(record.state)) {
    const { order, since } = place;
    outbox.in(tx).change(entry, { record: changedRecord(record, { held_at: record.held_at ?? since }), held: { order, since } });
  }
  tx.in(deliveries).delete(uuid);
  tx.in(bodies).delete(uuid);
  tx.in(held).delete(uuid);
  tx.cancel(jobs, uuid);
}

const contentOf = ({ body, headers, media_links: links }: EarlierBody): DeliveryContent => ({
  body,
  ...(Object.keys(headers).length > 0 && { headers }),
  ...(links.length > 0 && { media_links: links }),
});

function storedAttempt({ uuid: _uuid, delivery: _delivery, run: _run, n: _n, ...attempt }: AttemptRecord): StoredAttempt {
  return Object.fromEntries(Object.entries(attempt).filter(([, value]) => value !== null)) as unknown as StoredAttempt;
}
