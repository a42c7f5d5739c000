import { createRoom } from '../memory/room.js';
import type { ChannelDriver } from '../messaging/channel-drivers.js';
import { numbers } from '../messaging/number.js';
import type { Clock } from '../ports/clock.js';
import type { HttpClient, HttpOutcome } from '../ports/http-client.js';
import type { Ids } from '../ports/ids.js';
import { type Consumer, consume, type Job, type Shares } from '../ports/queue.js';
import { withFields } from '../ports/store.js';
import type { Transaction } from '../ports/transaction.js';
import { type AttemptOutcome, answerOf, bytesOf, interruptedRecord, recordOf } from './attempt-record.js';
import { enqueue } from './deliveries.js';
import {
  type AttemptRecord,
  attempts,
  type DeliveryJob,
  type DeliveryRecord,
  deliveryAttempted,
  deliveryBodies,
  deliveryJobs,
  deliveryRecords,
  deliverySettled,
  isSettled,
} from './delivery.js';
import type { LaneDecision, Lanes } from './lanes.js';
import { isPaused, pauseDelivery, pauseOrder } from './pauses.js';
import type { DeliveryHistory } from './retention.js';
import { type AttemptResult, badAnswer, classify, judge, neverEnded, type RetrySwitch, type Verdict } from './retry.js';
import { expiry } from './retry-policy.js';
import { type RequestPorts, signedRequest } from './signed-request.js';
import { type WebhookRecord, webhooks as webhookRecords } from './webhook.js';

const ATTEMPTS_BETWEEN_CLEANINGS = 500;
/** Bodies that are larger are put together and signed a few at a time: one takes some four times its size meanwhile. */
const SMALL_BODY_BYTES = 65_536;
const HEAP_PER_BYTE = 50;

export interface AttemptPorts extends RequestPorts {
  readonly lanes: Lanes;
  readonly http: Pick<HttpClient, 'send'>;
  readonly clock: Clock;
  readonly ids: Pick<Ids, 'uuid' | 'random'>;
  readonly drivers: () => ReadonlyMap<string, ChannelDriver>;
  /** Attempts at a time. */
  readonly slots: number;
  /** What ends retries by the interface's table, but shall be tried again; a webhook may say otherwise. */
  readonly retryAlso: readonly RetrySwitch[];
  /** Whether a connector's answer that does not name the message is a failure; a webhook may say otherwise. */
  readonly strictAnswers: boolean;
  readonly history: Pick<DeliveryHistory, 'added' | 'removed'>;
  /** What of the heap Node may use. */
  readonly heapBytes: number;
}

/** Caps isolate where weights only order: slow endpoints cannot take the slots of fast ones, and one endpoint not those of others. */
function sharesOf(slots: number): Shares {
  const share = (part: number) => Math.min(slots, Math.max(4, Math.floor(slots * part)));
  return { lane: { high: slots, default: share(1 / 2), low: share(1 / 4) }, group: { high: 16, default: 8, low: 4 } };
}

interface SettledOutcome extends AttemptOutcome {
  readonly webhook: WebhookRecord;
  readonly decision: LaneDecision | undefined;
  readonly random: number;
}

