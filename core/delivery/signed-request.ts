import type { Dialect } from '../dialect.js';
import type { Chunks } from '../memory/chunks.js';
import type { Media } from '../messaging/media.js';
import type { HttpRequest } from '../ports/http-client.js';
import type { SpanStart, Tracing } from '../ports/tracing.js';
import type { Database } from '../ports/transaction.js';
import type { WorkerPool } from '../ports/workers.js';
import { type DeliveryRecord, deliveryBodies, type MediaLink } from './delivery.js';
import type { RetryPolicy } from './retry-policy.js';
import { signPayload } from './signature.js';
import type { WebhookRecord } from './webhook.js';
import type { Webhooks } from './webhooks.js';

const RESPONSE_READ_BYTES = 64 * 1024;

export interface RequestPorts {
  readonly store: Database;
  readonly webhooks: Pick<Webhooks, 'secret' | 'previousSecret'>;
  readonly media: Pick<Media, 'link'>;
  readonly chunks: Pick<Chunks, 'expand' | 'release'>;
  readonly workers: Pick<WorkerPool, 'run'>;
  readonly dialect: Dialect;
  readonly policy: RetryPolicy;
  readonly tracing?: Tracing | undefined;
}

/**
 * Builds the request of one attempt: the frozen body with fresh media links, and the signature over the bytes that are sent. URL,
 * headers and secret are the current ones of the webhook.
 * @throws Error when the body or the secret is missing in the store
 */
export async function signedRequest(
  { store, webhooks, media, chunks, workers, dialect, policy, tracing }: RequestPorts,
  webhook: WebhookRecord,
  delivery: DeliveryRecord,
): Promise<HttpRequest & { readonly body: string }> {
  const content = await store.open(deliveryBodies).get(delivery.uuid);
  const secret = await webhooks.secret(webhook.uuid);
  const previous = await webhooks.previousSecret(webhook);
  if (!content || secret === undefined)
    throw new Error(`the ${content ? 'secret' : 'body'} of delivery ${delivery.uuid} is missing in the store`);
  const body = withMediaLinks(await chunks.expand(content.body), content.media_links, media);
  const signing = workers.run(signPayload, { secret, body });
  const [signature, previousSignature] =
    previous === undefined ? [await signing] : await Promise.all([signing, workers.run(signPayload, { secret: previous, body })]);
  return {
    method: 'POST',
    url: webhook.url,
    headers: {
      ...webhook.headers,
      ...content.headers,
      'content-type': 'application/json',
      [dialect.headers.signature]: signature,
      ...(previousSignature !== undefined && { [dialect.headers.previousSignature]: previousSignature }),
      [dialect.headers.subscription]: delivery.subscription,
    },
    body,
    deadlineMs: policy.deadlineMs,
    maxResponseBytes: RESPONSE_READ_BYTES,
    bodyMatters: false,
    repeatable: true,
    ...(tracing && { span: spanOf(delivery) }),
  };
}

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
function withMediaLinks(body: string, links: readonly MediaLink[], media: Pick<Media, 'link'>): string {
  if (links.length === 0) return body;
  const parsed = JSON.parse(body);
  for (const { path, media: id } of links) {
    const parent = path.slice(0, -1).reduce((value, key) => value[key], parsed);
    parent[path.at(-1)!] = media.link(id);
  }
  return JSON.stringify(parsed);
}
