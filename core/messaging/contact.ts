import type { Dialect } from '../dialect.js';
import { collection } from '../ports/store.js';
import { anyString, anyValue, named, object, record, string, type TypeOf, withoutUndefined } from '../shape.js';
import type { NotificationError } from './message.js';

const block = object({ reason: anyString(), at: string() });

export const contactSchema = named(
  'Contact',
  object(
    {
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
    },
    {
      /** The sides that have blocked messages to the contact, each with its reason; missing without a block. */
      blocked: object({}, { contact: block, network: block, operator: block }),
    },
  ),
);

/** A person who exchanges messages with a number. */
export type ContactRecord = TypeOf<typeof contactSchema>;

/**
 * The side that blocks messages to a contact: the contact, who has opted out; the network or service, which cannot reach the contact any more; or an
 * operator.
 */
export type BlockedBy = keyof NonNullable<ContactRecord['blocked']>;

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

/** The blocks of a contact after a merge: a block of either remains. */
export const joinedBlocks = ({ blocked: own }: ContactRecord, { blocked: others }: ContactRecord): Pick<ContactRecord, 'blocked'> =>
  own || others ? { blocked: { ...others, ...own } } : {};

/** A contact with other blocks: without the field when there is none. */
export function withBlocks({ blocked: _, ...contact }: ContactRecord, blocks: NonNullable<ContactRecord['blocked']>): ContactRecord {
  const left = withoutUndefined(blocks);
  return Object.keys(left).length === 0 ? contact : { ...contact, blocked: left };
}

const refusals: Readonly<Record<BlockedBy, readonly [code: number, title: string, what: string]>> = {
  contact: [131050, 'User has stopped messages', 'has opted out of messages'],
  operator: [130403, 'User is blocked', 'was blocked by an operator'],
  network: [131026, 'Message undeliverable', 'cannot be reached'],
};

/** The block because of which no message may be sent to a contact, with the error; undefined if one may. The wish of the contact comes first. */
export function blockOf({ id, blocked = {} }: ContactRecord): { by: BlockedBy; at: string; error: NotificationError } | undefined {
  const by = (Object.keys(refusals) as BlockedBy[]).find((one) => blocked[one] !== undefined);
  if (by === undefined) return undefined;
  const [code, title, what] = refusals[by];
  const { reason, at } = blocked[by]!;
  return { by, at, error: { code, title, details: `${id} ${what}: ${reason}`, href: 'https://posthorn.invalid/blocked' } };
}
