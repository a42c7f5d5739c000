import type { Json, JsonObject } from '../journey/session.js';
import type { ContactRecord } from './contact.js';
import type { ConversationRecord } from './conversation.js';
import { MEDIA_SCHEME, type Media } from './media.js';
import { type MessageRecord, messageBody } from './message.js';
import { chatOf, postedBody, vendorOf } from './vendor.js';

/**
 * A message of either direction as others are told of it afterwards: the network's shape, and ours under `_vnd.v1`. Media of
 * ours stand there with a link that works.
 */
export function historyMessage(media: Pick<Media, 'link'>, message: MessageRecord): JsonObject {
  const { external_id, uuid, timestamp, direction, from } = message;
  const body = direction === 'inbound' ? messageBody(message) : { ...postedBody(message), from, id: external_id ?? uuid, timestamp };
  return { ...(withLinks(media, body) as JsonObject), _vnd: { v1: vendorOf(message) as unknown as JsonObject } };
}

function withLinks(media: Pick<Media, 'link'>, value: Json, key?: string): Json {
  if (typeof value === 'string')
    return key === 'link' && value.startsWith(MEDIA_SCHEME) ? media.link(value.slice(MEDIA_SCHEME.length)) : value;
  if (Array.isArray(value)) return value.map((item) => withLinks(media, item));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, withLinks(media, inner as Json, name)]));
}

/** A conversation as others are told of it (Integration context objects): the chat, and its messages, newest first. */
export const historyOf = (
  { media, publicUrl }: { media: Pick<Media, 'link'>; publicUrl: () => string },
  { contact, conversation, messages }: { contact: ContactRecord; conversation: ConversationRecord; messages: readonly MessageRecord[] },
): JsonObject => ({
  chat: chatOf(publicUrl(), contact, conversation) as unknown as JsonObject,
  messages: messages.map((message) => historyMessage(media, message)),
});
