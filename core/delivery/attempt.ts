import type { Dialect } from '../dialect.js';
import type { Media } from '../messaging/media.js';
import type { Clock } from '../ports/clock.js';
import type { HttpClient, HttpOutcome } from '../ports/http-client.js';
import type { Ids } from '../ports/ids.js';
import { type Consumer, consume, type Job, type Lane } from '../ports/queue.js';
import type { Database, Transaction } from '../ports/transaction.js';
import type { WorkerPool } from '../ports/workers.js';
import { enqueue } from './deliveries.js';
import {
  type AttemptRecord,
  attempts,
  type DeliveryJob,
  type DeliveryRecord,
  type DeliverySettled,
  deliveryAttempted,
  deliveryBodies,
  deliveryJobs,
  deliveryRecords,
  deliverySettled,
  isSettled,
  laneChanged,
  type MediaLink,
} from './delivery.js';
import { type LaneSamples, noSamples, sample } from './lanes.js';
import { hold, isPaused } from './pauses.js';
import { forgetOldDeliveries } from './retention.js';
import { type AttemptResult, classify, isExpired, judge, law } from './retry.js';
import { signPayload } from './signature.js';
import { type WebhookRecord, type Webhooks, webhooks as webhookRecords } from './webhooks.js';

const CONCURRENCY = 64;
const RESPONSE_READ_BYTES = 64 * 1024;
const RESPONSE_KEPT_BYTES = 4 * 1024;
const ATTEMPTS_BETWEEN_CLEANINGS = 500;

export interface AttemptPorts {
  readonly store: Database;
  readonly webhooks: Webhooks;
  readonly media: Pick<Media, 'link'>;
  readonly workers: Pick<WorkerPool, 'run'>;
  readonly http: HttpClient;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly dialect: Dialect;
  /** HTTP statuses that end retries by the interface's table, but shall be tried again: 502, 408, 429. */
  readonly alsoRetry: readonly number[];
}

