import type { HeldNumbers } from '../memory/history.js';
import { conversations } from '../messaging/conversation.js';
import { messagesExpired } from '../messaging/events.js';
import type { MessageRecord } from '../messaging/message.js';
import type { MessageRecords } from '../messaging/message-records.js';
import type { Database, Transaction } from '../ports/transaction.js';
import { type createMessageCounts, sizeOf } from './message-counts.js';
import type { MessageDeliveries } from './retention.js';

/** Where the deletion of the oldest messages of a number continues. */
export type Cursor = readonly [recordedAt: string, uuid: string];

/** The next messages of a number to delete. */
export interface Due {
  readonly number: string;
  readonly reason: 'age' | 'bytes';
  /** The time up to which messages are deleted. */
  readonly until: string;
  readonly after: Cursor | undefined;
  /** Bytes after which the batch ends; unlimited if not given. */
  readonly bytes?: number;
}

export interface Expired {
  readonly messages: number;
  readonly bytes: number;
  /** The last message that was looked at; undefined if there was none. */
  readonly last: Cursor | undefined;
}

/** Messages that one transaction deletes, at most. */
const BATCH = 400;

interface ExpiryParts {
  readonly store: Database;
  readonly records: MessageRecords;
  readonly deliveries: MessageDeliveries;
  readonly counts: ReturnType<typeof createMessageCounts>;
  readonly holds: HeldNumbers;
  /** Whether unsettled work of a plugin needs a message. */
  readonly needsMessage: (tx: Transaction, message: MessageRecord) => Promise<boolean>;
}

/**
 * Deletes the oldest messages of a number with what belongs to them, in one transaction: their long texts, their settled deliveries, and records of
 * plugins. Messages that unsettled work needs, and those of an account on hold, remain.
 */
export const createMessageExpiry =
  ({ store, records, deliveries, counts, holds, needsMessage }: ExpiryParts) =>
  async ({ number, reason, until, after, bytes = Number.POSITIVE_INFINITY }: Due): Promise<Expired> => {
    const range = { equals: [number], to: [until], limit: BATCH, ...(after && { after }) };
    const page = upTo(bytes, await records.committed.find('age', range));
    const last = page.at(-1);
    if (!last) return { messages: 0, bytes: 0, last: undefined };
    const known = await deliveries.of(page.map(({ uuid }) => uuid));
    const deleted = await store.transaction(async (tx) => {
      const gone: MessageRecord[] = [];
      if (await holds.isHeld(tx, number)) return gone;
      for (const { uuid } of page) {
        const message = await records.in(tx).get(uuid);
        if (!message || message.pending_for !== undefined || (await needsMessage(tx, message))) continue;
        if (!(await deliveries.delete(tx, known.get(uuid) ?? []))) continue;
        await records.delete(tx, uuid);
        gone.push(message);
      }
      if (gone.length === 0) return gone;
      await forgetUnread(tx, gone);
      await counts.removed(tx, number, gone);
      tx.emit(messagesExpired, { number, reason, messages: gone.map(({ uuid }) => uuid) });
      return gone;
    });
    const size = deleted.reduce((sum, message) => sum + sizeOf(message), 0);
    return { messages: deleted.length, bytes: size, last: [last.recorded_at, last.uuid] };
  };

/** The first messages that have this many bytes together. */
function upTo(bytes: number, page: readonly MessageRecord[]): readonly MessageRecord[] {
  const first: MessageRecord[] = [];
  let sum = 0;
  for (const message of page) {
    if (sum >= bytes) break;
    first.push(message);
    sum += sizeOf(message);
  }
  return first;
}

/** A conversation has at most as many unread messages as it has messages after those that were deleted. */
async function forgetUnread(tx: Transaction, deleted: readonly MessageRecord[]): Promise<void> {
  const through = new Map<string, number>();
  for (const { conversation, position } of deleted) through.set(conversation, Math.max(position, through.get(conversation) ?? 0));
  for (const [uuid, position] of through) {
    const conversation = await tx.in(conversations).get(uuid);
    if (!conversation) continue;
    const unread = Math.min(conversation.unread, Math.max(0, conversation.length - position));
    if (unread < conversation.unread) tx.in(conversations).put({ ...conversation, unread });
  }
}
