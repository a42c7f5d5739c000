import type { JsonObject } from '../journey/session.js';
import type { ContactRecord } from './contact.js';
import type { ConversationRecord } from './conversation.js';
import { type MessageRecord, messageBody } from './message.js';
import { chatOf, postedBody, vendorOf } from './vendor.js';

/** A message of either direction as others are told of it afterwards: the network's shape, and ours under `_vnd.v1`. */
export function historyMessage(message: MessageRecord): JsonObject {
  const { external_id, uuid, timestamp, direction, from } = message;
  const body = direction === 'inbound' ? messageBody(message) : { ...postedBody(message), from, id: external_id ?? uuid, timestamp };
  return { ...body, _vnd: { v1: vendorOf(message) as unknown as JsonObject } };
}

/** A conversation as others are told of it (Integration context objects): the chat, and its messages, newest first. */
export const historyOf = (
  publicUrl: string,
  { contact, conversation, messages }: { contact: ContactRecord; conversation: ConversationRecord; messages: readonly MessageRecord[] },
): JsonObject => ({
  chat: chatOf(publicUrl, contact, conversation) as unknown as JsonObject,
  messages: messages.map(historyMessage),
});
