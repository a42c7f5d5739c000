import type { Dialect, SubscriptionKind } from '../dialect.js';
import { Conflict, NotFound } from '../errors.js';
import type { Chunks } from '../memory/chunks.js';
import { MEDIA_SCHEME } from '../messaging/medium.js';
import type { Clock } from '../ports/clock.js';
import type { Ids } from '../ports/ids.js';
import type { Tracing } from '../ports/tracing.js';
import type { Database, Transaction } from '../ports/transaction.js';
import {
  type AttemptRecord,
  attempts,
  type DeliveryRecord,
  deliveryBodies,
  deliveryJobs,
  deliveryQueued,
  deliveryRecords,
  deliverySettled,
  isSettled,
} from './delivery.js';
import { ownMediaLinks } from './media-links.js';
import type { DeliveryHistory } from './retention.js';
import { pausedDeliveries, type WebhookRecord, webhooks } from './webhook.js';

/** A body without this text has no media files, so it is not searched. */
const MEDIA_REFERENCE = `"${MEDIA_SCHEME}`;

/** The input for a delivery: an event, and the webhook that receives it. */
export interface DeliveryRequest {
  /** Idempotency key within the webhook: posting it again changes nothing. */
  readonly event: string;
  readonly webhook: WebhookRecord;
  readonly kind: SubscriptionKind;
  readonly body: object;
  readonly headers?: Readonly<Record<string, string>>;
  readonly message?: string;
  readonly conversation?: string;
  readonly recipient?: string;
}

/** The delivery service: queues, lists, cancels and redelivers deliveries; `attempt.ts` sends them. */
export type Deliveries = ReturnType<typeof createDeliveries>;

interface DeliveriesPorts {
  readonly store: Database;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly dialect: Dialect;
  readonly chunks: Chunks;
  readonly history: Pick<DeliveryHistory, 'added' | 'removed'>;
  readonly tracing?: Tracing | undefined;
  /** For tests: checks a body. @throws if the body matches no payload that a plugin declares for the subscription */
  readonly checkBody?: (kind: SubscriptionKind, body: object) => Promise<void>;
}

