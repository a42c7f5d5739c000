import type { JsonObject } from '../json.js';
import type { ChunkedText } from '../memory/chunks.js';
import { collection } from '../ports/store.js';
import { anyText, anything, defined, dictionary, fields, flag, list, oneOf, type TypeOf, text, whole } from '../shape.js';
import type { Input } from '../turns/input.js';

/** Values of a delivery status (States, "Delivery status of a sent message"). */
export const deliveryStatuses = ['sent', 'delivered', 'read', 'failed'] as const;
/** How far a sent message has come. */
export type DeliveryStatus = (typeof deliveryStatuses)[number];

/** Why sending or receiving failed (Resources, "Notification error object"); `href` is where the error is described. */
export const notificationErrorSchema = fields({ code: whole(), title: text(), details: anyText(), href: text() });
/** Why sending or receiving failed. */
export type NotificationError = TypeOf<typeof notificationErrorSchema>;

const statusReport = fields({ status: oneOf(...deliveryStatuses), timestamp: text() }, { errors: list(notificationErrorSchema) });
/** One report on a sent message; the timestamp is Unix seconds as text. */
export type StatusReport = TypeOf<typeof statusReport>;

/** Who wrote a message: the contact, a person at a desk, or a machine. */
const author = fields({ type: oneOf('OWNER', 'OPERATOR', 'SYSTEM'), id: anyText(), name: anyText() }, { request_id: text() });
/** Who wrote a message. */
export type Author = TypeOf<typeof author>;

/** The message that a message replies to, and whether it was passed on from another conversation (five times or more: frequently). */
export const messageContextSchema = fields(
  {},
  { id: text(), from: text(), forwarded: flag().valid(true), frequently_forwarded: flag().valid(true) },
);
/** The message that a message replies to, and whether it was passed on. */
export type MessageContext = TypeOf<typeof messageContextSchema>;

/** A message as it is kept, in either direction. */
export const messageSchema = fields(
  {
    uuid: text(),
    number: text(),
    conversation: text(),
    contact: text(),
    /** Counts up within the conversation. */
    position: whole(),
    direction: oneOf('inbound', 'outbound'),
    from: text(),
    to: text(),
    /** Unix seconds as text: when the contact or the platform sent it. */
    timestamp: text(),
    recorded_at: text(),
    type: text(),
    /** The part named by the type, as webhooks carry it: `{ text: { body } }`. */
    content: dictionary(anything()),
    author,
    /** Every status reported, in the order of arrival. */
    statuses: list(statusReport),
  },
  {
    /** The identifier the other side knows it by: the connector's or the network's. */
    external_id: text(),
    context: messageContextSchema,
    /** The status that stands. */
    status: oneOf(...deliveryStatuses),
    /** Unix seconds of the status that stands. */
    status_timestamp: text(),
    /** The recipient, while the other side has not answered for it yet. */
    pending_for: text(),
    /** The journey step it comes from. */
    journey: fields({ uuid: text(), session: text(), block: text(), card: anyText() }),
    /** It came through the message-sending endpoint, with these beside its content. */
    posted: fields({ recipient_type: text() }, { preview_url: flag(), render_mentions: flag() }),
    /** Why it could not be received whole. */
    errors: list(notificationErrorSchema),
    /** When somebody here marked it as read. */
    read_at: text(),
    labels: list(text()),
    /** A template with its blanks filled in. */
    rendered: anyText(),
  },
);

/** A message of a conversation, in either direction. */
export type MessageRecord = TypeOf<typeof messageSchema>;

/** A message as it lies in the store: the content of a long one is JSON text. */
export type StoredMessage = MessageRecord | (Omit<MessageRecord, 'content'> & { readonly content_text: ChunkedText });

export const messages = collection<StoredMessage>({
  key: 'uuid',
  unique: { external: ['number', 'direction', 'external_id'] },
  indexes: { conversation: ['conversation', 'position'], pending: ['number', 'pending_for', 'uuid'] },
});

/** What came in, whatever brought it. */
export interface Inbound {
  /** The sender's identifier of the message. The same id again is the same message. */
  readonly id: string;
  readonly contact: { readonly id: string; readonly name: string };
  /** Where a reply goes. */
  readonly from: string;
  readonly timestamp: string;
  readonly type: string;
  readonly content: JsonObject;
  readonly context?: MessageContext | undefined;
  readonly errors?: readonly NotificationError[];
}

/** A message as webhooks and journeys see it: its own part stands under the name of its type. */
export function messageBody({ from, external_id, uuid, timestamp, type, content, context, errors }: MessageRecord): JsonObject {
  return {
    from,
    id: external_id ?? uuid,
    timestamp,
    type,
    ...(content as JsonObject),
    ...(context && { context: defined(context) }),
    ...(errors && { errors }),
  };
}

/** What a journey reads of a message: its text, whichever part of the message holds it, and a tapped reply. */
export function inputOf(message: MessageRecord): Input {
  const reply = replyOf(message);
  return { type: message.type, text: reply?.title ?? textOf(message), message: messageBody(message), ...(reply && { reply }) };
}

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
