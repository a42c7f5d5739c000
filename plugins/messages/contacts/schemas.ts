import Joi from 'joi';
import {
  anyOf,
  anyStringUpTo,
  anyValue,
  array,
  boolean,
  integer,
  type JsonObject,
  named,
  nullable,
  number,
  object,
  oneOf,
  record,
  string,
  stringUpTo,
} from '#core';
import { chatSchema, vendorSchema } from '#core/messaging';
import { metaSchema } from '../schemas.js';

/** Requests and responses of the routes of contacts. */

const MAX_CHECKED = 1000;
export const MAX_HISTORY = 50;

export const contactParams = object({ contact: stringUpTo(256) });
export const contactsCheck = object(
  { contacts: array(stringUpTo(256)).min(1).max(MAX_CHECKED) },
  { blocking: oneOf('wait', 'no_wait') },
).example({ contacts: ['+27 61 111 1111'], blocking: 'wait' });
export const checkedContacts = object({
  contacts: array(object({ input: string(), status: oneOf('valid', 'invalid') }, { wa_id: string() })),
  meta: metaSchema,
});
export const profileSchema = named(
  'ContactProfile',
  object({
    schema: string(),
    uuid: string(),
    updated_at: string(),
    generation: nullable(string()),
    fields: record(anyValue()),
  }),
);
const fieldValue = anyOf(anyStringUpTo(4096), number(), boolean(), array(stringUpTo(256)).max(100));
/** Reserved fields have fixed types; all others are custom fields of the number. */
export const profileChange = (Joi.object() as Joi.ObjectSchema<JsonObject>)
  .pattern(stringUpTo(256), nullable(fieldValue))
  .keys({
    ...Object.fromEntries(
      ['name', 'surname', 'location', 'language', 'birthday', 'opted_in_at'].map((key) => [key, nullable(anyStringUpTo(4096))]),
    ),
    opted_in: nullable(boolean()),
    is_blocked: nullable(boolean()),
  })
  .min(1)
  .max(100)
  // Refuses a field whose name is too long; stripping it would lose the field silently.
  .unknown(false)
  .example({ name: 'Ann', language: 'eng', branch: 'Riverside' });
export const historySchema = named(
  'ContactHistory',
  object({
    chat: nullable(chatSchema),
    messages: array(
      object({ from: string(), id: string(), timestamp: string(), type: string(), _vnd: object({ v1: vendorSchema }) }).unknown(),
    ),
  }),
);
export const historyQuery = object({}, { limit: integer().min(1).max(MAX_HISTORY) });
