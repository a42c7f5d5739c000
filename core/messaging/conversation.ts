import { collection } from '../ports/store.js';
import { anyText, fields, oneOf, type TypeOf, text, whole } from '../shape.js';

/** A conversation as it is kept. */
export const conversationSchema = fields(
  {
    uuid: text(),
    number: text(),
    contact: text(),
    /** The contact's address; of the network's contacts with a plus, as people write it. */
    owner: text(),
    state: oneOf('OPEN', 'CLOSED'),
    state_reason: anyText(),
    unread: whole(),
    /** How many messages it has had; the position of the last one. */
    length: whole(),
    created_at: text(),
    updated_at: text(),
  },
  {
    /** When the contact wrote, and when somebody here did. */
    first_inbound_at: text(),
    last_inbound_at: text(),
    last_outbound_at: text(),
    /** The people it was handed over to. */
    assigned_to: fields({ id: text(), name: text() }),
  },
);

/** The reserved fields of a contact that are seen from its messages, and written by nobody: null while nothing was. */
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
  unique: { contact: ['number', 'contact'] },
  indexes: { recent: ['number', 'updated_at', 'uuid'] },
});
