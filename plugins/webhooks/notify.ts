import { beforeCommit, messageReceived, messageStatus, type PluginContext, type Subscription, type Transaction } from '#core';
import { inboundEvent, statusEvent } from './payloads.js';

/** Tells the webhooks of a number what happens, in the transaction in which it happens. */
export function notifications({ webhooks, deliveries, dialect }: PluginContext): Subscription[] {
  return [
    beforeCommit(messageReceived, ({ number, contact, conversation, message }, tx) =>
      tell(tx, number.uuid, {
        event: `message:${message.uuid}`,
        conversation: conversation.uuid,
        message: message.uuid,
        body: inboundEvent(dialect, contact, message),
      }),
    ),
    beforeCommit(messageStatus, ({ number, message, report }, tx) =>
      tell(tx, number.uuid, {
        event: `status:${message.uuid}:${report.status}:${report.timestamp}`,
        conversation: message.conversation,
        message: message.uuid,
        body: statusEvent(message, report),
      }),
    ),
  ];

  async function tell(
    tx: Transaction,
    number: string,
    letter: { event: string; conversation: string; message: string; body: object },
  ): Promise<void> {
    for (const webhook of await webhooks.listening(tx, number, 'network')) {
      await deliveries.post(tx, { ...letter, webhook, kind: 'network' });
    }
  }
}
