import type { JsonObject } from '../json.js';
import type { ChunkedText } from '../memory/chunks.js';
import { collection } from '../ports/store.js';
import {
  anyString,
  anyValue,
  array,
  boolean,
  integer,
  named,
  object,
  oneOf,
  record,
  string,
  type TypeOf,
  withoutUndefined,
} from '../shape.js';
import type { Input } from '../turns/input.js';

/** Delivery statuses (API specification, States, "Delivery status of a sent message"). */
export const deliveryStatuses = ['sent', 'delivered', 'read', 'failed'] as const;
/** The delivery status of a sent message. */
export type DeliveryStatus = (typeof deliveryStatuses)[number];

/** Why sending or receiving failed (API specification, Resources, "Notification error object"); `href` links to a description of the error. */
export const notificationErrorSchema = named(
  'NotificationError',
  object({ code: integer(), title: string(), details: anyString(), href: string() }).example({
    code: 470,
    title: 'Re-engagement message',
    details: 'More than 24 hours have passed since the contact last wrote',
    href: 'https://posthorn.example/errors#470',
  }),
);
/** Why sending or receiving failed. */
export type NotificationError = TypeOf<typeof notificationErrorSchema>;

/** The error of a message that the network or connector did not accept. */
export const undeliverableError = (details: string): NotificationError => ({
  code: 131026,
  title: 'Message undeliverable',
  details,
  href: 'https://posthorn.invalid/undeliverable',
});

const statusReport = named(
  'StatusReport',
  object({ status: oneOf(...deliveryStatuses), timestamp: string() }, { errors: array(notificationErrorSchema) }),
);
/** One status report on a sent message; the timestamp is Unix seconds as text. */
export type StatusReport = TypeOf<typeof statusReport>;

/** The author of a message: the contact (`OWNER`), an operator, or the system. */
const author = named(
  'Author',
  object({ type: oneOf('OWNER', 'OPERATOR', 'SYSTEM'), id: anyString(), name: anyString() }, { request_id: string() }),
);
/** The author of a message. */
export type Author = TypeOf<typeof author>;

/** The message that this message replies to, and whether this message was forwarded; `frequently_forwarded` means five times or more. */
export const messageContextSchema = named(
  'MessageContext',
  object({}, { id: string(), from: string(), forwarded: boolean().valid(true), frequently_forwarded: boolean().valid(true) }),
);
/** The message that a message replies to, and whether it was forwarded. */
export type MessageContext = TypeOf<typeof messageContextSchema>;

/** The schema of a stored message. */
export const messageSchema = named(
  'Message',
  object(
    {
      uuid: string(),
      number: string(),
      conversation: string(),
      contact: string(),
      /** Position of the message in its conversation. */
      position: integer(),
      direction: oneOf('inbound', 'outbound'),
      from: string(),
      to: string(),
      /** Unix seconds as text: when the contact or the platform sent it. */
      timestamp: string(),
      recorded_at: string(),
      type: string(),
      /** The content, under a key that is the type of the message: `{ text: { body } }`. Webhooks send the same. */
      content: record(anyValue()),
      author,
      /** The latest status reports in order of arrival, and the report of the current status even if it is older. */
      statuses: array(statusReport),
    },
    {
      /** The id that the connector or the network gave it. */
      external_id: string(),
      context: messageContextSchema,
      status: oneOf(...deliveryStatuses),
      status_timestamp: string(),
      /** The recipient; set until the message is accepted or undeliverable. */
      pending_for: string(),
      /** The recipient, if it is undeliverable only because the platform stopped during each attempt: the connector may have it. */
      interrupted_for: string(),
      journey: object({ uuid: string(), session: string(), block: string(), card: anyString() }),
      /** Set for messages of the message-sending endpoint: the fields posted with the content, and under `fields` those that are not used. */
      posted: object({ recipient_type: string() }, { preview_url: boolean(), render_mentions: boolean(), fields: record(anyValue()) }),
      /** Errors of a message that was not received completely. */
      errors: array(notificationErrorSchema),
      /** The id under which the contact wrote it, if it is not the `id` of the contact. */
      sender_id: string(),
      /** The group of the network in which the contact wrote it. */
      group_id: string(),
      /** Later versions of the content, the newest last, if the contact has edited the message. Webhooks and journeys got the first one. */
      edits: array(object({ at: string(), content: record(anyValue()) })),
      /** Facts about it that only its channel knows. Webhooks and connectors do not receive them. */
      channel: record(anyValue()),
      /** Why no journey answers it, such as that a program has written it. */
      quiet: anyString(),
      /** The uuids of its further parts, such as the files of a mail. */
      parts: array(string()),
      /** The contacts whose message it was before they were merged, the newest merge last. */
      moved_from: array(string()),
      read_at: string(),
      labels: array(string()),
      /** The plugins that changed the content before it was recorded. */
      rewritten_by: array(string()),
      /** The text of a template with its parameters filled in. */
      rendered: anyString(),
    },
  ),
);

/** A message of a conversation, in either direction. */
export type MessageRecord = TypeOf<typeof messageSchema>;

