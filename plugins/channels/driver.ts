import { advice, type ChannelDriver, type DeliveryRecord, type DeliverySettled, type PluginContext, type Transaction } from '#core';
import { CHANNEL_TYPE, connectorOf } from './channel.js';
import { payloadOf } from './payload.js';

/** Carries messages to the connector's webhook. */
export function connectorDriver({ webhooks, deliveries, messages }: PluginContext): ChannelDriver {
  return {
    type: CHANNEL_TYPE,
    answerFault: ({ body }) => (messageIdIn(body) === undefined ? 'its body does not name the message in messages[0].id' : undefined),
    async deliver(tx, outbound) {
      const { number, message, conversation } = outbound;
      const listening = await webhooks.listening(tx, number.uuid, 'channel');
      if (listening.length === 0) {
        await messages.undeliverable(tx, number, message.uuid, 'no webhook of the channel subscribes to it');
        tx.emit(advice, {
          name: 'channel_without_webhook',
          number: number.uuid,
          message: `A message to ${message.to} went nowhere: no webhook of channel '${number.name}' has the subscription 'channel'.`,
          fix: 'Add a webhook with the subscription channel to the channel.',
        });
      }
      for (const webhook of listening) {
        await deliveries.post(tx, {
          event: `message:${message.uuid}`,
          webhook,
          kind: 'channel',
          body: payloadOf(outbound),
          message: message.uuid,
          conversation: conversation.uuid,
          recipient: message.to,
        });
      }
    },
  };
}

/** A delivery to the connector that is started again by hand: its message is on its way once more. */
export function restarted({ messages, webhooks }: PluginContext) {
  return async ({ delivery }: { delivery: DeliveryRecord }, tx: Transaction): Promise<void> => {
    if (delivery.run === 1 || delivery.message === undefined || !(await isToConnector(webhooks, tx, delivery))) return;
    await messages.repeated(tx, delivery.message);
  };
}

/** The connector's answer names the message; a delivery given up leaves it undeliverable. */
export function settled({ numbers, messages, webhooks }: PluginContext) {
  return async ({ delivery, response }: DeliverySettled, tx: Transaction): Promise<void> => {
    if (delivery.message === undefined || !(await isToConnector(webhooks, tx, delivery))) return;
    const number = await numbers.require(delivery.number);
    if (delivery.state !== 'delivered') {
      const { state, reason = 'unknown', last_error: error } = delivery;
      const why = error === undefined ? `${state}: ${reason}` : `${state}: ${reason} (${error})`;
      return messages.undeliverable(tx, number, delivery.message, why);
    }
    const id = response ? messageIdIn(response.body) : undefined;
    await messages.accepted(tx, number, delivery.message, id);
    if (id === undefined) {
      tx.emit(advice, {
        name: 'connector_response_invalid',
        number: number.uuid,
        message: 'The connector took a message without naming it, so its statuses and replies cannot be matched.',
        fix: 'Answer with status 200 and the JSON body {"messages":[{"id":"<your id of the message>"}]}.',
        about: { delivery: delivery.uuid },
      });
    }
  };
}

/** Others that subscribe to the channel listen in: what becomes of their deliveries says nothing of the message. */
async function isToConnector(
  webhooks: PluginContext['webhooks'],
  tx: Transaction,
  { kind, number, webhook }: DeliveryRecord,
): Promise<boolean> {
  if (kind !== 'channel') return false;
  const listening = await webhooks.listening(tx, number, 'channel');
  return connectorOf(listening)?.uuid === webhook || !listening.some(({ uuid }) => uuid === webhook);
}

/** `messages[0].id` of a connector's answer, if it has one. */
function messageIdIn(body: string): string | undefined {
  try {
    const id: unknown = JSON.parse(body)?.messages?.[0]?.id;
    return typeof id === 'string' && id !== '' ? id : undefined;
  } catch {
    // Not JSON: the same as an answer without an id, and said so by the advice.
    return undefined;
  }
}
