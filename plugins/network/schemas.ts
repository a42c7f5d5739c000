import Joi from 'joi';
import {
  anyString,
  anyStringUpTo,
  anyValue,
  array,
  boolean,
  integer,
  named,
  nullable,
  number,
  object,
  oneOf,
  record,
  string,
  stringUpTo,
  type TypeOf,
} from '#core';
import { contactCardSchema, deliveryStatuses, notificationErrorSchema } from '#core/messaging';
import { typed } from '#core/schemas';

const unixTime = () => string().pattern(/^\d{1,12}$/, 'unix seconds');

/** Requires the part that `type` names, and drops the parts of other types unchecked. */
function whenType<S extends Joi.Schema>(type: string, schema: S): S {
  // biome-ignore lint/suspicious/noThenProperty: joi's own option
  return typed(Joi.when('type', { is: type, then: schema.required(), otherwise: Joi.any().strip() }));
}

const mediaFile = named('PhoneFile', object({ id: string() }, { caption: anyString(), filename: string() }));
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
  /** Without an emoji, or with an empty one, it removes the reaction. */
  reaction: object({ message_id: string() }, { emoji: anyStringUpTo(32) }),
  system: object({ body: string() }, { type: string(), new_wa_id: string() }),
  button: object({ text: string() }, { payload: nullable(anyString()) }),
  interactive: object(
    { type: oneOf('button_reply', 'list_reply', 'nfm_reply') },
    {
      button_reply: whenType('button_reply', reply),
      list_reply: whenType('list_reply', reply),
      /** `response`: the data that completed the flow. */
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

/** A message from a phone. Media must be uploaded first; a tapped option needs only its title. */
export const phoneMessageSchema = named(
  'PhoneMessage',
  object(
    { from: stringUpTo(64), type: oneOf(...phoneTypes) },
    {
      name: stringUpTo(256),
      id: stringUpTo(256),
      timestamp: unixTime(),
      /** The message that it quotes, and whether it was forwarded. */
      context: object({}, { id: string(), forwarded: boolean(), frequently_forwarded: boolean() }),
      errors: array(notificationErrorSchema).min(1),
      ...content,
    },
  ),
);
export type PhoneMessage = TypeOf<typeof phoneMessageSchema>;
export type PhoneFile = TypeOf<typeof mediaFile>;

/** Statuses that the network reports for a message, in this order. */
export const statusesSchema = object({
  statuses: array(object({ status: oneOf(...deliveryStatuses) }, { timestamp: unixTime(), errors: array(notificationErrorSchema) }))
    .min(1)
    .max(20),
});

const WEEK_MS = 7 * 24 * 60 * 60 * 1000;
const delay = () => integer().min(0).max(WEEK_MS);

const ruleSchema = named(
  'NetworkRule',
  object(
    {
      /** `refuse`: the network refuses the message. `fail`: it accepts it and reports `failed`. `hold`: it accepts it and reports nothing. */
      outcome: oneOf('refuse', 'fail', 'hold'),
    },
    {
      /** A message must match all conditions that are given. */
      to: stringUpTo(256),
      type: stringUpTo(64),
      /** The text contains this. */
      text: stringUpTo(256),
      /** Applies to this many more messages; to all of them if not given. */
      times: integer().min(1).max(1_000_000),
      error: notificationErrorSchema,
    },
  ),
);
export type Rule = TypeOf<typeof ruleSchema>;

const settings = {
  /** With `manual`, statuses are reported only through the admin API. */
  mode: oneOf('automatic', 'manual'),
  sent_after_ms: delay(),
  delivered_after_ms: delay(),
  /** Null: read receipts are off. */
  read_after_ms: nullable(delay()),
  /** A message read within this time after its delivery is not reported as delivered, as `read` implies it (States). */
  swallow_delivered_ms: delay(),
  /** `reversed`: reports arrive in reverse order, with correct timestamps. */
  order: oneOf('real', 'reversed'),
  /** Only templates can be sent to contacts who have not written within this many hours; null for no limit. */
  window_hours: nullable(integer().min(1).max(720)),
  rules: array(ruleSchema).max(100),
};

export const policySchema = named('NetworkPolicy', object(settings));
export type Policy = TypeOf<typeof policySchema>;
export const policyChangeSchema = named('NetworkPolicyChange', object({}, settings));
