import {
  advice,
  type Consumer,
  type Contributions,
  consume,
  type DeliverySettled,
  type HttpOutcome,
  type PluginContext,
  type Transaction,
} from '#core';
import { readJson } from '#core/areas';
import type { Graph } from '../graph/client.js';
import { GraphError, GraphUnreachable, type NetworkError, notificationErrorOf, readGraph } from '../graph/errors.js';
import { delayBefore, ruleOf } from '../graph/remedies.js';
import type { Connections } from '../numbers/connections.js';
import type { Settings } from '../options.js';
import type { Statuses } from '../receiving/statuses.js';
import { connections as connectionRecords, networkIds, pendingSends } from '../records.js';
import type { Acceptance } from './acceptance.js';
import type { Budget } from './budget.js';
import type { Doubts } from './doubts.js';
import { unknownOutcomes } from './queues.js';

/** The name of the sender, which deliveries store. */
export const CLOUD_SENDER = 'cloud-api';

const DEADLINE_MS = 15_000;
const MAX_RESPONSE_BYTES = 64 * 1024;
const MAX_ATTEMPTS = 13;
const GAP_MS = 60_000;
const DAY_MS = 24 * 60 * 60 * 1000;
/** The reason of a delivery whose outcome stays unknown. */
const UNKNOWN = 'unknown_outcome';

type Sender = NonNullable<Contributions['senders']>[number];
type Attempt = Parameters<NonNullable<Sender['read']>>[0];
type Result = Awaited<ReturnType<NonNullable<Sender['read']>>>;

/** The destination of a number's messages: paused while the number is stopped; undefined when it is not connected. */
export async function destinationOf(tx: Transaction, number: string) {
  const connection = await tx.in(connectionRecords).get(number);
  if (!connection) return undefined;
  return { uuid: number, number, enabled: true, lane: 'high' as const, paused_at: connection.stopped?.at };
}

interface SenderParts {
  readonly connections: Connections;
  readonly graph: Graph;
  readonly budget: Budget;
  readonly doubts: Doubts;
  readonly settings: Settings;
}