/** The stored form of a message: long content is JSON text in chunks. */
export type StoredMessage = MessageRecord | (Omit<MessageRecord, 'content'> & { readonly content_text: ChunkedText });

/** The collection of all messages. */
export const messages = collection<StoredMessage>({
  key: 'uuid',
  tenant: { number: 'number' },
  unique: { external: ['number', 'direction', 'external_id'] },
  indexes: {
    conversation: ['conversation', 'position'],
    pending: ['number', 'pending_for', 'uuid'],
    interrupted: ['number', 'interrupted_for', 'uuid'],
    age: ['number', 'recorded_at'],
  },
  cold: { after: 0 },
});

/** A contact's message, as the network or a connector reports it. */
export interface Inbound {
  /** Id that the network or connector gave the message; deduplicates within the number. */
  readonly id: string;
  /**
   * The sender: `id` is the id by which the channel addresses it, `aliases` are other ids of the same person, such as that of its account.
   * Without a name, the contact keeps the one that it has.
   */
  readonly contact: { readonly id: string; readonly name?: string | undefined; readonly aliases?: readonly string[] | undefined };
  /** Address for replies. */
  readonly from: string;
  readonly timestamp: string;
  readonly type: string;
  readonly content: JsonObject;
  readonly context?: MessageContext | undefined;
  readonly errors?: readonly NotificationError[];
  /** The group in which the message was written, on a network that has groups. */
  readonly group?: string | undefined;
  /**
   * Facts that only the channel knows about the message, such as a subject or the kind of chat: at most 4 KB as JSON. The admin API and the console
   * show them; webhooks, journeys and connectors never receive them.
   */
  readonly channel?: JsonObject | undefined;
  /**
   * Further parts, such as the files of a mail: messages of their own, right after this one, with ids such as `<id>#2`. Journeys get them with this one, as
   * `event.message.parts`, and answer once.
   */
  readonly parts?: readonly Pick<Inbound, 'id' | 'type' | 'content' | 'errors'>[] | undefined;
  /**
   * Set if no journey answers the message: why, such as "a program has written it". The message is recorded, shown and sent to webhooks like any
   * other, but starts and continues no journey.
   */
  readonly quiet?: string | undefined;
}

const MAX_CHANNEL_BYTES = 4096;

/** @throws TypeError when the channel data of a message is too large, or is not JSON */
export function checkChannelData({ channel }: Pick<Inbound, 'channel'>): void {
  if (channel === undefined) return;
  const bytes = Buffer.byteLength(JSON.stringify(channel));
  if (bytes > MAX_CHANNEL_BYTES)
    throw new TypeError(`channel of a message may have at most ${MAX_CHANNEL_BYTES} bytes as JSON, not ${bytes}`);
}

/**
 * The form of a message in webhooks and journeys: its content is under a key that is its type. The content of an `unsupported` message is
 * left out: it has the form of the network, and is kept for people who look at the message.
 */
export function messageBody({ from, external_id, uuid, timestamp, type, content, context, errors, group_id }: MessageRecord): JsonObject {
  return {
    from,
    id: external_id ?? uuid,
    timestamp,
    type,
    ...(group_id !== undefined && { group_id }),
    ...(type !== 'unsupported' && (content as JsonObject)),
    ...(context && { context: withoutUndefined(context) }),
    ...(errors && { errors }),
  };
}

/** The input of a journey for a message: its text, the message with its further parts, and the tapped reply, if any. */
export function inputOf(message: MessageRecord, parts: readonly MessageRecord[] = []): Input {
  const reply = replyOf(message);
  const body = { ...messageBody(message), ...(parts.length > 0 && { parts: parts.map(messageBody) }) };
  return { type: message.type, text: reply?.title ?? textOf(message), message: body, ...(reply && { reply }) };
}

/** Whether journeys can answer a message of a contact: quiet ones, reactions and messages of the network itself never reach them. */
export const isInput = ({ type, quiet }: Pick<MessageRecord, 'type' | 'quiet'>): boolean =>
  quiet === undefined && !['reaction', 'system', 'unsupported'].includes(type);

/** Whether a message is an entry of the platform in the history of a conversation, which no contact sees. */
export const isNote = ({ direction, type }: Pick<MessageRecord, 'direction' | 'type'>): boolean =>
  direction === 'outbound' && type === 'system';

/** The text of a message: body, button text, chosen title or caption; empty when it has none. */
export function textOf({ type, content }: Pick<MessageRecord, 'type' | 'content'>): string {
  const part = content[type] as { body?: unknown; text?: unknown; caption?: unknown } | undefined;
  const text = part?.body ?? part?.text ?? part?.caption ?? replyOf({ type, content })?.title;
  return typeof text === 'string' ? text : '';
}

function replyOf({ type, content }: Pick<MessageRecord, 'type' | 'content'>): { id: string; title: string } | undefined {
  if (type !== 'interactive') return undefined;
  const interactive = content.interactive as Record<string, { id?: unknown; title?: unknown }> | undefined;
  const reply = interactive?.button_reply ?? interactive?.list_reply;
  return typeof reply?.id === 'string' && typeof reply.title === 'string' ? { id: reply.id, title: reply.title } : undefined;
}
