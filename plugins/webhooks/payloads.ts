import {
  anyText,
  anything,
  type ContactRecord,
  dictionary,
  fields,
  flag,
  list,
  type MessageRecord,
  type NumberRecord,
  nullable,
  number,
  oneOf,
  type StatusReport,
  type TypeOf,
  text,
} from '#core';
import {
  chatOf,
  chatSchema,
  contactCardSchema,
  type Dialect,
  type MessageHappened,
  messageBody,
  messageContextSchema,
  notificationErrorSchema,
  postedBody,
  vendorFields,
  vendorOf,
} from '#core/areas';

/** The bodies of webhook events, each with one message or one status (Resources; Events). */

const file = fields(
  { id: text(), mime_type: text() },
  { file: text(), link: text(), sha256: text(), caption: anyText(), filename: anyText() },
);
const option = fields({ id: text(), title: anyText() }, { description: anyText() });

const inboundParts = {
  text: fields({ body: anyText() }),
  audio: file,
  voice: file,
  video: file,
  image: file,
  document: file,
  sticker: file,
  location: fields({ latitude: number(), longitude: number() }, { name: anyText(), address: anyText() }),
  contacts: list(contactCardSchema),
  /** Without `emoji` a reaction was taken back. */
  reaction: fields({ message_id: text() }, { emoji: text() }),
  system: fields({ body: text() }, { type: text(), new_wa_id: text() }),
  button: fields({ text: anyText() }, { payload: nullable(anyText()) }),
  interactive: fields(
    { type: oneOf('button_reply', 'list_reply', 'nfm_reply') },
    { button_reply: option, list_reply: option, nfm_reply: fields({ name: text(), body: anyText(), response_json: text() }) },
  ),
};

const inboundMessage = fields(
  {
    from: text(),
    id: text(),
    timestamp: text(),
    type: oneOf(...(Object.keys(inboundParts) as (keyof typeof inboundParts)[]), 'unsupported'),
  },
  { ...inboundParts, context: messageContextSchema, errors: list(notificationErrorSchema) },
);

/** Subscription `network`: what a contact sent. Messages that come from nobody in particular (`system`, `unsupported`) have no contacts. */
export const inboundEventSchema = fields(
  { messages: list(inboundMessage).length(1) },
  { contacts: list(fields({ profile: fields({ name: anyText() }), wa_id: text() })).length(1) },
);
/** What a contact sent. */
export type InboundEvent = TypeOf<typeof inboundEventSchema>;

/** Subscription `network`: what became of a message that was sent. */
export const statusEventSchema = fields({
  statuses: list(
    fields(
      {
        id: text(),
        status: oneOf('sent', 'delivered', 'read', 'failed'),
        timestamp: text(),
        recipient_id: text(),
        message: fields({ recipient_id: text() }),
      },
      {
        errors: list(notificationErrorSchema),
        /** Of a channel: `id` is the connector's there, and this is what the message-sending endpoint answered. */
        _vnd: fields({ v1: fields({ uuid: text() }) }),
      },
    ),
  ).length(1),
});
/** What became of a message that was sent. */
export type StatusEvent = TypeOf<typeof statusEventSchema>;

const sentFile = fields({}, { id: text(), link: text(), mime_type: text(), caption: anyText(), filename: anyText(), voice: flag() });
const whole = dictionary(anything());

/** Subscriptions `service` and `journey_outbound`: what was posted, or would have been, and what the service adds. */
export const sentEventSchema = fields(
  {
    from: text(),
    id: text(),
    timestamp: text(),
    to: text(),
    type: text(),
    recipient_type: text(),
    preview_url: flag(),
    _vnd: fields({ v1: fields({ ...vendorFields, chat: chatSchema }) }),
  },
  {
    render_mentions: flag(),
    text: fields({ body: anyText() }),
    image: sentFile,
    audio: sentFile,
    video: sentFile,
    document: sentFile,
    sticker: sentFile,
    location: inboundParts.location,
    contacts: list(contactCardSchema),
    reaction: fields({ message_id: text() }, { emoji: anyText() }),
    template: whole,
    hsm: whole,
    interactive: whole,
  },
);
/** What was sent. */
export type SentEvent = TypeOf<typeof sentEventSchema>;

/** Subscription `channel`, where inbound messages are told on it: what the connector posted. */
export const channelInboundSchema = fields({
  contact: fields({ id: text(), profile: fields({ name: anyText() }) }),
  message: inboundMessage,
});
/** What a connector posted. */
export type ChannelInbound = TypeOf<typeof channelInboundSchema>;

export function inboundEvent({ contactFields }: Dialect, contact: ContactRecord, message: MessageRecord): InboundEvent {
  const messages = [messageBody(message) as InboundEvent['messages'][number]];
  if (message.type === 'system' || message.type === 'unsupported') return { messages };
  return { contacts: [{ profile: { name: profileName(contactFields, contact) }, wa_id: contact.id.replace(/^\+/, '') }], messages };
}

/**
 * Receivers read the recipient in either of two places, so it stands in both. Who sends on a channel is answered with our id,
 * before the connector has given its own.
 */
export function statusEvent({ kind }: NumberRecord, message: MessageRecord, { status, timestamp, errors }: StatusReport): StatusEvent {
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

export function sentEvent(publicUrl: string, { message, contact, conversation }: MessageHappened): SentEvent {
  const v1 = { ...vendorOf(message), chat: chatOf(publicUrl, contact, conversation) };
  return {
    ...postedBody(message),
    from: message.from,
    id: message.external_id ?? message.uuid,
    timestamp: message.timestamp,
    _vnd: { v1 },
  } as SentEvent;
}

export function channelInbound({ contactFields }: Dialect, contact: ContactRecord, message: MessageRecord): ChannelInbound {
  return {
    contact: { id: contact.id, profile: { name: profileName(contactFields, contact) } },
    message: messageBody(message) as ChannelInbound['message'],
  };
}

function profileName({ networkProfileName }: Dialect['contactFields'], { fields }: ContactRecord): string {
  const name = fields[networkProfileName];
  return typeof name === 'string' ? name : '';
}
