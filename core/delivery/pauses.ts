import type { Clock } from '../ports/clock.js';
import { type Consumer, consume, type Job } from '../ports/queue.js';
import { beforeCommit, type Subscription } from '../ports/subscription.js';
import type { Database, Transaction } from '../ports/transaction.js';
import { enqueue } from './deliveries.js';
import { type DeliveryJob, type DeliveryRecord, deliveryAttempted, deliveryRecords, isSettled } from './delivery.js';
import { pausedDeliveries, type WebhookRecord, webhookReleases, webhooks } from './webhook.js';
import { pauseWebhook } from './webhooks.js';

const RELEASE_BATCH = 100;

/**
 * Whether a due delivery must be paused. While a resumed webhook still releases its paused deliveries, newer deliveries are paused behind
 * them, so that conversations keep their order. `releaseOrder` is set for a delivery that was released.
 */
export const isPaused = ({ paused_at, releasing }: WebhookRecord, releaseOrder?: number): boolean =>
  paused_at !== undefined || (releasing === true && releaseOrder === undefined);

/** Returns a function that assigns increasing positions to paused deliveries: by time, and by order of arrival within a millisecond. */
export function pauseOrder(): (now: Date) => number {
  let last = 0;
  return (now) => {
    last = Math.max(last + 1, now.getTime() * 1_000);
    return last;
  };
}

/** Removes a delivery from the queue until its webhook is resumed. This does not count as an attempt. */
export function pauseDelivery(
  tx: Transaction,
  {
    job,
    delivery,
    webhook,
    now,
    order,
  }: { job: Job<DeliveryJob>; delivery: DeliveryRecord; webhook: WebhookRecord; now: Date; order: number },
): void {
  const { due_at: dueAt, ...paused } = delivery;
  // Since when the pause delays the delivery: its due time or the start of the pause, whichever is later.
  const times = [dueAt ?? now.toISOString(), webhook.paused_at ?? now.toISOString()];
  const since = times.toSorted().at(-1)!;
  tx.in(pausedDeliveries).put({ delivery: delivery.uuid, run: delivery.run, webhook: webhook.uuid, order, since });
  tx.in(deliveryRecords).put({ ...paused, state: paused.state === 'sending' ? 'queued' : paused.state, held_at: since });
  job.done(tx);
}

/**
 * Queues the paused deliveries of a resumed webhook again, in order. Each batch is a transaction, so a restart continues with the next
 * batch.
 */
export function releaseConsumer({ store, clock }: { store: Database; clock: Clock }): Consumer {
  return consume(webhookReleases, (job) => store.transaction((tx) => release(tx, job)), { concurrency: 1 });

  async function release(tx: Transaction, job: Job<{ webhook: string }>): Promise<void> {
    const { webhook: uuid } = job.payload;
    const webhook = await tx.in(webhooks).get(uuid);
    job.done(tx);
    if (webhook?.paused_at !== undefined) return;
    const paused = await tx.in(pausedDeliveries).find('webhook', { equals: [uuid], limit: RELEASE_BATCH });
    for (const { delivery, run, since, order } of paused) {
      tx.in(pausedDeliveries).delete(delivery);
      const current = await tx.in(deliveryRecords).get(delivery);
      if (!current || current.run !== run || isSettled(current.state)) continue;
      const released = afterPause(current, clock.now().getTime() - Date.parse(since));
      tx.in(deliveryRecords).put(released);
      // If the webhook was deleted, the consumer of deliveries cancels this delivery.
      enqueue(tx, released, webhook ?? { uuid, lane: 'default' }, undefined, order);
    }
    if (paused.length === RELEASE_BATCH) return tx.push(webhookReleases, { webhook: uuid }, { id: uuid });
    if (webhook?.releasing) {
      const { releasing: _, ...free } = webhook;
      tx.in(webhooks).put(free);
    }
  }
}

/** Moves the retry window of a failed delivery by the length of the pause, so that paused time does not use up the window. */
function afterPause({ held_at: _, first_failed_at: failedAt, ...delivery }: DeliveryRecord, pausedMs: number): DeliveryRecord {
  return failedAt === undefined
    ? delivery
    : { ...delivery, first_failed_at: new Date(Date.parse(failedAt) + Math.max(0, pausedMs)).toISOString() };
}

/** Pauses a webhook after `limit` failed attempts in a row. A successful attempt resets the count. */
export function pauseAfterFailures(limit: number, { clock }: { clock: Clock }): Subscription {
  return beforeCommit(deliveryAttempted, async ({ delivery, attempt }, tx) => {
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
