import { owned } from '../contract/accounts.js';
import { type Route, route } from '../contract/route.js';
import { NotFound } from '../errors.js';
import { type ContactRecord, contactSchema } from '../messaging/contact.js';
import { identitySchema } from '../messaging/contact-merge.js';
import type { Contacts } from '../messaging/contacts.js';
import type { Numbers } from '../messaging/numbers.js';
import type { Database } from '../ports/transaction.js';
import { object, string } from '../shape.js';

interface MergePorts {
  readonly store: Database;
  readonly numbers: Numbers;
  readonly contacts: Contacts;
}

/** Admin routes that merge contacts of one person, and split them again. */
export function contactMergeRoutes({ store, numbers, contacts }: MergePorts): Route[] {
  const changed = object({ contact: contactSchema, ...identitySchema });
  const shown = async (contact: ContactRecord) => ({ contact, ...(await contacts.identityOf(contact)) });
  return [
    route({
      method: 'POST',
      path: '/contacts/merge',
      permission: 'contacts.write',
      accounts: { contact: owned.contact, into: owned.contact },
      summary:
        'Merges a contact into another one of the same number, because both are one person: its messages, ids, fields and sessions. `into` remains.',
      request: { payload: object({ contact: string(), into: string() }) },
      responses: { 200: changed },
      errors: [404, 409],
      async handler({ payload }) {
        const { number: owner } = await contacts.require(payload.into);
        const number = await numbers.require(owner);
        return shown(await store.transaction((tx) => contacts.merge(tx, number, payload)));
      },
    }),
    route({
      method: 'POST',
      path: '/contacts/split',
      permission: 'contacts.write',
      accounts: { contact: owned.mergedContact },
      summary:
        'Undoes a merge: the contact exists again, with its ids, fields, messages and sessions, and with the messages that came under its ids since.',
      request: { payload: object({ contact: string() }) },
      responses: { 200: changed },
      errors: [404, 409],
      async handler({ payload: { contact: uuid } }) {
        const merge = await contacts.mergeOf(uuid);
        if (!merge) throw new NotFound('merged contact', uuid);
        const number = await numbers.require(merge.number);
        return shown(await store.transaction((tx) => contacts.split(tx, number, uuid)));
      },
    }),
  ];
}
