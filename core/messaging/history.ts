import type { Json, JsonObject } from '../json.js';
import type { ContactRecord } from './contact.js';
import type { ConversationRecord } from './conversation.js';
import type { Media } from './media.js';
import { MEDIA_SCHEME } from './medium.js';
import { type MessageRecord, messageBody } from './message.js';
import { chatOf, postedBody, vendorOf } from './vendor.js';

/**
 * A past message of either direction as the API and integrations receive it: the network's shape, with the service's fields under
 * `_vnd.v1`. Stored media have a fresh signed link.
 */
export async function historyMessage(media: Pick<Media, 'linkOf'>, message: MessageRecord): Promise<JsonObject> {
  const { external_id, uuid, number, timestamp, direction, from } = message;
  const body = direction === 'inbound' ? messageBody(message) : { ...postedBody(message), from, id: external_id ?? uuid, timestamp };
  const linked = (await withLinks((id) => media.linkOf(number, id), body)) as JsonObject;
  return { ...linked, _vnd: { v1: vendorOf(message) as unknown as JsonObject } };
}

async function withLinks(linkOf: (id: string) => Promise<string | undefined>, value: Json, key?: string): Promise<Json> {
  if (typeof value === 'string') {
    const isStored = key === 'link' && value.startsWith(MEDIA_SCHEME);
    return isStored ? ((await linkOf(value.slice(MEDIA_SCHEME.length))) ?? value) : value;
  }
  if (Array.isArray(value)) return Promise.all(value.map((item) => withLinks(linkOf, item)));
  if (typeof value !== 'object' || value === null) return value;
  const linked = Object.entries(value).map(async ([name, inner]) => [name, await withLinks(linkOf, inner as Json, name)] as const);
  return Object.fromEntries(await Promise.all(linked));
}

/** A conversation as integrations receive it (Resources, "Integration context objects"): the chat, and its messages, newest first. */
export const historyOf = async (
  { media, publicUrl }: { media: Pick<Media, 'linkOf'>; publicUrl: () => string },
  { contact, conversation, messages }: { contact: ContactRecord; conversation: ConversationRecord; messages: readonly MessageRecord[] },
): Promise<JsonObject> => ({
  chat: chatOf(publicUrl(), contact, conversation) as unknown as JsonObject,
  messages: await Promise.all(messages.map((message) => historyMessage(media, message))),
});
