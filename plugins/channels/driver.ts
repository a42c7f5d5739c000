import {
  advice,
  type ChannelDriver,
  type DeliveryRecord,
  type DeliverySettled,
  type LateAnswer,
  type PluginContext,
  type Transaction,
  wasInterrupted,
} from '#core';
import { idFault, messageIdIn } from './answer.js';
import { CHANNEL_TYPE, connectorOf } from './channel.js';
import type { EarlierIds } from './earlier-ids.js';
import { payloadOf } from './payload.js';

const RETURN_ID = 'Respond with status 200 and the JSON body {"messages":[{"id":"<your id of the message>"}]}.';

/** The driver that delivers messages to the connector's webhook. */
export function connectorDriver({ webhooks, deliveries, messages }: PluginContext): ChannelDriver {
  return {
    type: CHANNEL_TYPE,
    answerFault: idFault,
    answerFix: RETURN_ID,
    async deliver(tx, outbound) {
      const { number, message, conversation } = outbound;
      const listening = await webhooks.listening(tx, number.uuid, 'channel');
      if (listening.length === 0) {
        await messages.undeliverable(tx, number, message.uuid, 'no webhook of the channel subscribes to it');
        tx.emit(advice, {
          name: 'channel_without_webhook',
          severity: 'warning',
          number: number.uuid,
          message: `A message to ${message.to} was not delivered: no webhook of channel '${number.name}' has the subscription 'channel'.`,
          fix: `Create one: POST /admin/v1/webhooks with {"number": "${number.uuid}", "url": "<your endpoint>", "subscriptions": ["channel"]}.`,
          about: { message: message.uuid },
        });
      }
      for (const webhook of listening) {
        await deliveries.post(tx, {
          event: `message:${message.uuid}`,
          isNew: true,
          webhook,
          kind: 'channel',
          body: payloadOf(outbound),
          message: message.uuid,
          content: message.content,
          conversation: conversation.uuid,
          recipient: message.to,
        });
      }
    },
  };
}

/** When a delivery to the connector is redelivered, makes its message pending again. */
export function redelivered({ messages, webhooks }: PluginContext) {
  return ({ delivery }: { delivery: DeliveryRecord }, tx: Transaction): Promise<void> | void => {
    if (delivery.run !== 1 && delivery.message !== undefined && delivery.kind === 'channel')
      return markPending(delivery, delivery.message, tx);
  };

  async function markPending(delivery: DeliveryRecord, message: string, tx: Transaction): Promise<void> {
    if (await isToConnector(webhooks, tx, delivery)) await messages.markPending(tx, message);
  }
}

/** When a delivery is settled: records the message as accepted, with the id in the connector's response, or as undeliverable. */
export function settled({ numbers, messages, webhooks }: PluginContext, earlierIds: EarlierIds) {
  return (happened: DeliverySettled, tx: Transaction): Promise<void> | void => {
    const { kind, message } = happened.delivery;
    if (kind === 'channel' && message !== undefined) return settle(happened, message, tx);
  };

  async function settle({ delivery, response }: DeliverySettled, message: string, tx: Transaction): Promise<void> {
    if (!(await isToConnector(webhooks, tx, delivery))) return;
    if (delivery.state !== 'delivered') {
      const number = await numbers.require(delivery.number);
      const { state, reason = 'unknown', last_error: error } = delivery;
      const cause = error === undefined ? `${state}: ${reason}` : `${state}: ${reason} (${error})`;
      return messages.undeliverable(tx, number, message, cause, wasInterrupted(delivery) ? delivery.uuid : undefined);
    }
    const id = response ? messageIdIn(response.body) : undefined;
    await earlierIds.accepted(tx, delivery.number, message, id);
    if (id === undefined) {
      tx.emit(advice, {
        name: 'connector_response_invalid',
        number: delivery.number,
        message: `The connector accepted a message without returning its id, so its statuses and replies cannot be matched: ${idFault(response ?? { body: '', cut: false })}.`,
        fix: RETURN_ID,
        about: { delivery: delivery.uuid },
      });
    }
  }
}

/** When a connector responds after the deadline: records the id that it returned, because its statuses will have that id. */
export const answeredLate =
  ({ webhooks }: PluginContext, earlierIds: EarlierIds) =>
  async (late: LateAnswer, tx: Transaction): Promise<void> => {
    if (await isToConnector(webhooks, tx, late.delivery)) await earlierIds.answeredLate(late, tx);
  };

/** Whether a delivery goes to the connector and so decides the status of its message. Other webhooks of the channel only listen. */
async function isToConnector(
  webhooks: PluginContext['webhooks'],
  tx: Transaction,
  { kind, number, webhook }: DeliveryRecord,
): Promise<boolean> {
  if (kind !== 'channel') return false;
  const listening = await webhooks.listening(tx, number, 'channel');
  return connectorOf(listening)?.uuid === webhook || !listening.some(({ uuid }) => uuid === webhook);
}
