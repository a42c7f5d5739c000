import type { Dialect } from '../dialect.js';
import { Conflict, NotFound } from '../errors.js';
import type { JsonObject } from '../json.js';
import type { Clock } from '../ports/clock.js';
import type { Ids } from '../ports/ids.js';
import type { Database, Transaction } from '../ports/transaction.js';
import { type ContactRecord, contacts } from './contact.js';
import { contactChanged } from './events.js';
import { networkId } from './network-id.js';
import type { NumberRecord } from './number.js';
import { reservedFields } from './reserved-fields.js';

/** Every journey and every delivery of the contact has them in its context. */
const MAX_CHARACTERS = 65_536;

/** The service of contacts: finds, creates and changes them. How the API shows a contact is in the plugin `messages`. */
export type Contacts = ReturnType<typeof createContacts>;

export function createContacts({ store, ids, clock, dialect }: { store: Database; ids: Ids; clock: Clock; dialect: Dialect }) {
  const records = store.open(contacts);

  return {
    get: (uuid: string): Promise<ContactRecord | undefined> => records.get(uuid),

    /** The oldest first, after the one that was listed last; all of them without a limit. @throws NotFound */
    async list(number: string, { after, limit }: { after?: string | undefined; limit?: number } = {}): Promise<ContactRecord[]> {
      const last = after === undefined ? undefined : await this.require(after);
      const page = { ...(last && { after: [last.created_at, last.uuid] }), ...(limit !== undefined && { limit }) };
      return records.find('number', { equals: [number], ...page });
    },

    /** The contact a number knows by this id, or sends to under this address. */
    known,

    /**
     * The contact that somebody names: on the network also by a phone number as people write it; on a channel also by the
     * digits of one that has a plus, as webhooks name it in `wa_id`.
     */
    async named({ uuid, kind }: NumberRecord, name: string): Promise<ContactRecord | undefined> {
      if (kind !== 'channel') return known(uuid, networkId(name) ?? name);
      return (await known(uuid, name)) ?? (/^\d+$/.test(name) ? known(uuid, `+${name}`) : undefined);
    },

    /** @throws NotFound */
    async require(uuid: string): Promise<ContactRecord> {
      const contact = await records.get(uuid);
      if (!contact) throw new NotFound('contact', uuid);
      return contact;
    },

    /**
     * Finds the contact a message is from, or makes it. A profile name that is new becomes the name; as long as it is the
     * same, a name that somebody gave the contact here stays.
     */
    async meet(tx: Transaction, number: NumberRecord, who: { id: string; address: string; name?: string }): Promise<ContactRecord> {
      const now = clock.now().toISOString();
      const known = await tx.in(contacts).getBy('id', [number.uuid, who.id]);
      const contact: ContactRecord = known ?? {
        uuid: ids.uuid(),
        number: number.uuid,
        id: who.id,
        address: who.address,
        fields: reservedFields(dialect, number.kind === 'channel' ? null : who.id.replace(/^\+/, '')),
        created_at: now,
        updated_at: now,
      };
      const { networkProfileName } = dialect.contactFields;
      const isNewName = who.name !== undefined && who.name !== contact.fields[networkProfileName];
      if (known && !isNewName && known.address === who.address) return known;
      const names = isNewName ? { name: who.name, [networkProfileName]: who.name } : {};
      const met: ContactRecord = { ...contact, address: who.address, fields: { ...contact.fields, ...names }, updated_at: now };
      tx.in(contacts).put(met);
      if (isNewName) tx.emit(contactChanged, { number, contact: met, keys: Object.keys(names) });
      return met;
    },

    /** Sets profile fields; null clears one. @throws NotFound, Conflict when they would take too much */
    async setFields(tx: Transaction, number: NumberRecord, uuid: string, change: JsonObject): Promise<ContactRecord> {
      const contact = await tx.in(contacts).get(uuid);
      if (contact?.number !== number.uuid) throw new NotFound('contact', uuid);
      const fields = { ...contact.fields, ...change };
      if (JSON.stringify(fields).length > MAX_CHARACTERS)
        throw new Conflict('contact_too_large', `The fields of a contact take at most ${MAX_CHARACTERS} characters together, as JSON`);
      const changed: ContactRecord = { ...contact, fields, updated_at: clock.now().toISOString() };
      tx.in(contacts).put(changed);
      tx.emit(contactChanged, { number, contact: changed, keys: Object.keys(change) });
      return changed;
    },
  };

  async function known(number: string, idOrAddress: string): Promise<ContactRecord | undefined> {
    const [byAddress] = await records.find('address', { equals: [number, idOrAddress], limit: 1 });
    return (await records.getBy('id', [number, idOrAddress])) ?? byAddress;
  }
}
