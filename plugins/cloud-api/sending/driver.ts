import { type ChannelDriver, type Consumer, consume, NotFound, type PluginContext, type Transaction } from '#core';
import { NETWORK_CAPABILITIES } from '#core/basics';
import { adviceOnce, type NotificationError, ServiceUnreachable } from '#core/messaging';
import { GraphError, notificationErrorOf } from '../graph/errors.js';
import { ruleOf } from '../graph/remedies.js';
import { CLOUD_TYPE, type Connections } from '../numbers/connections.js';
import { issuedAdvice, type PendingSend, pendingSends } from '../records.js';
import type { Acceptance } from './acceptance.js';
import type { Bodies, Body } from './body.js';
import type { MessageCheck } from './check.js';
import { lanes, pushLane } from './queues.js';
import { CLOUD_SENDER, destinationOf } from './sender.js';
import { stopping } from './stopping.js';

const ID_BYTES = 39;

/**
 * The driver of connected numbers. A message gets its id immediately, and a place behind the other messages of its conversation: the network
 * keeps no order, so each is sent when the previous message has been accepted or refused.
 */
export function cloudDriver({ messages, ids, clock }: PluginContext, checks: readonly MessageCheck[]): ChannelDriver {
  return {
    type: CLOUD_TYPE,
    supports: 'everything',
    capabilities: NETWORK_CAPABILITIES,
    async check(tx, draft) {
      for (const check of checks) await check(tx, draft);
    },
    async deliver(tx, { number, message, conversation }) {
      const identified = await messages.identify(tx, message.uuid, `wamid.${ids.secret(ID_BYTES)}`);
      tx.in(pendingSends).put({
        message: message.uuid,
        number: number.uuid,
        conversation: conversation.uuid,
        position: message.position,
        queued_at: clock.now().toISOString(),
      });
      pushLane(tx, conversation.uuid);
      return identified;
    },
  };
}

interface LaneParts {
  readonly bodies: Bodies;
  readonly acceptance: Acceptance;
  readonly connections: Connections;
}

/** Posts the next message of a conversation to the outbox, with its media files uploaded. */
export function laneConsumer(context: PluginContext, { bodies, acceptance, connections }: LaneParts): Consumer<Transaction> {
  const { store, clock, numbers, messages, contacts, deliveries, log } = context;
  const once = adviceOnce(issuedAdvice, clock);
  const stop = stopping(context, connections);
  const firstOf = async (conversation: string): Promise<PendingSend | undefined> =>
    (await store.open(pendingSends).find('conversation', { equals: [conversation], limit: 1 }))[0];

  return consume<{ conversation: string }, Transaction>(
    lanes,
    async (job) => {
      const { conversation } = job.payload;
      const next = await firstOf(conversation);
      if (!next || next.delivery !== undefined) return;
      const [number, message, connection] = await Promise.all([
        numbers.require(next.number),
        messages.get(next.message),
        connections.of(next.number),
      ]);
      if (!message) {
        await store.transaction((tx) => tx.in(pendingSends).delete(next.message));
        return;
      }
      // It waits for an operator, who starts this job again.
      if (connection?.stopped) return;
      const contact = await contacts.require(message.contact);
      const made: Body | NotPossible = connection ? await bodies.of(message, contact).catch(reasonOf) : { refusal: NOT_CONNECTED };
      if ('stoppedBy' in made) return stop(number.uuid, made.stoppedBy);
      await store.transaction(async (tx) => {
        const current = await tx.in(pendingSends).get(next.message);
        // The contact was merged meanwhile, and the message is in the lane of another conversation.
        if (!current || current.delivery !== undefined || current.conversation !== conversation) return;
        if ('refusal' in made) return acceptance.refused(tx, number, message.uuid, made.refusal);
        const destination = await destinationOf(tx, number.uuid);
        if (!destination) return acceptance.refused(tx, number, message.uuid, NOT_CONNECTED);
        const delivery = await deliveries.post(tx, {
          sender: CLOUD_SENDER,
          webhook: destination,
          kind: 'network',
          // A second send is a delivery of its own, as one event has one delivery.
          event: `send:${message.uuid}${current.isRepeated ? ':again' : ''}`,
          body: made.body,
          message: message.uuid,
          content: message.content,
          conversation,
          recipient: message.to,
        });
        tx.in(pendingSends).put({ ...current, delivery: delivery.uuid, ...(made.reused.length > 0 && { reused: made.reused }) });
        for (const part of made.omitted) {
          log.info('a message is sent without a part', { number_id: number.uuid, message_id: message.uuid, part });
          await once.issue(tx, `omitted:${number.uuid}:${part}`, {
            name: 'cloud_api_part_left_out',
            number: number.uuid,
            message: `A message was sent without ${part}.`,
            fix: 'Send messages without this part, or expect that contacts do not see it.',
            about: { message: message.uuid },
          });
        }
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

/** Why a message cannot be sent: refused, or the number must be stopped. */
type NotPossible = { readonly refusal: NotificationError } | { readonly stoppedBy: GraphError };

/** The number was disconnected while messages waited. */
export const NOT_CONNECTED: NotificationError = notificationErrorOf({
  code: 133010,
  title: 'Number is not connected',
  error_data: { details: 'The number was disconnected from the Cloud API before the message was sent' },
});

/** A file that the network refuses, or that was deleted here, makes the message fail; a temporary error is repeated by the queue. */
function reasonOf(error: unknown): NotPossible {
  if (error instanceof GraphError) {
    const { remedy } = ruleOf(error.code, error.status);
    if (remedy === 'stop') return { stoppedBy: error };
    if (remedy === 'refuse' || remedy === 'later') return { refusal: errorOf(error) };
  }
  if (error instanceof ServiceUnreachable && error.isPermanent) return { refusal: errorOf(error) };
  if (error instanceof NotFound)
    return { refusal: notificationErrorOf({ code: 131053, title: 'Media upload error', error_data: { details: error.message } }) };
  throw error;
}

const errorOf = (error: unknown): NotificationError =>
  error instanceof GraphError
    ? notificationErrorOf(error.error)
    : notificationErrorOf({ code: 131000, error_data: { details: error instanceof Error ? error.message : String(error) } });
