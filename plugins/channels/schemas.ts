import Joi from 'joi';
import {
  anyString,
  anyValue,
  array,
  boolean,
  httpUrl,
  named,
  nullable,
  object,
  oneOf,
  record,
  string,
  stringUpTo,
  type Turn,
  type TypeOf,
  turnSchema,
} from '#core';
import { deliveryStatuses, numberSchema } from '#core/messaging';
import { examplesByType, examplesOf, typed, withExamples, withKeywords } from '#core/schemas';

/**
 * Requests of connectors (Resources: channel creation, inbound channel message, delivery status), their responses, and the outbound
 * payload.
 */

/** Text with a character other than white space ("not blank" in the API specification). */
const filled = () => string().pattern(/\S/, 'filled');
const filledUpTo = (max: number) => stringUpTo(max).pattern(/\S/, 'filled');
const unixTime = () => string().pattern(/^\d{1,12}$/, 'unix seconds');

export const newChannel = named(
  'NewChannel',
  object({
    backend_type: oneOf('channel'),
    number_type: oneOf('channel_http_api'),
    from_addr: filledUpTo(256),
    name: filledUpTo(256),
    endpoint: httpUrl(),
  }).example({
    backend_type: 'channel',
    number_type: 'channel_http_api',
    from_addr: 'web:library',
    name: 'Riverside Library on the web',
    endpoint: 'https://connector.example/outbound',
  }),
);

/** The response to a channel creation; only this response shows the secret. */
export const createdSchema = named(
  'CreatedChannel',
  object({
    number: object({ uuid: string() }),
    webhook: object({ uuid: string(), hmac_secret: string() }),
  }),
);

export const contactSchema = named('ConnectorContact', object({ id: filledUpTo(256), profile: object({ name: filledUpTo(256) }) }));

const file = { id: filled(), mime_type: filled(), link: filled(), sha256: filled() };
const caption = { caption: nullable(anyString()) };
const reply = { id: filled(), title: filled() };

/** The content of each type of message. `button` has the shape of template buttons on the network. */
const parts = {
  text: named('ConnectorText', object({ body: filled() }).example({ body: 'When is my loan due?' })),
  audio: named(
    'ConnectorAudio',
    object(
      { id: filled(), mime_type: filled() },
      { link: nullable(filled()), sha256: nullable(filled()), filename: nullable(anyString()) },
    ).example({ id: 'media-1', mime_type: 'audio/ogg', link: 'https://connector.example/files/voice.ogg' }),
  ),
  image: named(
    'ConnectorImage',
    object(file, { ...caption, filename: nullable(anyString()) }).example({
      id: 'media-1',
      mime_type: 'image/jpeg',
      link: 'https://connector.example/files/card.jpg',
      sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
      caption: 'My library card',
    }),
  ),
  video: named(
    'ConnectorVideo',
    object({ ...file, filename: filled() }, caption).example({
      id: 'media-1',
      mime_type: 'video/mp4',
      link: 'https://connector.example/files/shelf.mp4',
      sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
      filename: 'shelf.mp4',
      caption: 'This shelf',
    }),
  ),
  document: named(
    'ConnectorDocument',
    object({ ...file, filename: filled() }, caption).example({
      id: 'media-1',
      mime_type: 'application/pdf',
      link: 'https://connector.example/files/loans.pdf',
      sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
      filename: 'loans.pdf',
      caption: 'My loans',
    }),
  ),
  sticker: named(
    'ConnectorSticker',
    object({ ...file, filename: filled() }, caption).example({
      id: 'media-1',
      mime_type: 'image/webp',
      link: 'https://connector.example/files/thanks.webp',
      sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
      filename: 'thanks.webp',
    }),
  ),
  button: named(
    'ConnectorButton',
    object({ text: filled() }, { payload: nullable(anyString()) }).example({ text: 'Renew', payload: 'renew' }),
  ),
  interactive: named(
    'ConnectorInteractive',
    withExamples(
      object(
        { type: oneOf('button_reply', 'list_reply', 'nfm_reply') },
        {
          button_reply: whenType('button_reply', object(reply)),
          list_reply: whenType('list_reply', object(reply, { description: nullable(anyString()) })),
          /** The result of a flow, in the network's shape; refused without the option `nfmReplies`. */
          nfm_reply: whenType(
            'nfm_reply',
            object({ response_json: jsonObject() }, { name: nullable(anyString()), body: nullable(anyString()) }),
          ),
        },
      ),
      {
        button_reply: { type: 'button_reply', button_reply: { id: 'renew', title: 'Renew' } },
        list_reply: { type: 'list_reply', list_reply: { id: 'loans', title: 'My loans', description: 'Due dates and renewals' } },
        nfm_reply: { type: 'nfm_reply', nfm_reply: { name: 'flow', body: 'Sent', response_json: '{"name":"Ann Lee"}' } },
      },
    ),
  ),
};

export type MessageType = keyof typeof parts;
export const messageTypes = Object.keys(parts) as MessageType[];

/** A JSON object as text. */
function jsonObject() {
  const checked = filled().custom((text: string, { error }) => {
    try {
      const value: unknown = JSON.parse(text);
      if (typeof value === 'object' && value !== null && !Array.isArray(value)) return text;
    } catch {
      // Not JSON: the same error as for a value that is not an object.
    }
    return error('any.invalid');
  });
  return withKeywords(checked, { pattern: '^[ \\t\\r\\n]*\\{[\\s\\S]*\\}[ \\t\\r\\n]*$' });
}

