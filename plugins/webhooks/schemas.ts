import {
  anyString,
  anyValue,
  array,
  boolean,
  httpUrl,
  integer,
  nullable,
  number,
  object,
  oneOf,
  record,
  string,
  stringUpTo,
  type TypeOf,
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

const file = object(
  { id: string(), mime_type: string() },
  { file: string(), link: string(), sha256: string(), caption: anyString(), filename: anyString() },
);
const option = object({ id: string(), title: anyString() }, { description: anyString() });

const inboundParts = {
  text: object({ body: anyString() }),
  audio: file,
  voice: file,
  video: file,
  image: file,
  document: file,
  sticker: file,
  location: object({ latitude: number(), longitude: number() }, { name: anyString(), address: anyString() }),
  contacts: array(contactCardSchema),
  /** Without `emoji` the reaction was removed. */
  reaction: object({ message_id: string() }, { emoji: string() }),
  system: object({ body: string() }, { type: string(), new_wa_id: string() }),
  button: object({ text: anyString() }, { payload: nullable(anyString()) }),
  interactive: object(
    { type: oneOf('button_reply', 'list_reply', 'nfm_reply') },
    { button_reply: option, list_reply: option, nfm_reply: object({ name: string(), body: anyString(), response_json: string() }) },
  ),
};

const inboundMessage = object(
  {
    from: string(),
    id: string(),
    timestamp: string(),
    type: oneOf(...(Object.keys(inboundParts) as (keyof typeof inboundParts)[]), 'unsupported'),
  },
  { ...inboundParts, context: messageContextSchema, errors: array(notificationErrorSchema) },
);

/** Subscription `network`: a message from a contact. Messages without a sender (`system`, `unsupported`) have no `contacts`. */
export const inboundEventSchema = object(
  { messages: array(inboundMessage).length(1) },
  { contacts: array(object({ profile: object({ name: anyString() }), wa_id: string() })).length(1) },
);
/** A message from a contact. */
export type InboundEvent = TypeOf<typeof inboundEventSchema>;

/** Subscription `network`: a status of a sent message. */
export const statusEventSchema = object({
  statuses: array(
    object(
      {
        id: string(),
        status: oneOf('sent', 'delivered', 'read', 'failed'),
        timestamp: string(),
        recipient_id: string(),
        message: object({ recipient_id: string() }),
      },
      {
        errors: array(notificationErrorSchema),
        /** Channels only: the id that the message-sending endpoint returned, as `id` is the connector's. */
        _vnd: object({ v1: object({ uuid: string() }) }),
      },
    ),
  ).length(1),
});
/** A status of a sent message. */
export type StatusEvent = TypeOf<typeof statusEventSchema>;

const sentFile = object(
  {},
  { id: string(), link: string(), mime_type: string(), caption: anyString(), filename: anyString(), voice: boolean() },
);
const asPosted = record(anyValue());

/** Subscriptions `service` and `journey_outbound`: the body as it was posted, or the equivalent one, with the fields that the service adds. */
export const sentEventSchema = object(
  {
    from: string(),
    id: string(),
    timestamp: string(),
    to: string(),
    type: string(),
    recipient_type: string(),
    preview_url: boolean(),
    _vnd: object({ v1: object({ ...vendorFields, chat: chatSchema }) }),
  },
  {
    render_mentions: boolean(),
    text: object({ body: anyString() }),
    image: sentFile,
    audio: sentFile,
    video: sentFile,
    document: sentFile,
    sticker: sentFile,
    location: inboundParts.location,
    contacts: array(contactCardSchema),
    reaction: object({ message_id: string() }, { emoji: anyString() }),
    template: asPosted,
    hsm: asPosted,
    interactive: asPosted,
  },
);
/** A sent message. */
export type SentEvent = TypeOf<typeof sentEventSchema>;

/** Subscription `channel` with the option `inboundOnChannel`: a message that the connector posted. */
export const channelInboundSchema = object({
  contact: object({ id: string(), profile: object({ name: anyString() }) }),
  message: inboundMessage,
});
/** A message that the connector posted. */
export type ChannelInbound = TypeOf<typeof channelInboundSchema>;

const MAX_OVERLAP_HOURS = 7 * 24;

const headerName = string().pattern(/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,64}$/, 'a header name');
const headerValue = string().pattern(/^[\x20-\x7e]{1,1024}$/, 'printable text');

/** Headers that belong to the delivery or to HTTP itself. */
const reserved =
  /^(host|content-length|content-type|transfer-encoding|connection|upgrade|te|trailer|expect|keep-alive)$|-hook-(signature(-previous)?|subscription)$/i;

/** Whether a webhook may have an extra header of this name. */
export const isFreeHeader = (name: string): boolean => !headerName.validate(name).error && !reserved.test(name);

/** Outcomes to retry although the interface cancels them; overrides the option `retryAlso`. */
const retryAlso = array(oneOf(...retrySwitches)).unique();

export const secretRotationSchema = nullable(object({}, { overlap_hours: number().min(0).max(MAX_OVERLAP_HOURS) }));

/** Schemas to show, create and change a webhook, with the subscriptions as the interface names them. */
export function webhookSchemas(dialect: Dialect) {
  const subscriptions = array(oneOf(...Object.values(dialect.subscriptions)))
    .min(1)
    .unique();
  const described = { name: stringUpTo(256), subscriptions };
  const settings = {
    headers: record(headerValue).max(20),
    enabled: boolean(),
    retry_also: retryAlso,
    strict_answers: boolean(),
  };
  return {
    newWebhook: object({ number: string(), url: httpUrl() }, { ...described, hmac_digest: oneOf('sha256'), ...settings }),
    webhookChange: object({}, { url: httpUrl(), ...described, ...settings }),
    shown: object(
      {
        uuid: string(),
        number: string(),
        url: string(),
        name: string(),
        subscriptions,
        hmac_digest: oneOf('sha256'),
        enabled: boolean(),
        headers: record(string()),
        lane: oneOf(...lanes),
        created_at: string(),
      },
      {
        paused_at: string(),
        paused_because: oneOf(...pauseReasons),
        failures_in_a_row: integer(),
        previous_secret_until: string(),
        response_ms: number(),
        retry_also: retryAlso,
        strict_answers: boolean(),
      },
    ),
  };
}
