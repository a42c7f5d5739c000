import {
  anyOf,
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
import {
  chatSchema,
  contactCardSchema,
  messageContextSchema,
  notificationErrorSchema,
  receivedParts,
  vendorFields,
  vendorSchema,
} from '#core/messaging';
import { lanes } from '#core/ports';
import { examplesByType, examplesOf, withExamples } from '#core/schemas';

/** Schemas of webhook events, each with one message or one status (Resources; Events), and of webhooks in the admin API. */

const mediaUrl = (id: string): string => `https://posthorn.example/v1/media/${id}/content?signature=kq0`;

const inboundMessage = named(
  'ReceivedMessage',
  object(
    {
      from: string(),
      id: string(),
      timestamp: string(),
      type: oneOf(...(Object.keys(receivedParts) as (keyof typeof receivedParts)[]), 'unsupported'),
    },
    {
      ...receivedParts,
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
      ...examplesByType(receivedParts, (type, part) => ({
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
  const names = Object.values(dialect.subscriptions);
  const must = `{{#label}} must be one of [${names.join(', ')}]`;
  // The routes refuse those that no plugin contributes.
  const ofPlugin = string()
    .pattern(/^[a-z0-9-]+\.[a-z0-9_-]+$/)
    .messages({ 'string.pattern.base': must });
  const subscriptions = array(anyOf(oneOf(...names), ofPlugin).messages({ 'alternatives.match': must }))
    .min(1)
    .unique();
  const described = { name: stringUpTo(256), subscriptions };
  const settings = {
    enabled: boolean(),
    retry_also: retryAlso,
    strict_answers: boolean(),
    order: oneOf('first_attempts', 'strict'),
    claims: boolean(),
  };
  const perSecond = number().min(0.1).max(10_000);
  return {
    newWebhook: named(
      'NewWebhook',
      object(
        { number: string(), url: httpUrl() },
        { ...described, hmac_digest: oneOf('sha256'), ...settings, max_per_second: perSecond, headers: record(headerValue).max(20) },
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
      object(
        {},
        { url: httpUrl(), ...described, ...settings, max_per_second: nullable(perSecond), headers: record(changedValue).max(20) },
      ).example({ enabled: false }),
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
          order: oneOf('first_attempts', 'strict'),
          max_per_second: perSecond,
          claims: boolean(),
          /** With `order: strict`, when the webhook is shown alone: how many deliveries wait for the retry of an earlier one. */
          blocked: object({ conversations: integer(), deliveries: integer() }),
        },
      ),
    ),
  };
}
