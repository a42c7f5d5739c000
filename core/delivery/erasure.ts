import { createHash } from 'node:crypto';
import Joi from 'joi';
import { event } from '../ports/events.js';
import { queue } from '../ports/queue.js';
import { collection } from '../ports/store.js';
import { array, dateTime, integer, named, object, oneOf, record, string, type TypeOf } from '../shape.js';

/** Other texts could be ids of other records. */
const hash = () =>
  string()
    .pattern(/^[\w-]{43}$/, 'hash of a contact')
    .example('QgvqS_aiw-LwgVSA9W-NoyllF3-WbL8X_-fnohLn4nc');
const shown = {
  /** The hash of the contact's uuid. */
  id: hash(),
  number: string(),
  /** The hashes of the uuids of the contact and of those that were merged into it. */
  hashes: array(hash()),
  at: dateTime(),
};
const progress = {
  /** How many records were deleted, by plural name. */
  removed: record(integer()),
  done_at: string(),
  /** When the last file with erased data was removed; absent until the next compaction. */
  purged_at: string(),
};

export const erasureSchema = named('Erasure', object({ ...shown, state: oneOf('running', 'done') }, progress));
/** An erasure as the admin API shows it. */
export type ErasureView = TypeOf<typeof erasureSchema>;

/** An entry of the list that is replayed after a restore. */
export const listedErasureSchema = object(shown);
export type ListedErasure = TypeOf<typeof listedErasureSchema>;
/** @throws Error if the value is not an entry */
export const listedErasureOf = (value: unknown): ListedErasure =>
  Joi.attempt(value, listedErasureSchema.unknown().required()) as ListedErasure;

/**
 * The erasure of a contact. It stays for as long as the data does, so that a restored backup does not bring the contact back. Only hashes remain of
 * the contact, except while it runs.
 */
export interface ErasureRecord extends ListedErasure {
  readonly removed: Readonly<Record<string, number>>;
  readonly done_at?: string;
  readonly purged_at?: string;
  /** The work that is not done: deleting the records, or removing them from the files. Absent after both. */
  readonly pending?: 'erase' | 'purge';
  /** Whether a hold does not stop it: one in restored data was released before the contact was erased. Absent when it is done. */
  readonly ignores_hold?: true;
  /** The person, while it runs. */
  readonly subject?: { readonly contacts: readonly string[]; readonly ids: readonly string[]; readonly conversations: readonly string[] };
}

export const erasures = collection<ErasureRecord>({
  key: 'id',
  tenant: { number: 'number' },
  indexes: { at: ['at', 'id'], pending: ['pending', 'id'] },
});

/** Jobs that delete the records of an erased contact. */
export const erasureJobs = queue<{ erasure: string; number: string }>('core.erasures');

/** Emitted when an erasure begins: the contact does not exist any more. Its other records follow in further transactions. */
export const contactErased = event<{ number: string; erasure: string }>('contact.erased', 'A contact was erased; `erasure` is the id.');

/**
 * The hash under which an erased contact is listed. Uuids are random, so the hash needs no key to reveal nothing, and a backup of any age can be
 * compared with the list.
 */
export const hashOf = (contact: string): string => createHash('sha256').update(`posthorn erasure ${contact}`).digest('base64url');

export const listedOf = ({ id, number, hashes, at }: ListedErasure): ListedErasure => ({ id, number, hashes, at });

export const erasureView = ({ pending, subject: _, ...erasure }: ErasureRecord): ErasureView => ({
  ...erasure,
  hashes: [...erasure.hashes],
  removed: { ...erasure.removed },
  state: pending === 'erase' ? 'running' : 'done',
});
