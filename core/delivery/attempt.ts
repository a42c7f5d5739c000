import { createRoom } from '../memory/room.js';
import type { ChannelDriver } from '../messaging/channel-drivers.js';
import { numbers } from '../messaging/number.js';
import type { Clock } from '../ports/clock.js';
import type { HttpClient, HttpOutcome } from '../ports/http-client.js';
import type { Ids } from '../ports/ids.js';
import { type Consumer, consume, type Job, type Shares } from '../ports/queue.js';
import { withFields } from '../ports/store.js';
import type { Transaction } from '../ports/transaction.js';
import { type AttemptOutcome, bytesOf, interruptedRecord, recordOf, responseOf } from './attempt-record.js';
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
import { type AttemptResult, badAnswer, classify, judge, type RetrySwitch, tooManyInterruptions, type Verdict } from './retry.js';
import { expiry } from './retry-policy.js';
import { type RequestPorts, signedRequest } from './signed-request.js';
import { type WebhookRecord, webhooks as webhookRecords } from './webhook.js';

const ATTEMPTS_BETWEEN_CLEANINGS = 500;
/** Bodies larger than this are assembled and signed a few at a time: each needs about four times its size in memory. */
const SMALL_BODY_BYTES = 65_536;
const HEAP_PER_BYTE = 50;

export interface AttemptPorts extends RequestPorts {
  readonly lanes: Lanes;
  readonly http: Pick<HttpClient, 'send'>;
  readonly clock: Clock;
  readonly ids: Pick<Ids, 'uuid' | 'random'>;
  readonly drivers: () => ReadonlyMap<string, ChannelDriver>;
  readonly slots: number;
  /** Outcomes to retry that by default cancel the delivery. A webhook may override this. */
  readonly retryAlso: readonly RetrySwitch[];
  /** Whether a connector's 2XX response without a message id is a failure. A webhook may override this. */
  readonly strictAnswers: boolean;
  readonly history: Pick<DeliveryHistory, 'added' | 'removed'>;
  readonly heapBytes: number;
}

/** Caps per lane and per webhook: slow endpoints cannot occupy the slots of fast ones, which weights alone would allow. */
function sharesOf(slots: number): Shares {
  const share = (part: number) => Math.min(slots, Math.max(4, Math.floor(slots * part)));
  return { lane: { high: slots, default: share(1 / 2), low: share(1 / 4) }, group: { high: 16, default: 8, low: 4 } };
}

interface SettledOutcome extends AttemptOutcome {
  readonly webhook: WebhookRecord;
  readonly decision: LaneDecision | undefined;
  readonly random: number;
}

