import {
  type AttemptResult,
  anyString,
  array,
  type Consumer,
  type Contributions,
  consume,
  type DeliverySettled,
  type HttpOutcome,
  type Json,
  type MessageRecord,
  type NumberRecord,
  object,
  type PluginContext,
  string,
  type Transaction,
  type TypeOf,
} from '#core';
import { readJson } from '#core/basics';
import {
  attemptDelay,
  attemptPolicy,
  type NotificationError,
  ServiceUnreachable,
  UNKNOWN_OUTCOME,
  unansweredAttempt,
} from '#core/messaging';
import type { Graph } from '../graph/client.js';
import { GraphError, networkErrorOf, notificationErrorOf, readGraph } from '../graph/errors.js';
import { delayBefore, ruleOf } from '../graph/remedies.js';
import type { Connections } from '../numbers/connections.js';
import type { Settings } from '../options.js';
import { idsIn } from '../receiving/messages.js';
import type { Statuses } from '../receiving/statuses.js';
import { connections as connectionRecords, pendingSends, type TemplateName } from '../records.js';
import type { TemplateSync } from '../templates/sync.js';
import type { Acceptance } from './acceptance.js';
import type { SendBudget } from './budget.js';
import type { Doubts } from './doubts.js';
import { pushLane, unknownOutcomes } from './queues.js';
import { stopping } from './stopping.js';
import type { Uploads } from './uploads.js';

/** The name of the sender, which deliveries store. */
export const CLOUD_SENDER = 'cloud-api';

const DEADLINE_MS = 15_000;
const MAX_RESPONSE_BYTES = 64 * 1024;
const MAX_ATTEMPTS = 13;
const GAP_MS = 60_000;
const MAX_DELAY_MS = 5 * 60_000;
const DAY_MS = 24 * 60 * 60 * 1000;
const WINDOW_CLOSED = 131047;
const AFTER_INBOUND_MS = 5_000;
/** Errors with which the network can refuse the id of an upload that it no longer has. */
const UPLOAD_REFUSED = new Set([100, 131009, 131053]);

/** The answer to a send. */
const sendAnswer = object(
  { messages: array(object({ id: string() }).unknown()).min(1) },
  { contacts: array(object({}, { input: anyString(), wa_id: anyString(), user_id: anyString() }).unknown()) },
);
type SentTo = NonNullable<TypeOf<typeof sendAnswer>['contacts']>[number];

type Sender = NonNullable<Contributions['senders']>[number];
type Attempt = Parameters<NonNullable<Sender['read']>>[0];

/** The destination of a number's messages: paused while the number is stopped; undefined when it is not connected. */
export async function destinationOf(tx: Transaction, number: string) {
  const connection = await tx.in(connectionRecords).get(number);
  if (!connection) return undefined;
  return { uuid: number, number, enabled: true, lane: 'high' as const, paused_at: connection.stopped?.at };
}

interface SenderParts {
  readonly connections: Connections;
  readonly graph: Graph;
  readonly budget: SendBudget;
  readonly doubts: Doubts;
  readonly settings: Settings;
}