export function createDeliveries({ store, clock, ids, dialect, chunks, history, tracing, checkBody }: DeliveriesPorts) {
  const records = store.open(deliveryRecords);
  const bodies = store.open(deliveryBodies);
  const attemptRecords = store.open(attempts);

  return {
    /** Queues a delivery in the caller's transaction, so that it is pending exactly when the event that it reports is recorded. */
    async post(tx: Transaction, request: DeliveryRequest): Promise<DeliveryRecord> {
      const { webhook, message, conversation, recipient } = request;
      const posted = await tx.in(deliveryRecords).getBy('event', [webhook.uuid, request.event]);
      if (posted) return posted;
      await checkBody?.(request.kind, request.body);
      const body = JSON.stringify(request.body);
      // Deliveries of one conversation, and of one event to several webhooks, share their long values.
      const packed = chunks.pack(tx, body, { scope: conversation ?? `${webhook.number} ${request.event}` });
      const trace = tracing?.current()?.traceparent;
      const delivery: DeliveryRecord = {
        uuid: ids.uuid(),
        number: webhook.number,
        webhook: webhook.uuid,
        kind: request.kind,
        subscription: dialect.subscriptions[request.kind],
        event: request.event,
        state: 'queued',
        run: 1,
        attempts: 0,
        created_at: clock.now().toISOString(),
        lane: webhook.lane,
        body_bytes: Buffer.byteLength(body),
        kept_bytes: packed.bytes,
        ...(message !== undefined && { message }),
        ...(conversation !== undefined && { conversation }),
        ...(recipient !== undefined && { recipient }),
        ...(trace !== undefined && { trace }),
      };
      tx.in(deliveryBodies).put({
        delivery: delivery.uuid,
        body: packed.text,
        headers: request.headers ?? {},
        media_links: body.includes(MEDIA_REFERENCE) ? await ownMediaLinks(tx, webhook.number, request.body) : [],
      });
      if (!webhook.enabled) return settle(tx, delivery, 'cancelled', 'webhook_disabled');
      tx.in(deliveryRecords).put(delivery);
      tx.emit(deliveryQueued, { delivery });
      enqueue(tx, delivery, webhook);
      return delivery;
    },

    /**
     * Starts a new run of a delivery in any state, with retries unless `noRetry`.
     * @throws NotFound, Conflict when its webhook was deleted
     */
    async redeliver(tx: Transaction, uuid: string, { noRetry = false } = {}): Promise<DeliveryRecord> {
      const before = await inTransaction(tx, uuid);
      const {
        due_at: _due,
        started_at: _started,
        interruptions: _interruptions,
        no_retry: _before,
        held_at: _held,
        settled_at: _settled,
        reason: _reason,
        first_failed_at: _failed,
        ...delivery
      } = before;
      const webhook = await tx.in(webhooks).get(delivery.webhook);
      if (!webhook) throw new Conflict('webhook_removed', 'The webhook of this delivery was deleted, so it cannot be redelivered');
      const restarted: DeliveryRecord = {
        ...delivery,
        state: 'queued',
        run: delivery.run + 1,
        redelivered_at: clock.now().toISOString(),
        attempts: 0,
        lane: webhook.lane,
        ...(noRetry && { no_retry: true }),
      };
      history.removed(tx, before);
      tx.in(deliveryRecords).put(restarted);
      tx.emit(deliveryQueued, { delivery: restarted });
      enqueue(tx, restarted, webhook);
      return restarted;
    },

    /** Cancels a delivery that is not settled yet. @throws NotFound, Conflict when it is settled */
    async cancel(tx: Transaction, uuid: string): Promise<DeliveryRecord> {
      const delivery = await inTransaction(tx, uuid);
      if (isSettled(delivery.state)) throw new Conflict('delivery_settled', `The delivery is already ${delivery.state}`);
      tx.cancel(deliveryJobs, uuid);
      tx.in(pausedDeliveries).delete(uuid);
      return settle(tx, delivery, 'cancelled', 'by_hand');
    },

    /**
     * Lists deliveries, newest first: those queued before a time, or those after the delivery with the uuid `after`. @throws NotFound when
     * `after` is unknown
     */
    async list(by: {
      webhook?: string;
      number?: string;
      message?: string;
      before?: string;
      after?: string;
      limit: number;
    }): Promise<DeliveryRecord[]> {
      const last = by.after === undefined ? undefined : await requireRecord(by.after);
      const before = last ? [last.created_at, last.uuid] : by.before === undefined ? undefined : [by.before];
      const range = { order: 'descending' as const, limit: by.limit, ...(before && { before }) };
      if (by.webhook !== undefined) return records.find('webhook', { ...range, equals: [by.webhook] });
      if (by.message !== undefined) return records.find('message', { ...range, equals: [by.message] });
      if (by.number !== undefined) return records.find('number', { ...range, equals: [by.number] });
      return records.find('created', range);
    },

    /** A delivery with its body and every attempt. @throws NotFound */
    async show(uuid: string): Promise<{ delivery: DeliveryRecord; body: string; attempts: AttemptRecord[] }> {
      const delivery = await requireRecord(uuid);
      const body = await chunks.expand((await bodies.get(uuid))?.body ?? '');
      return { delivery, body, attempts: await attemptRecords.find('delivery', { equals: [uuid] }) };
    },
  };

  async function requireRecord(uuid: string): Promise<DeliveryRecord> {
    const delivery = await records.get(uuid);
    if (!delivery) throw new NotFound('delivery', uuid);
    return delivery;
  }

  async function inTransaction(tx: Transaction, uuid: string): Promise<DeliveryRecord> {
    const delivery = await tx.in(deliveryRecords).get(uuid);
    if (!delivery) throw new NotFound('delivery', uuid);
    return delivery;
  }

  function settle(tx: Transaction, delivery: DeliveryRecord, state: 'cancelled', reason: string): DeliveryRecord {
    const { due_at: _due, held_at: _held, started_at: _started, ...rest } = delivery;
    const settled: DeliveryRecord = { ...rest, state, reason, settled_at: clock.now().toISOString() };
    tx.in(deliveryRecords).put(settled);
    history.added(tx, settled);
    tx.emit(deliverySettled, { delivery: settled, response: null });
    return settled;
  }
}

/**
 * Queues a delivery in the lane of its webhook. First attempts of one conversation to one webhook run one after the other. Retries are
 * outside this order, so that they block no first attempt, and are urgent, because their window is limited.
 */
export function enqueue(
  tx: Transaction,
  delivery: DeliveryRecord,
  webhook: Pick<WebhookRecord, 'uuid' | 'lane'>,
  notBefore?: Date,
  released?: number,
): void {
  tx.push(
    deliveryJobs,
    { delivery: delivery.uuid, run: delivery.run, ...(released !== undefined && { released }) },
    {
      id: delivery.uuid,
      lane: webhook.lane,
      group: webhook.uuid,
      ...(delivery.attempts > 0 && { urgent: true }),
      ...(delivery.attempts === 0 && delivery.conversation !== undefined && { serial: `${webhook.uuid}:${delivery.conversation}` }),
      ...(notBefore && { notBefore }),
    },
  );
}
