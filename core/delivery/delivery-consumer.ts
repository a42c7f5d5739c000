import { messageOf } from '../errors.js';
import type { Chunks } from '../memory/chunks.js';
import { createRoom } from '../memory/room.js';
import type { Clock } from '../ports/clock.js';
import type { Faults } from '../ports/faults.js';
import type { HttpOutcome } from '../ports/http-client.js';
import type { Ids } from '../ports/ids.js';
import { type OutboundSender, RequestNotSent } from '../ports/outbound.js';
import type { DueEntry, EndedAttempt, OutboxChange, OutboxConsumer } from '../ports/outbox.js';
import type { Shares } from '../ports/queue.js';
import { runSteps, type Steps, wait } from '../ports/steps.js';
import type { Database, Transaction } from '../ports/transaction.js';
import {
  type AttemptOutcome,
  attemptRecord,
  bytesOf,
  callsOf,
  endedAttempt,
  interruptedAttempt,
  repetitionsOf,
  responseOf,
} from './attempt-record.js';
import {
  type DeliveryEntry,
  type DeliveryOutbox,
  type DeliveryRecord,
  deliveryAttempted,
  deliverySettled,
  isSettled,
  type StoredAttempt,
} from './delivery.js';
import type { DeliveryDetails } from './delivery-details.js';
import { changedRecord, type RecordChanges } from './delivery-record.js';
import { ERASED } from './erased-deliveries.js';
import type { LaneDecision, Lanes } from './lanes.js';
import { noResponseOf } from './no-response.js';
import { heldChange, isPaused, pauseOrder } from './pauses.js';
import type { DeliveryHistory } from './retention.js';
import { type AttemptResult, errorInterrupted, errorNotMade, interruptedResult, judge, type RetrySwitch, type Verdict } from './retry.js';
import { expiry } from './retry-policy.js';
import { type DeliverySender, type Destination, WEBHOOK_SENDER } from './sender.js';
import type { SettledDeliveries } from './settled-deliveries.js';
import { SettledEntry } from './settled-delivery.js';
import { attemptSender, reordering, resultOf } from './watched-sending.js';

const ATTEMPTS_BETWEEN_CLEANINGS = 500;
/** Bodies larger than this are assembled a few at a time: each needs about four times its size in memory. */
const SMALL_BODY_BYTES = 65_536;
const HEAP_PER_BYTE = 50;

export interface DeliveryConsumerPorts {
  readonly store: Database;
  readonly outbox: DeliveryOutbox;
  readonly settled: SettledDeliveries;
  readonly sender: Pick<OutboundSender, 'send'>;
  /** The senders, by the name that deliveries store. */
  readonly senders: ReadonlyMap<string, DeliverySender>;
  readonly chunks: Pick<Chunks, 'release'>;
  readonly lanes: Lanes;
  readonly clock: Clock;
  readonly ids: Pick<Ids, 'random'>;
  readonly slots: number;
  readonly retryAlso: readonly RetrySwitch[];
  readonly history: Pick<DeliveryHistory, 'added' | 'removed'>;
  readonly heapBytes: number;
  readonly faults?: Faults | undefined;
  readonly details?: DeliveryDetails | undefined;
}

/** Caps per lane and per webhook: slow endpoints cannot occupy the slots of fast ones, which weights alone would allow. */
function sharesOf(slots: number): Shares {
  const share = (part: number) => Math.min(slots, Math.max(4, Math.floor(slots * part)));
  return { lane: { high: slots, default: share(1 / 2), low: share(1 / 4) }, group: { high: 16, default: 8, low: 4 } };
}

/** A started attempt. */
interface Sending {
  readonly entry: DeliveryEntry;
  readonly destination: Destination;
  readonly sender: DeliverySender;
}

/** An attempt that has ended. */
interface Ended extends AttemptOutcome {
  readonly destination: Destination;
  readonly sender: DeliverySender;
  readonly decision: LaneDecision | undefined;
  readonly random: number;
}

