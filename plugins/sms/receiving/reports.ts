import type { Job, MessageRecord, NumberRecord, PluginContext, Transaction } from '#core';
import type { remedies } from '../errors.js';
import type { Gateway, SmsReport } from '../gateways/gateway.js';
import { type PartState, type PartsRecord, partsRecords } from '../records.js';
import type { Received } from './queues.js';

/** Attempts to find the message of a report: it may come before the answer of the gateway with the id. */
const FIND_ATTEMPTS = 8;
const NEWEST = 20;

/** Records what gateways report of messages. */
export type Reports = ReturnType<typeof createReports>;

export function createReports(
  { store, messages, contacts, conversations, log }: Pick<PluginContext, 'store' | 'messages' | 'contacts' | 'conversations' | 'log'>,
  apply: ReturnType<typeof remedies>['apply'],
) {
  return {
    /** Records a report: in any order, and several times. Reports on messages of others are ignored. */
    async record(number: NumberRecord, gateway: Gateway, report: SmsReport, job: Job<Received>): Promise<void> {
      const { of, at } = job.payload;
      await store.transaction(async (tx) => {
        const message = await find(tx, number, report.id, of);
        if (!message && job.attempt < FIND_ATTEMPTS && (await isExpected(number, report.to)))
          throw new Error(`the gateway has not answered yet with the id ${report.id} of the report`);
        job.done(tx);
        if (!message) return log.info('a report is on a message of another system', { number_id: number.uuid, remote_id: report.id });
        if (report.state === 'unknown' || report.state === 'progress') return;
        if (of !== undefined && message.external_id !== report.id) await messages.addRemoteId(tx, number, message.uuid, report.id);
        const state = await stateAfter(tx, message, report.id, report.state, of);
        if (state === undefined) return;
        const isFailed = report.state === 'failed';
        const { code = 0, reason = report.status } = report;
        const error = isFailed ? await apply(tx, number, message.contact, gateway, { code, reason }) : undefined;
        await messages.status(tx, number, {
          id: report.id,
          recipient: message.to,
          status: state,
          timestamp: at,
          ...(error && state === 'failed' && { errors: [error] }),
        });
      });
    },
  };

  /** The message that the address of the callback names, else the one with the id. */
  async function find(tx: Transaction, number: NumberRecord, id: string, of: string | undefined): Promise<MessageRecord | undefined> {
    const named = of === undefined ? undefined : await messages.current(tx, of.split('/')[0]!);
    if (named) return named.number === number.uuid && named.direction === 'outbound' ? named : undefined;
    return (await messages.byRemoteId(tx, number.uuid, id)) ?? (await messages.known(number.uuid, 'outbound', id));
  }

  /** Whether a message to this recipient has no answer of the gateway yet. */
  async function isExpected(number: NumberRecord, to: string | undefined): Promise<boolean> {
    const contact = to === undefined ? undefined : await contacts.known(number.uuid, to);
    const conversation = contact && (await conversations.ofContact(number.uuid, contact.uuid));
    const newest = conversation ? await conversations.newest(conversation.uuid, NEWEST) : [];
    return newest.some(({ direction, pending_for: pending }) => direction === 'outbound' && pending !== undefined);
  }

  /** The status of the message after a report on it, or on one of its parts; undefined if it does not change. */
  async function stateAfter(tx: Transaction, message: MessageRecord, id: string, state: PartState, of: string | undefined) {
    const parts = await tx.in(partsRecords).get(message.uuid);
    if (!parts) return isNews(message, state) ? state : undefined;
    const part = of === undefined ? parts.ids[id] : Number(of.split('/')[1]);
    const known = part === undefined ? undefined : parts.states[part];
    if (part === undefined || isOver(known, state)) return undefined;
    const changed = { ...parts, states: { ...parts.states, [part]: state } };
    tx.in(partsRecords).put(changed);
    const whole = wholeOf(changed);
    return whole !== undefined && isNews(message, whole) ? whole : undefined;
  }
}

/** Gateways give no times of events, so the order of arrival says nothing: a step that comes after its result is old. */
const isOver = (known: string | undefined, state: PartState): boolean =>
  known === state || known === 'delivered' || (known === 'failed' && state === 'sent');

const isNews = ({ status, statuses }: MessageRecord, state: PartState): boolean =>
  !statuses.some((one) => one.status === state) &&
  !(status === 'failed' && state === 'sent') &&
  !(status === 'delivered' && state === 'failed');

/** Failed if any part has, delivered when all are, sent when all are at least sent. */
function wholeOf({ parts, states }: PartsRecord): PartState | undefined {
  const known = Object.values(states);
  if (known.includes('failed')) return 'failed';
  if (known.length < parts) return undefined;
  return known.every((one) => one === 'delivered') ? 'delivered' : 'sent';
}
