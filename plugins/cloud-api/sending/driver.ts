import { type ChannelDriver, type Consumer, consume, type PluginContext, type Transaction } from '#core';
import type { NotificationError } from '#core/areas';
import { GraphError, GraphUnreachable, notificationErrorOf } from '../graph/errors.js';
import { ruleOf } from '../graph/remedies.js';
import { CLOUD_TYPE } from '../numbers/connections.js';
import { type PendingSend, pendingSends } from '../records.js';
import type { Acceptance } from './acceptance.js';
import type { Bodies } from './body.js';
import { lanes } from './queues.js';
import { CLOUD_SENDER, destinationOf } from './sender.js';

const ID_BYTES = 39;

/**
 * The driver of connected numbers. A message gets its id immediately, and a place behind the other messages of its conversation: the network
 * keeps no order, so each is sent when the previous message has been accepted or refused.
 */
export function cloudDriver({ messages, ids, clock }: PluginContext): ChannelDriver {
  return {
    type: CLOUD_TYPE,
    supports: 'everything',
    async deliver(tx, { number, message, conversation }) {
      const identified = await messages.identify(tx, message.uuid, `wamid.${ids.secret(ID_BYTES)}`);
      tx.in(pendingSends).put({
        message: message.uuid,
        number: number.uuid,
        conversation: conversation.uuid,
        position: message.position,
        queued_at: clock.now().toISOString(),
      });
      tx.push(lanes, { conversation: conversation.uuid }, { id: conversation.uuid, serial: conversation.uuid, lane: 'high' });
      return identified;
    },
  };
}

/** Posts the next message of a conversation to the outbox, with its media files uploaded. */
export function laneConsumer(
  { store, numbers, messages, contacts, deliveries }: PluginContext,
  { bodies, acceptance }: { bodies: Bodies; acceptance: Acceptance },
): Consumer<Transaction> {
  const firstOf = async (conversation: string): Promise<PendingSend | undefined> =>
    (await store.open(pendingSends).find('conversation', { equals: [conversation], limit: 1 }))[0];

  return consume<{ conversation: string }, Transaction>(
    lanes,
    async (job) => {
      const { conversation } = job.payload;
      const next = await firstOf(conversation);
      if (!next || next.delivery !== undefined) return;
      const [number, message] = await Promise.all([numbers.require(next.number), messages.get(next.message)]);
      if (!message) {
        await store.transaction((tx) => tx.in(pendingSends).delete(next.message));
        return;
      }
      const contact = await contacts.require(message.contact);
      const body = await bodies.of(message, contact).catch(refusalOf);
      await store.transaction(async (tx) => {
        const current = await tx.in(pendingSends).get(next.message);
        if (!current || current.delivery !== undefined) return;
        if ('refusal' in body) return acceptance.refused(tx, number, message.uuid, body.refusal as NotificationError);
        const destination = await destinationOf(tx, number.uuid);
        if (!destination) return acceptance.refused(tx, number, message.uuid, NOT_CONNECTED);
        const delivery = await deliveries.post(tx, {
          ...{ sender: CLOUD_SENDER, webhook: destination, kind: 'network', event: `send:${message.uuid}` },
          ...{ body, message: message.uuid, conversation, recipient: message.to },
        });
        tx.in(pendingSends).put({ ...current, delivery: delivery.uuid });
      });
    },
    {
      concurrency: 32,
      logged: ({ id }) => ({ conversation_id: id }),
      async onFailed(tx, { payload: { conversation } }, error) {
        const [next] = await tx.in(pendingSends).find('conversation', { equals: [conversation], limit: 1 });
        if (!next || next.delivery !== undefined) return;
        await acceptance.refused(tx, await numbers.require(next.number), next.message, errorOf(error));
      },
    },
  );
}

/** The number was disconnected while messages waited. */
export const NOT_CONNECTED: NotificationError = notificationErrorOf({
  code: 133010,
  title: 'Number is not connected',
  error_data: { details: 'The number was disconnected from the Cloud API before the message was sent' },
});

/** A file that the network refuses makes the message fail; any other error is repeated by the queue. */
function refusalOf(error: unknown): { refusal: NotificationError } {
  if (error instanceof GraphError && ruleOf(error.code, error.status).remedy === 'refuse') return { refusal: errorOf(error) };
  if (error instanceof GraphUnreachable && error.isPermanent) return { refusal: errorOf(error) };
  throw error;
}

const errorOf = (error: unknown): NotificationError =>
  error instanceof GraphError
    ? notificationErrorOf(error.error)
    : notificationErrorOf({ code: 131000, error_data: { details: error instanceof Error ? error.message : String(error) } });