/** Works on the delivery queue: sign, send, judge, record. */
export function deliveryConsumer(ports: AttemptPorts): Consumer {
  const { store, http, clock, ids, drivers, policy, lanes, chunks, history, heapBytes, slots, retryAlso, strictAnswers } = ports;
  const room = createRoom({ capacity: heapBytes / HEAP_PER_BYTE, small: SMALL_BODY_BYTES });
  let made = 0;
  const orderOf = pauseOrder();
  const logged: Consumer['logged'] = ({ id, group }) => ({ delivery_id: id, webhook_id: group });
  // A failure of our own is no attempt: it is tried again until it is over, and counted against the delivery as an interruption.
  const maxAttempts = Number.POSITIVE_INFINITY;
  return consume(deliveryJobs, attempt, { concurrency: slots, shares: sharesOf(slots), laneOf: lanes.of, maxAttempts, logged });

  async function attempt(job: Job<DeliveryJob>): Promise<void> {
    const { begun, written } = await start(job);
    if (!begun) return await written;
    const { delivery, webhook } = begun;
    const isSmall = (delivery.body_bytes ?? 0) <= SMALL_BODY_BYTES;
    const request = await room(delivery.body_bytes ?? 0, async () => {
      const signed = await signedRequest(ports, webhook, delivery);
      // Bytes wait for the endpoint outside of the heap.
      return isSmall ? signed : { ...signed, body: Buffer.from(signed.body) };
    }).catch((error: unknown) => written.then(() => notSent(delivery, error)));
    const startedAt = clock.now().toISOString();
    const started = clock.monotonic();
    const outcome = await http.send(request);
    if (outcome.kind === 'unreachable' && outcome.code === 'STOPPED') throw new Error('the platform stopped while the delivery was sent');
    const result = await strictly(delivery, webhook, outcome, classify(outcome, policy, webhook.retry_also ?? retryAlso));
    const about = { started_at: startedAt, duration_ms: clock.monotonic() - started, lane: webhook.lane };
    const decision = result.status === 0 ? undefined : lanes.add(webhook.uuid, outcome);
    const random = ids.random();
    const tried = { delivery, webhook, outcome, result, about, decision, random };
    const settled = store.transaction((tx) => {
      // In the journal, which is in order; the slot does not wait for the disk.
      tx.beforeCommit(() => job.release());
      return settle(tx, job, tried);
    });
    // The journal is in order: with the end, the beginning is on disk too.
    await settled;
    await written;
    if (made++ % ATTEMPTS_BETWEEN_CLEANINGS === 0) await lanes.clean();
  }

  /**
   * Begins an attempt. `begun` is known when the beginning is committed: its work may run again after a conflict, and then end
   * otherwise. The request need not wait until that is on disk (`written`), because a crash repeats an attempt that has no end anyway.
   */
  function start(job: Job<DeliveryJob>): Promise<{ begun: Awaited<ReturnType<typeof begin>>; written: Promise<void> }> {
    return new Promise((resolve, reject) => {
      const written = store.transaction(async (tx) => {
        const begun = await begin(tx, job);
        tx.onCommit(() => resolve({ begun, written }));
      });
      written.catch(reject);
    });
  }

  /** Marks a delivery as being sent; or settles it, when it is not to be sent any more. */
  async function begin(tx: Transaction, job: Job<DeliveryJob>) {
    const found = await tx.in(deliveryRecords).get(job.payload.delivery);
    if (!found || found.run !== job.payload.run || isSettled(found.state)) return void job.done(tx);
    const delivery = found.state === 'sending' ? interrupted(tx, found) : found;
    const webhook = await tx.in(webhookRecords).get(delivery.webhook);
    if (!webhook) await forgetBody(tx, delivery.uuid);
    if (!webhook?.enabled) return void finish(tx, job, delivery, 'cancelled', webhook ? 'webhook_disabled' : 'webhook_removed');
    const { due_at: _due, ...waited } = delivery;
    if ((delivery.interruptions ?? 0) >= policy.maxInterruptions) {
      return void follow(tx, job, { delivery: waited, webhook, result: neverEnded, random: ids.random() });
    }
    const now = clock.now();
    if (isPaused(webhook, job.payload.released)) {
      return void pauseDelivery(tx, { job, delivery, webhook, now, order: job.payload.released ?? orderOf(now) });
    }
    const promotedAt = now.getTime() - job.waitedMs;
    const reason = expiry(policy, { firstFailedAt: firstFailureOf(delivery), promotedAt, now: now.getTime() });
    if (reason) return void finish(tx, job, delivery, 'dropped', reason);
    const sending: DeliveryRecord = withFields(waited, { state: 'sending', started_at: now.toISOString() });
    tx.in(deliveryRecords).put(sending);
    return { delivery: sending, webhook };
  }

  /** A delivery without its webhook cannot be started again. */
  async function forgetBody(tx: Transaction, delivery: string): Promise<void> {
    chunks.release(tx, (await tx.in(deliveryBodies).get(delivery))?.body);
    tx.in(deliveryBodies).delete(delivery);
  }

  /** A try that was begun before has no end: it gets its account, and is made again as the same one. */
  function interrupted(tx: Transaction, delivery: DeliveryRecord): DeliveryRecord {
    tx.in(attempts).put(interruptedRecord(ids.uuid(), delivery));
    return { ...delivery, interruptions: (delivery.interruptions ?? 0) + 1 };
  }

  /** The request could not be made, so nothing left: no attempt, but it is not tried so for ever. @throws the error */
  async function notSent({ uuid, run }: DeliveryRecord, error: unknown): Promise<never> {
    await store.transaction(async (tx) => {
      const current = await tx.in(deliveryRecords).get(uuid);
      if (current?.run !== run || current.state !== 'sending') return;
      const { started_at: _, ...waiting } = current;
      tx.in(deliveryRecords).put({ ...waiting, state: 'queued', interruptions: (current.interruptions ?? 0) + 1 });
    });
    throw error;
  }

  async function settle(tx: Transaction, job: Job<DeliveryJob>, tried: SettledOutcome): Promise<void> {
    const { delivery, webhook, outcome, result, decision, random } = tried;
    const current = await tx.in(deliveryRecords).get(delivery.uuid);
    const attempt = recordOf(ids.uuid(), tried);
    if (decision) await lanes.decide(tx, webhook.uuid, decision);
    // Cancelled and evicted meanwhile: no eviction would find the attempt any more.
    if (!current) return;
    tx.in(attempts).put(attempt);
    // Started again by hand meanwhile, or cancelled and not delivered after all: what this attempt came to is history.
    const isCurrent = current.run === delivery.run && current.attempts === delivery.attempts;
    if (!isCurrent || (current.state !== 'sending' && result.kind !== 'delivered')) return;
    const webhookNow = (await tx.in(webhookRecords).get(webhook.uuid)) ?? webhook;
    // A cancelled one is counted already.
    history.removed(tx, current);
    follow(tx, job, { delivery: current, webhook: webhookNow, result, random, outcome, attempt });
  }

  /** What follows from a result: the end, or the next try. */
  function follow(
    tx: Transaction,
    job: Job<DeliveryJob>,
    about: Omit<Partial<SettledOutcome>, 'about'> &
      Pick<SettledOutcome, 'delivery' | 'webhook' | 'result' | 'random'> & { readonly attempt?: AttemptRecord },
  ): void {
    const { result, webhook, random, outcome, attempt } = about;
    const { interruptions: _, started_at: _started, ...tried } = about.delivery;
    const now = clock.now().getTime();
    const verdict = judge(policy, result, { attempt: tried.attempts, firstFailedAt: firstFailureOf(tried), now, random });
    const counted: DeliveryRecord = withFields(tried, {
      attempts: tried.attempts + 1,
      ...(attempt && { kept_bytes: (tried.kept_bytes ?? tried.body_bytes ?? 0) + bytesOf(attempt) }),
      last_status: result.status,
      ...(result.kind !== 'delivered' && { last_error: result.error }),
    });
    const isLast = verdict.kind !== 'retry' || tried.no_retry === true;
    if (isLast) {
      if (attempt) tx.emit(deliveryAttempted, { delivery: counted, attempt });
      const [state, reason] = verdict.kind === 'retry' ? (['dropped', 'exhausted'] as const) : [verdict.kind, reasonOf(verdict)];
      finish(tx, job, counted, state, reason, outcome);
      return;
    }
    const dueAt = new Date(Math.ceil(verdict.dueAt));
    const waiting: DeliveryRecord = {
      ...counted,
      lane: webhook.lane,
      state: 'retry_wait',
      first_failed_at: new Date(verdict.firstFailedAt).toISOString(),
      due_at: dueAt.toISOString(),
    };
    tx.in(deliveryRecords).put(waiting);
    if (attempt) tx.emit(deliveryAttempted, { delivery: waiting, attempt });
    job.done(tx);
    enqueue(tx, waiting, webhook, dueAt);
  }

  function finish(
    tx: Transaction,
    job: Job<unknown>,
    { due_at: _due, reason: _before, started_at: _started, ...delivery }: DeliveryRecord,
    state: 'delivered' | 'cancelled' | 'dropped',
    reason?: string,
    outcome?: HttpOutcome,
  ): void {
    const settled: DeliveryRecord = withFields(delivery, {
      state,
      settled_at: clock.now().toISOString(),
      ...(reason !== undefined && { reason }),
    });
    tx.in(deliveryRecords).put(settled);
    history.added(tx, settled);
    tx.emit(deliverySettled, { delivery: settled, response: answerOf(outcome) });
    job.done(tx);
  }

  /** Where answers are taken strictly, one that does not name the message is a failure. */
  async function strictly(
    { kind, number }: DeliveryRecord,
    { connector, strict_answers }: WebhookRecord,
    outcome: HttpOutcome,
    result: AttemptResult,
  ): Promise<AttemptResult> {
    if (kind !== 'channel' || result.kind !== 'delivered' || !(strict_answers ?? (strictAnswers && connector === true))) return result;
    const type = (await store.open(numbers).get(number))?.type ?? '';
    const fault = drivers().get(type)?.answerFault?.(answerOf(outcome)!);
    return fault === undefined ? result : badAnswer(result.status, fault);
  }
}

const reasonOf = (verdict: Verdict): string | undefined => ('reason' in verdict ? verdict.reason : undefined);

const firstFailureOf = ({ first_failed_at: at }: DeliveryRecord): number | undefined => (at === undefined ? undefined : Date.parse(at));
