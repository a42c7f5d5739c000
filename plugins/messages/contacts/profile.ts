import { type ContactRecord, type ConversationRecord, type JsonObject, NotFound, type NumberRecord, type PluginContext } from '#core';
import { observedFields } from '#core/messaging';

/** Contacts in paths and responses of the API; the records and their service are in the core. */

/** Finds the contact for a path parameter: an id, address or phone number. @throws NotFound */
export async function contactNamed(
  { contacts }: Pick<PluginContext, 'contacts'>,
  number: NumberRecord,
  name: string,
): Promise<ContactRecord> {
  const contact = await contacts.find(number, name);
  if (!contact) throw new NotFound('contact', name);
  return contact;
}

export async function profileOf(context: PluginContext, number: NumberRecord, contact: ContactRecord) {
  const conversation = await context.conversations.ofContact(number.uuid, contact.uuid);
  return {
    schema: number.uuid,
    uuid: contact.uuid,
    updated_at: contact.updated_at,
    generation: null,
    fields: profileFields(contact, conversation, context),
  };
}

/** The fields of a contact, with the times of its conversation. Numbers in custom fields become text, as recorded from the service. */
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

/** Removes fields that clients cannot write, and adds the time of an opt-in. */
export function writable(change: JsonObject, { clock, dialect: { contactFields } }: PluginContext): JsonObject {
  const observed = new Set([...Object.keys(observedFields(undefined)), contactFields.networkId]);
  const allowed = Object.fromEntries(Object.entries(change).filter(([key]) => !observed.has(key)));
  return allowed.opted_in === true && allowed.opted_in_at === undefined ? { ...allowed, opted_in_at: clock.now().toISOString() } : allowed;
}
