import type { Dialect } from '../dialect.js';
import type { Chunks } from '../memory/chunks.js';
import type { ChannelDriver } from '../messaging/channel-drivers.js';
import type { Media } from '../messaging/media.js';
import { numbers } from '../messaging/number.js';
import type { Clock } from '../ports/clock.js';
import type { HttpOutcome, LateResponse } from '../ports/http-client.js';
import type { Logger } from '../ports/logger.js';
import type { OutboundRequest, RequestSignature } from '../ports/outbound.js';
import { peek } from '../ports/store.js';
import type { SpanStart, Tracing } from '../ports/tracing.js';
import type { Database } from '../ports/transaction.js';
import { responseOf } from './attempt-record.js';
import { type DeliveryEntry, type DeliveryRecord, deliveryAnsweredLate, type MediaLink, queuedAt } from './delivery.js';
import { type AttemptResult, badAnswer, classify, type RetrySwitch } from './retry.js';
import type { RetryPolicy } from './retry-policy.js';
import { type DeliverySender, type SentAttempt, WEBHOOK_SENDER } from './sender.js';
import { type WebhookRecord, webhooks as webhookRecords } from './webhook.js';
import type { Webhooks } from './webhooks.js';

const RESPONSE_READ_BYTES = 64 * 1024;
/** The response of a connector is read for so long after the deadline, because statuses will refer to the id in it. */
const LATE_MS = 25_000;

export interface WebhookSenderPorts {
  readonly store: Database;
  readonly webhooks: Pick<Webhooks, 'signingKey' | 'previousKey' | 'headersOf'>;
  readonly media: Pick<Media, 'link'>;
  readonly chunks: Pick<Chunks, 'expand'>;
  readonly dialect: Dialect;
  readonly policy: RetryPolicy;
  readonly tracing?: Tracing | undefined;
  readonly clock: Pick<Clock, 'during'>;
  readonly log: Pick<Logger, 'warn'>;
  readonly drivers: () => ReadonlyMap<string, ChannelDriver>;
  /** Outcomes to retry that by default cancel the delivery. A webhook may override this. */
  readonly retryAlso: readonly RetrySwitch[];
  /** Whether a connector's 2XX response without a message id is a failure. A webhook may override this. */
  readonly strictAnswers: boolean;
}

/**
 * The sender of webhooks: the frozen body with fresh media links, signed over the bytes that are sent. URL, headers and secret are the
 * current ones of the webhook.
 */