/** Requires the part that `type` names, and drops the parts of other types unchecked. */
function whenType<S extends Joi.Schema>(type: string, schema: S): S {
  // biome-ignore lint/suspicious/noThenProperty: joi's own option
  return typed(Joi.when('type', { is: type, then: schema.required(), otherwise: Joi.any().strip() }));
}

export const messageSchema = named(
  'ConnectorMessage',
  object(
    { type: oneOf(...messageTypes), from: filledUpTo(256), id: filledUpTo(256), timestamp: unixTime() },
    {
      context: nullable(object({ id: filled() })),
      text: whenType('text', parts.text),
      audio: whenType('audio', parts.audio),
      image: whenType('image', parts.image),
      video: whenType('video', parts.video),
      document: whenType('document', parts.document),
      sticker: whenType('sticker', parts.sticker),
      button: whenType('button', parts.button),
      interactive: whenType('interactive', parts.interactive),
    },
  ),
);

const statusSchema = named(
  'ConnectorStatus',
  object(
    {
      id: filled(),
      recipient_id: filled(),
      status: oneOf(...deliveryStatuses),
      timestamp: unixTime(),
    },
    // Not in the API specification, so any value is accepted: `reportedErrors` ignores values that it cannot read.
    { errors: anyValue() },
  ),
);

const posted = { from: '27611111111', id: 'in-1', timestamp: '1767600000' };
export const inboundSchema = withExamples(
  object({ contact: contactSchema, message: messageSchema }),
  examplesByType(parts, (type, part) => ({
    contact: { id: '27611111111', profile: { name: 'Ann Lee' } },
    // A tapped option refers to the message that offered it.
    message: { type, ...posted, ...(type === 'interactive' && { context: { id: 'out-1' } }), [type]: part },
  })),
);
export type InboundBody = TypeOf<typeof inboundSchema>;

const reported = { id: 'out-1', recipient_id: '27611111111', timestamp: '1767600002' };
export const statusBodySchema = withExamples(object({ status: statusSchema }), {
  delivered: { status: { ...reported, status: 'delivered' } },
  failed: {
    status: { ...reported, status: 'failed', errors: [{ code: 4001, title: 'Not reachable', details: 'The contact has left the chat' }] },
  },
});

export const successSchema = object({ success: boolean().valid(true) });

/** The body for an invalid message, status or channel (Errors, Channel API). */
export const badRequestSchema = named(
  'ChannelErrors',
  object({
    message: oneOf('Bad Request'),
    errors: record(record(array(string()))),
  }),
);

/** If one of these objects is missing, each of its fields is reported as blank. */
export const requiredFields: Readonly<Record<string, readonly string[]>> = {
  contact: ['id', 'profile'],
  message: ['type', 'from', 'id', 'timestamp'],
  status: ['id', 'recipient_id', 'status', 'timestamp'],
};

export const PAYLOAD_VERSION = '0.0.1-alpha';

const deliveredWith = (turn: unknown) => ({
  to: '27611111111',
  version: PAYLOAD_VERSION,
  block: { uuid: '0c9d2d3a-4a0b-4c1e-8f43-6d1f7a0e5b21', name: 'answer', type: 'MobilePrimitives.Message', config: { prompt: 'answer' } },
  context: { contact: { name: 'Ann Lee' } },
  resources: [],
  evaluated_resources: [],
  waiting_for_user_input: false,
  turn,
});

/**
 * The body that a connector receives (Resources, "Outbound payload delivered to the connector webhook"). All eight keys are always present.
 */
export const outboundPayloadSchema = named(
  'OutboundPayload',
  withExamples(
    object({
      to: string(),
      version: oneOf(PAYLOAD_VERSION),
      /** Null for messages that are not from a journey. */
      block: nullable(record(anyValue())),
      context: record(anyValue()),
      resources: array(anyValue()),
      evaluated_resources: array(anyValue()),
      waiting_for_user_input: boolean(),
      turn: turnSchema,
    }),
    Object.fromEntries(Object.entries(examplesOf(turnSchema)).map(([kind, turn]) => [kind, deliveredWith(turn)])),
  ),
);
/** The body that a connector receives. */
export type OutboundPayload = TypeOf<typeof outboundPayloadSchema>;

/** The response of a connector to a delivery: the connector's id of the message, which later statuses and replies refer to. */
export const connectorAnswerSchema = named(
  'ConnectorAnswer',
  object({ messages: array(object({ id: string() }).unknown()).min(1) })
    .unknown()
    .example({ messages: [{ id: 'out-1' }] }),
);

/** A channel as the admin API shows it, with the webhooks that subscribe to it. */
export const channelSchema = named('Channel', object({ number: numberSchema, webhooks: array(object({ uuid: string(), url: string() })) }));

export const adminChannel = named(
  'NewAdminChannel',
  object(
    { from_addr: newChannel.extract('from_addr'), name: newChannel.extract('name'), endpoint: newChannel.extract('endpoint') },
    { account: nullable(stringUpTo(256)) },
  ),
);
export const adminCreatedSchema = named(
  'CreatedAdminChannel',
  object({ number: numberSchema, webhook: object({ uuid: string(), hmac_secret: string() }) }),
);
/** Turns of each kind, by the names of their examples: `text`, `buttons`, `list`, … */
export const sampleTurns = examplesOf(turnSchema) as Readonly<Record<string, Turn>>;
export const newSample = named(
  'NewSample',
  object({ turn: oneOf(...Object.keys(sampleTurns)) }, { to: filledUpTo(256) }).example({ turn: 'buttons', to: 'sample' }),
);
export const sampleSchema = object({ message: string(), deliveries: array(string()) });
export const channelChange = object({ endpoint: newChannel.extract('endpoint') });
