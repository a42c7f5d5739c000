import Joi from 'joi';
import {
  anyString,
  anyValue,
  array,
  boolean,
  httpUrl,
  nullable,
  object,
  oneOf,
  record,
  string,
  stringUpTo,
  type TypeOf,
  turnSchema,
} from '#core';
import { deliveryStatuses, numberSchema, typed, withKeywords } from '#core/areas';

/** Requests of a connector (Resources: channel creation, inbound channel message, delivery status), the responses, and what it receives. */

/** Text with a character other than white space: what the interface calls not blank. */
const filled = () => string().pattern(/\S/, 'filled');
const filledUpTo = (max: number) => stringUpTo(max).pattern(/\S/, 'filled');
const unixTime = () => string().pattern(/^\d{1,12}$/, 'unix seconds');

export const newChannel = object({
  backend_type: oneOf('channel'),
  number_type: oneOf('channel_http_api'),
  from_addr: filledUpTo(256),
  name: filledUpTo(256),
  endpoint: httpUrl(),
});

/** The response to a channel creation; only this response shows the secret. */
export const createdSchema = object({
  number: object({ uuid: string() }),
  webhook: object({ uuid: string(), hmac_secret: string() }),
});

export const contactSchema = object({ id: filledUpTo(256), profile: object({ name: filledUpTo(256) }) });

const file = { id: filled(), mime_type: filled(), link: filled(), sha256: filled() };
const caption = { caption: nullable(anyString()) };
const reply = { id: filled(), title: filled() };

/** The content of each type of message. `button` has the shape of template buttons on the network. */
const parts = {
  text: object({ body: filled() }),
  audio: object(
    { id: filled(), mime_type: filled() },
    { link: nullable(filled()), sha256: nullable(filled()), filename: nullable(anyString()) },
  ),
  image: object(file, { ...caption, filename: nullable(anyString()) }),
  video: object({ ...file, filename: filled() }, caption),
  document: object({ ...file, filename: filled() }, caption),
  sticker: object({ ...file, filename: filled() }, caption),
  button: object({ text: filled() }, { payload: nullable(anyString()) }),
  interactive: object(
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

export const messageSchema = object(
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
);

const statusSchema = object(
  {
    id: filled(),
    recipient_id: filled(),
    status: oneOf(...deliveryStatuses),
    timestamp: unixTime(),
  },
  // Not in the interface, so never a reason to refuse a status: `reportedErrors` reads what it can.
  { errors: anyValue() },
);

export const inboundSchema = object({ contact: contactSchema, message: messageSchema });
export type InboundBody = TypeOf<typeof inboundSchema>;

export const statusBodySchema = object({ status: statusSchema });

export const successSchema = object({ success: boolean().valid(true) });

/** The body for an invalid message, status or channel (Errors, Channel API). */
export const badRequestSchema = object({
  message: oneOf('Bad Request'),
  errors: record(record(array(string()))),
});

/** When a whole object is missing, each of these fields is reported as blank. */
export const requiredFields: Readonly<Record<string, readonly string[]>> = {
  contact: ['id', 'profile'],
  message: ['type', 'from', 'id', 'timestamp'],
  status: ['id', 'recipient_id', 'status', 'timestamp'],
};

export const PAYLOAD_VERSION = '0.0.1-alpha';

/** The body that a connector receives (Resources, "Outbound payload delivered to the connector webhook"). All eight keys are always present. */
export const outboundPayloadSchema = object({
  to: string(),
  version: oneOf(PAYLOAD_VERSION),
  /** Null for messages that are not from a journey. */
  block: nullable(record(anyValue())),
  context: record(anyValue()),
  resources: array(anyValue()),
  evaluated_resources: array(anyValue()),
  waiting_for_user_input: boolean(),
  turn: turnSchema,
});
/** The body that a connector receives. */
export type OutboundPayload = TypeOf<typeof outboundPayloadSchema>;

/** A channel as the admin API shows it, with the webhooks that subscribe to it. */
export const channelSchema = object({ number: numberSchema, webhooks: array(object({ uuid: string(), url: string() })) });

export const adminChannel = object(
  { from_addr: newChannel.extract('from_addr'), name: newChannel.extract('name'), endpoint: newChannel.extract('endpoint') },
  { account: nullable(stringUpTo(256)) },
);
export const adminCreatedSchema = object({ number: numberSchema, webhook: object({ uuid: string(), hmac_secret: string() }) });
export const channelChange = object({ endpoint: newChannel.extract('endpoint') });
