import { type ContactRecord, type ConversationRecord, type JsonObject, NotFound, type NumberRecord, type PluginContext } from '#core';
import { observedFields } from '#core/areas';

/** How the API names and shows contacts; the records and their service are in the core. */

/** The contact that a number knows by this name, id or address. @throws NotFound */
export async function contactNamed(
  { contacts }: Pick<PluginContext, 'contacts'>,
  number: NumberRecord,
  name: string,
): Promise<ContactRecord> {
  const contact = await contacts.named(number, name);
  if (!contact) throw new NotFound('contact', name);
  return contact;
}

/** A profile as it is shown. */
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

/** Fields that the platform observes are not written by others; the time of an opt-in is noted. */
export function writable(change: JsonObject, { clock, dialect: { contactFields } }: PluginContext): JsonObject {
  const observed = new Set([...Object.keys(observedFields(undefined)), contactFields.networkId]);
  const kept = Object.fromEntries(Object.entries(change).filter(([key]) => !observed.has(key)));
  return kept.opted_in === true && kept.opted_in_at === undefined ? { ...kept, opted_in_at: clock.now().toISOString() } : kept;
}
