import {
  anyString,
  anyValue,
  array,
  boolean,
  type Dialect,
  HIDDEN,
  httpUrl,
  integer,
  named,
  nullable,
  number,
  object,
  oneOf,
  pauseReasons,
  record,
  retrySwitches,
  string,
  stringUpTo,
  type TypeOf,
} from '#core';
import { chatSchema, contactCardSchema, messageContextSchema, notificationErrorSchema, vendorFields, vendorSchema } from '#core/messaging';
import { lanes } from '#core/ports';
import { examplesByType, examplesOf, withExamples } from '#core/schemas';

/** Schemas of webhook events, each with one message or one status (Resources; Events), and of webhooks in the admin API. */

const file = (name: string, example: object) =>
  named(
    name,
    object(
      { id: string(), mime_type: string() },
      { file: string(), link: string(), sha256: string(), caption: anyString(), filename: anyString() },
    ).example({ id: 'media-1', sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08', ...example }),
  );
const mediaUrl = (id: string): string => `https://posthorn.example/v1/media/${id}/content?signature=kq0`;
const option = named('ReceivedOption', object({ id: string(), title: anyString() }, { description: anyString() }));

const inboundParts = {
  text: named('ReceivedText', object({ body: anyString() }).example({ body: 'When is my loan due?' })),
  audio: file('ReceivedAudio', { mime_type: 'audio/ogg', link: mediaUrl('media-1') }),
  voice: file('ReceivedVoice', { mime_type: 'audio/ogg; codecs=opus', link: mediaUrl('media-1') }),
  video: file('ReceivedVideo', { mime_type: 'video/mp4', link: mediaUrl('media-1'), caption: 'This shelf' }),
  image: file('ReceivedImage', { mime_type: 'image/jpeg', link: mediaUrl('media-1'), caption: 'My library card' }),
  document: file('ReceivedDocument', {
    mime_type: 'application/pdf',
    link: mediaUrl('media-1'),
    filename: 'loans.pdf',
    caption: 'My loans',
  }),
  sticker: file('ReceivedSticker', { mime_type: 'image/webp', link: mediaUrl('media-1') }),
  location: named(
    'ReceivedLocation',
    object({ latitude: number(), longitude: number() }, { name: anyString(), address: anyString() }).example({
      latitude: -33.7342,
      longitude: 18.9621,
      name: 'Home',
      address: '4 River Street, Paarl',
    }),
  ),
  contacts: array(contactCardSchema).example([examplesOf(contactCardSchema).example]),
  /** Without `emoji` the reaction was removed. */
  reaction: named(
    'ReceivedReaction',
    withExamples(object({ message_id: string() }, { emoji: string() }), {
      reaction: { message_id: 'out-1', emoji: '👍' },
      'reaction removed': { message_id: 'out-1' },
    }),
  ),
  system: named(
    'ReceivedSystem',
    object({ body: string() }, { type: string(), new_wa_id: string() }).example({
      type: 'user_changed_number',
      body: 'Ann Lee changed from 27611111111 to 27622222222',
      new_wa_id: '27622222222',
    }),
  ),
  button: named(
    'ReceivedButton',
    object({ text: anyString() }, { payload: nullable(anyString()) }).example({ text: 'Renew', payload: 'renew' }),
  ),
  interactive: named(
    'ReceivedInteractive',
    withExamples(
      object(
        { type: oneOf('button_reply', 'list_reply', 'nfm_reply') },
        { button_reply: option, list_reply: option, nfm_reply: object({ name: string(), body: anyString(), response_json: string() }) },
      ),
      {
        button_reply: { type: 'button_reply', button_reply: { id: 'renew', title: 'Renew' } },
        list_reply: { type: 'list_reply', list_reply: { id: 'loans', title: 'My loans', description: 'Due dates and renewals' } },
        nfm_reply: { type: 'nfm_reply', nfm_reply: { name: 'flow', body: 'Sent', response_json: '{"name":"Ann Lee"}' } },
      },
    ),
  ),
};

const inboundMessage = named(
  'ReceivedMessage',
  object(
    {
      from: string(),
      id: string(),
      timestamp: string(),
      type: oneOf(...(Object.keys(inboundParts) as (keyof typeof inboundParts)[]), 'unsupported'),
    },
    {
      ...inboundParts,
      context: messageContextSchema,
      errors: array(notificationErrorSchema),
      group_id: string().description('The group of the network in which the contact wrote the message.'),
    },
  ),
);

const received = { from: '27611111111', id: 'in-1', timestamp: '1767600000' };

/** Subscription `network`: a message from a contact. Messages without a sender (`system`, `unsupported`) have no `contacts`. */
export const inboundEventSchema = named(
  'InboundEvent',
  withExamples(
    object(
      { messages: array(inboundMessage).length(1) },
      { contacts: array(object({ profile: object({ name: anyString() }), wa_id: string() })).length(1) },
    ),
    {
      ...examplesByType(inboundParts, (type, part) => ({
        ...(type !== 'system' && { contacts: [{ profile: { name: 'Ann Lee' }, wa_id: '27611111111' }] }),
        messages: [{ ...received, type, ...(type === 'interactive' && { context: { from: '27600000001', id: 'out-1' } }), [type]: part }],
      })),
      unsupported: {
        messages: [
          {
            ...received,
            type: 'unsupported',
            errors: [
              {
                code: 501,
                title: 'Unsupported message type',
                details: 'Messages of this type cannot be received',
                href: 'https://posthorn.example/errors#501',
              },
            ],
          },
        ],
      },
    },
  ),
);
/** A message from a contact. */
export type InboundEvent = TypeOf<typeof inboundEventSchema>;

const reported = { id: 'out-1', timestamp: '1767600002', recipient_id: '27611111111', message: { recipient_id: '27611111111' } };

/** Subscription `network`: a status of a sent message. */
export const statusEventSchema = named(
  'StatusEvent',
  withExamples(
    object({
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
            /** On a channel `id` is the connector's message id, and `uuid` here is the id that the message-sending endpoint returned. */
            _vnd: object({ v1: object({ uuid: string() }) }),
          },
        ),
      ).length(1),
    }),
    {
      delivered: { statuses: [{ ...reported, status: 'delivered' }] },
      read: { statuses: [{ ...reported, status: 'read' }] },
      failed: { statuses: [{ ...reported, status: 'failed', errors: [examplesOf(notificationErrorSchema).example] }] },
    },
  ),
);
/** A status of a sent message. */
export type StatusEvent = TypeOf<typeof statusEventSchema>;

