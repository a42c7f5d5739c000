import type { Clock } from '../ports/clock.js';
import type { OutboxChange } from '../ports/outbox.js';
import { type Consumer, consume, type Job } from '../ports/queue.js';
import { beforeCommit, type Subscription } from '../ports/subscription.js';
import type { Database, Transaction } from '../ports/transaction.js';
import { type DeliveryEntry, type DeliveryOutbox, type DeliveryRecord, deliveryAttempted } from './delivery.js';
import { changedRecord } from './delivery-record.js';
import type { DeliverySender, Destination } from './sender.js';
import { webhookReleases, webhooks } from './webhook.js';
import { pauseWebhook } from './webhooks.js';

const RELEASE_BATCH = 100;

/**
 * Whether a due delivery must be paused. While a resumed webhook still releases its paused deliveries, newer deliveries are paused behind
 * them, so that conversations keep their order. `releaseOrder` is set for a delivery that was released.
 */
export const isPaused = ({ paused_at, releasing }: Destination, releaseOrder?: number): boolean =>
  paused_at !== undefined || (releasing === true && releaseOrder === undefined);

/** Returns a function that assigns increasing positions to paused deliveries: by time, and by order of arrival within a millisecond. */
export function pauseOrder(): (now: Date) => number {
  let last = 0;
  return (now) => {
    last = Math.max(last + 1, now.getTime() * 1_000);
    return last;
  };
}

/** Pauses a delivery until its destination is resumed. This does not count as an attempt. */
export function heldChange(
  record: DeliveryRecord,
  { destination, now, order }: { destination: Destination; now: Date; order: number },
): OutboxChange<DeliveryEntry> {
  // Since when the pause delays the delivery: its due time or the start of the pause, whichever is later.
  const times = [record.due_at ?? now.toISOString(), destination.paused_at ?? now.toISOString()];
  const since = times.toSorted().at(-1)!;
  const state = record.state === 'sending' ? 'queued' : record.state;
  return { record: changedRecord(record, { state, held_at: since, due_at: undefined }), held: { order, since } };
}

interface ReleasePorts {
  readonly store: Database;
  readonly outbox: DeliveryOutbox;
  readonly clock: Clock;
  readonly senders: ReadonlyMap<string, Pick<DeliverySender, 'destination'>>;
}

/**
 * Queues the paused deliveries of a resumed webhook again, in order. Each batch is a transaction, so a restart continues with the next
 * batch.
 */
export function releaseConsumer({ store, outbox, clock, senders }: ReleasePorts): Consumer {
  return consume(webhookReleases, (job) => store.transaction((tx) => release(tx, job)), { concurrency: 1 });

  async function release(tx: Transaction, job: Job<{ webhook: string }>): Promise<void> {
    const { webhook: uuid } = job.payload;
    const webhook = await tx.in(webhooks).get(uuid);
    job.done(tx);
    if (webhook?.paused_at !== undefined) return;
    // Of a deleted webhook too: the consumer of deliveries cancels them.
    const held = outbox.in(tx).held(uuid, RELEASE_BATCH);
    for (const entry of held) {
      outbox.in(tx).change(entry, { record: afterPause(entry.record, clock.now().getTime() - Date.parse(entry.held!.since)) });
    }
    const hasMore = held.length === RELEASE_BATCH || (!webhook && (await endRetries(tx, uuid)));
    if (hasMore) return tx.push(webhookReleases, { webhook: uuid }, { id: uuid });
    if (webhook?.releasing) {
      const { releasing: _, ...free } = webhook;
      tx.in(webhooks).put(free);
    }
  }
  /** Makes retries due now that wait for a plugin's destination that is gone, so that they are cancelled. @returns whether there may be more */
  async function endRetries(tx: Transaction, destination: string): Promise<boolean> {
    const now = clock.now().toISOString();
    let ended = 0;
    for (const { record } of outbox.newest.oldest({ webhook: destination, outcomes: ['pending'] })) {
      const { uuid, sender, state, due_at: dueAt = now } = record;
      if (sender === undefined || state !== 'retry_wait' || dueAt <= now) continue;
      if (ended === 0 && (await senders.get(sender)?.destination(tx, destination))) return false;
      const entry = outbox.in(tx).get(uuid);
      if (entry?.record.state === 'retry_wait') outbox.in(tx).change(entry, { record: changedRecord(entry.record, { due_at: now }) });
      if (++ended === RELEASE_BATCH) return true;
    }
    return false;
  }
}

/** Moves the retry window of a failed delivery by the length of the pause, so that paused time does not use up the window. */
function afterPause(record: DeliveryRecord, pausedMs: number): DeliveryRecord {
  const { first_failed_at: failedAt } = record;
  const movedTo = failedAt === undefined ? undefined : new Date(Date.parse(failedAt) + Math.max(0, pausedMs)).toISOString();
  return changedRecord(record, { held_at: undefined, first_failed_at: movedTo });
}

/** Pauses a webhook after `limit` failed attempts in a row. A successful attempt resets the count. */
export function pauseAfterFailures(limit: number, { clock }: { clock: Clock }): Subscription {
  return beforeCommit(deliveryAttempted, async ({ delivery, attempt }, tx) => {
    // An edited delivery, or one to another URL, says nothing about the webhook.
    if (delivery.replay_of !== undefined) return;
    const webhook = await tx.in(webhooks).get(delivery.webhook);
    if (!webhook || webhook.paused_at !== undefined) return;
    const { failures_in_a_row: before = 0, ...rest } = webhook;
    if (attempt.result === 'delivered') {
      if (before > 0) tx.in(webhooks).put(rest);
    } else if (before + 1 < limit) {
      tx.in(webhooks).put({ ...rest, failures_in_a_row: before + 1 });
    } else {
      pauseWebhook(tx, { ...rest, failures_in_a_row: before + 1 }, { because: 'failures', now: clock.now() });
    }
  });
}
