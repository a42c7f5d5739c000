import type { Dialect } from '../dialect.js';
import type { Clock } from '../ports/clock.js';
import { promiseOf, type Steps, wait } from '../ports/steps.js';
import { peek, peekBy } from '../ports/store.js';
import type { Database, Transaction } from '../ports/transaction.js';
import { type ContactRecord, contacts } from './contact.js';
import { aliasKey, type ContactAlias, contactAliases } from './contact-alias.js';
import { advice, contactChanged } from './events.js';
import { isAccountId, otherSpellings } from './network-id.js';
import type { NumberRecord } from './number.js';

type Owner = Pick<NumberRecord, 'uuid' | 'kind'>;

type Found<T> = Promise<T | undefined> | T | undefined;

interface Reader {
  contact(uuid: string): Found<ContactRecord>;
  contactBy(number: string, id: string): Found<ContactRecord>;
  alias(key: string): Found<ContactAlias>;
}

/** The ids of contacts: finds a contact by any of them, and adds, changes and moves them. */
export type ContactAliases = ReturnType<typeof createContactAliases>;

export function createContactAliases({ store, clock, dialect }: { store: Database; clock: Clock; dialect: Dialect }) {
  const [openContacts, openAliases] = [store.open(contacts), store.open(contactAliases)];
  const committed: Reader = {
    contact: (uuid) => openContacts.get(uuid),
    contactBy: (number, id) => openContacts.getBy('id', [number, id]),
    alias: (key) => openAliases.get(key),
  };
  const readerIn = (tx: Transaction): Reader => ({
    contact: (uuid) => peek(tx, contacts, uuid),
    contactBy: (number, id) => peekBy(tx, contacts, 'id', [number, id]),
    alias: (key) => peek(tx, contactAliases, key),
  });

  return {
    /** Finds the contact with this id or alias, on the network also in another spelling of its phone number. */
    find: (number: Owner, id: string): Promise<ContactRecord | undefined> => promiseOf(lookUp(committed, number, id)),

    /** As `find`, including the changes of a transaction. */
    findIn: (tx: Transaction, number: Owner, id: string): Promise<ContactRecord | undefined> => promiseOf(findIn(tx, number, id)),

    /** Methods of the same names for work in steps. */
    inSteps: { findIn },

    /** All ids of a contact: its id, and its aliases in the order in which they were added. */
    async of({ uuid, id }: ContactRecord): Promise<string[]> {
      const aliases = await store.open(contactAliases).find('contact', { equals: [uuid] });
      return [id, ...aliases.map((alias) => alias.id)];
    },

    ofIn,

    /** Whether each id is an alias of this contact. Reads one record for each. */
    async areOf(tx: Transaction, { uuid, number }: ContactRecord, ids: readonly string[]): Promise<boolean> {
      for (const id of ids) if ((await peek(tx, contactAliases, aliasKey(number, id)))?.contact !== uuid) return false;
      return true;
    },

    add,

    /** Removes an alias from a contact. */
    remove: (tx: Transaction, { number }: ContactRecord, id: string): void => tx.in(contactAliases).delete(aliasKey(number, id)),

    /** The record of a contact with this id, which is also its address then. */
    named,

    /** Makes an id the id and the address of a contact; its former id becomes an alias. The caller checks that no other contact has it. */
    async rename(tx: Transaction, number: NumberRecord, contact: ContactRecord, id: string): Promise<ContactRecord> {
      if (contact.id === id) return contact;
      await add(tx, contact, contact.id);
      return withId(tx, number, contact, id);
    },

    /** Notes that phone numbers among the aliases of a contact are no longer theirs, in all spellings. */
    async leave(tx: Transaction, { uuid, kind }: Owner, contact: ContactRecord, phones: readonly string[]): Promise<void> {
      for (const id of phones.flatMap((phone) => [phone, ...otherSpellings(kind, phone)])) {
        if (isAccountId(kind, id)) continue;
        const alias = await tx.in(contactAliases).get(aliasKey(uuid, id));
        if (alias?.contact === contact.uuid) tx.in(contactAliases).put({ ...alias, former: true });
      }
    },

    /** Whether a contact has said that a phone number is no longer theirs. */
    async hasLeft(tx: Transaction, { uuid, kind }: Owner, contact: ContactRecord, phone: string): Promise<boolean> {
      const spellings = [phone, ...otherSpellings(kind, phone)];
      if (spellings.includes(contact.id)) return false;
      const found = await Promise.all(spellings.map((id) => tx.in(contactAliases).get(aliasKey(uuid, id))));
      return found.some((alias) => alias?.contact === contact.uuid && alias.former === true);
    },

    /**
     * A phone number belongs to another person now: removes its spellings from the contact, which is known by the id of its account from
     * then on.
     */
    async takeFrom(tx: Transaction, number: NumberRecord, contact: ContactRecord, phone: string): Promise<void> {
      const spellings = [phone, ...otherSpellings(number.kind, phone)];
      const own = await ofIn(tx, contact);
      for (const id of spellings) if (id !== contact.id && own.includes(id)) tx.in(contactAliases).delete(aliasKey(number.uuid, id));
      if (spellings.includes(contact.id)) withId(tx, number, contact, own.findLast((id) => isAccountId(number.kind, id))!);
      tx.emit(advice, {
        name: 'phone_number_passed_on',
        number: number.uuid,
        message: `The phone number ${phone} belongs to another account of the network now, so its messages are those of another contact.`,
        fix: 'Nothing, if the number has a new owner. If both accounts are one person, merge the contacts: npx posthorn contacts merge.',
        about: { contact: contact.uuid },
      });
    },
  };

  function findIn(tx: Transaction, number: Owner, id: string): Steps<ContactRecord | undefined> {
    return lookUp(readerIn(tx), number, id);
  }

  async function add(tx: Transaction, { uuid, number }: ContactRecord, id: string): Promise<void> {
    const [key, added_at] = [aliasKey(number, id), clock.now().toISOString()];
    const { former } = (await tx.in(contactAliases).get(key)) ?? {};
    tx.in(contactAliases).put({ key, number, id, contact: uuid, added_at, ...(former && { former }) });
  }

  function withId(tx: Transaction, number: NumberRecord, contact: ContactRecord, id: string): ContactRecord {
    const renamed: ContactRecord = { ...named(number, contact, id), updated_at: clock.now().toISOString() };
    tx.in(contactAliases).delete(aliasKey(number.uuid, id));
    tx.in(contacts).put(renamed);
    tx.emit(contactChanged, { number, contact: renamed, keys: [dialect.contactFields.networkId] });
    return renamed;
  }

  function named({ kind }: Owner, contact: ContactRecord, id: string): ContactRecord {
    if (contact.id === id) return contact;
    const fields = { ...contact.fields, ...(kind !== 'channel' && { [dialect.contactFields.networkId]: id.replace(/^\+/, '') }) };
    return { ...contact, id, address: id, fields };
  }

  async function ofIn(tx: Transaction, { uuid, id }: ContactRecord): Promise<string[]> {
    const aliases = await tx.in(contactAliases).find('contact', { equals: [uuid] });
    return [id, ...aliases.map((alias) => alias.id)];
  }
}

/**
 * Ids come before aliases, because a release without aliases may have created a contact under one. Connectors choose the ids of their contacts,
 * so a plus makes another person there.
 */
function* lookUp(reader: Reader, { uuid, kind }: Owner, id: string): Steps<ContactRecord | undefined> {
  for (const spelling of kind === 'channel' ? [id] : [id, ...otherSpellings(kind, id)]) {
    const contact = yield* wait(reader.contactBy(uuid, spelling));
    if (contact) return contact;
    const alias = yield* wait(reader.alias(aliasKey(uuid, spelling)));
    const holder = alias && (yield* wait(reader.contact(alias.contact)));
    if (holder) return holder;
  }
  return undefined;
}
