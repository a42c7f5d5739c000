import type { Clock } from '../ports/clock.js';
import { type Consumer, consume, type Job } from '../ports/queue.js';
import { beforeCommit, type Subscription } from '../ports/subscription.js';
import type { Database, Transaction } from '../ports/transaction.js';
import { enqueue } from './deliveries.js';
import { type DeliveryJob, type DeliveryRecord, deliveryAttempted, deliveryRecords, isSettled } from './delivery.js';
import { pausedDeliveries, type WebhookRecord, webhookReleases, webhooks } from './webhook.js';
import { pauseWebhook } from './webhooks.js';

const RELEASED_AT_ONCE = 100;

/**
 * Whether what is to be sent now waits instead. While a resumed webhook lets go of what it has held, what is newer
 * lines up behind that, so that a conversation keeps its order.
 */
export const isPaused = ({ paused_at, releasing }: WebhookRecord, released?: number): boolean =>
  paused_at !== undefined || (releasing === true && released === undefined);

/** Gives deliveries their places among those that a webhook holds: by time, and by turn within a millisecond. */
export function pauseOrder(): (now: Date) => number {
  let last = 0;
  return (now) => {
    last = Math.max(last + 1, now.getTime() * 1_000);
    return last;
  };
}

/** Takes a delivery out of the queue until its webhook is resumed. Nothing of it is lost, and no attempt is used up. */
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
  const { due_at: dueAt, ...held } = delivery;
  // The pause holds it up from when it was due, or from its own beginning if that was later.
  const moments = [dueAt ?? now.toISOString(), webhook.paused_at ?? now.toISOString()];
  const since = moments.toSorted().at(-1)!;
  tx.in(pausedDeliveries).put({ delivery: delivery.uuid, run: delivery.run, webhook: webhook.uuid, order, since });
  tx.in(deliveryRecords).put({ ...held, state: held.state === 'sending' ? 'queued' : held.state, held_at: since });
  job.done(tx);
}

/** Puts what a webhook has held back into the queue, in order and in small steps that survive a restart. */
export function releaseConsumer({ store, clock }: { store: Database; clock: Clock }): Consumer {
  return consume(webhookReleases, (job) => store.transaction((tx) => release(tx, job)), { concurrency: 1 });

  async function release(tx: Transaction, job: Job<{ webhook: string }>): Promise<void> {
    const { webhook: uuid } = job.payload;
    const webhook = await tx.in(webhooks).get(uuid);
    job.done(tx);
    if (webhook?.paused_at !== undefined) return;
    const held = await tx.in(pausedDeliveries).find('webhook', { equals: [uuid], limit: RELEASED_AT_ONCE });
    for (const { delivery, run, since, order } of held) {
      tx.in(pausedDeliveries).delete(delivery);
      const waiting = await tx.in(deliveryRecords).get(delivery);
      if (!waiting || waiting.run !== run || isSettled(waiting.state)) continue;
      const released = afterPause(waiting, clock.now().getTime() - Date.parse(since));
      tx.in(deliveryRecords).put(released);
      // Without its webhook it is cancelled when its turn comes.
      enqueue(tx, released, webhook ?? { uuid, lane: 'default' }, undefined, order);
    }
    if (held.length === RELEASED_AT_ONCE) return tx.push(webhookReleases, { webhook: uuid }, { id: uuid });
    if (webhook?.releasing) {
      const { releasing: _, ...free } = webhook;
      tx.in(webhooks).put(free);
    }
  }
}

/** The window of a delivery that has failed stands still while it is held: a pause of ours is no absence of the endpoint. */
function afterPause({ held_at: _, first_failed_at: failedAt, ...delivery }: DeliveryRecord, heldMs: number): DeliveryRecord {
  return failedAt === undefined
    ? delivery
    : { ...delivery, first_failed_at: new Date(Date.parse(failedAt) + Math.max(0, heldMs)).toISOString() };
}

/** Pauses a webhook after so many attempts in a row that did not deliver. One that delivers ends the run. */
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
