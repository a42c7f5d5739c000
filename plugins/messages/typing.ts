import {
  beforeCommit,
  type Consumer,
  type ConversationView,
  consume,
  contactMerged,
  event,
  messageQueued,
  type PluginContext,
  queue,
  type Subscription,
  type Transaction,
} from '#core';
import { type TypingRecord, typings } from './records.js';

/** Limits, "Typing indicator". */
const TYPING_MS = 25_000;

export const typingEnds = queue<{ conversation: string; until: string }>('messages.typing-ends', ({ conversation }) => ({
  kind: 'typing',
  id: conversation,
  title: `end of the typing indicator in conversation ${conversation}`,
}));

export const typingStarted = event<TypingRecord>('typing.started', 'A contact sees the typing indicator.');
export const typingEnded = event<Omit<TypingRecord, 'until'> & { reason: 'time' | 'message' }>(
  'typing.ended',
  'A typing indicator ended: after 25 seconds, or with the next message.',
);

/** Shows the typing indicator to a contact for 25 seconds, or until the next message. */
export function startTyping(tx: Transaction, indicator: Omit<TypingRecord, 'until'>, now: Date): void {
  const notBefore = new Date(now.getTime() + TYPING_MS);
  const typing = { ...indicator, until: notBefore.toISOString() };
  tx.in(typings).put(typing);
  tx.push(typingEnds, { conversation: indicator.conversation, until: typing.until }, { id: indicator.conversation, notBefore });
  tx.emit(typingStarted, typing);
}

async function end(tx: Transaction, conversation: string, reason: 'time' | 'message', until?: string): Promise<void> {
  const typing = await tx.in(typings).get(conversation);
  if (!typing || (until !== undefined && typing.until !== until)) return;
  tx.in(typings).delete(conversation);
  if (reason === 'message') tx.cancel(typingEnds, conversation);
  tx.emit(typingEnded, { conversation, number: typing.number, contact: typing.contact, reason });
}

/** The next message to the contact ends a typing indicator. */
export const endWithMessage: Subscription = beforeCommit(messageQueued, ({ conversation }, tx) => end(tx, conversation.uuid, 'message'));

/** A conversation that no longer exists has no typing indicator. */
export const endWithConversation: Subscription = beforeCommit(contactMerged, async ({ merged_conversation: conversation }, tx) => {
  if (conversation !== null) await end(tx, conversation, 'message');
});

export const endWithTime = ({ store }: PluginContext): Consumer =>
  consume(typingEnds, ({ payload: { conversation, until } }) => store.transaction((tx) => end(tx, conversation, 'time', until)));

/** Adds the typing indicator that the contact sees to the conversation: `until` when it ends, or null. */
export const typingView = ({ store, clock }: PluginContext): ConversationView => ({
  name: 'typing',
  async load({ conversation }) {
    const typing = await store.open(typings).get(conversation.uuid);
    return typing && Date.parse(typing.until) > clock.now().getTime() ? { until: typing.until } : null;
  },
});
