import type { AskedMessage, ChainLink, DeliveryRecord, Explanation, MessageRecord, PluginContext } from '#core';
import { UNKNOWN_OUTCOME } from '#core/messaging';
import { fixOf } from '../graph/fixes.js';
import { CLOUD_TYPE, type Connections } from '../numbers/connections.js';
import type { ConnectionRecord, PendingSend } from '../records.js';
import { pendingSends } from '../records.js';
import type { SendBudget } from './budget.js';
import { lanes } from './queues.js';

type Step = Pick<ChainLink, 'state' | 'summary'> & Partial<ChainLink>;

const limits = {
  pair: 'the limit of messages to its contact (options pairBurst and pairSeconds)',
  number: 'the limit of messages of its number (option messagesPerSecond)',
  refusals: 'the pause after the network refused messages of its number because of their rate',
} as const;

const step = ({ uuid }: MessageRecord, { evidence, ...part }: Step): ChainLink => ({
  name: 'network',
  at: null,
  fix: null,
  ...part,
  evidence: { message: uuid, ...evidence },
});

interface Parts {
  readonly connections: Connections;
  readonly budget: SendBudget;
}

/** Explains what keeps a message from the network, or what became of it there. */
export const sendExplanation = (context: PluginContext, { connections, budget }: Parts): Explanation => ({
  name: 'cloud-api',
  explain: async () => [],
  async explainSent({ number, message }: AskedMessage) {
    if (number.type !== CLOUD_TYPE) return [];
    const { store, deliveries } = context;
    const pending = await store.open(pendingSends).get(message.uuid);
    if (!pending) return settled(context, message);
    const connection = await connections.of(number.uuid);
    if (connection?.stopped) return [stopped(message, connection, connection.stopped)];
    if (pending.delivery === undefined) return [await notPosted(context, message, pending)];
    const { delivery, attempts } = await deliveries.show(pending.delivery);
    return [attempted(message, delivery, { reason: delivery.reason ?? attempts.at(-1)?.error_code ?? undefined, budget })];
  },
});

async function settled({ messages }: PluginContext, message: MessageRecord): Promise<ChainLink[]> {
  const errors = message.status === 'failed' ? message.statuses.flatMap((report) => report.errors ?? []) : [];
  const error = errors.at(-1);
  if (error) {
    const { code, title } = error;
    const summary = `The message failed with ${code} (${title}).`;
    return [step(message, { state: 'broken', summary, evidence: { code: String(code) }, fix: { action: fixOf(code) } })];
  }
  const [wamid] = await messages.remoteIdsOf(message.uuid);
  if (wamid === undefined) return [];
  return [step(message, { state: 'ok', summary: `The network accepted the message as ${wamid}.`, evidence: { network_id: wamid } })];
}

function stopped(
  message: MessageRecord,
  { number }: ConnectionRecord,
  { at, code, title }: NonNullable<ConnectionRecord['stopped']>,
): ChainLink {
  return step(message, {
    state: 'broken',
    at,
    summary: `The number is stopped: the network refused its messages with ${code} (${title}). The message waits.`,
    evidence: { number, code: String(code) },
    fix: { action: fixOf(code), route: `POST /admin/v1/cloud-api/numbers/${number}/resume` },
  });
}

/** A message that is not in the outbox: it waits for earlier ones of its conversation, or for an upload. */
async function notPosted({ store, findJob }: PluginContext, message: MessageRecord, pending: PendingSend): Promise<ChainLink> {
  const [first] = await store.open(pendingSends).find('conversation', { equals: [pending.conversation], limit: 1 });
  if (first && first.message !== message.uuid) {
    const summary = 'An earlier message of the conversation is sent first: the network keeps no order.';
    return step(message, { state: 'waiting', summary, evidence: { other_message: first.message } });
  }
  const job = await findJob(lanes, pending.conversation);
  if (!job?.error) return step(message, { state: 'waiting', summary: 'The message is being prepared for the network.' });
  const at = job.at.toISOString();
  const summary = `Its file could not be uploaded ${job.attempts} times; the next attempt is due at ${at}. The last error: ${job.error}.`;
  return step(message, { state: 'waiting', summary, at, evidence: { attempts: String(job.attempts), error: job.error } });
}

/** A message in the outbox. `reason` is that of its newest attempt. */
function attempted(
  message: MessageRecord,
  { uuid, number, state, due_at: dueAt, last_error: error, run, attempts }: DeliveryRecord,
  { reason, budget }: { readonly reason: string | undefined; readonly budget: SendBudget },
): ChainLink {
  const evidence = { delivery: uuid, ...(reason !== undefined && { reason }), ...(error !== undefined && { error }) };
  const waiting = (summary: string, more: Partial<ChainLink> = {}): ChainLink =>
    step(message, { state: 'waiting', summary, evidence, at: dueAt ?? null, ...more });
  const hold = budget.holdOf({ uuid, run, attempts, number });
  if (hold) {
    const at = new Date(hold.at).toISOString();
    return waiting(`The message waits until ${at} for ${limits[hold.limit]}.`, { at, evidence: { ...evidence, limit: hold.limit } });
  }
  if (reason === UNKNOWN_OUTCOME) {
    const then = state === 'cancelled' ? 'fails' : `is sent again at ${dueAt}`;
    return waiting(`The connection broke after the message was sent. If no status of the network arrives, it ${then}.`);
  }
  if (dueAt === undefined || error === undefined) return waiting('The message is queued for the network, or is being sent.');
  const code = Number(/^network_(\d+)$/.exec(reason ?? '')?.[1]);
  const fix = Number.isInteger(code) ? { action: fixOf(code) } : null;
  return waiting(`The last attempt failed, and the next one is due at ${dueAt}: ${error}.`, { fix });
}