/** The sender of connected numbers: one delivery is one message, and its attempts follow the network's error codes. */
export function cloudSender(
  { store, ids, clock, chunks }: PluginContext,
  { connections, graph, budget, doubts, settings }: SenderParts,
): Sender {
  const unknownMs = settings.unknownOutcomeSeconds * 1_000;
  const startedAt = clock.now();
  return {
    name: CLOUD_SENDER,
    // The delays are those of `read`; the gaps limit only the number of attempts.
    policy: {
      ...{ gapsMs: Array.from({ length: MAX_ATTEMPTS - 1 }, () => GAP_MS), jitter: { shortest: 0, span: 0 }, minGapMs: 0 },
      ...{ deadlineMs: DEADLINE_MS, windowMs: 7 * DAY_MS, graceMs: DAY_MS, maxInterruptions: MAX_ATTEMPTS },
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
      const sinceStart = clock.now().getTime() - startedAt.getTime();
      if (Date.parse(record.created_at) < startedAt.getTime() && sinceStart < unknownMs) return unknownMs - sinceStart;
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
        ...{ signatures: [], deadlineMs: DEADLINE_MS, maxResponseBytes: MAX_RESPONSE_BYTES },
        // The network has no idempotency keys: a resend by the client would be a second message.
        atMostOnce: true,
      };
    },

    async read(attempt, outcome) {
      try {
        readGraph(outcome);
        return { kind: 'delivered', status: outcome.kind === 'response' ? outcome.status : 0 };
      } catch (error) {
        if (error instanceof GraphUnreachable) return unreachable(attempt, error, outcome);
        if (error instanceof GraphError) return refused(attempt, error);
        throw error;
      }
    },
  };

  function budgetMs({ uuid, run, attempts, number, recipient = '' }: Attempt['entry']['record']): number {
    return budget.waitMs(`${uuid} ${run} ${attempts}`, number, recipient);
  }

  async function unreachable({ entry: { record } }: Attempt, error: GraphUnreachable, outcome: HttpOutcome): Promise<Result> {
    const status = outcome.kind === 'response' ? outcome.status : 504;
    if (error.isPermanent) return { kind: 'cancel', status: 502, reason: 'address', error: error.message };
    if (!error.isSent) {
      await doubts.end(record.message);
      const delay = Math.min(5 * 60_000, 1_000 * 2 ** record.attempts) * (1 + 0.2 * ids.random());
      return { kind: 'retry', status, reason: 'network_error', error: error.message, afterMs: Math.round(delay) };
    }
    if (await isAccepted(record.message)) return { kind: 'delivered', status };
    if (settings.unknownOutcome === 'fail') return { kind: 'cancel', status, reason: UNKNOWN, error: error.message };
    return { kind: 'retry', status, reason: UNKNOWN, error: error.message, afterMs: unknownMs };
  }

  async function refused({ entry: { record } }: Attempt, error: GraphError): Promise<Result> {
    const { status, code, message } = error;
    await doubts.end(record.message);
    const rule = ruleOf(code, status);
    const about = { status, reason: `network_${code ?? status}`, error: message };
    if (rule.remedy === 'stop') {
      await stop(record.number, error);
      // Its destination is paused now, so that it waits there.
      return { kind: 'retry', ...about, afterMs: 0 };
    }
    const delay = delayBefore(rule, { attempt: record.attempts + 1, random: ids.random(), retryAfterMs: error.retryAfterMs });
    if (rule.remedy === 'slow' && delay !== undefined) budget.slowDown(record.number, delay);
    return delay === undefined ? { kind: 'cancel', ...about } : { kind: 'retry', ...about, afterMs: delay };
  }

  async function isAccepted(message: string | undefined): Promise<boolean> {
    return message !== undefined && (await store.open(networkIds).find('message', { equals: [message], limit: 1 })).length > 0;
  }

  async function stop(number: string, { code = 0, error }: GraphError): Promise<void> {
    const { title } = notificationErrorOf(error);
    await store.transaction(async (tx) => {
      if (!(await connections.stop(tx, number, { code, title }))) return;
      tx.emit(advice, {
        name: 'cloud_api_stopped',
        number,
        message: `The network refuses all messages of the number with error ${code} (${title}). Messages wait since ${clock.now().toISOString()}.`,
        fix: `Fix the cause, then PUT /admin/v1/cloud-api/numbers/${number} with a new token, or POST /admin/v1/cloud-api/numbers/${number}/resume.`,
      });
    });
  }
}

/** Settles the message of a delivery: accepted with the network's id, or refused with its error. */
export function sendSettled(
  { numbers, messages }: PluginContext,
  { acceptance, statuses, doubts }: { acceptance: Acceptance; statuses: Pick<Statuses, 'releaseEarly'>; doubts: Doubts },
) {
  return async ({ delivery, response }: DeliverySettled, tx: Transaction): Promise<void> => {
    const { sender, message: uuid, number: numberId, state, reason, last_error: lastError } = delivery;
    if (sender !== CLOUD_SENDER || uuid === undefined) return;
    const number = await numbers.require(numberId);
    const answer = readJson(response?.body ?? null) as SendAnswer | null;
    if (state === 'delivered') {
      const message = await messages.current(tx, uuid);
      const [who] = answer?.contacts ?? [];
      acceptance.alias(tx, numberId, who?.wa_id, message?.to ?? '');
      acceptance.alias(tx, numberId, who?.user_id, message?.to ?? '');
      const id = answer?.messages?.[0]?.id;
      if (id === undefined) return;
      await acceptance.accepted(tx, number, uuid, id);
      await statuses.releaseEarly(tx, number, id);
      return;
    }
    if (reason === UNKNOWN) return doubts.doubt(tx, uuid, numberId);
    const error: NetworkError = answer?.error ?? {
      code: 131000,
      error_data: { details: `${reason}${lastError ? ` (${lastError})` : ''}` },
    };
    await acceptance.refused(tx, number, uuid, notificationErrorOf(error));
  };
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

interface SendAnswer {
  readonly contacts?: readonly { readonly input?: string; readonly wa_id?: string; readonly user_id?: string }[];
  readonly messages?: readonly { readonly id?: string }[];
  readonly error?: NetworkError;
}
