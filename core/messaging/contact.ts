import { collection } from '../ports/store.js';
import { anyValue, object, record, string, type TypeOf } from '../shape.js';

/** A contact as it is kept. */
export const contactSchema = object({
  uuid: string(),
  number: string(),
  /** The identifier the number knows the contact by. */
  id: string(),
  /** Where messages to the contact go. */
  address: string(),
  /** Profile fields, the reserved ones among them; null when unset. */
  fields: record(anyValue()),
  created_at: string(),
  updated_at: string(),
});

/** Somebody a number talks with. */
export type ContactRecord = TypeOf<typeof contactSchema>;

export const contacts = collection<ContactRecord>({
  key: 'uuid',
  unique: { id: ['number', 'id'] },
  indexes: { number: ['number', 'created_at', 'uuid'], address: ['number', 'address', 'uuid'] },
});
