import { event } from '../ports/events.js';
import type { ContactRecord } from './contact.js';
import type { ConversationRecord } from './conversation.js';
import type { MessageRecord, StatusReport } from './message.js';
import type { NumberRecord } from './number.js';

/** The events of numbers, contacts and messages, for listeners in the core and in plugins. Other folders declare the events of their own records. */

/** Announced for every new number and channel. */
export const numberCreated = event<{ number: NumberRecord }>('number.created', 'A number or channel exists.');

/** A message and everything its hearers usually need with it. */
export interface MessageHappened {
  readonly number: NumberRecord;
  readonly contact: ContactRecord;
  readonly conversation: ConversationRecord;
  readonly message: MessageRecord;
}

/** Announced once for each message of a contact: one that is repeated is not announced again. */
export const messageReceived = event<MessageHappened>('message.received', 'A contact sent a message, and it is recorded.');
/** Announced when somebody here has read what a contact wrote. */
export const messageSeen = event<{ number: NumberRecord; message: MessageRecord }>(
  'message.seen',
  'A message of a contact was marked as read here.',
);
/** Announced for every message to a contact, before its driver has it. */
export const messageQueued = event<MessageHappened>('message.queued', 'A message to a contact is recorded and on its way.');
/** Announced when the other side has taken a message; again when it takes it once more. */
export const messageAccepted = event<MessageHappened>(
  'message.accepted',
  'The other side took a message for delivery; it is known by its external id if it gave one.',
);
/** Announced when nobody took a message and nobody will. */
export const messageUndeliverable = event<{ number: NumberRecord; message: MessageRecord; reason: string }>(
  'message.undeliverable',
  'A message was given up before the other side took it; it has failed.',
);
/** Announced for every new report on a sent message, also for one that changes nothing. */
export const messageStatus = event<{ number: NumberRecord; message: MessageRecord; report: StatusReport; stands: boolean }>(
  'message.status',
  'A status of a sent message was reported; `stands` says whether it is now the status of the message.',
);
/** Announced when fields of a contact are written; `keys` names them. */
export const contactChanged = event<{ number: NumberRecord; contact: ContactRecord; keys: readonly string[] }>(
  'contact.changed',
  'Fields of a contact changed.',
);

/** Something is allowed but probably not meant; the sentence says what to do. */
export interface Advice {
  readonly name: string;
  readonly number?: string;
  readonly message: string;
  readonly fix: string;
  readonly about?: Readonly<Record<string, string>>;
}

/** Announced for each advice, as often as it is given. */
export const advice = event<Advice>('advice', 'Something is allowed but probably not meant.');
