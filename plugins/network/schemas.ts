import Joi from 'joi';
import {
  anyString,
  anyStringUpTo,
  anyValue,
  array,
  boolean,
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
import { contactCardSchema, deliveryStatuses, notificationErrorSchema, typed } from '#core/areas';

const unixTime = () => string().pattern(/^\d{1,12}$/, 'unix seconds');

/** What a phone sends. Media are uploaded before; of a tapped option the title is enough. */

function whenType<S extends Joi.Schema>(type: string, schema: S): S {
  // biome-ignore lint/suspicious/noThenProperty: the word of joi's own interface
  return typed(Joi.when('type', { is: type, then: schema.required(), otherwise: Joi.any().strip() }));
}

const mediaFile = object({ id: string() }, { caption: anyString(), filename: string() });
const reply = object({ title: string() }, { id: string(), description: anyString() });

const parts = {
  text: object({ body: stringUpTo(65_536) }),
  image: mediaFile,
  audio: mediaFile,
  voice: mediaFile,
  video: mediaFile,
  document: mediaFile,
  sticker: mediaFile,
  location: object(
    { latitude: number().min(-90).max(90), longitude: number().min(-180).max(180) },
    { name: anyString(), address: anyString() },
  ),
  contacts: array(contactCardSchema).min(1).max(257),
  /** Without an emoji, or with an empty one, a reaction is taken back. */
  reaction: object({ message_id: string() }, { emoji: anyStringUpTo(32) }),
  system: object({ body: string() }, { type: string(), new_wa_id: string() }),
  button: object({ text: string() }, { payload: nullable(anyString()) }),
  interactive: object(
    { type: oneOf('button_reply', 'list_reply', 'nfm_reply') },
    {
      button_reply: whenType('button_reply', reply),
      list_reply: whenType('list_reply', reply),
      /** `response`: what the flow was completed with. */
      nfm_reply: whenType('nfm_reply', object({ response: record(anyValue()) }, { name: string(), body: anyString() })),
    },
  ),
  unsupported: object({}),
};
type PhoneType = keyof typeof parts;
const phoneTypes = Object.keys(parts) as PhoneType[];

const content = Object.fromEntries(
  Object.entries(parts).map(([type, schema]) => [type, type === 'unsupported' ? Joi.any().strip() : whenType(type, schema)]),
) as typeof parts;

export const phoneMessageSchema = object(
  { from: stringUpTo(64), type: oneOf(...phoneTypes) },
  {
    name: stringUpTo(256),
    id: stringUpTo(256),
    timestamp: unixTime(),
    /** The message that it quotes, and whether it was passed on. */
    context: object({}, { id: string(), forwarded: boolean(), frequently_forwarded: boolean() }),
    errors: array(notificationErrorSchema).min(1),
    ...content,
  },
);
export type PhoneMessage = TypeOf<typeof phoneMessageSchema>;
/** A file that was uploaded before. */
export type PhoneFile = TypeOf<typeof mediaFile>;

/** Statuses that the network is to report of a message, in this order. */
export const statusesSchema = object({
  statuses: array(object({ status: oneOf(...deliveryStatuses) }, { timestamp: unixTime(), errors: array(notificationErrorSchema) }))
    .min(1)
    .max(20),
});

/** Longest delay of a status. */
const WEEK_MS = 7 * 24 * 60 * 60 * 1000;
const delay = () => integer().min(0).max(WEEK_MS);

const ruleSchema = object(
  {
    /** `refuse`: the network does not take it. `fail`: it takes it, and reports `failed`. `hold`: it never reports anything. */
    outcome: oneOf('refuse', 'fail', 'hold'),
  },
  {
    /** All of these that are given have to fit. */
    to: stringUpTo(256),
    type: stringUpTo(64),
    /** The text contains this. */
    text: stringUpTo(256),
    /** So many messages more; without it every one. */
    times: integer().min(1).max(1_000_000),
    error: notificationErrorSchema,
  },
);
export type Rule = TypeOf<typeof ruleSchema>;

const settings = {
  /** With `manual`, statuses come only when they are asked for. */
  mode: oneOf('automatic', 'manual'),
  sent_after_ms: delay(),
  delivered_after_ms: delay(),
  /** Null: read receipts are off. */
  read_after_ms: nullable(delay()),
  /** A message that is read so soon after it was delivered is not reported as delivered, as `read` implies it. */
  swallow_delivered_ms: delay(),
  /** `reversed`: reports arrive last one first; their timestamps tell. */
  order: oneOf('real', 'reversed'),
  /** Without a template only contacts can be written to who wrote within so many hours; null: always. */
  window_hours: nullable(integer().min(1).max(720)),
  rules: array(ruleSchema).max(100),
};

export const policySchema = object(settings);
export type Policy = TypeOf<typeof policySchema>;
export const policyChangeSchema = object({}, settings);
