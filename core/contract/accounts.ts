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
 * What a route shows to operators who are restricted to accounts. `none`: nothing of any account. `filtered`: the handler shows what belongs to
 * their accounts. An object: the records that the call may name, by the key in its path, query or body. Those of other accounts get 404; a
 * list that takes a `number` and names none is made of the lists of each number.
 */
export type AccountScope = 'none' | 'filtered' | Readonly<Record<string, OwnedRecord>>;

/** A record of a collection that declares its `tenant`, and what its 404 calls it: `ofRecord(letters, 'letter')`. */
// biome-ignore lint/suspicious/noExplicitAny: of any record type
export const ofRecord = (collection: CollectionType<any>, noun: string): OwnedRecord => ({ noun, in: collection });

/** A number that an admin call names. */
export const ofNumber = ofRecord(numbers, 'number');
/** A contact that an admin call names. */
export const ofContact = ofRecord(contacts, 'contact');
/** A contact that was merged that an admin call names. */
export const ofMergedContact = ofRecord(contactMerges, 'merged contact');
/** A conversation that an admin call names. */
export const ofConversation = ofRecord(conversations, 'conversation');
/** A webhook that an admin call names. */
export const ofWebhook = ofRecord(webhooks, 'webhook');
/** A message template that an admin call names. */
export const ofTemplate = ofRecord(templates, 'template');
/** A media file that an admin call names. */
export const ofMedium = ofRecord(mediaRecords, 'media file');
/** A message, by its uuid or its id outside that an admin call names. */
export const ofMessage: OwnedRecord = { noun: 'message', in: 'message' };
/** A delivery that an admin call names. */
export const ofDelivery: OwnedRecord = { noun: 'delivery', in: 'delivery' };
/** An account, by its name that an admin call names. */
export const ofAccount: OwnedRecord = { noun: 'account', in: 'account' };