const sentFile = (name: string) =>
  named(
    name,
    object(
      {},
      { id: string(), link: string(), mime_type: string(), caption: anyString(), filename: anyString(), voice: boolean() },
    ).unknown(),
  );
const asPosted = record(anyValue());

const sent = {
  from: '27600000001',
  id: 'out-1',
  timestamp: '1767600001',
  to: '27611111111',
  recipient_type: 'individual',
  preview_url: false,
  _vnd: { v1: { ...(examplesOf(vendorSchema).example as object), chat: examplesOf(chatSchema).example } },
};

/**
 * Subscriptions `service` and `journey_outbound`: the posted body, or an equivalent one for a journey's message, and metadata of the
 * service.
 */
export const sentEventSchema = named(
  'SentEvent',
  withExamples(
    object(
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
        text: object({ body: anyString() }).unknown(),
        image: sentFile('SentImage'),
        audio: sentFile('SentAudio'),
        video: sentFile('SentVideo'),
        document: sentFile('SentDocument'),
        sticker: sentFile('SentSticker'),
        location: named(
          'SentLocation',
          object({ latitude: number(), longitude: number() }, { name: anyString(), address: anyString() }).unknown(),
        ),
        contacts: array(contactCardSchema),
        reaction: object({ message_id: string() }, { emoji: anyString() }).unknown(),
        template: asPosted,
        hsm: asPosted,
        interactive: asPosted,
      },
      // Fields that were posted and that the platform does not use.
    ).unknown(),
    {
      text: { ...sent, type: 'text', text: { body: 'Your loan is due on 5 March.' } },
      document: { ...sent, type: 'document', document: { link: mediaUrl('media-4'), mime_type: 'application/pdf', filename: 'loans.pdf' } },
      buttons: {
        ...sent,
        type: 'interactive',
        interactive: {
          type: 'button',
          body: { text: 'Would you like to renew your loan?' },
          action: { buttons: [{ type: 'reply', reply: { id: 'renew', title: 'Renew' } }] },
        },
      },
      template: {
        ...sent,
        type: 'template',
        template: {
          name: 'loan_due',
          language: { code: 'en' },
          components: [{ type: 'body', parameters: [{ type: 'text', text: 'The Old Man and the Sea' }] }],
        },
      },
    },
  ),
);
/** A sent message. */
export type SentEvent = TypeOf<typeof sentEventSchema>;

