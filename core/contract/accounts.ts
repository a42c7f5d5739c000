import { webhooks } from '../delivery/webhook.js';
import { contacts } from '../messaging/contact.js';
import { contactMerges } from '../messaging/contact-merge.js';
import { conversations } from '../messaging/conversation.js';
import { mediaRecords } from '../messaging/medium.js';
import { numbers } from '../messaging/number.js';
import { templates } from '../messaging/template.js';
import type { CollectionType } from '../ports/store.js';

/** A record that a call names by its id, and which belongs to a number or an account. */
export interface OwnedRecord {
  /** As the 404 of an unknown one calls it: operators of other accounts get the same. */
  readonly noun: string;
  /** Its collection, whose `tenant` tells the number or account; `message` and `delivery` are in several, and `account` is a name. */
  // biome-ignore lint/suspicious/noExplicitAny: of any record type
  readonly in: CollectionType<any> | 'message' | 'delivery' | 'account';
  /** Whether a list that names it shows records of its number only; true if not given. */
  readonly selects?: false;
}

/**
 * The data that a route shows to operators who are restricted to accounts. `none`: nothing of any account. `filtered`: the handler shows what belongs to
 * their accounts. An object: the records that the call may name, by the key in its path, query or body. Those of other accounts get 404; a
 * list that takes a `number` and names none is made of the lists of each number.
 */
export type AccountScope = 'none' | 'filtered' | Readonly<Record<string, OwnedRecord>>;

// biome-ignore lint/suspicious/noExplicitAny: of any record type
const record = (collection: CollectionType<any>, noun: string): OwnedRecord => ({ noun, in: collection });

/**
 * The records that admin calls name, for `accounts` of a route: `{ uuid: owned.number }`. `owned.record(letters, 'letter')` is a record of a
 * collection of a plugin that declares its `tenant`, and what its 404 calls it.
 */
export const owned = {
  record,
  number: record(numbers, 'number'),
  contact: record(contacts, 'contact'),
  mergedContact: record(contactMerges, 'merged contact'),
  conversation: record(conversations, 'conversation'),
  webhook: record(webhooks, 'webhook'),
  template: record(templates, 'template'),
  medium: record(mediaRecords, 'media file'),
  /** By its uuid, or its id outside. */
  message: { noun: 'message', in: 'message' },
  delivery: { noun: 'delivery', in: 'delivery' },
  /** By its name. */
  account: { noun: 'account', in: 'account' },
} as const satisfies Readonly<Record<string, OwnedRecord | typeof record>>;
