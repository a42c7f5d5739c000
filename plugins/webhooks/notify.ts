import {
  beforeCommit,
  type MessageRecord,
  messageAccepted,
  messageReceived,
  messageStatus,
  type NumberRecord,
  type PluginContext,
  type Subscription,
  type SubscriptionKind,
  type Transaction,
  type WebhookClaim,
} from '#core';
import type { MessageHappened } from '#core/messaging';
import { runSteps, type Steps, wait } from '#core/ports';
import type { Advisor } from './advise.js';
import { channelInbound, inboundEvent, sentEvent, statusEvent } from './payloads.js';

/** A delivery request before its webhook is known. */
interface Notification {
  readonly event: string;
  readonly conversation: string;
  /** The message that the event is about. */
  readonly message?: string;
  readonly content?: MessageRecord['content'];
  readonly body: object;
  readonly headers?: Readonly<Record<string, string>>;
  /** The event happens in this transaction. */
  readonly isNew?: boolean;
  /** The webhook that has claimed the contact receives the id of the claim. */
  readonly claim?: WebhookClaim | undefined;
}

/** Posts deliveries to the webhooks of a number for its events, in the transaction of the event. */
export function notifications(
  { webhooks, deliveries, dialect, publicUrl, webhookClaims }: PluginContext,
  { inboundOnChannel }: { readonly inboundOnChannel: boolean },
  advisor: Advisor,
): Subscription[] {
  return [
    beforeCommit(messageReceived, (happened, tx) => runSteps(received(tx, happened))),
    beforeCommit(messageStatus, ({ number, message, report }, tx) =>
      runSteps(
        notify(tx, number, 'network', {
          event: `status:${message.uuid}:${report.status}:${report.timestamp}`,
          conversation: message.conversation,
          message: message.uuid,
          body: statusEvent(number, message, report),
        }),
      ),
    ),
    beforeCommit(messageAccepted, (happened, tx) => runSteps(accepted(tx, happened))),
  ];

  function* received(tx: Transaction, happened: MessageHappened): Steps<void> {
    const { number, contact, conversation, message } = happened;
    if (message.type === 'reaction') {
      if (!number.reactions) return yield* wait(advisor.reactionNotEnabled(tx, number, message));
      yield* wait(advisor.reactionEnabled(tx, number));
    }
    const about = { event: `message:${message.uuid}`, conversation: conversation.uuid, isNew: true };
    const claim = yield* wait(webhookClaims()?.of(tx, happened));
    const body = inboundEvent(dialect, contact, message);
    yield* notify(tx, number, 'network', { ...about, message: message.uuid, content: message.content, body, claim });
    // Without `message`: the connector's response must not settle an inbound message.
    if (inboundOnChannel && number.kind === 'channel')
      yield* notify(tx, number, 'channel', { ...about, body: channelInbound(dialect, contact, message) });
  }

  function* accepted(tx: Transaction, happened: MessageHappened): Steps<void> {
    const { number, message } = happened;
    if (message.posted && number.kind !== 'channel') yield* notify(tx, number, 'service', sent(happened));
    if (message.journey) yield* notify(tx, number, 'journey_outbound', sent(happened));
  }

  function sent(happened: MessageHappened): Notification {
    const { message, conversation } = happened;
    return {
      event: `sent:${message.uuid}`,
      conversation: conversation.uuid,
      message: message.uuid,
      content: message.content,
      isNew: true,
      body: sentEvent(publicUrl(), happened),
      headers: { [dialect.headers.networkId]: message.external_id ?? message.uuid },
    };
  }

  function* notify(
    tx: Transaction,
    { uuid: number }: NumberRecord,
    kind: SubscriptionKind,
    { claim, ...notification }: Notification,
  ): Steps<void> {
    const listening = yield* webhooks.inSteps.listening(tx, number, kind);
    if (listening.length === 0) return;
    // A webhook may receive one event under two subscriptions, so the idempotency key includes the kind.
    const event = kind === 'network' ? notification.event : `${notification.event}:${kind}`;
    for (const webhook of listening) {
      const headers = webhook.uuid === claim?.webhook ? { [dialect.headers.claim]: claim.uuid } : notification.headers;
      yield* deliveries.inSteps.post(tx, { ...notification, ...(headers && { headers }), event, webhook, kind });
    }
  }
}
