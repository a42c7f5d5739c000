import { event } from '../ports/events.js';
import type { AccountRecord } from './account.js';
import type { BlockedBy, ContactRecord } from './contact.js';
import type { MergedBy } from './contact-merge.js';
import type { ConversationRecord } from './conversation.js';
import type { MessageRecord, StatusReport } from './message.js';
import type { NumberRecord } from './number.js';

/**
 * The events of numbers, contacts and messages, for listeners in the core and in plugins. Other folders declare the events of their own
 * records.
 */

/** Emitted for every new number and channel. */
export const numberCreated = event<{ number: NumberRecord }>('number.created', 'A number or channel was created.');

/** A message with the records that listeners usually need. */
export interface MessageHappened {
  readonly number: NumberRecord;
  readonly contact: ContactRecord;
  readonly conversation: ConversationRecord;
  readonly message: MessageRecord;
}

/** Emitted for each message from a contact, except duplicates. */
export const messageReceived = event<MessageHappened>('message.received', 'A message from a contact was recorded.');
/** Emitted when the webhook that had claimed a message leaves it to the journeys. */
export const messageHandedBack = event<{ number: NumberRecord; message: MessageRecord }>(
  'message.handed_back',
  'A webhook that had claimed a message from a contact left it to the journeys.',
);
/** Emitted when a message of a contact is marked as read. */
export const messageSeen = event<{ number: NumberRecord; message: MessageRecord; typing?: true }>(
  'message.seen',
  'A message from a contact was marked as read; `typing` is true if the contact then sees the typing indicator.',
);
/** Emitted for every message to a contact, before its driver receives it. */
export const messageQueued = event<MessageHappened>('message.queued', 'A message to a contact was recorded and is being sent.');
/** Emitted when the network or connector accepts a message, and again when it accepts a redelivery of the message. */
export const messageAccepted = event<MessageHappened>(
  'message.accepted',
  'The network or connector accepted a message; `external_id` is its id for it, if it returned one.',
);
/** Emitted when a message failed permanently before the network or connector accepted it. */
export const messageUndeliverable = event<{ number: NumberRecord; message: MessageRecord; reason: string }>(
  'message.undeliverable',
  'A message failed before the network or connector accepted it.',
);
/** Emitted for every new status report, even if it does not change the message's status. */
export const messageStatus = event<{ number: NumberRecord; message: MessageRecord; report: StatusReport; stands: boolean }>(
  'message.status',
  'A status of a sent message was reported; `stands` is true if it is now the current status.',
);
/**
 * Emitted with the transaction that deletes messages because they are too old, or too large together, or because their contact is erased; for the
 * records that belong to them.
 */
export const messagesExpired = event<{ number: string; reason: 'age' | 'bytes' | 'erased'; messages: readonly string[] }>(
  'messages.expired',
  'Messages of a number were deleted because of their age or size, or because their contact was erased, with everything that belongs to them.',
);
/** Emitted when the hold or the limits of an account change. */
export const accountChanged = event<{ account: AccountRecord }>(
  'account.changed',
  'The hold of an account, or how long it keeps messages, was changed.',
);
/** Emitted when fields of a contact are written; `keys` names them. */
export const contactChanged = event<{ number: NumberRecord; contact: ContactRecord; keys: readonly string[] }>(
  'contact.changed',
  'Fields of a contact changed.',
);

/** A side has blocked messages to a contact, or no longer blocks them. */
interface ContactBlock {
  readonly number: NumberRecord;
  readonly contact: ContactRecord;
  readonly by: BlockedBy;
  readonly reason: string;
}
/** A contact types, or has stopped; on channels that tell. Announced, not stored. The uuids of number, contact and conversation. */
export const contactTyping = event<{
  readonly number: string;
  readonly contact: string;
  readonly conversation: string;
  readonly on: boolean;
}>(
  'typing.contact',
  'A contact is writing a message, or has stopped; `on` says which. A client hides it after some seconds without another event.',
);
/** Emitted when a contact has edited a message: `message.edits` has the new content. */
export const messageEdited = event<{ readonly number: NumberRecord; readonly message: MessageRecord }>(
  'message.edited',
  'A contact has edited a message.',
);

/** Emitted when a contact is blocked by a side that had not blocked it. */
export const contactBlocked = event<ContactBlock>('contact.blocked', 'Messages to a contact were blocked; `by` and `reason` say why.');
/** Emitted when a block of a contact is lifted; `reason` is that of the block. */
export const contactUnblocked = event<ContactBlock>(
  'contact.unblocked',
  'A block of messages to a contact was lifted; `reason` is that of the block. Another one may remain.',
);

/** The records that a merge or a split of contacts has moved, with all their messages. */
interface ContactsMoved {
  readonly number: NumberRecord;
  /** The contact that other records refer to after a merge, and before a split. */
  readonly contact: ContactRecord;
  /** The uuid of its conversation; null if neither contact had messages. */
  readonly conversation: string | null;
  /** The uuids of the messages that moved to the other contact. */
  readonly messages: readonly string[];
}

/** Two contacts were merged: `merged` no longer exists. */
export interface ContactMerged extends ContactsMoved {
  readonly merged: ContactRecord;
  readonly merged_conversation: string | null;
  readonly by: MergedBy;
}

/** A merge was undone: `split` exists again. */
export interface ContactSplit extends ContactsMoved {
  readonly split: ContactRecord;
  readonly split_conversation: string | null;
}

const withoutMessages = <T extends ContactsMoved>({ messages: _, ...shown }: T) => shown;

/** Emitted when two contacts turn out to be one person. Listeners move their records of `merged` to `contact`. */
export const contactMerged = event<ContactMerged>('contact.merged', 'Two contacts turned out to be one person and were merged.', {
  shows: withoutMessages,
});
/** Emitted when a merge is undone. Listeners move the records that they had moved for it back. */
export const contactSplit = event<ContactSplit>('contact.split', 'A merge of two contacts was undone.', { shows: withoutMessages });

/** Advice on a probable mistake: `message` is what happened and why, `fix` is what to do. */
export interface Advice {
  readonly name: string;
  readonly number?: string;
  readonly message: string;
  readonly fix: string;
  readonly about?: Readonly<Record<string, string>>;
  /** The cause, if it was recognized as the same on each occurrence; `advice.dismissed` names it when it was fixed. */
  readonly cause?: string;
  /** Of its alert, whose text then has `fix`, which must name no contact. An alert without it is `info`, and has neither text. */
  readonly severity?: 'warning' | 'critical';
}

/** Emitted whenever advice is issued. */
export const advice = event<Advice>('advice', 'Something is allowed but probably a mistake; `fix` says what to do.');

/** An operator dismissed advice, which then has an `id`, or its cause was fixed. It is issued again if the cause recurs. */
export const adviceDismissed = event<{ readonly id?: string; readonly cause?: string }>(
  'advice.dismissed',
  'Advice was dismissed, or its cause was fixed.',
);
