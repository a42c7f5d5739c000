import { admin } from '../data/admin.js';
import type { Source } from '../data/pages.js';
import type { NumberRecord } from '../data/records.js';
import type { ListedContact } from '../pages/contacts/records.js';
import { nameOf } from '../pages/inbox/content.js';
import { type Progress, saveAll, saveText, tableForm } from './files.js';
import { texts } from './texts.js';

/** Saves contacts: the marked ones, or all that match. */
export function saveContacts(
  source: Source<ListedContact>,
  numbers: readonly NumberRecord[],
  marked: readonly ListedContact[] | undefined,
  progress: Progress,
): Promise<string> {
  const numberOf = ({ contact }: ListedContact) => numbers.find(({ uuid }) => uuid === contact.number);
  const form = tableForm<ListedContact>({
    name: ({ contact }) => nameOf(contact),
    ids: ({ ids }) => ids.join(' '),
    number: (one) => numberOf(one)?.address,
    number_name: (one) => numberOf(one)?.name,
    type: (one) => numberOf(one)?.type,
    known_since: ({ contact }) => contact.created_at,
    last_message: ({ message, conversation }) => message?.recorded_at ?? conversation?.updated_at,
    messages: ({ conversation }) => conversation?.length,
    opted_in: ({ contact }) => contact.fields.opted_in === true,
    blocked_by: ({ contact }) => Object.keys(contact.blocked ?? {}).join(' '),
    uuid: ({ contact }) => contact.uuid,
  });
  return saveAll({ what: 'contacts', source, marked, progress }, form);
}

/** Saves everything that is stored about a contact. @throws CallFailed */
export async function saveContact(uuid: string): Promise<string> {
  const all = await admin<object>('GET', `/contacts/${uuid}/export`);
  saveText('contact', 'json', 'application/json', JSON.stringify(all, null, 1));
  return texts.savedContact;
}
