import {
  beforeCommit,
  type Consumer,
  collection,
  consume,
  event,
  fields,
  messageQueued,
  type PluginContext,
  queue,
  type Route,
  route,
  type Subscription,
  type Transaction,
} from '#core';
import { errorsWithMeta, markSchema } from './schemas.js';
import { messageParams } from './send.js';

/** Limits, "Typing indicator". */
const TYPING_MS = 25_000;

/** Somebody here is typing; the contact sees that until a moment. */
interface TypingRecord {
  readonly conversation: string;
  readonly number: string;
  readonly contact: string;
  readonly until: string;
}

export const typings = collection<TypingRecord>({ key: 'conversation' });
const typingEnds = queue<{ conversation: string; until: string }>('messages.typing-ends');

export const typingStarted = event<TypingRecord>('typing.started', 'A contact sees that somebody here is typing.');
export const typingEnded = event<Omit<TypingRecord, 'until'> & { reason: 'time' | 'message' }>(
  'typing.ended',
  'A contact does not see anybody typing any more: 25 seconds are over, or the message is there.',
);

/** Marking an inbound message as read, with a typing indicator if a reply follows. */
export function markRoutes({ store, messages, clock }: PluginContext): Route[] {
  return [
    route({
      method: 'PUT',
      path: '/v1/messages/{message_id}',
      summary: 'Marks a message of a contact as read; with a typing indicator if a reply will follow.',
      keepsNothing: true,
      request: { params: messageParams, payload: markSchema },
      responses: { 200: fields({}), 400: errorsWithMeta, 404: errorsWithMeta },
      async handler({ params: { message_id }, payload: { typing_indicator }, caller: { number } }) {
        await store.transaction(async (tx) => {
          const { conversation, contact } = await messages.seen(tx, number, message_id);
          if (!typing_indicator) return;
          const notBefore = new Date(clock.now().getTime() + TYPING_MS);
          const typing = { conversation, number: number.uuid, contact, until: notBefore.toISOString() };
          tx.in(typings).put(typing);
          tx.push(typingEnds, { conversation, until: typing.until }, { id: conversation, notBefore });
          tx.emit(typingStarted, typing);
        });
        return {};
      },
    }),
  ];
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

export const endWithTime = ({ store }: PluginContext): Consumer =>
  consume(typingEnds, ({ payload: { conversation, until } }) => store.transaction((tx) => end(tx, conversation, 'time', until)));
