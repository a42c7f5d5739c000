import {
  type Consumer,
  consume,
  type JsonObject,
  type MessageRecord,
  type NumberRecord,
  type PluginContext,
  type Transaction,
} from '#core';
import { deliveryStatuses } from '#core/messaging';
import { errorsIn } from '../graph/errors.js';
import type { Counters } from '../metrics.js';
import { earlyStatuses } from '../records.js';
import type { Acceptance } from '../sending/acceptance.js';
import { idsIn } from './messages.js';
import { earlyExpiries } from './queues.js';
import { timestampOf } from './timestamp.js';

/** How long a status waits for the answer to the send of its message. */
const EARLY_MS = 10 * 60_000;

/** Records statuses of the network, in any order. */
export type Statuses = ReturnType<typeof createStatuses>;

export function createStatuses({ messages, contacts, ids, clock }: PluginContext, acceptance: Acceptance, counters: Counters) {
  return {
    /** Records a status. One that overtakes the answer to the send proves that the network has accepted the message. */
    async record(tx: Transaction, number: NumberRecord, status: JsonObject): Promise<void> {
      const wamid = String(status.id);
      const known = await messages.byRemoteId(tx, number.uuid, wamid);
      const uuid = known?.uuid ?? (await ownMessage(tx, number, status.biz_opaque_callback_data));
      if (uuid === undefined) return park(tx, number, wamid, status);
      if (!known) {
        await acceptance.accepted(tx, number, uuid, wamid);
        await releaseEarly(tx, number, wamid);
      }
      await report(tx, number, uuid, status);
    },

    /** Records the statuses that arrived before the network's id of a message was known. */
    releaseEarly,

    /** Deletes statuses whose message did not appear. */
    expiries: ({ store }: Pick<PluginContext, 'store'>): Consumer =>
      consume(earlyExpiries, ({ payload: { key } }) =>
        store.transaction(async (tx) => {
          if (!(await tx.in(earlyStatuses).get(key))) return;
          tx.in(earlyStatuses).delete(key);
          tx.onCommit(() => counters.stray({ kind: 'status' }));
        }),
      ),
  };

  async function releaseEarly(tx: Transaction, number: NumberRecord, wamid: string): Promise<void> {
    const known = await messages.byRemoteId(tx, number.uuid, wamid);
    if (!known) return;
    for (const { key, status } of await tx.in(earlyStatuses).find('wamid', { equals: [number.uuid, wamid] })) {
      tx.in(earlyStatuses).delete(key);
      await report(tx, number, known.uuid, status);
    }
  }

  async function ownMessage(tx: Transaction, number: NumberRecord, uuid: unknown): Promise<string | undefined> {
    if (typeof uuid !== 'string' || uuid === '') return undefined;
    const message = await messages.current(tx, uuid);
    return message?.number === number.uuid && message.direction === 'outbound' ? uuid : undefined;
  }

  /** A status names its recipient by all ids; that of a message to a group names the group. */
  async function learn(tx: Transaction, number: NumberRecord, { contact, to }: MessageRecord, given: JsonObject): Promise<void> {
    if (given.recipient_type === 'group') return;
    const [phone] = idsIn([given.recipient_id]).filter((id) => id !== to);
    const isKnown = phone !== undefined && (await contacts.current(tx, number, phone)) !== undefined;
    const ids = idsIn([isKnown ? undefined : phone, given.recipient_user_id]);
    if (ids.length > 0) await contacts.alias(tx, number, { uuid: contact }, ids);
  }

  async function report(tx: Transaction, number: NumberRecord, uuid: string, given: JsonObject): Promise<void> {
    const message = await messages.current(tx, uuid);
    const status = deliveryStatuses.find((one) => one === given.status);
    // `played` of a voice message says no more than `read`, which has no counterpart for files.
    if (!message?.external_id || !status) return;
    await learn(tx, number, message, given);
    const sends = await messages.remoteIdsOf(uuid, tx);
    // Of a message that was sent twice, the failure of the second send says nothing about the first.
    if (status === 'failed' && sends.length > 1 && sends[0] !== given.id) return;
    const errors = errorsIn(given.errors);
    await messages.status(tx, number, {
      id: message.external_id,
      recipient: message.to,
      status,
      timestamp: timestampOf(given.timestamp, clock.now()),
      ...(errors && { errors }),
    });
  }

  function park(tx: Transaction, { uuid: number }: NumberRecord, wamid: string, status: JsonObject): void {
    const key = ids.uuid();
    const now = clock.now();
    tx.in(earlyStatuses).put({ key, number, wamid, at: now.toISOString(), status });
    tx.push(earlyExpiries, { key }, { id: key, notBefore: new Date(now.getTime() + EARLY_MS) });
  }
}
