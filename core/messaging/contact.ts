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
});