/** The sender of connected numbers: one delivery is one message, and its attempts follow the network's error codes. */
export function cloudSender(context: PluginContext, { connections, graph, budget, doubts, settings }: SenderParts): Sender {
  const { ids, clock, chunks, conversations, messages } = context;
  const stop = stopping(context, connections);
  const unknownMs = settings.unknownOutcomeSeconds * 1_000;
  const [startedAt, startedMs] = [clock.now().getTime(), clock.monotonic()];
  return {
    name: CLOUD_SENDER,
    policy: {
      ...attemptPolicy({ attempts: MAX_ATTEMPTS - 1, everyMs: GAP_MS, deadlineMs: DEADLINE_MS, windowMs: 7 * DAY_MS }),
      maxInterruptions: MAX_ATTEMPTS,
    },
    destination: destinationOf,

    async waitMs(tx, { record }) {
      if (settings.unknownOutcome === 'fail') {
        const doubtMs = await doubts.waitMs(tx, record.message);
        return doubtMs > 0 ? doubtMs : budgetMs(record);
      }
      // The platform stopped during this attempt. If the network has taken the message, a status will say so.
      if (record.state === 'sending') return unknownMs;
      // The start of an attempt is not on disk before its request: after a crash, any delivery of the previous process may have been sent.
      const sinceStart = clock.monotonic() - startedMs;
      if (Date.parse(record.created_at) < startedAt && sinceStart < unknownMs) return unknownMs - sinceStart;
      return budgetMs(record);
    },

    async request({ entry: { record, content } }) {
      const connection = await connections.of(record.number);
      const token = await connections.secret(record.number, 'accessToken');
      const body = await chunks.expand(content.body!);
      await doubts.begin(record.message);
      return {
        method: 'POST',
        url: graph.urlOf(`/${connection?.phone_number_id}/messages`),
        headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
        body,
        signatures: [],
        deadlineMs: DEADLINE_MS,
        maxResponseBytes: MAX_RESPONSE_BYTES,
        // The network has no idempotency keys: a resend by the client would be a second message.
        atMostOnce: true,
      };
    },

    async read(attempt, outcome) {
      try {
        const status = outcome.kind === 'response' ? outcome.status : 0;
        const { error } = sendAnswer.validate(readGraph(outcome), { allowUnknown: true, convert: false });
        // The network may have accepted it, and every repetition would get such an answer: only a status can tell.
        if (error && !(await isAccepted(attempt.entry.record.message)))
          return {
            kind: 'cancel',
            status,
            reason: UNKNOWN_OUTCOME,
            error: `the response is not one of the API of the network: ${error.message}`,
          };
        return { kind: 'delivered', status };
      } catch (error) {
        if (error instanceof ServiceUnreachable) return unreachable(attempt, error, outcome);
        if (error instanceof GraphError) return refused(attempt, error);
        throw error;
      }
    },
  };

  function budgetMs(record: Attempt['entry']['record']): number {
    return budget.waitMs(record, record.conversation ?? '');
  }

  async function unreachable({ entry: { record } }: Attempt, error: ServiceUnreachable, outcome: HttpOutcome): Promise<AttemptResult> {
    const { isPermanent, isSent } = error;
    if (!isPermanent && !isSent) await doubts.end(record.message);
    if (!isPermanent && isSent && (await isAccepted(record.message)))
      return { kind: 'delivered', status: outcome.kind === 'response' ? outcome.status : 504 };
    const afterMs = isSent ? unknownMs : attemptDelay(record, ids.random(), MAX_DELAY_MS);
    return unansweredAttempt(error, outcome, { unknownOutcome: settings.unknownOutcome, afterMs });
  }

  async function refused({ entry: { record } }: Attempt, error: GraphError): Promise<AttemptResult> {
    const { status, code, message } = error;
    await doubts.end(record.message);
    const rule = ruleOf(code, status);
    const about = { status, reason: `network_${code ?? status}`, error: message };
    if (rule.remedy === 'stop') {
      await stop(record.number, error);
      // Its destination is paused now, so that it waits there.
      return { kind: 'retry', ...about, afterMs: 0 };
    }
    if (code === WINDOW_CLOSED && record.attempts === 0 && (await hasJustWritten(record.conversation))) {
      return { kind: 'retry', ...about, afterMs: AFTER_INBOUND_MS };
    }
    const delay = delayBefore(rule, { attempt: record.attempts + 1, random: ids.random(), retryAfterMs: error.retryAfterMs });
    if (rule.remedy === 'slow' && delay !== undefined) budget.slowDown(record.number, delay);
    return delay === undefined ? { kind: 'cancel', ...about } : { kind: 'retry', ...about, afterMs: delay };
  }

  /** Whether the contact has written within the day, which the network can learn later than we do. */
  async function hasJustWritten(conversation: string | undefined): Promise<boolean> {
    const { last_inbound_at: at } = conversation === undefined ? {} : await conversations.require(conversation);
    return at !== undefined && clock.now().getTime() - Date.parse(at) < DAY_MS;
  }

  async function isAccepted(message: string | undefined): Promise<boolean> {
    return message !== undefined && (await messages.remoteIdsOf(message)).length > 0;
  }
}

interface SettleParts {
  readonly acceptance: Acceptance;
  readonly statuses: Pick<Statuses, 'releaseEarly'>;
  readonly uploads: Pick<Uploads, 'forget'>;
  readonly templates: Pick<TemplateSync, 'refused'>;
  readonly doubts: Pick<Doubts, 'doubt'>;
}