export function webhookSender(ports: WebhookSenderPorts): DeliverySender<WebhookRecord> {
  const { store, webhooks, media, chunks, dialect, policy, tracing, clock, log, drivers, retryAlso, strictAnswers } = ports;
  return {
    name: WEBHOOK_SENDER,
    policy,
    destination: (tx, uuid) => peek(tx, webhookRecords, uuid),
    request,

    read({ entry: { record }, destination: { connector, strict_answers: strict, retry_also: also } }, outcome) {
      const result = classify(outcome, policy, also ?? retryAlso);
      const isStrict = record.kind === 'channel' && result.kind === 'delivered' && (strict ?? (strictAnswers && connector === true));
      return isStrict ? checked(record.number, outcome, result) : result;
    },
  };

  /** With strict answers, a connector's 2XX response without a message id is a failure. */
  async function checked(number: string, outcome: HttpOutcome, result: AttemptResult): Promise<AttemptResult> {
    const type = (await store.open(numbers).get(number))?.type ?? '';
    const fault = drivers().get(type)?.answerFault?.(responseOf(outcome)!);
    return fault === undefined ? result : badAnswer(result.status, fault);
  }

  /** Announces a response that arrives after the deadline. */
  function lateAnswers(delivery: DeliveryRecord): LateResponse {
    return {
      ms: LATE_MS,
      settle(late) {
        const response = responseOf(late);
        if (!response) return;
        const announced = clock.during(() => store.transaction((tx) => tx.emit(deliveryAnsweredLate, { delivery, response })));
        announced.catch((error: unknown) =>
          log.warn('a late response of a connector was not recorded', { delivery_id: delivery.uuid, webhook_id: delivery.webhook, error }),
        );
      },
    };
  }

  function request(attempt: SentAttempt<WebhookRecord>): OutboundRequest | Promise<OutboundRequest> {
    const text = requestBody(attempt.entry);
    const own = webhooks.headersOf(attempt.destination);
    // Without a promise for most requests, which are made in a transaction.
    if (typeof text === 'string' && !(own instanceof Promise)) return requestWith(attempt, text, own);
    return Promise.all([text, own]).then(([text, own]) => requestWith(attempt, text, own));
  }

  function requestBody({ record, content: { body, edited } }: DeliveryEntry): string | Promise<string> {
    if (edited !== undefined) return edited;
    if (body === undefined) throw new Error(`the body of delivery ${record.uuid} is missing in the store`);
    return typeof body === 'string' ? body : chunks.expand(body);
  }

  function requestWith(
    { entry: { record, content }, destination: webhook, linksExpired: expired }: SentAttempt<WebhookRecord>,
    text: string,
    own: Readonly<Record<string, string>>,
  ): OutboundRequest {
    const previous = webhook.previous_secret_until === undefined ? undefined : webhooks.previousKey(webhook);
    const signatures: RequestSignature[] = [{ header: dialect.headers.signature, key: webhooks.signingKey(webhook.uuid) }];
    if (previous) signatures.push({ header: dialect.headers.previousSignature, key: previous });
    return {
      method: 'POST',
      url: record.replay_url ?? webhook.url,
      headers: {
        ...own,
        ...identityOf(dialect, record),
        // A copy of a delivery has the identity of the original here.
        ...content.headers,
        'Content-Type': 'application/json',
        [dialect.headers.subscription]: record.subscription,
      },
      body: content.media_links ? withMediaLinks(text, content.media_links, (id) => media.link(id, { expired })) : text,
      secretHeaders: Object.keys(own),
      signatures: content.keeps_signature ? [] : signatures,
      deadlineMs: policy.deadlineMs,
      maxResponseBytes: RESPONSE_READ_BYTES,
      bodyMatters: false,
      ...(record.kind === 'channel' && { late: lateAnswers(record) }),
      ...(tracing && { span: spanOf(record) }),
    };
  }
}

/** Headers by which a receiver tells a repetition from another event. */
export const identityOf = (
  { headers }: Dialect,
  record: Pick<DeliveryRecord, 'uuid' | 'run' | 'attempts' | 'created_at'>,
): Record<string, string> => ({
  [headers.delivery]: record.uuid,
  [headers.run]: String(record.run),
  [headers.attempt]: String(record.attempts + 1),
  [headers.time]: queuedAt(record),
});

/** Headers with which every attempt continues the trace of the delivery's cause, even after a restart. */
const spanOf = ({ uuid, webhook, event, number, attempts, trace }: DeliveryRecord): Pick<SpanStart, 'name' | 'parent' | 'attributes'> => ({
  name: 'POST webhook',
  parent: trace ?? null,
  attributes: {
    'posthorn.delivery.id': uuid,
    'posthorn.webhook.id': webhook,
    'posthorn.event.id': event,
    'posthorn.number.id': number,
    'http.request.resend_count': attempts > 0 ? attempts : undefined,
  },
});

/** Inserts new links to media files into the body: links expire after two minutes, so each attempt needs its own. */
function withMediaLinks(body: string, links: readonly MediaLink[], linkTo: (id: string) => string): string {
  const parsed = JSON.parse(body);
  for (const { path, media: id } of links) {
    const parent = path.slice(0, -1).reduce((value, key) => value[key], parsed);
    parent[path.at(-1)!] = linkTo(id);
  }
  return JSON.stringify(parsed);
}