/** The consumer of the delivery queue: signs and sends a request, classifies its outcome, and records it. */
export function deliveryConsumer(ports: AttemptPorts): Consumer {
  const { store, http, clock, ids, drivers, policy, lanes, chunks, history, heapBytes, slots, retryAlso, strictAnswers } = ports;
  const room = createRoom({ capacity: heapBytes / HEAP_PER_BYTE, small: SMALL_BODY_BYTES });
  let attemptsMade = 0;
  const orderOf = pauseOrder();
  const logged: Consumer['logged'] = ({ id, group }) => ({ delivery_id: id, webhook_id: group });
  // A failure of the platform is not an attempt: the queue repeats the job without limit, and the delivery counts an interruption.
  const maxAttempts = Number.POSITIVE_INFINITY;
  return consume(deliveryJobs, attempt, { concurrency: slots, shares: sharesOf(slots), laneOf: lanes.of, maxAttempts, logged });

  async function attempt(job: Job<DeliveryJob>): Promise<void> {
    const { sending, written } = await start(job);
    if (!sending) return await written;
    const { delivery, webhook } = sending;
    const isSmall = (delivery.body_bytes ?? 0) <= SMALL_BODY_BYTES;
    const request = await room(delivery.body_bytes ?? 0, async () => {
      const signed = await signedRequest(ports, webhook, delivery);
      // A buffer keeps the body outside of the heap while the endpoint responds.
      return isSmall ? signed : { ...signed, body: Buffer.from(signed.body) };
    }).catch((error: unknown) => written.then(() => notSent(delivery, error)));
    const startedAt = clock.now().toISOString();
    const started = clock.monotonic();
    const outcome = await http.send(request);
    if (outcome.kind === 'unreachable' && outcome.code === 'STOPPED') throw new Error('the platform stopped while the delivery was sent');
    const result = await withStrictAnswers(delivery, webhook, outcome, classify(outcome, policy, webhook.retry_also ?? retryAlso));
    const about = { started_at: startedAt, duration_ms: clock.monotonic() - started, lane: webhook.lane };
    const decision = result.status === 0 ? undefined : lanes.add(webhook.uuid, outcome);
    const random = ids.random();
    const ended = { delivery, webhook, outcome, result, about, decision, random };
    const settled = store.transaction((tx) => {
      // Frees the slot before the disk has synced: the journal keeps the order of commits.
      tx.beforeCommit(() => job.release());
      return settle(tx, job, ended);
    });
    // The journal is ordered: once the end is on disk, so is the start.
    await settled;
    await written;
    if (attemptsMade++ % ATTEMPTS_BETWEEN_CLEANINGS === 0) await lanes.clean();
  }

  /**
   * Starts an attempt. Resolves when the start is committed, not earlier: a conflict runs the transaction again, possibly with another
   * result. The request need not wait until the start is on disk (`written`), because a crash repeats an attempt without an end anyway.
   */
  function start(job: Job<DeliveryJob>): Promise<{ sending: Awaited<ReturnType<typeof markSending>>; written: Promise<void> }> {
    return new Promise((resolve, reject) => {
      const written = store.transaction(async (tx) => {
        const sending = await markSending(tx, job);
        tx.onCommit(() => resolve({ sending, written }));
      });
      written.catch(reject);
    });
  }

  /** Marks a delivery as `sending`. Settles or pauses it instead, and returns undefined, when it may not be sent now. */
  async function markSending(tx: Transaction, job: Job<DeliveryJob>) {
    const found = await tx.in(deliveryRecords).get(job.payload.delivery);
    if (!found || found.run !== job.payload.run || isSettled(found.state)) return void job.done(tx);
    const delivery = found.state === 'sending' ? countInterruption(tx, found) : found;
    const webhook = await tx.in(webhookRecords).get(delivery.webhook);
    if (!webhook) await deleteBody(tx, delivery.uuid);
    if (!webhook?.enabled) return void finish(tx, job, delivery, 'cancelled', webhook ? 'webhook_disabled' : 'webhook_removed');
    const { due_at: _due, ...due } = delivery;
    if ((delivery.interruptions ?? 0) >= policy.maxInterruptions) {
      return void applyResult(tx, job, { delivery: due, webhook, result: tooManyInterruptions, random: ids.random() });
    }
    const now = clock.now();
    if (isPaused(webhook, job.payload.released)) {
      return void pauseDelivery(tx, { job, delivery, webhook, now, order: job.payload.released ?? orderOf(now) });
    }
    const promotedAt = now.getTime() - job.waitedMs;
    const reason = expiry(policy, { firstFailedAt: firstFailureOf(delivery), promotedAt, now: now.getTime() });
    if (reason) return void finish(tx, job, delivery, 'dropped', reason);
    const sending: DeliveryRecord = withFields(due, { state: 'sending', started_at: now.toISOString() });
    tx.in(deliveryRecords).put(sending);
    return { delivery: sending, webhook };
  }

  /** Also deletes the body: without its webhook, a delivery cannot be redelivered. */
  async function deleteBody(tx: Transaction, delivery: string): Promise<void> {
    chunks.release(tx, (await tx.in(deliveryBodies).get(delivery))?.body);
    tx.in(deliveryBodies).delete(delivery);
  }

  /** Records that the previous start of this attempt has no outcome; the attempt is repeated with the same number. */
  function countInterruption(tx: Transaction, delivery: DeliveryRecord): DeliveryRecord {
    tx.in(attempts).put(interruptedRecord(ids.uuid(), delivery));
    return { ...delivery, interruptions: (delivery.interruptions ?? 0) + 1 };
  }

  /**
   * Counts a request that could not be built, so that it is not repeated forever. Nothing was sent, so it is not an attempt. @throws the
   * error
   */
  async function notSent({ uuid, run }: DeliveryRecord, error: unknown): Promise<never> {
    await store.transaction(async (tx) => {
      const current = await tx.in(deliveryRecords).get(uuid);
      if (current?.run !== run || current.state !== 'sending') return;
      const { started_at: _, ...unsent } = current;
      tx.in(deliveryRecords).put({ ...unsent, state: 'queued', interruptions: (current.interruptions ?? 0) + 1 });
    });
    throw error;
  }

  async function settle(tx: Transaction, job: Job<DeliveryJob>, ended: SettledOutcome): Promise<void> {
    const { delivery, webhook, outcome, result, decision, random } = ended;
    const current = await tx.in(deliveryRecords).get(delivery.uuid);
    const attempt = recordOf(ids.uuid(), ended);
    if (decision) await lanes.decide(tx, webhook.uuid, decision);
    // The delivery was cancelled and evicted meanwhile; an attempt recorded now would never be evicted.
    if (!current) return;
    tx.in(attempts).put(attempt);
    // The delivery was redelivered or cancelled meanwhile: record the attempt, but only a success may still settle a cancelled delivery.
    const isCurrent = current.run === delivery.run && current.attempts === delivery.attempts;
    if (!isCurrent || (current.state !== 'sending' && result.kind !== 'delivered')) return;
    const webhookNow = (await tx.in(webhookRecords).get(webhook.uuid)) ?? webhook;
    // A cancelled delivery is already counted as history.
    history.removed(tx, current);
    applyResult(tx, job, { delivery: current, webhook: webhookNow, result, random, outcome, attempt });
  }

  function applyResult(
    tx: Transaction,
    job: Job<DeliveryJob>,
    about: Omit<Partial<SettledOutcome>, 'about'> &
      Pick<SettledOutcome, 'delivery' | 'webhook' | 'result' | 'random'> & { readonly attempt?: AttemptRecord },
  ): void {
    const { result, webhook, random, outcome, attempt } = about;
    const { interruptions: _, started_at: _started, ...attempted } = about.delivery;
    const now = clock.now().getTime();
    const verdict = judge(policy, result, { attempt: attempted.attempts, firstFailedAt: firstFailureOf(attempted), now, random });
    const counted: DeliveryRecord = withFields(attempted, {
      attempts: attempted.attempts + 1,
      ...(attempt && { kept_bytes: (attempted.kept_bytes ?? attempted.body_bytes ?? 0) + bytesOf(attempt) }),
      last_status: result.status,
      ...(result.kind !== 'delivered' && { last_error: result.error }),
    });
    const isLast = verdict.kind !== 'retry' || attempted.no_retry === true;
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
    tx.emit(deliverySettled, { delivery: settled, response: responseOf(outcome) });
    job.done(tx);
  }

  /** With strict answers, a connector's 2XX response without a message id is a failure. */
  async function withStrictAnswers(
    { kind, number }: DeliveryRecord,
    { connector, strict_answers }: WebhookRecord,
    outcome: HttpOutcome,
    result: AttemptResult,
  ): Promise<AttemptResult> {
    if (kind !== 'channel' || result.kind !== 'delivered' || !(strict_answers ?? (strictAnswers && connector === true))) return result;
    const type = (await store.open(numbers).get(number))?.type ?? '';
    const fault = drivers().get(type)?.answerFault?.(responseOf(outcome)!);
    return fault === undefined ? result : badAnswer(result.status, fault);
  }
}

const reasonOf = (verdict: Verdict): string | undefined => ('reason' in verdict ? verdict.reason : undefined);

const firstFailureOf = ({ first_failed_at: at }: DeliveryRecord): number | undefined => (at === undefined ? undefined : Date.parse(at));
