import { collection } from '../ports/store.js';

/** A further id of a contact: another spelling of its phone number, a former number, or the id of its account. */
export interface ContactAlias {
  /** `<number>/<id>`, so that an id belongs to one contact of a number. */
  readonly key: string;
  readonly number: string;
  readonly id: string;
  /** The uuid of the contact. */
  readonly contact: string;
  readonly added_at: string;
  /** The contact has said that this phone number is no longer theirs; it can become that of another person. */
  readonly former?: true;
}

export const contactAliases = collection<ContactAlias>({
  key: 'key',
  tenant: { number: 'number' },
  indexes: { contact: ['contact', 'added_at', 'key'] },
  cold: { after: 0 },
});

export const aliasKey = (number: string, id: string): string => `${number}/${id}`;
