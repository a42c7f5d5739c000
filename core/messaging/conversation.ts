import { collection } from '../ports/store.js';
import { anyString, integer, named, object, oneOf, string, type TypeOf } from '../shape.js';

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

export const conversations = collection<ConversationRecord>({
  key: 'uuid',
  tenant: { number: 'number' },
  unique: { contact: ['number', 'contact'] },
  indexes: { recent: ['number', 'updated_at', 'uuid'] },
});
