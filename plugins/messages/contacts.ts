import Joi from 'joi';
import {
  anyOf,
  anyTextUpTo,
  anything,
  type ContactRecord,
  type ConversationRecord,
  dictionary,
  fields,
  flag,
  type JsonObject,
  list,
  NotFound,
  type NumberRecord,
  nullable,
  number,
  oneOf,
  type PluginContext,
  type Route,
  route,
  type TypeOf,
  text,
  textUpTo,
  whole,
} from '#core';
import { chatSchema, historyOf, networkId, observedFields, vendorSchema } from '#core/areas';
import { metaOf } from './errors.js';
import { errorsWithMeta, metaSchema } from './schemas.js';

const MOST_CHECKED = 1000;
const NEWEST = 50;

const params = fields({ contact: textUpTo(256) });
const checked = fields({
  contacts: list(fields({ input: text(), status: oneOf('valid', 'invalid') }, { wa_id: text() })),
  meta: metaSchema,
});
const profile = fields({
  schema: text(),
  uuid: text(),
  updated_at: text(),
  generation: nullable(text()),
  fields: dictionary(anything()),
});
const value = anyOf(anyTextUpTo(4096), number(), flag(), list(textUpTo(256)).max(100));
/** Reserved fields have types of their own; any others are the number's own. */
const change = (Joi.object() as Joi.ObjectSchema<JsonObject>)
  .pattern(textUpTo(256), nullable(value))
  .keys({
    ...Object.fromEntries(
      ['name', 'surname', 'location', 'language', 'birthday', 'opted_in_at'].map((key) => [key, nullable(anyTextUpTo(4096))]),
    ),
    opted_in: nullable(flag()),
    is_blocked: nullable(flag()),
  })
  .min(1)
  .max(100)
  // A name that cannot be kept is refused: left out, the field would be lost without a word.
  .unknown(false);
const history = fields({
  chat: nullable(chatSchema),
  messages: list(fields({ from: text(), id: text(), timestamp: text(), type: text(), _vnd: fields({ v1: vendorSchema }) }).unknown()),
});

/** Contacts, their profiles and what was said with them, in the shapes recorded of the service. */
export function contactRoutes(context: PluginContext): Route[] {
  const { store, contacts, conversations, dialect } = context;
  const known = async (number: NumberRecord, name: string): Promise<ContactRecord> => {
    const contact = await contacts.named(number, name);
    if (!contact) throw new NotFound('contact', name);
    return contact;
  };
  const shown = async (number: NumberRecord, contact: ContactRecord) => {
    const conversation = await conversations.ofContact(number.uuid, contact.uuid);
    return {
      schema: number.uuid,
      uuid: contact.uuid,
      updated_at: contact.updated_at,
      generation: null,
      fields: profileFields(contact, conversation, context),
    };
  };

  return [
    route({
      method: 'POST',
      path: '/v1/contacts',
      summary: 'Says which phone numbers can be reached on the network, and under which id.',
      keepsNothing: true,
      numbers: ['network', 'sandbox'],
      request: { payload: fields({ contacts: list(textUpTo(256)).min(1).max(MOST_CHECKED) }, { blocking: oneOf('wait', 'no_wait') }) },
      responses: { 200: checked, 400: errorsWithMeta },
      handler: ({ payload }) => ({
        contacts: payload.contacts.map((input) => {
          const wa_id = networkId(input);
          return wa_id === undefined ? { input, status: 'invalid' as const } : { input, status: 'valid' as const, wa_id };
        }),
        meta: metaOf(dialect),
      }),
    }),
    route({
      method: 'GET',
      path: '/v1/contacts/{contact}/profile',
      summary: 'Shows the profile of a contact: every reserved field, null where unset, and those of your own.',
      request: { params },
      responses: { 200: profile, 404: errorsWithMeta },
      handler: async ({ params: { contact }, caller: { number } }) => shown(number, await known(number, contact)),
    }),
    route({
      method: 'PATCH',
      path: '/v1/contacts/{contact}/profile',
      summary: 'Sets fields of a contact; null clears one.',
      request: { params, payload: change },
      responses: { 201: profile, 400: errorsWithMeta, 404: errorsWithMeta },
      async handler({ params: { contact }, payload, caller: { number } }, h) {
        const { uuid } = await known(number, contact);
        const written = writable(payload, context);
        const changed = await store.transaction((tx) => contacts.setFields(tx, number, uuid, written));
        return h.response(await shown(number, changed)).code(201);
      },
    }),
    route({
      method: 'GET',
      path: '/v1/contacts/{contact}/messages',
      summary: 'Shows the conversation with a contact: its newest messages, newest first, and its chat.',
      request: { params, query: fields({}, { limit: whole().min(1).max(NEWEST) }) },
      responses: { 200: history, 404: errorsWithMeta },
      async handler({ params: { contact }, query: { limit = NEWEST }, caller: { number } }) {
        const who = await known(number, contact);
        const conversation = await conversations.ofContact(number.uuid, who.uuid);
        if (!conversation) return { chat: null, messages: [] };
        const messages = await conversations.newest(conversation.uuid, limit);
        return (await historyOf(context, { contact: who, conversation, messages })) as TypeOf<typeof history>;
      },
    }),
  ];
}

/** When people wrote is known of their conversation. Numbers in fields of one's own come back as text, as recorded. */
function profileFields(
  { fields }: ContactRecord,
  conversation: ConversationRecord | undefined,
  { dialect: { contactFields } }: Pick<PluginContext, 'dialect'>,
): Record<string, unknown> {
  const reserved = new Set([...RESERVED, ...Object.values(contactFields)]);
  const own = Object.entries(fields).map(([key, value]) => [key, typeof value === 'number' && !reserved.has(key) ? String(value) : value]);
  return {
    ...Object.fromEntries(own),
    ...observedFields(conversation),
  };
}

const RESERVED = ['name', 'surname', 'location', 'language', 'birthday', 'opted_in', 'opted_in_at', 'is_blocked'];

/** What the platform observes itself is not written by others; when somebody opted in is noted. */
function writable(change: JsonObject, { clock, dialect: { contactFields } }: PluginContext): JsonObject {
  const observed = new Set([...Object.keys(observedFields(undefined)), contactFields.networkId]);
  const kept = Object.fromEntries(Object.entries(change).filter(([key]) => !observed.has(key)));
  return kept.opted_in === true && kept.opted_in_at === undefined ? { ...kept, opted_in_at: clock.now().toISOString() } : kept;
}
