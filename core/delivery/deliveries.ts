import { type Dialect, type SubscriptionKind, subscriptionName } from '../dialect.js';
import { Conflict, NotFound } from '../errors.js';
import type { Chunks } from '../memory/chunks.js';
import { MEDIA_SCHEME } from '../messaging/medium.js';
import type { MessageRecord } from '../messaging/message.js';
import type { Clock } from '../ports/clock.js';
import type { Ids } from '../ports/ids.js';
import { promiseOf, type Steps, wait } from '../ports/steps.js';
import type { Tracing } from '../ports/tracing.js';
import type { Transaction } from '../ports/transaction.js';
import { attemptsOf } from './attempt-record.js';
import {
  type AttemptRecord,
  type DeliveryContent,
  type DeliveryEntry,
  type DeliveryOutbox,
  type DeliveryRecord,
  deliveryQueued,
  deliverySettled,
  isSettled,
  queuedAt,
  type ShownDelivery,
} from './delivery.js';
import { deliveryPage, shownDelivery } from './delivery-pages.js';
import { changedRecord, deliveryRecord } from './delivery-record.js';
import { slicesOf } from './delivery-slices.js';
import { ownMediaLinks } from './media-links.js';
import type { DeliveryHistory } from './retention.js';
import { type DeliverySender, type Destination, WEBHOOK_SENDER } from './sender.js';
import { type SettledDeliveries, withoutContent } from './settled-deliveries.js';
import { SettledEntry } from './settled-delivery.js';
import { webhookReleases } from './webhook.js';
import { type OwnedField, withFields } from './webhook-subscription.js';

/** A body without this text has no media files, so it is not searched. */
const MEDIA_REFERENCE = `"${MEDIA_SCHEME}`;
/** Deliveries that are searched for the newest attempts of a webhook. */
const MAX_SEARCHED = 200;

/** The input for a delivery: an event, and the webhook that receives it. */
export interface DeliveryRequest {
  /** Idempotency key within the webhook: posting it again changes nothing. */
  readonly event: string;
  /** The webhook, or the destination of another sender. */
  readonly webhook: Destination;
  /** The name of the sender that a plugin has registered; webhooks if not given. */
  readonly sender?: string;
  readonly kind: SubscriptionKind;
  readonly body: object;
  readonly headers?: Readonly<Record<string, string>>;
  readonly message?: string;
  /** The content of the message, if the body has it: the body is stored without it. */
  readonly content?: MessageRecord['content'];
  readonly conversation?: string;
  readonly recipient?: string;
  /** Set if the event happens in this transaction, so that it was not posted before. */
  readonly isNew?: boolean;
}

/** The changes of a replayed delivery. */
export interface Replay {
  /** The body to send, byte by byte; the same as before if not given. */
  readonly body?: string | undefined;
  /** The URL to send it to; that of the webhook if not given. */
  readonly url?: string | undefined;
  /** The signature to send instead of that of the body. */
  readonly signature?: string | undefined;
  /** Whether it has one attempt only. */
  readonly noRetry?: boolean;
}

/** The fields that a new run does not have. */
const ENDED_RUN = {
  due_at: undefined,
  started_at: undefined,
  interruptions: undefined,
  held_at: undefined,
  settled_at: undefined,
  reason: undefined,
  first_failed_at: undefined,
  resent: undefined,
};

/** The delivery service: queues, lists, cancels and redelivers deliveries; `delivery-consumer.ts` sends them. */
export type Deliveries = ReturnType<typeof createDeliveries>;

interface DeliveriesPorts {
  readonly outbox: DeliveryOutbox;
  readonly settled: SettledDeliveries;
  readonly senders: ReadonlyMap<string, Pick<DeliverySender, 'destination'>>;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly dialect: Dialect;
  readonly chunks: Chunks;
  readonly history: Pick<DeliveryHistory, 'added' | 'removed'>;
  readonly tracing?: Tracing | undefined;
  /** The fields that plugins add to the bodies of a subscription. */
  readonly fieldsOf?: (kind: SubscriptionKind) => readonly OwnedField[];
  /** For tests: checks a body. @throws if the body matches no payload that a plugin declares for the subscription */
  readonly checkBody?: (kind: SubscriptionKind, body: object) => Promise<void>;
}

