import type { Dialect } from '../dialect.js';
import type { JsonObject } from '../json.js';
import { anyString, array, boolean, integer, named, nullable, object, oneOf, string, type TypeOf } from '../shape.js';
import type { ContactRecord } from './contact.js';
import type { ConversationRecord } from './conversation.js';
import { deliveryStatuses, type MessageRecord, type StatusReport } from './message.js';
import type { NumberRecord } from './number.js';

/** The service's metadata of a message, under `_vnd.v1`: chat, author, labels (Resources, "Sent-message event"). */

const person = object({ id: anyString(), name: anyString(), type: oneOf('OPERATOR') });

/** The schema of the chat in events and payloads. */
export const chatSchema = named(
  'Chat',
  object({
    uuid: string(),
    contact_uuid: string(),
    owner: string(),
    state: oneOf('OPEN', 'CLOSED'),
    state_reason: anyString(),
    unread_count: integer(),
    assigned_to: nullable(person),
    permalink: string(),
    inserted_at: string(),
    updated_at: string(),
  }).example({
    uuid: 'b7a1f0de-1f53-4bd6-8f43-2c5b1f0c7d11',
    contact_uuid: '8e2c6a4b-90f2-4c39-a1f7-0d3b5c7e9a12',
    owner: '+27611111111',
    state: 'OPEN',
    state_reason: 'The contact wrote',
    unread_count: 1,
    assigned_to: null,
    permalink: 'https://posthorn.example/app/c/b7a1f0de-1f53-4bd6-8f43-2c5b1f0c7d11',
    inserted_at: '2026-01-05T08:00:00.000000Z',
    updated_at: '2026-01-05T08:00:01.000000Z',
  }),
);

/** Metadata of a message, for schemas that combine it with other keys. */
export const vendorFields = {
  author: object({ id: anyString(), name: anyString(), type: oneOf('OWNER', 'OPERATOR', 'SYSTEM') }, { request_id: string() }),
  card_uuid: nullable(string()),
  direction: oneOf('inbound', 'outbound'),
  faq_uuid: nullable(string()),
  in_reply_to: nullable(string()),
  inserted_at: string(),
  labels: array(object({ value: string() })),
  last_status: nullable(oneOf(...deliveryStatuses)),
  last_status_timestamp: nullable(string()),
  on_fallback_channel: boolean(),
  rendered_content: nullable(anyString()),
  uuid: string(),
};
/** Metadata of a message. */
export const vendorSchema = named(
  'MessageMetadata',
  object(vendorFields).example({
    author: { id: '', name: 'Riverside Library', type: 'SYSTEM' },
    card_uuid: null,
    direction: 'outbound',
    faq_uuid: null,
    in_reply_to: null,
    inserted_at: '2026-01-05T08:00:01.000000Z',
    labels: [],
    last_status: null,
    last_status_timestamp: null,
    on_fallback_channel: false,
    rendered_content: null,
    uuid: '3f6d2c1b-7a84-4e0d-9c55-1b2a3c4d5e6f',
  }),
);
/** Metadata of a message. */
export type VendorData = TypeOf<typeof vendorSchema>;

/** The metadata of a conversation; timestamps have microseconds. */
export const chatOf = (publicUrl: string, contact: ContactRecord, conversation: ConversationRecord): TypeOf<typeof chatSchema> => ({
  uuid: conversation.uuid,
  contact_uuid: contact.uuid,
  owner: conversation.owner,
  state: conversation.state,
  state_reason: conversation.state_reason,
  unread_count: conversation.unread,
  assigned_to: conversation.assigned_to ? { ...conversation.assigned_to, type: 'OPERATOR' } : null,
  permalink: `${publicUrl}/app/c/${conversation.uuid}`,
  inserted_at: inMicroseconds(conversation.created_at),
  updated_at: inMicroseconds(conversation.updated_at),
});

/** The metadata of a message; timestamps have microseconds. */
export const vendorOf = (message: MessageRecord): VendorData => ({
  author: message.author,
  card_uuid: message.journey?.block ?? null,
  direction: message.direction,
  faq_uuid: null,
  in_reply_to: message.context?.id ?? null,
  inserted_at: inMicroseconds(message.recorded_at),
  labels: (message.labels ?? []).map((value) => ({ value })),
  last_status: message.status ?? null,
  last_status_timestamp: message.status_timestamp ? inMicroseconds(new Date(Number(message.status_timestamp) * 1000).toISOString()) : null,
  on_fallback_channel: false,
  rendered_content: message.rendered ?? null,
  uuid: message.uuid,
});

/** The contact of a message in `contacts`, as webhooks and exports have it. */
export function contactsOf({ contactFields }: Dialect, { id, fields }: ContactRecord) {
  const name = fields[contactFields.networkProfileName];
  return [{ profile: { name: typeof name === 'string' ? name : '' }, wa_id: id.replace(/^\+/, '') }];
}

/**
 * A status report as webhooks and exports have it. It contains the recipient twice, because receivers read one or the other. On a channel
 * `_vnd.v1.uuid` is the id that `POST /v1/messages` returned, before the connector's message id was known.
 */
export function statusBody({ kind }: Pick<NumberRecord, 'kind'>, message: MessageRecord, { status, timestamp, errors }: StatusReport) {
  const recipient = message.to;
  return {
    statuses: [
      {
        id: message.external_id ?? message.uuid,
        status,
        timestamp,
        recipient_id: recipient,
        message: { recipient_id: recipient },
        ...(errors && { errors }),
        ...(kind === 'channel' && { _vnd: { v1: { uuid: message.uuid } } }),
      },
    ],
  };
}

const inMicroseconds = (timestamp: string): string => timestamp.replace(/(\.\d{3})Z$/, '$1000Z');

/** The body that was posted for a message, or the equivalent one for a journey's or operator's (Resources, "Sent-message event"). */
export function postedBody({ to, type, content, posted }: MessageRecord): JsonObject {
  const { [type]: part, ...others } = (posted?.fields ?? {}) as JsonObject;
  return {
    ...others,
    preview_url: posted?.preview_url ?? false,
    recipient_type: posted?.recipient_type ?? 'individual',
    ...(posted?.render_mentions !== undefined && { render_mentions: posted.render_mentions }),
    to,
    type,
    ...(content as JsonObject),
    ...(part !== undefined && { [type]: part }),
  };
}
