import { collection } from '../ports/store.js';
import { anyString, integer, named, object, oneOf, string, type TypeOf, withoutUndefined } from '../shape.js';
import type { ContactRecord } from './contact.js';
import { isNote, type MessageRecord } from './message.js';
import { networkAddress } from './network-id.js';
import type { NumberRecord } from './number.js';

export const conversationSchema = named(
  'Conversation',
  object(
    {
      uuid: string(),
      number: string(),
      contact: string(),
      /** The contact's address; for contacts of the network with a leading plus. */
      owner: string(),
      state: oneOf('OPEN', 'CLOSED'),
      state_reason: anyString(),
      unread: integer(),
      /** Number of messages so far, which is the position of the last one. */
      length: integer(),
      created_at: string(),
      updated_at: string(),
    },
    {
      /** Times of the contact's messages, and of the last message to the contact. */
      first_inbound_at: string(),
      last_inbound_at: string(),
      last_outbound_at: string(),
      /** The queue of operators to which the conversation was handed over. */
      assigned_to: object({ id: string(), name: string() }),
    },
  ),
);

/** The read-only reserved fields of a contact, derived from its messages; null before there are any. */
export const observedFields = (
  conversation: Pick<ConversationRecord, 'first_inbound_at' | 'last_inbound_at' | 'last_outbound_at'> | undefined,
) => ({
  first_message_received_at: conversation?.first_inbound_at ?? null,
  last_message_received_at: conversation?.last_inbound_at ?? null,
  last_message_sent_at: conversation?.last_outbound_at ?? null,
  last_seen_at: conversation?.last_inbound_at ?? null,
});

/** All messages between a number and a contact. */
export type ConversationRecord = TypeOf<typeof conversationSchema>;

/** Adds the fields that are derived from the messages of a conversation. */
export const withObservedFields = (contact: ContactRecord, conversation: ConversationRecord | undefined): ContactRecord => ({
  ...contact,
  fields: { ...contact.fields, ...observedFields(conversation) },
});

export const conversations = collection<ConversationRecord>({
  key: 'uuid',
  tenant: { number: 'number' },
  unique: { contact: ['number', 'contact'] },
  indexes: { recent: ['number', 'updated_at', 'uuid'] },
  cold: { after: 24 * 60 * 60 * 1000 },
});

/** The contact's address as a conversation has it: phone numbers of the network with a leading plus. */
export const ownerOf = ({ kind }: NumberRecord, { address }: ContactRecord): string =>
  kind === 'channel' ? address : (networkAddress(address) ?? address);

/** One conversation out of two, with the state and the queue of the one that changed last. */
export function joinedTimes(a: ConversationRecord, b: ConversationRecord): ConversationRecord {
  const newest = (x: string | undefined, y: string | undefined) => (x !== undefined && (y === undefined || x > y) ? x : y);
  const oldest = (x: string | undefined, y: string | undefined) => (x !== undefined && (y === undefined || x < y) ? x : y);
  return withoutUndefined({
    ...(a.updated_at < b.updated_at ? b : a),
    state: a.state === 'OPEN' ? a.state : b.state,
    created_at: oldest(a.created_at, b.created_at)!,
    first_inbound_at: oldest(a.first_inbound_at, b.first_inbound_at),
    last_inbound_at: newest(a.last_inbound_at, b.last_inbound_at),
    last_outbound_at: newest(a.last_outbound_at, b.last_outbound_at),
  });
}

/** The times of a conversation with these messages, which are in their order. Notes do not count. */
export function timesOf(messages: readonly Pick<MessageRecord, 'direction' | 'type' | 'recorded_at'>[]) {
  const inbound = messages.filter(({ direction }) => direction === 'inbound');
  return {
    first_inbound_at: inbound[0]?.recorded_at,
    last_inbound_at: inbound.at(-1)?.recorded_at,
    last_outbound_at: messages.findLast((message) => message.direction === 'outbound' && !isNote(message))?.recorded_at,
  };
}
