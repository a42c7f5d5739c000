import {
  beforeCommit,
  messageAccepted,
  messageReceived,
  messageStatus,
  type NumberRecord,
  type PluginContext,
  type Subscription,
  type SubscriptionKind,
  type Transaction,
} from '#core';
import type { MessageHappened } from '#core/areas';
import type { Advisor } from './advise.js';
import { channelInbound, inboundEvent, sentEvent, statusEvent } from './payloads.js';

interface Notification {
  readonly event: string;
  readonly conversation: string;
  /** The message that the event is about. */
  readonly message?: string;
  readonly body: object;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Tells the webhooks of a number what happens, in the transaction in which it happens. */
export function notifications(
  { webhooks, deliveries, dialect, publicUrl }: PluginContext,
  { inboundOnChannel }: { readonly inboundOnChannel: boolean },
  advisor: Advisor,
): Subscription[] {
  return [
    beforeCommit(messageReceived, async ({ number, contact, conversation, message }, tx) => {
      if (message.type === 'reaction' && !number.reactions) return advisor.reactionUnheard(tx, number);
      const about = { event: `message:${message.uuid}`, conversation: conversation.uuid };
      await tell(tx, number, 'network', { ...about, message: message.uuid, body: inboundEvent(dialect, contact, message) });
      // The connector answers for messages to contacts only, so this delivery names none.
      if (inboundOnChannel && number.kind === 'channel') {
        await tell(tx, number, 'channel', { ...about, body: channelInbound(dialect, contact, message) });
      }
    }),
    beforeCommit(messageStatus, ({ number, message, report }, tx) =>
      tell(tx, number, 'network', {
        event: `status:${message.uuid}:${report.status}:${report.timestamp}`,
        conversation: message.conversation,
        message: message.uuid,
        body: statusEvent(number, message, report),
      }),
    ),
    beforeCommit(messageAccepted, async (happened, tx) => {
      const { number, message } = happened;
      if (message.posted && number.kind !== 'channel') await tell(tx, number, 'service', sent(happened));
      if (message.journey) await tell(tx, number, 'journey_outbound', sent(happened));
    }),
  ];

  function sent(happened: MessageHappened): Notification {
    const { message, conversation } = happened;
    return {
      event: `sent:${message.uuid}`,
      conversation: conversation.uuid,
      message: message.uuid,
      body: sentEvent(publicUrl(), happened),
      headers: { [dialect.headers.networkId]: message.external_id ?? message.uuid },
    };
  }

  async function tell(tx: Transaction, { uuid: number }: NumberRecord, kind: SubscriptionKind, news: Notification): Promise<void> {
    const listening = await webhooks.listening(tx, number, kind);
    if (listening.length === 0) return;
    // A webhook with several subscriptions may hear of one event under two of them, so the kind is part of its name.
    const event = kind === 'network' ? news.event : `${news.event}:${kind}`;
    for (const webhook of listening) await deliveries.post(tx, { ...news, event, webhook, kind });
  }
}
