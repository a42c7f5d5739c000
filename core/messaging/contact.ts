import { collection } from '../ports/store.js';
import { anything, dictionary, fields, type TypeOf, text } from '../shape.js';

/** A contact as it is kept. */
export const contactSchema = fields({
  uuid: text(),
  number: text(),
  /** The identifier the number knows the contact by. */
  id: text(),
  /** Where messages to the contact go. */
  address: text(),
  /** Profile fields, the reserved ones among them; null when unset. */
  fields: dictionary(anything()),
  created_at: text(),
  updated_at: text(),
});

/** Somebody a number talks with. */
export type ContactRecord = TypeOf<typeof contactSchema>;

export const contacts = collection<ContactRecord>({
  key: 'uuid',
  unique: { id: ['number', 'id'] },
  indexes: { number: ['number', 'created_at', 'uuid'], address: ['number', 'address', 'uuid'] },
});
