import { NotFound } from '../errors.js';
import type { Clock } from '../ports/clock.js';
import type { Ids } from '../ports/ids.js';
import { promiseOf, type Steps, wait } from '../ports/steps.js';
import { peekBy, withFields } from '../ports/store.js';
import type { Database, Transaction } from '../ports/transaction.js';
import type { ContactRecord } from './contact.js';
import { contactMerges } from './contact-merge.js';
import { type ConversationRecord, conversations, ownerOf } from './conversation.js';
import type { MessageRecord } from './message.js';
import type { MessageRecords } from './message-records.js';
import type { NumberRecord } from './number.js';

/** The conversation service. */
export type Conversations = ReturnType<typeof createConversations>;

interface ConversationsPorts {
  readonly store: Database;
  readonly records: Pick<MessageRecords, 'committed'>;
  readonly ids: Ids;
  readonly clock: Clock;
}

export function createConversations({ store, records: { committed }, ids, clock }: ConversationsPorts) {
  const records = store.open(conversations);

  return {
    /** Lists the conversations of a number, most recent first; with `before`, those that changed before this time. */
    list: (number: string, limit: number, before?: string): Promise<ConversationRecord[]> =>
      records.find('recent', { equals: [number], order: 'descending', limit, ...(before !== undefined && { before: [before] }) }),

    /** The conversation with this uuid, also if its contact was merged into another one since. @throws NotFound */
    async require(uuid: string): Promise<ConversationRecord> {
      const conversation = (await records.get(uuid)) ?? (await successor(uuid));
      if (!conversation) throw new NotFound('conversation', uuid);
      return conversation;
    },

    /** The conversation with a contact; undefined before the first message. */
    ofContact: (number: string, contact: string): Promise<ConversationRecord | undefined> => records.getBy('contact', [number, contact]),

    /** Sets the unread count to zero. */
    async markRead(tx: Transaction, uuid: string): Promise<void> {
      const conversation = await tx.in(conversations).get(uuid);
      if (conversation && conversation.unread > 0) tx.in(conversations).put({ ...conversation, unread: 0 });
    },

    /** Hands a conversation over to operators, optionally to those of a queue. Does nothing before the first message. */
    async handOver(
      tx: Transaction,
      number: string,
      contact: string,
      { queue, reason }: { queue: string | null; reason: string },
    ): Promise<void> {
      const conversation = await tx.in(conversations).getBy('contact', [number, contact]);
      if (!conversation) return;
      const { assigned_to: _, ...rest } = conversation;
      const assigned = queue === null ? {} : { assigned_to: { id: queue, name: queue } };
      tx.in(conversations).put({ ...rest, ...assigned, state: 'OPEN', state_reason: reason, updated_at: clock.now().toISOString() });
    },

    /** Lists the newest messages of a conversation, newest first; with `before`, the newest before this position. */
    newest: (conversation: string, limit: number, before?: number): Promise<MessageRecord[]> =>
      committed.find('conversation', {
        equals: [conversation],
        order: 'descending',
        limit,
        ...(before !== undefined && { before: [before] }),
      }),

    /** Lists the oldest messages of a conversation after this position, oldest first. */
    after: (conversation: string, position: number, limit: number): Promise<MessageRecord[]> =>
      committed.find('conversation', { equals: [conversation], after: [position], limit }),

    /** Increments the message count. Creates a missing conversation, and reopens a closed one. */
    addMessage: (
      tx: Transaction,
      number: NumberRecord,
      contact: ContactRecord,
      direction: MessageRecord['direction'],
    ): Promise<ConversationRecord> => promiseOf(addMessage(tx, number, contact, direction)),

    /** Methods of the same names for work in steps. */
    inSteps: { addMessage },
  };

  function* addMessage(
    tx: Transaction,
    number: NumberRecord,
    contact: ContactRecord,
    direction: MessageRecord['direction'],
  ): Steps<ConversationRecord> {
    const now = clock.now().toISOString();
    const known = yield* wait(peekBy(tx, conversations, 'contact', [number.uuid, contact.uuid]));
    const before: ConversationRecord = known ?? {
      uuid: ids.uuid(),
      number: number.uuid,
      contact: contact.uuid,
      owner: ownerOf(number, contact),
      state: 'CLOSED',
      state_reason: '',
      unread: 0,
      length: 0,
      created_at: now,
      updated_at: now,
    };
    const changes = {
      state: 'OPEN' as const,
      state_reason: before.state === 'OPEN' ? before.state_reason : `${known ? 'Re-opened' : 'Opened'} by ${direction} message.`,
      owner: ownerOf(number, contact),
      unread: direction === 'inbound' ? before.unread + 1 : 0,
      length: before.length + 1,
      updated_at: now,
      ...(direction === 'inbound' ? { first_inbound_at: before.first_inbound_at ?? now, last_inbound_at: now } : { last_outbound_at: now }),
    };
    // Frozen, because the next message of the conversation reads it.
    const updated: ConversationRecord = Object.freeze(withFields(before, changes));
    tx.in(conversations).put(updated);
    return updated;
  }

  /** The conversation of the contact into which the contact of a conversation was merged. */
  async function successor(uuid: string): Promise<ConversationRecord | undefined> {
    const merges = store.open(contactMerges);
    for (let merge = await merges.getBy('conversation', [uuid]); merge; merge = await merges.get(merge.into)) {
      const conversation = await records.getBy('contact', [merge.number, merge.into]);
      if (conversation) return conversation;
    }
    return undefined;
  }
}
