import {
  anyText,
  anything,
  dictionary,
  fields,
  flag,
  httpUrl,
  list,
  nullable,
  number,
  oneOf,
  type TypeOf,
  text,
  textUpTo,
  whole,
} from '#core';
import {
  chatSchema,
  contactCardSchema,
  type Dialect,
  messageContextSchema,
  notificationErrorSchema,
  pauseReasons,
  retrySwitches,
  vendorFields,
} from '#core/areas';
import { lanes } from '#core/ports';

/** The bodies of webhook events, each with one message or one status (Resources; Events), and webhooks as the admin API shows them. */

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

/** Subscription `network`: what a contact sent. Messages without a sender (`system`, `unsupported`) have no contacts. */
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
const asPosted = dictionary(anything());

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
    template: asPosted,
    hsm: asPosted,
    interactive: asPosted,
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

const MOST_OVERLAP_HOURS = 7 * 24;

const headerName = text().pattern(/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,64}$/, 'a header name');
const headerValue = text().pattern(/^[\x20-\x7e]{1,1024}$/, 'printable text');

/** Headers that belong to the delivery or to HTTP itself. */
const reserved =
  /^(host|content-length|content-type|transfer-encoding|connection|upgrade|te|trailer|expect|keep-alive)$|-hook-(signature(-previous)?|subscription)$/i;

/** Whether a webhook may be given a header of this name. */
export const isFreeHeader = (name: string): boolean => !headerName.validate(name).error && !reserved.test(name);

/** What is tried again for this webhook though the interface ends retries. */
const retryAlso = list(oneOf(...retrySwitches)).unique();

export const secretRotationSchema = nullable(fields({}, { overlap_hours: number().min(0).max(MOST_OVERLAP_HOURS) }));

/** A webhook as it is shown, made and changed. Its subscriptions are in the words of the dialect. */
export function webhookSchemas(dialect: Dialect) {
  const subscriptions = list(oneOf(...Object.values(dialect.subscriptions)))
    .min(1)
    .unique();
  const described = { name: textUpTo(256), subscriptions };
  const settings = {
    headers: dictionary(headerValue).max(20),
    enabled: flag(),
    retry_also: retryAlso,
    strict_answers: flag(),
  };
  return {
    newWebhook: fields({ number: text(), url: httpUrl() }, { ...described, hmac_digest: oneOf('sha256'), ...settings }),
    webhookChange: fields({}, { url: httpUrl(), ...described, ...settings }),
    shown: fields(
      {
        uuid: text(),
        number: text(),
        url: text(),
        name: text(),
        subscriptions,
        hmac_digest: oneOf('sha256'),
        enabled: flag(),
        headers: dictionary(text()),
        lane: oneOf(...lanes),
        created_at: text(),
      },
      {
        paused_at: text(),
        paused_because: oneOf(...pauseReasons),
        failures_in_a_row: whole(),
        previous_secret_until: text(),
        response_ms: number(),
        retry_also: retryAlso,
        strict_answers: flag(),
      },
    ),
  };
}
