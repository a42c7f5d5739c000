import type { JsonObject } from '../json.js';
import type { Transaction } from '../ports/transaction.js';
import type { NumberRecord } from './number.js';

/** A person whose data is erased or exported: the names under which records refer to the contact. */
export interface DataSubject {
  readonly number: NumberRecord;
  /** The uuid of the contact, then those of the contacts that were merged into it. In an erasure, none of them exists any more. */
  readonly contacts: readonly string[];
  /** Its ids, aliases and addresses, in all spellings. */
  readonly ids: readonly string[];
  /** The uuids of its conversation, and of those of the merged contacts. */
  readonly conversations: readonly string[];
}

/** How many records were deleted, by plural name. */
export type Removed = Readonly<Record<string, number>>;

/** The records that a plugin keeps about contacts. The platform deletes messages, deliveries and media files itself. */
export interface PersonalData {
  /**
   * Deletes records of the person, about 100 in each call; called in further transactions until it returns no count above 0. Records that belong to
   * one message are deleted by a listener of `messages.expired` instead. May run again after a conflict, and once more after a crash.
   */
  erase(tx: Transaction, subject: DataSubject): Promise<Removed>;
  /** The records of the person, for its export; undefined if there are none. */
  export?(subject: DataSubject): Promise<JsonObject | undefined>;
}

/** The personal data of a plugin, with its name. */
export interface OwnedPersonalData extends PersonalData {
  readonly plugin: string;
}

/** A phone number counts in any text, between other characters than digits. */
const PHONE = /^\+?(\d{6,})$/;

/** Tells whether a JSON text names the person: with a phone number or uuid anywhere, or with another id as a string in quotes that is not a key. */
export function mentionsOf({ contacts, conversations, ids }: Omit<DataSubject, 'number'>): (text: string) => boolean {
  const uuids = [...contacts, ...conversations];
  const names = ids.map((id) => {
    const [, digits] = PHONE.exec(id) ?? [];
    if (digits !== undefined) return new RegExp(`(?<!\\d)${digits}(?!\\d)`);
    const escaped = JSON.stringify(id).slice(1, -1).replace(/[^\w]/g, '\\$&');
    // In JSON that is a string in JSON, quotes have backslashes.
    return new RegExp(`["']${escaped}\\\\*["'](?!\\s*:)`);
  });
  return (text) => uuids.some((uuid) => text.includes(uuid)) || names.some((name) => name.test(text));
}