/** The consumer of the outbox: sends requests, classifies their outcomes, and records them. */
export function deliveryConsumer(ports: DeliveryConsumerPorts): OutboxConsumer<DeliveryEntry, Sending, Ended, Transaction> {
  const { store, outbox, settled, senders, clock, ids, lanes, chunks, history, heapBytes, slots, retryAlso, faults, details } = ports;
  const requestClock = clock.ofRequests ?? clock;
  const room = createRoom({ capacity: heapBytes / HEAP_PER_BYTE, small: SMALL_BODY_BYTES });
  const orderOf = pauseOrder();
  const transmit = attemptSender({ sender: ports.sender, faults, details });
  const postponed = reordering(faults);
  let attemptsMade = 0;
  return {
    concurrency: slots,
    shares: sharesOf(slots),
    laneOf: lanes.of,
    gapOf: lanes.gapOf,
    sends: ({ record }) => senders.has(nameOf(record)),
    begin: (tx, due) => runSteps(begin(tx, due)),
    send,
    settle,
  };

  function* begin(tx: Transaction, due: readonly DueEntry<DeliveryEntry>[]): Steps<(Sending | Error | undefined)[]> {
    const destinations = new Map<string, Destination | Error | undefined>();
    const started: (Sending | Error | undefined)[] = [];
    const now = clock.now();
    const deliveries = outbox.in(tx);
    for (const { entry, waitedMs } of due) {
      const { webhook } = entry.record;
      const sender = senders.get(nameOf(entry.record))!;
      if (!destinations.has(webhook)) destinations.set(webhook, yield* destinationOf(tx, sender, webhook));
      const destination = destinations.get(webhook);
      const current = deliveries.current(entry);
      if (destination instanceof Error || !current) {
        started.push(destination instanceof Error ? destination : undefined);
        continue;
      }
      const mayStart = sender.waitMs !== undefined && destination?.enabled === true && !isPaused(destination, current.held?.order);
      const waitMs = mayStart ? yield* wait(sender.waitMs!(tx, current, destination)) : 0;
      started.push(beginOne(tx, current, { sender, destination, waitedMs, waitMs, now }));
    }
    return started;
  }

  /** A sender that fails must not keep the deliveries of others from starting: its error counts for its own only. */
  function* destinationOf(tx: Transaction, sender: DeliverySender, uuid: string): Steps<Destination | Error | undefined> {
    try {
      return yield* wait(sender.destination(tx, uuid));
    } catch (error) {
      if (sender.name === WEBHOOK_SENDER) throw error;
      return new Error(`the sender '${sender.name}' failed: ${messageOf(error)}`, { cause: error });
    }
  }

  /** Marks a delivery as `sending`. Settles or pauses it instead, and returns undefined, when it may not be sent now. */
  function beginOne(
    tx: Transaction,
    found: DeliveryEntry,
    {
      sender,
      destination,
      waitedMs,
      waitMs: askedMs,
      now,
    }: { sender: DeliverySender; destination: Destination | undefined; waitedMs: number; waitMs: number; now: Date },
  ): Sending | undefined {
    if (isSettled(found.record.state) || found.record.held_at !== undefined) return undefined;
    const entry = found.record.state === 'sending' ? countInterruption(tx, found) : found;
    if (!destination?.enabled) {
      if (!destination) chunks.release(tx, entry.content.body);
      const reason = destination ? `${sender.name}_disabled` : `${sender.name}_removed`;
      // Without its destination, a delivery cannot be redelivered.
      return finish(tx, destination ? { entry, state: 'cancelled', reason } : { entry, state: 'cancelled', reason, content: null });
    }
    const { policy } = sender;
    const { record } = entry;
    if ((record.interruptions ?? 0) >= policy.maxInterruptions) {
      return applyResult(tx, { entry, record, sender, destination, result: interruptedResult(record), random: ids.random() });
    }
    const released = entry.held?.order;
    if (isPaused(destination, released)) {
      outbox.in(tx).change(entry, heldChange(entry.record, { destination, now, order: released ?? orderOf(now) }));
      return undefined;
    }
    const waitMs = postponed?.(entry) ?? askedMs;
    if (waitMs > 0) {
      const dueAt = new Date(now.getTime() + waitMs).toISOString();
      outbox.in(tx).change(entry, { record: changedRecord(entry.record, { state: 'retry_wait', due_at: dueAt }) });
      return undefined;
    }
    const promotedAt = now.getTime() - waitedMs;
    // A retry that waits for others, in strict order or for a limit of its webhook, is not too late because of that.
    const isHeldUp = record.order === 'strict' || lanes.gapOf(record.webhook) !== undefined;
    const reason = isHeldUp ? undefined : expiry(policy, { firstFailedAt: firstFailureOf(record), promotedAt, now: now.getTime() });
    if (reason) return finish(tx, { entry, state: 'dropped', reason });
    const started = changedRecord(record, { state: 'sending', started_at: isoOf(now), due_at: undefined });
    const sending = outbox.in(tx).change(entry, released === undefined ? { record: started } : { record: started, held: null });
    return { entry: sending, destination, sender };
  }

  /** Records that the previous start of this attempt has no outcome; the attempt is repeated with the same number. */
  function countInterruption(tx: Transaction, entry: DeliveryEntry): DeliveryEntry {
    const interruptions = (entry.record.interruptions ?? 0) + 1;
    const record = changedRecord(entry.record, { interruptions, last_error: errorInterrupted(entry.record) });
    return outbox.in(tx).change(entry, { record, attempt: interruptedAttempt(entry.record) });
  }

  function send(sending: Sending): Promise<Ended> {
    const { entry } = sending;
    const { content } = entry;
    const started = requestClock.monotonic();
    const sent = content.of_message && content.body === undefined ? withBody(sending).then(exchange) : exchange(sending);
    return sent.then(
      // A response that a fault delays comes later by the platform's clock, not by that of requests.
      (outcome) => ended(sending, outcome, Math.max(requestClock.monotonic() - started, outcome.elapsedMs)),
      async (error) => {
        if (error instanceof RequestNotSent) await notSent(entry, error);
        throw error;
      },
    );
  }

  /** After a restart, a body that is stored without the content of its message is made again. */
  async function withBody({ entry, ...sending }: Sending): Promise<Sending> {
    const { id, seq, index, record, attempts, held, content } = entry;
    const body = await settled.bodyOf(entry).catch(cannotBuild);
    return { ...sending, entry: { id, seq, index, record, attempts, held, content: { ...content, body } } };
  }

  function exchange(sending: Sending): Promise<HttpOutcome> {
    const { body_bytes: bytes = 0 } = sending.entry.record;
    // The request is built in turn, and its memory counts until it has been handed over.
    if (bytes > SMALL_BODY_BYTES) return room(bytes, async () => requestOf(sending)).then((request) => transmit(sending, request));
    try {
      const request = requestOf(sending);
      return request instanceof Promise ? request.then((built) => transmit(sending, built)) : transmit(sending, request);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  function requestOf(sending: Sending): ReturnType<DeliverySender['request']> {
    try {
      const request = sending.sender.request(sending);
      return request instanceof Promise ? request.catch(cannotBuild) : request;
    } catch (error) {
      return cannotBuild(error);
    }
  }

  function ended(sending: Sending, outcome: HttpOutcome, durationMs: number): Ended | Promise<Ended> {
    const { entry, destination, sender } = sending;
    if (outcome.kind === 'unreachable' && outcome.code === 'STOPPED') throw new Error('the platform stopped while the delivery was sent');
    const result = resultOf(sending, outcome, retryAlso);
    const about = { started_at: entry.record.started_at!, duration_ms: durationMs, lane: destination.lane };
    if (attemptsMade++ % ATTEMPTS_BETWEEN_CLEANINGS === 0) void lanes.clean();
    const complete = (result: AttemptResult): Ended => ({
      entry,
      destination,
      sender,
      outcome,
      result,
      about,
      decision:
        result.status === 0 || sender.name !== WEBHOOK_SENDER || entry.record.replay_url !== undefined
          ? undefined
          : lanes.add(destination.uuid, outcome),
      random: ids.random(),
    });
    return result instanceof Promise ? result.then(complete) : complete(result);
  }

  /** Counts a request that could not be built, so that it is not repeated forever. Nothing was sent, so it is not an attempt. */
  async function notSent(entry: DeliveryEntry, error: Error): Promise<void> {
    await store.transaction((tx) => {
      const current = outbox.in(tx).current(entry);
      if (current?.record.run !== entry.record.run || current.record.state !== 'sending') return;
      const counted = { interruptions: (current.record.interruptions ?? 0) + 1, last_error: errorNotMade(current.record, error.message) };
      outbox.in(tx).change(current, { record: changedRecord(current.record, { state: 'queued', started_at: undefined, ...counted }) });
    });
  }

  function settle(tx: Transaction, ended: Ended): Promise<void> | void {
    const { destination, sender, result, decision } = ended;
    const current = outbox.in(tx).current(ended.entry);
    if (current && result.kind === 'delivered' && !decision) return settleOne(tx, current, ended, destination);
    return (async () => {
      if (decision) await lanes.decide(tx, destination.uuid, decision);
      // It was cancelled meanwhile, perhaps redelivered or evicted.
      const now = current ?? (await settled.get(tx, ended.entry.record.uuid));
      if (!now) return;
      const known = await sender.destination(tx, destination.uuid);
      // Nothing more is sent to a destination that is gone, so a retry needs no wait.
      const repeated = known || result.kind !== 'retry' ? ended : { ...ended, result: { ...result, afterMs: 0 } };
      settleOne(tx, now, repeated, known ?? destination);
    })();
  }

  function settleOne(tx: Transaction, current: DeliveryEntry, ended: Ended, destination: Destination): void {
    const {
      result,
      entry: { record: delivery },
    } = ended;
    const attempt = endedAttempt(ended);
    const { record } = current;
    // The response may contain what was erased.
    if (record.reason === ERASED) return;
    // The delivery was redelivered or cancelled meanwhile: record the attempt, but only a success may still settle a cancelled delivery.
    const isCurrent = record.run === delivery.run && record.attempts === delivery.attempts;
    if (!isCurrent || (record.state !== 'sending' && result.kind !== 'delivered')) {
      if (current instanceof SettledEntry) settled.settle(tx, current, { record, attempt });
      else outbox.in(tx).change(current, { record, attempt });
      return;
    }
    // A cancelled delivery is already counted as history.
    if (current instanceof SettledEntry) history.removed(tx, current.document);
    const { sender, random, outcome } = ended;
    applyResult(tx, { entry: current, record, destination, sender, result, random, outcome, attempt });
  }

  function applyResult(
    tx: Transaction,
    ended: Pick<Ended, 'destination' | 'sender' | 'result' | 'random'> & {
      readonly entry: DeliveryEntry;
      readonly record: DeliveryRecord;
      readonly outcome?: HttpOutcome;
      readonly attempt?: EndedAttempt<StoredAttempt>;
    },
  ): undefined {
    const { entry, record, result, destination, sender, random, outcome, attempt } = ended;
    const { attempts, kept_bytes: kept, body_bytes: bytes = 0 } = record;
    const now = clock.now().getTime();
    const resent = outcome?.resent ? (record.resent ?? 0) + 1 : record.resent;
    const calls = callsOf(entry);
    const verdict = judge(sender.policy, result, { attempts, calls, resent, firstFailedAt: firstFailureOf(record), now, random });
    const counted: RecordChanges = {
      attempts: attempts + 1,
      last_status: result.status,
      resent,
      last_no_response: noResponseOf(outcome),
      kept_bytes: attempt ? (kept ?? bytes) + bytesOf(attempt.ended) : kept,
      last_error: 'error' in result ? result.error : record.last_error,
      interruptions: undefined,
      started_at: undefined,
      due_at: undefined,
    };
    const attempting = attempt && { attempt, repetitions: repetitionsOf(entry, attempt) };
    const isRepeated = verdict.kind === 'retry' && record.no_retry !== true;
    if (verdict.kind !== 'next' && !isRepeated) {
      const [state, reason] = verdict.kind === 'retry' ? (['dropped', 'exhausted'] as const) : [verdict.kind, reasonOf(verdict)];
      return finish(tx, { entry, changes: counted, state, reason, outcome, attempting });
    }
    const waiting = changedRecord(record, {
      ...counted,
      lane: destination.lane,
      state: 'retry_wait',
      first_failed_at: verdict.kind === 'next' ? undefined : new Date(verdict.firstFailedAt).toISOString(),
      due_at: new Date(verdict.kind === 'next' ? now : Math.ceil(verdict.dueAt)).toISOString(),
    });
    outbox.in(tx).change(entry, { record: waiting, attempt });
    if (attempting) announceAttempt(tx, waiting, attempting);
    return undefined;
  }

  function finish(
    tx: Transaction,
    about: {
      readonly entry: DeliveryEntry;
      readonly changes?: RecordChanges;
      readonly state: 'delivered' | 'cancelled' | 'dropped';
      readonly reason: string | undefined;
      readonly outcome?: HttpOutcome | undefined;
      readonly attempting?: { readonly attempt: EndedAttempt<StoredAttempt>; readonly repetitions: number } | undefined;
    } & Pick<OutboxChange<DeliveryEntry>, 'content'>,
  ): undefined {
    const { entry, changes, state, reason, outcome, attempting, content } = about;
    const ending = { state, reason, settled_at: isoOf(clock.now()), due_at: undefined, started_at: undefined };
    const record = changedRecord(entry.record, changes ?? ending, ending);
    const attempt = attempting?.attempt;
    history.added(tx, settled.settle(tx, entry, { record, attempt, ...(content === null && { content: {} }) }));
    if (attempting) announceAttempt(tx, record, attempting);
    tx.emit(deliverySettled, { delivery: record, response: responseOf(outcome) });
    return undefined;
  }

  function announceAttempt(
    tx: Transaction,
    delivery: DeliveryRecord,
    { attempt, repetitions }: { attempt: EndedAttempt<StoredAttempt>; repetitions: number },
  ): void {
    tx.emit(deliveryAttempted, { delivery, attempt: attemptRecord(delivery.uuid, attempt, repetitions) });
  }
}

const nameOf = ({ sender = WEBHOOK_SENDER }: DeliveryRecord): string => sender;

/** Deliveries of a batch mostly have the same millisecond, and the text of a time takes longer than the rest of a change. */
let latest = { ms: Number.NaN, iso: '' };
function isoOf(time: Date): string {
  const ms = time.getTime();
  if (ms !== latest.ms) latest = { ms, iso: time.toISOString() };
  return latest.iso;
}

const reasonOf = (verdict: Verdict): string | undefined => ('reason' in verdict ? verdict.reason : undefined);

const firstFailureOf = ({ first_failed_at: at }: DeliveryRecord): number | undefined => (at === undefined ? undefined : Date.parse(at));

function cannotBuild(error: unknown): never {
  throw new RequestNotSent(messageOf(error), { cause: error });
}
