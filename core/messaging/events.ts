import { event } from '../ports/events.js';
import type { ContactRecord } from './contact.js';
import type { ConversationRecord } from './conversation.js';
import type { MessageRecord, StatusReport } from './message.js';
import type { NumberRecord } from './number.js';

export const numberCreated = event<{ number: NumberRecord }>('number.created', 'A number or channel exists.');

/** A message and everything its hearers usually need with it. */
export interface MessageHappened {
  readonly number: NumberRecord;
  readonly contact: ContactRecord;
  readonly conversation: ConversationRecord;
  readonly message: MessageRecord;
}

export const messageReceived = event<MessageHappened>('message.received', 'A contact sent a message, and it is recorded.');
export const messageSeen = event<{ number: NumberRecord; message: MessageRecord }>(
  'message.seen',
  'A message of a contact was marked as read here.',
);
export const messageQueued = event<MessageHappened>('message.queued', 'A message to a contact is recorded and on its way.');
export const messageAccepted = event<MessageHappened>(
  'message.accepted',
  'The other side took a message for delivery; it is known by its external id if it gave one.',
);
export const messageUndeliverable = event<{ number: NumberRecord; message: MessageRecord; reason: string }>(
  'message.undeliverable',
  'A message was given up before the other side took it.',
);
export const messageStatus = event<{ number: NumberRecord; message: MessageRecord; report: StatusReport; stands: boolean }>(
  'message.status',
  'A status of a sent message was reported; `stands` says whether it is now the status of the message.',
);
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
export const advice = event<Advice>('advice', 'Something is allowed but probably not meant.');