/** Works on the delivery queue: sign, send, judge, record. */
export function deliveryConsumer({ store, webhooks, media, workers, http, clock, ids, dialect, alsoRetry }: AttemptPorts): Consumer {
  const samples = new Map<string, LaneSamples>();
  const platformStartedAt = clock.now().getTime();
  let made = 0;
  return consume(deliveryJobs, attempt, { concurrency: CONCURRENCY });

  async function attempt(job: Job<DeliveryJob>): Promise<void> {
    const { begun, written } = await start(job);
    if (!begun) return await written;
    const { delivery, webhook } = begun;
    const startedAt = clock.now().toISOString();
    const started = clock.monotonic();
    const outcome = await send(webhook, delivery);
    await written;
    const result = classify(outcome, alsoRetry);
    const about = { started_at: startedAt, duration_ms: clock.monotonic() - started, lane: webhook.lane };
    const laneNow = result.status === 0 ? undefined : newLane(webhook.uuid, outcome);
    const random = ids.random();
    await store.transaction((tx) => settle(tx, job, { delivery, webhook, outcome, result, about, laneNow, random }));
    if (made++ % ATTEMPTS_BETWEEN_CLEANINGS === 0) await clean();
  }

  /**
   * Begins an attempt. That is in the journal before its outcome, but need not be on disk before the request leaves: after a
   * crash what has not begun is sent again, as is what has not ended.
   */
  function start(job: Job<DeliveryJob>): Promise<{ begun: Awaited<ReturnType<typeof begin>>; written: Promise<void> }> {
    return new Promise((resolve, reject) => {
      const written = store.transaction(async (tx) => {
        const begun = await begin(tx, job);
        resolve({ begun, written });
      });
      written.catch(reject);
    });
  }

  /** Marks a delivery as being sent; or settles it, when it is not to be sent any more. */
  async function begin(tx: Transaction, job: Job<DeliveryJob>) {
    const delivery = await tx.in(deliveryRecords).get(job.payload.delivery);
    if (!delivery || delivery.run !== job.payload.run || isSettled(delivery.state)) return void job.done(tx);
    const webhook = await tx.in(webhookRecords).get(delivery.webhook);
    if (!webhook?.enabled) return void finish(tx, job, delivery, 'cancelled', webhook ? 'webhook_disabled' : 'webhook_removed');
    if (isPaused(webhook, job.payload.released)) return void hold(tx, { job, delivery, webhook, now: clock.now() });
    const now = clock.now().getTime();
    const promotedAt = delivery.due_at === undefined ? now : Math.max(Date.parse(delivery.due_at), platformStartedAt);
    if (isExpired({ firstFailedAt: firstFailureOf(delivery), promotedAt, now })) {
      return void finish(tx, job, delivery, 'dropped', 'expired');
    }
    const { due_at: _due, interruptions: _before, ...waited } = delivery;
    const interruptions = delivery.state === 'sending' ? (delivery.interruptions ?? 0) + 1 : 0;
    if (interruptions > law.interruptions) {
      return void finish(
        tx,
        job,
        { ...delivery, last_error: 'the platform stopped or failed every time it was sent' },
        'dropped',
        'interrupted',
      );
    }
    const sending: DeliveryRecord = { ...waited, state: 'sending', ...(interruptions > 0 && { interruptions }) };
    tx.in(deliveryRecords).put(sending);
    return { delivery: sending, webhook };
  }

  async function send(webhook: WebhookRecord, delivery: DeliveryRecord): Promise<HttpOutcome> {
    const [content, secret, previous] = await Promise.all([
      store.open(deliveryBodies).get(delivery.uuid),
      webhooks.secret(webhook.uuid),
      webhooks.previousSecret(webhook),
    ]);
    if (!content || secret === undefined) throw new Error(`delivery ${delivery.uuid} has lost its ${content ? 'secret' : 'body'}`);
    const body = withMediaLinks(content.body, content.media_links, media);
    const [signature, previousSignature] = await Promise.all(
      [secret, ...(previous === undefined ? [] : [previous])].map((key) => workers.run(signPayload, { secret: key, body })),
    );
    return http.send({
      method: 'POST',
      url: webhook.url,
      headers: {
        ...webhook.headers,
        ...content.headers,
        'content-type': 'application/json',
        [dialect.headers.signature]: signature!,
        ...(previousSignature !== undefined && { [dialect.headers.previousSignature]: previousSignature }),
        [dialect.headers.subscription]: delivery.subscription,
      },
      body,
      deadlineMs: law.deadlineMs,
      maxResponseBytes: RESPONSE_READ_BYTES,
      bodyMatters: false,
    });
  }

  interface Tried {
    readonly delivery: DeliveryRecord;
    readonly webhook: WebhookRecord;
    readonly outcome: HttpOutcome;
    readonly result: AttemptResult;
    readonly about: Pick<AttemptRecord, 'started_at' | 'duration_ms' | 'lane'>;
    readonly laneNow: Lane | undefined;
    readonly random: number;
  }

  async function settle(tx: Transaction, job: Job<DeliveryJob>, tried: Tried): Promise<void> {
    const { delivery, webhook, outcome, result, about, laneNow, random } = tried;
    const current = await tx.in(deliveryRecords).get(delivery.uuid);
    const attemptRecord = recordOf(tried, ids.uuid());
    tx.in(attempts).put(attemptRecord);
    if (laneNow && laneNow !== about.lane) await moveLane(tx, delivery.webhook, laneNow);
    // Started again by hand meanwhile, or cancelled and not delivered after all: what this attempt came to is history.
    if (current?.run !== delivery.run || (current.state !== 'sending' && result.kind !== 'delivered')) return;

    const { interruptions: _, ...settling } = current;
    const verdict = judge(result, {
      attempt: current.attempts,
      firstFailedAt: firstFailureOf(current),
      now: clock.now().getTime(),
      random,
    });
    const counted: DeliveryRecord = {
      ...settling,
      attempts: current.attempts + 1,
      last_status: result.status,
      ...(result.kind !== 'delivered' && { last_error: result.error }),
    };
    if (verdict.kind === 'retry') {
      const dueAt = new Date(Math.ceil(verdict.dueAt));
      const webhookNow = (await tx.in(webhookRecords).get(delivery.webhook)) ?? webhook;
      const waiting: DeliveryRecord = {
        ...counted,
        lane: webhookNow.lane,
        state: 'retry_wait',
        first_failed_at: new Date(verdict.firstFailedAt).toISOString(),
        due_at: dueAt.toISOString(),
      };
      tx.in(deliveryRecords).put(waiting);
      tx.emit(deliveryAttempted, { delivery: waiting, attempt: attemptRecord });
      job.done(tx);
      return enqueue(tx, waiting, webhookNow, dueAt);
    }
    tx.emit(deliveryAttempted, { delivery: counted, attempt: attemptRecord });
    finish(tx, job, counted, verdict.kind, 'reason' in verdict ? verdict.reason : undefined, outcome);
  }

  function finish(
    tx: Transaction,
    job: Job<unknown>,
    { due_at: _due, reason: _before, ...delivery }: DeliveryRecord,
    state: 'delivered' | 'cancelled' | 'dropped',
    reason?: string,
    outcome?: HttpOutcome,
  ): void {
    const settled: DeliveryRecord = { ...delivery, state, settled_at: clock.now().toISOString(), ...(reason !== undefined && { reason }) };
    tx.in(deliveryRecords).put(settled);
    tx.emit(deliverySettled, { delivery: settled, response: answerOf(outcome) });
    job.done(tx);
  }

  /** Counts a response time; failures of the network count as the whole five seconds, so that a dead endpoint is not fast. */
  function newLane(webhook: string, outcome: HttpOutcome): Lane | undefined {
    const elapsed = outcome.kind === 'response' ? outcome.elapsedMs : law.deadlineMs;
    const next = sample(samples.get(webhook) ?? noSamples, elapsed);
    samples.set(webhook, next.samples);
    return next.lane;
  }

  /** Forgets what is about webhooks that are gone and deliveries long over. */
  async function clean(): Promise<void> {
    for (const uuid of samples.keys()) if (!(await webhooks.get(uuid))) samples.delete(uuid);
    await forgetOldDeliveries({ store, clock });
  }

  async function moveLane(tx: Transaction, uuid: string, lane: Lane): Promise<void> {
    const webhook = await tx.in(webhookRecords).get(uuid);
    if (!webhook || webhook.lane === lane) return;
    tx.in(webhookRecords).put({ ...webhook, lane });
    tx.emit(laneChanged, { webhook: uuid, lane });
  }

  function recordOf({ delivery, outcome, result, about }: Tried, uuid: string): AttemptRecord {
    return {
      uuid,
      ...about,
      delivery: delivery.uuid,
      run: delivery.run,
      n: delivery.attempts,
      trigger: delivery.run > 1 && delivery.attempts === 0 ? 'manual' : 'auto',
      result: result.kind,
      status: result.status,
      error: result.kind === 'delivered' ? null : result.error,
      response: outcome.kind === 'response' ? printed(outcome.body.subarray(0, RESPONSE_KEPT_BYTES)) : null,
      response_headers: outcome.kind === 'response' ? outcome.headers : {},
    };
  }
}

const firstFailureOf = ({ first_failed_at: at }: DeliveryRecord): number | undefined => (at === undefined ? undefined : Date.parse(at));

function answerOf(outcome: HttpOutcome | undefined): DeliverySettled['response'] {
  if (outcome?.kind !== 'response') return null;
  return { status: outcome.status, body: new TextDecoder().decode(outcome.body), cut: outcome.cut };
}

/** Text that can be shown: what is not printable is dropped. */
const printed = (bytes: Uint8Array): string => new TextDecoder().decode(bytes).replace(/(?![\t\n\r])\p{Cc}/gu, '');

/** Puts fresh links where the body has media: they live two minutes, so each attempt gets its own. */
function withMediaLinks(body: string, links: readonly MediaLink[], media: Pick<Media, 'link'>): string {
  if (links.length === 0) return body;
  const parsed = JSON.parse(body);
  for (const { path, media: id } of links) {
    const parent = path.slice(0, -1).reduce((value, key) => value[key], parsed);
    parent[path.at(-1)!] = media.link(id);
  }
  return JSON.stringify(parsed);
}