export function createDeliveries({
  outbox,
  settled,
  senders,
  clock,
  ids,
  dialect,
  chunks,
  history,
  tracing,
  fieldsOf = () => [],
  checkBody,
}: DeliveriesPorts) {
  return {
    /** Queues a delivery in the caller's transaction, so that it is pending exactly when the event that it reports is recorded. */
    post: (tx: Transaction, request: DeliveryRequest): Promise<DeliveryRecord> => promiseOf(post(tx, request)),

    /** Methods of the same names for work in steps. */
    inSteps: { post },

    /**
     * Starts a new run of a delivery in any state, with retries unless `noRetry`.
     * @throws NotFound, Conflict when its webhook was deleted, or its body cannot be restored
     */
    async redeliver(tx: Transaction, uuid: string, { noRetry = false } = {}): Promise<DeliveryRecord> {
      const before = await inTransaction(tx, uuid);
      const destination = await senders.get(before.record.sender ?? WEBHOOK_SENDER)?.destination(tx, before.record.webhook);
      if (!destination) throw new Conflict('webhook_removed', 'The webhook of this delivery was deleted, so it cannot be redelivered');
      const restarted = changedRecord(before.record, {
        state: 'queued',
        run: before.record.run + 1,
        redelivered_at: clock.now().toISOString(),
        attempts: 0,
        lane: destination.lane,
        no_retry: noRetry ? true : undefined,
        ...ENDED_RUN,
      });
      if (before instanceof SettledEntry) {
        history.removed(tx, before.document);
        await settled.restart(tx, before, restarted);
      } else outbox.in(tx).change(before, { record: restarted, held: null });
      tx.emit(deliveryQueued, { delivery: restarted });
      return restarted;
    },

    /**
     * Queues a copy of a delivery with changes: another body, another URL, or a signature of another body. Only its record says so, in
     * `replay_of`; the receiver sees no difference. It belongs to no message, so that its outcome does not change a message's status.
     * @throws NotFound, Conflict when its webhook was deleted, its body is no longer stored, or another sender sends it
     */
    async replay(tx: Transaction, uuid: string, { body, url, signature, noRetry = false }: Replay): Promise<DeliveryRecord> {
      const entry = await inTransaction(tx, uuid);
      const { record: before, content } = entry;
      if (before.sender !== undefined)
        throw new Conflict('not_a_webhook', `The sender '${before.sender}' sends this delivery, so it can only be redelivered unchanged`);
      const webhook = await senders.get(WEBHOOK_SENDER)?.destination(tx, before.webhook);
      if (!webhook) throw new Conflict('webhook_removed', 'The webhook of this delivery was deleted, so it cannot be redelivered');
      const edited = body ?? content.edited;
      if (edited === undefined && content.body === undefined && !content.of_message)
        throw new Conflict('body_removed', 'The body of this delivery is no longer stored, so it cannot be redelivered');
      const same = edited === undefined ? (content.body ?? (await settled.bodyOf(entry, tx))) : undefined;
      if (edited === undefined) chunks.share(tx, same!);
      const now = clock.now().toISOString();
      const replay = ids.uuid();
      const record = deliveryRecord({
        uuid: replay,
        number: before.number,
        webhook: before.webhook,
        kind: before.kind,
        subscription: before.subscription,
        event: `${before.event}#replay:${replay}`,
        replay_of: uuid,
        replay_url: url,
        recipient: before.recipient,
        state: 'queued',
        run: 1,
        attempts: 0,
        created_at: now,
        lane: webhook.lane,
        no_retry: noRetry ? true : undefined,
        body_bytes: edited === undefined ? before.body_bytes : Buffer.byteLength(edited),
        kept_bytes: edited === undefined ? before.body_bytes : Buffer.byteLength(edited),
      });
      const { delivery, time, signature: signing } = dialect.headers;
      const identity = { [delivery]: before.uuid, [time]: queuedAt(before), ...content.headers };
      const { [delivery]: _delivery, [time]: _time, ...others } = identity;
      // To its receiver, a copy is the original, and one with another body is another delivery.
      const headers = { ...(body === undefined ? identity : others), ...(signature !== undefined && { [signing]: signature }) };
      outbox.in(tx).add(record, {
        ...(edited === undefined ? { body: same! } : { edited }),
        ...(Object.keys(headers).length > 0 && { headers }),
        // An edited body has the links that it was given.
        ...(edited === undefined && content.media_links && { media_links: content.media_links }),
        ...((signature !== undefined || content.keeps_signature) && { keeps_signature: true }),
      });
      tx.emit(deliveryQueued, { delivery: record });
      return record;
    },

    /**
     * Makes the scheduled retry of a delivery due now. It counts as that retry: the next one follows after its usual gap.
     * @throws NotFound, Conflict when no retry is scheduled
     */
    async retryNow(tx: Transaction, uuid: string): Promise<DeliveryRecord> {
      const entry = await inTransaction(tx, uuid);
      const { state, held_at: heldAt } = entry.record;
      if (heldAt !== undefined)
        throw new Conflict('webhook_paused', 'The webhook of this delivery is paused; its retry is sent when the webhook is resumed');
      if (state !== 'retry_wait') throw new Conflict('no_retry', `The delivery is ${state}, so it has no scheduled retry`);
      const record = changedRecord(entry.record, { due_at: clock.now().toISOString() });
      outbox.in(tx).change(entry, { record });
      return record;
    },

    /** Queues the deliveries again that were paused because their destination had a `paused_at`, in their order; for senders of plugins. */
    release(tx: Transaction, destination: string): void {
      tx.push(webhookReleases, { webhook: destination }, { id: destination });
    },

    /** Cancels a delivery that its sender's plugin does not need any more, with its reason; nothing if it is settled or deleted. */
    async withdraw(tx: Transaction, uuid: string, reason: string): Promise<void> {
      const entry = outbox.in(tx).get(uuid);
      if (entry && !isSettled(entry.record.state)) end(tx, entry, reason);
    },

    /** Cancels a delivery that is not settled yet. @throws NotFound, Conflict when it is settled */
    async cancel(tx: Transaction, uuid: string): Promise<DeliveryRecord> {
      const entry = await inTransaction(tx, uuid);
      const { state } = entry.record;
      if (isSettled(state)) throw new Conflict('delivery_settled', `The delivery is already ${state}`);
      return end(tx, entry, 'by_hand');
    },

    /**
     * Lists deliveries, newest first: those queued before a time, or those after the delivery with the uuid `after`; of them those in
     * `state`, where a due retry is `queued`. @throws NotFound when `after` is unknown
     */
    async list(by: {
      webhook?: string;
      number?: string;
      message?: string;
      state?: DeliveryRecord['state'];
      before?: string;
      after?: string;
      limit: number;
    }): Promise<ShownDelivery[]> {
      return (await deliveryPage(settled, by, clock.now())).found.map(shownDelivery);
    },

    /** Lists the attempts of the newest deliveries, newest first: those of at most `limit` deliveries that have been attempted. */
    async attempts({ webhook, number, limit }: { webhook?: string; number?: string; limit: number }): Promise<AttemptRecord[]> {
      const found: AttemptRecord[][] = [];
      for await (const slice of slicesOf(settled, 'newest', webhook !== undefined ? { webhook } : { number }, { first: limit })) {
        const attempted = slice.map(attemptsOf).filter((attempts) => attempts.length > 0);
        found.push(...attempted.slice(0, limit - found.length));
        if (found.length >= limit) break;
      }
      const newestFirst = found.flat().sort((a, b) => (a.started_at < b.started_at ? 1 : -1));
      return newestFirst.slice(0, limit);
    },

    /**
     * The newest attempts that decide the lane of a webhook, oldest first, at most `limit`: those that were sent to the webhook's own URL.
     * Only the newest deliveries are searched, so an older delivery that is attempted again may be missing.
     */
    async sentTo(webhook: string, limit: number): Promise<AttemptRecord[]> {
      const own = (await settled.find('newest', { webhook }, MAX_SEARCHED)).filter(
        ({ record }) => record.replay_url === undefined && record.sender === undefined,
      );
      const found = own.flatMap(attemptsOf).filter(({ status }) => status !== 0);
      return found.sort((a, b) => (a.started_at < b.started_at ? -1 : a.started_at > b.started_at ? 1 : 0)).slice(-limit);
    },

    /** The body as it was sent; empty if it was removed. @throws NotFound, Conflict if it cannot be restored */
    async sentBody(uuid: string): Promise<string> {
      const entry = await settled.read(uuid);
      if (!entry) throw new NotFound('delivery', uuid);
      return settled.bodyOf(entry);
    },

    /** The conversations whose deliveries to a webhook wait for the retry of an earlier one, because its `order` is `strict`. */
    blocked: (webhook: string): { readonly conversations: number; readonly deliveries: number } => outbox.blocked(webhook),

    /** The number of a delivery; undefined if there is none. */
    numberOf: async (uuid: string): Promise<string | undefined> => (await settled.read(uuid))?.record.number,

    /** A delivery with its body and every attempt. @throws NotFound */
    async show(uuid: string): Promise<{ delivery: ShownDelivery; body: string; attempts: AttemptRecord[] }> {
      const entry = await settled.read(uuid);
      if (!entry) throw new NotFound('delivery', uuid);
      return { delivery: shownDelivery(entry), body: await shownBody(entry), attempts: attemptsOf(entry) };
    },
  };

  function* post(tx: Transaction, request: DeliveryRequest): Steps<DeliveryRecord> {
    const { webhook, sender = WEBHOOK_SENDER, message, content, conversation, recipient, headers = {} } = request;
    const posted = request.isNew
      ? outbox.in(tx).ofEvent(webhook.uuid, request.event)?.record
      : yield* settled.inSteps.ofEvent(tx, webhook.uuid, request.event);
    if (posted) return posted;
    const fields = sender === WEBHOOK_SENDER ? fieldsOf(request.kind) : [];
    const whole = fields.length > 0 ? yield* wait(withFields(tx, fields, { ...request, number: webhook.number })) : request.body;
    if (checkBody) yield checkBody(request.kind, whole);
    const body = JSON.stringify(whole);
    // Deliveries of one conversation, and of one event to several webhooks, share their long values.
    const packed = chunks.pack(tx, body, { scope: conversation ?? `${webhook.number} ${request.event}` });
    const links = body.includes(MEDIA_REFERENCE) ? yield* wait(ownMediaLinks(tx, webhook.number, whole)) : [];
    const reference = content && packed.text === body ? withoutContent(body, content) : undefined;
    const kept: DeliveryContent = {
      body: packed.text,
      ...(Object.keys(headers).length > 0 && { headers }),
      ...(links.length > 0 && { media_links: links }),
      ...(reference && { of_message: reference }),
    };
    const trace = tracing?.current()?.traceparent;
    const record = deliveryRecord({
      uuid: ids.uuid(),
      number: webhook.number,
      webhook: webhook.uuid,
      kind: request.kind,
      subscription: subscriptionName(dialect, request.kind),
      event: request.event,
      state: 'queued',
      run: 1,
      attempts: 0,
      created_at: clock.now().toISOString(),
      lane: webhook.lane,
      body_bytes: Buffer.byteLength(body),
      kept_bytes: packed.bytes,
      message,
      conversation,
      order: webhook.order === 'strict' ? 'strict' : undefined,
      recipient,
      trace,
      sender: sender === WEBHOOK_SENDER ? undefined : sender,
    });
    if (webhook.enabled) {
      outbox.in(tx).add(record, kept);
      tx.emit(deliveryQueued, { delivery: record });
      return record;
    }
    const cancelled = changedRecord(record, { state: 'cancelled', reason: `${sender}_disabled`, settled_at: record.created_at });
    history.added(tx, settled.settle(tx, outbox.in(tx).add(cancelled, kept), { record: cancelled }));
    tx.emit(deliverySettled, { delivery: cancelled, response: null });
    return cancelled;
  }

  function end(tx: Transaction, entry: DeliveryEntry, reason: string): DeliveryRecord {
    const ending = { due_at: undefined, held_at: undefined, started_at: undefined };
    const record = changedRecord(entry.record, { state: 'cancelled', reason, settled_at: clock.now().toISOString(), ...ending });
    history.added(tx, settled.settle(tx, entry, { record }));
    tx.emit(deliverySettled, { delivery: record, response: null });
    return record;
  }

  /** A body that cannot be restored is shown like one that was removed. */
  async function shownBody(entry: DeliveryEntry): Promise<string> {
    try {
      return await settled.bodyOf(entry);
    } catch (error) {
      if (error instanceof Conflict) return '';
      throw error;
    }
  }

  async function inTransaction(tx: Transaction, uuid: string): Promise<DeliveryEntry> {
    const entry = await settled.get(tx, uuid);
    if (!entry) throw new NotFound('delivery', uuid);
    return entry;
  }
}