/** Settles the message of a delivery: accepted with the network's id, or refused with its error. */
export function sendSettled({ numbers, contacts, messages }: PluginContext, parts: SettleParts) {
  const { acceptance, statuses, uploads, templates, doubts } = parts;
  return async ({ delivery, response }: DeliverySettled, tx: Transaction): Promise<void> => {
    const { sender, message: uuid, number: numberId, state, reason, last_error: lastError } = delivery;
    if (sender !== CLOUD_SENDER || uuid === undefined) return;
    const number = await numbers.require(numberId);
    const answer = readJson(response?.body ?? null);
    if (state === 'delivered') {
      const { value, error } = sendAnswer.validate(answer, { allowUnknown: true, convert: false });
      // The message was accepted by a status, and its answer was lost.
      if (error) return;
      const message = await messages.current(tx, uuid);
      if (message) await learn(tx, number, message, value.contacts ?? []);
      const { id } = value.messages[0]!;
      await acceptance.accepted(tx, number, uuid, id);
      await statuses.releaseEarly(tx, number, id);
      return;
    }
    if (reason === UNKNOWN_OUTCOME) return doubts.doubt(tx, uuid, numberId);
    const error = refusalIn(answer, `${reason}${lastError ? ` (${lastError})` : ''}`);
    if (UPLOAD_REFUSED.has(error.code) && (await isSentAgain(tx, uuid))) return;
    const message = await messages.current(tx, uuid);
    const template = message && templateNameOf(message);
    if (template) await templates.refused(tx, number, template, error.code);
    await acceptance.refused(tx, number, uuid, error);
  };

  /** The network answers with the id that it prefers, such as another spelling of the number. */
  async function learn(tx: Transaction, number: NumberRecord, { contact }: MessageRecord, given: readonly SentTo[]): Promise<void> {
    const [who, ...others] = given;
    if (!who || others.length > 0) return;
    const [input] = idsIn([who.input]);
    const holder = input === undefined ? undefined : await contacts.current(tx, number, input);
    const current = await contacts.latest(tx, { uuid: contact });
    if (!holder || holder.uuid === current.uuid) await contacts.alias(tx, number, current, idsIn([who.wa_id, who.user_id]));
  }

  /** Sends a message once more with new uploads, if it has used earlier ones. */
  async function isSentAgain(tx: Transaction, uuid: string): Promise<boolean> {
    const pending = await tx.in(pendingSends).get(uuid);
    if (!pending?.reused || pending.isRepeated) return false;
    const { delivery: _, send: _ended, reused, ...again } = pending;
    uploads.forget(tx, reused);
    tx.in(pendingSends).put({ ...again, isRepeated: true });
    pushLane(tx, pending.conversation);
    return true;
  }
}

function refusalIn(answer: Json, otherwise: string): NotificationError {
  const error = (answer as { error?: unknown } | null)?.error;
  if (typeof error === 'object' && error !== null) return notificationErrorOf(networkErrorOf(error));
  return notificationErrorOf({ code: 131000, error_data: { details: otherwise } });
}

function templateNameOf({ type, content }: MessageRecord): TemplateName | undefined {
  const part = content[type] as { name?: string; element_name?: string; language?: { code: string } } | undefined;
  const name = type === 'template' ? part?.name : type === 'hsm' ? part?.element_name : undefined;
  return name !== undefined && part?.language ? { name, language: part.language.code } : undefined;
}

/** Fails messages whose outcome is still unknown after the wait. */
export function unknownConsumer({ store, numbers, deliveries }: PluginContext, acceptance: Acceptance): Consumer {
  return consume(unknownOutcomes, async (job) => {
    const { message, number } = job.payload;
    const record = await numbers.require(number);
    await store.transaction(async (tx) => {
      job.done(tx);
      const pending = await tx.in(pendingSends).get(message);
      if (!pending) return;
      const details = 'The connection to the network broke, and no status arrived; the message may have been sent';
      await acceptance.refused(tx, record, message, notificationErrorOf({ code: 131000, error_data: { details } }));
      // After a crash its delivery still waits.
      if (pending.delivery !== undefined) await deliveries.withdraw(tx, pending.delivery, 'no_status');
    });
  });
}
