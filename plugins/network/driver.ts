import { type ChannelDriver, type Consumer, consume, type MessageRecord, type PluginContext, queue, type Turn, unixSeconds } from '#core';
import { NETWORK_CAPABILITIES } from '#core/basics';
import type { NotificationError } from '#core/messaging';
import { errorOf, NOTHING_TO_REACT_TO } from './errors.js';
import { matchableOf, type PolicyOf, ruleFor } from './policy.js';
import type { Policy } from './schemas.js';

const ID_BYTES = 39;

/** A scheduled status report. */
interface Report {
  readonly number: string;
  readonly id: string;
  readonly recipient: string;
  readonly status: 'sent' | 'delivered' | 'read' | 'failed';
  readonly timestamp: string;
  readonly errors?: readonly NotificationError[];
}

const reports = queue<Report>('network.reports', ({ id, status }) => ({ kind: 'status', id, title: `status ${status} of message ${id}` }));

/** The driver of the local network: accepts messages immediately, and schedules their status reports by the number's policy. */
export function networkDriver({ messages, ids, clock }: PluginContext, policyOf: PolicyOf, type: string): ChannelDriver {
  /** The network accepts a reaction to an unknown message, and then reports it as failed. */
  async function faultOf(number: string, { type, content, contact }: MessageRecord): Promise<NotificationError | undefined> {
    if (type !== 'reaction') return undefined;
    const { message_id: id } = content.reaction as { message_id: string };
    const found = (await messages.known(number, 'inbound', id)) ?? (await messages.known(number, 'outbound', id));
    return found?.contact === contact ? undefined : NOTHING_TO_REACT_TO;
  }

  return {
    type,
    supports: 'everything',
    capabilities: NETWORK_CAPABILITIES,
    async deliver(tx, { number, message, contact, conversation }) {
      const id = `wamid.${ids.secret(ID_BYTES)}`;
      const accepted = await messages.accepted(tx, number, message.uuid, id, { contact, conversation });
      const matchable = matchableOf(message.to, { type: message.type, ...message.content } as unknown as Turn);
      const policy = await policyOf(tx, number.uuid);
      const rule = ruleFor(tx, number.uuid, policy, matchable, ['fail', 'hold']);
      if (policy.mode === 'manual' || rule?.outcome === 'hold') return accepted;
      const now = clock.now().getTime();
      const error = rule ? errorOf(rule) : await faultOf(number.uuid, message);
      for (const { status, at, dueIn } of error ? failing(policy) : succeeding(policy)) {
        const report = { number: number.uuid, id, recipient: message.to, status, timestamp: unixSeconds(new Date(now + at)) };
        tx.push(reports, { ...report, ...(error && { errors: [error] }) }, { notBefore: new Date(now + dueIn), serial: message.uuid });
      }
      return accepted;
    },
  };
}

interface Step {
  readonly status: Report['status'];
  /** Milliseconds from now until the status occurs, and until it is reported. */
  readonly at: number;
  readonly dueIn: number;
}

const failing = ({ sent_after_ms: at }: Policy): Step[] => [{ status: 'failed', at, dueIn: at }];

function succeeding(policy: Policy): Step[] {
  const { sent_after_ms: sent, read_after_ms: read, swallow_delivered_ms: swallow, order } = policy;
  const delivered = Math.max(sent, policy.delivered_after_ms);
  const readAt = read === null ? undefined : Math.max(delivered, read);
  const isImplied = readAt !== undefined && readAt - delivered <= swallow;
  const steps = [
    { status: 'sent' as const, at: sent },
    ...(isImplied ? [] : [{ status: 'delivered' as const, at: delivered }]),
    ...(readAt === undefined ? [] : [{ status: 'read' as const, at: readAt }]),
  ];
  if (order === 'real') return steps.map((step) => ({ ...step, dueIn: step.at }));
  const last = steps.at(-1)!.at;
  return steps.reverse().map((step, i) => ({ ...step, dueIn: last + i }));
}

export const reporting = ({ store, numbers, messages }: PluginContext): Consumer =>
  consume(reports, async (job) => {
    const { number: uuid, ...report } = job.payload;
    const number = await numbers.require(uuid);
    await store.transaction(async (tx) => {
      await messages.status(tx, number, report);
      job.done(tx);
    });
  });
