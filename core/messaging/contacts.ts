import type { Dialect } from '../dialect.js';
import { Conflict, NotFound } from '../errors.js';
import type { JsonObject } from '../json.js';
import type { Clock } from '../ports/clock.js';
import type { Ids } from '../ports/ids.js';
import { peekBy } from '../ports/store.js';
import type { Database, Transaction } from '../ports/transaction.js';
import { type ContactRecord, contacts } from './contact.js';
import { contactChanged } from './events.js';
import { networkId } from './network-id.js';
import type { NumberRecord } from './number.js';
import { reservedFields } from './reserved-fields.js';

/** Limits the size of the fields, because the context of every journey and delivery of the contact includes them. */
const MAX_FIELD_CHARACTERS = 65_536;

/** The contact service: finds, creates and changes contacts. The plugin `messages` has the contact routes of the API. */
export type Contacts = ReturnType<typeof createContacts>;

export function createContacts({ store, ids, clock, dialect }: { store: Database; ids: Ids; clock: Clock; dialect: Dialect }) {
  const records = store.open(contacts);

  return {
    get: (uuid: string): Promise<ContactRecord | undefined> => records.get(uuid),

    /**
     * Lists contacts, oldest first: those after the contact with the uuid `after`, and all without `limit`. @throws NotFound when `after`
     * is unknown
     */
    async list(number: string, { after, limit }: { after?: string | undefined; limit?: number } = {}): Promise<ContactRecord[]> {
      const last = after === undefined ? undefined : await this.require(after);
      const page = { ...(last && { after: [last.created_at, last.uuid] }), ...(limit !== undefined && { limit }) };
      return records.find('number', { equals: [number], ...page });
    },

    /** Finds the contact of a number with exactly this id or address. */
    known,

    /**
     * Finds a contact by its id or address as a client wrote it. On the network a phone number may have separators. On a channel the plus
     * of
     * a phone number may be missing, as in `wa_id` of webhooks.
     */
    async find({ uuid, kind }: NumberRecord, name: string): Promise<ContactRecord | undefined> {
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
     * Finds or creates a contact, and updates its address. A changed profile name also replaces the `name` of the contact. An
     * unchanged profile name does not overwrite a `name` that a client has set.
     */
    async findOrCreate(tx: Transaction, number: NumberRecord, who: { id: string; address: string; name?: string }): Promise<ContactRecord> {
      const known = await peekBy(tx, contacts, 'id', [number.uuid, who.id]);
      const { networkProfileName } = dialect.contactFields;
      const isNewName = who.name !== undefined && who.name !== known?.fields[networkProfileName];
      if (known && !isNewName && known.address === who.address) return known;
      const now = clock.now().toISOString();
      const contact: ContactRecord = known ?? {
        uuid: ids.uuid(),
        number: number.uuid,
        id: who.id,
        address: who.address,
        fields: reservedFields(dialect, number.kind === 'channel' ? null : who.id.replace(/^\+/, '')),
        created_at: now,
        updated_at: now,
      };
      const names = isNewName ? { name: who.name, [networkProfileName]: who.name } : {};
      const updated: ContactRecord = { ...contact, address: who.address, fields: { ...contact.fields, ...names }, updated_at: now };
      tx.in(contacts).put(updated);
      if (isNewName) tx.emit(contactChanged, { number, contact: updated, keys: Object.keys(names) });
      return updated;
    },

    /** Sets profile fields; null clears a field. @throws NotFound, Conflict when the fields would be too large */
    async setFields(tx: Transaction, number: NumberRecord, uuid: string, change: JsonObject): Promise<ContactRecord> {
      const contact = await tx.in(contacts).get(uuid);
      if (contact?.number !== number.uuid) throw new NotFound('contact', uuid);
      const fields = { ...contact.fields, ...change };
      if (JSON.stringify(fields).length > MAX_FIELD_CHARACTERS)
        throw new Conflict(
          'contact_too_large',
          `The fields of a contact may have at most ${MAX_FIELD_CHARACTERS} characters together, as JSON`,
        );
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
