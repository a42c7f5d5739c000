import type { JsonObject } from '#core';
import { type Input, readJson } from '#core/basics';

const MEDIA = ['image', 'video', 'audio', 'document', 'sticker'] as const;
const MEDIUM = new RegExp(`^\\[(${MEDIA.join('|')})(?::\\s*(.*?)\\s*)?\\]$`, 's');
const TYPES: ReadonlySet<unknown> = new Set([...MEDIA, 'location', 'button', 'interactive', 'contacts']);

/**
 * Creates a contact's message from `input`. `[image: https://…]` becomes a media message; a JSON object with a `type` and an object
 * under the key of that type becomes a message of that type. Any other input, including the JSON of a form, becomes a text message.
 */
export function inputFrom(input: string): Input {
  const [, medium, about = ''] = MEDIUM.exec(input.trim()) ?? [];
  const message = medium === undefined ? messageIn(input) : { type: medium, [medium]: mediumFrom(medium, about) };
  return message ? inputOfMessage(message) : { type: 'text', text: input, message: { type: 'text', text: { body: input } } };
}

/** The input of a message in the format of webhooks: a `type`, and its content under the key of that type. */
export function inputOfMessage(message: JsonObject): Input {
  const type = message.type as string;
  // Messages that the network does not support have no content.
  const part = (message[type] ?? {}) as JsonObject;
  const reply = (part.button_reply ?? part.list_reply) as JsonObject | undefined;
  const text = [reply?.title, part.body, part.text, part.caption].find((text) => typeof text === 'string') ?? '';
  const isReply = typeof reply?.id === 'string' && typeof reply.title === 'string';
  return { type, text: text as string, message, ...(isReply && { reply: { id: reply.id as string, title: reply.title as string } }) };
}

/** Reads `caption https://…`, the format in which `message` shows media. The id is generated. */
function mediumFrom(medium: string, about: string): JsonObject {
  const [, caption = '', link] = /^(.*?)\s*([a-z][a-z0-9+.-]*:\S+)$/is.exec(about) ?? [undefined, about, undefined];
  return { id: `simulated-${medium}`, ...(link !== undefined && { link }), ...(caption !== '' && { caption }) };
}

function messageIn(input: string): JsonObject | undefined {
  if (!input.trimStart().startsWith('{')) return undefined;
  const value = readJson(input) as JsonObject | null;
  const type = value?.type;
  const part = typeof type === 'string' && TYPES.has(type) ? value?.[type] : undefined;
  return typeof part === 'object' && part !== null && !Array.isArray(part) ? value! : undefined;
}
