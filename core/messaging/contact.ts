import type { Dialect } from '../dialect.js';
import { collection } from '../ports/store.js';
import { anyValue, named, object, record, string, type TypeOf } from '../shape.js';

export const contactSchema = named(
  'Contact',
  object({
    uuid: string(),
    number: string(),
    /** Identifier of the contact, unique within the number. */
    id: string(),
    /** Address that messages to the contact are sent to. */
    address: string(),
    /** Profile fields including the reserved ones; null when unset. */
    fields: record(anyValue()),
    created_at: string(),
    updated_at: string(),
  }),
);

/** A person who exchanges messages with a number. */
export type ContactRecord = TypeOf<typeof contactSchema>;

export const contacts = collection<ContactRecord>({
  key: 'uuid',
  tenant: { number: 'number' },
  unique: { id: ['number', 'id'] },
  indexes: { number: ['number', 'created_at', 'uuid'], address: ['number', 'address', 'uuid'] },
  cold: { after: 24 * 60 * 60 * 1000 },
});

/** Limits the size of the fields, because the context of every journey and delivery of the contact includes them. */
export const MAX_FIELD_CHARACTERS = 65_536;

/**
 * The fields of a contact after a merge: those of the contact that changed last, and for fields that are null there those of the other one.
 * A block by either remains, and the newest opt-in or opt-out. Fields of both that would be too large together are those of `kept`.
 */
export function joinedFields(kept: ContactRecord, merged: ContactRecord, { contactFields }: Pick<Dialect, 'contactFields'>) {
  const [older, newer] = kept.updated_at <= merged.updated_at ? [kept.fields, merged.fields] : [merged.fields, kept.fields];
  const given = Object.fromEntries(Object.entries(newer).filter(([, value]) => value !== null));
  const { opted_in, opted_in_at } = String(older.opted_in_at ?? '') > String(newer.opted_in_at ?? '') ? older : newer;
  const joined: ContactRecord['fields'] = {
    ...older,
    ...given,
    opted_in,
    opted_in_at,
    is_blocked: older.is_blocked === true || newer.is_blocked === true,
    [contactFields.networkId]: kept.fields[contactFields.networkId],
  };
  return JSON.stringify(joined).length > MAX_FIELD_CHARACTERS ? kept.fields : joined;
}