/** Subscription `channel` with the option `inboundOnChannel`: a message that the connector posted. */
export const channelInboundSchema = named(
  'ChannelInbound',
  object({
    contact: object({ id: string(), profile: object({ name: anyString() }) }),
    message: inboundMessage,
  }).example({
    contact: { id: '27611111111', profile: { name: 'Ann Lee' } },
    message: { ...received, type: 'text', text: { body: 'When is my loan due?' } },
  }),
);
/** A message that the connector posted. */
export type ChannelInbound = TypeOf<typeof channelInboundSchema>;

const MAX_OVERLAP_HOURS = 7 * 24;

const headerName = string().pattern(/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,64}$/, 'a header name');
const printable = '[\\x20-\\x7e]{1,1024}';
// The message of joi would contain the value, which is a secret.
const valueLike = (pattern: string) =>
  string()
    .pattern(new RegExp(`^${pattern}$`), 'printable text')
    .messages({ 'string.pattern.name': '{{#label}} must be 1 to 1024 printable ASCII characters' });
const headerValue = valueLike(printable);
/** A client that sends what the platform has shown keeps the value. */
const changedValue = valueLike(`(${printable}|${HIDDEN})`);

/** Headers that belong to the delivery or to HTTP itself. */
const reserved =
  /^(host|content-length|content-type|transfer-encoding|connection|upgrade|te|trailer|expect|keep-alive)$|-hook-(signature(-previous)?|subscription|delivery|run|attempt|time)$|-claim$/i;

/** Whether a webhook may have an extra header of this name. */
export const isFreeHeader = (name: string): boolean => !headerName.validate(name).error && !reserved.test(name);

/** Outcomes to retry that by default cancel a delivery; overrides the option `retryAlso`. */
const retryAlso = array(oneOf(...retrySwitches)).unique();

export const secretRotationSchema = nullable(object({}, { overlap_hours: number().min(0).max(MAX_OVERLAP_HOURS) }));

/** Schemas to show, create and change a webhook, with the subscription names of the API. */
export function webhookSchemas(dialect: Dialect) {
  const subscriptions = array(oneOf(...Object.values(dialect.subscriptions)))
    .min(1)
    .unique();
  const described = { name: stringUpTo(256), subscriptions };
  const settings = {
    enabled: boolean(),
    retry_also: retryAlso,
    strict_answers: boolean(),
    claims: boolean(),
  };
  return {
    newWebhook: named(
      'NewWebhook',
      object(
        { number: string(), url: httpUrl() },
        { ...described, hmac_digest: oneOf('sha256'), ...settings, headers: record(headerValue).max(20) },
      ).example({
        number: '5b0c7f7e-3c0d-4f4e-9b54-0d6c4a1f2e90',
        url: 'https://library.example/hooks/messages',
        name: 'Loan desk',
        subscriptions: [dialect.subscriptions.network, dialect.subscriptions.service],
        retry_also: ['http_429'],
      }),
    ),
    webhookChange: named(
      'WebhookChange',
      object({}, { url: httpUrl(), ...described, ...settings, headers: record(changedValue).max(20) }).example({ enabled: false }),
    ),
    shown: named(
      'Webhook',
      object(
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
          claims: boolean(),
        },
      ),
    ),
  };
}
