import { setImmediate as breathe } from 'node:timers/promises';
import type { MessageRecord } from '../messaging/message.js';
import type { MessageRecords } from '../messaging/message-records.js';
import type { Clock } from '../ports/clock.js';
import type { Database, Transaction } from '../ports/transaction.js';
import { type MessageCounts, messageCounts } from './message-count.js';

/** Younger messages still change, and a message may get a time before that of one that was counted. */
const COUNTED_AFTER_MS = 60 * 60 * 1000;
const PAGE = 500;

const dayOf = ({ recorded_at: at }: Pick<MessageRecord, 'recorded_at'>): string => at.slice(0, 10);

/** The size of a message: that of its JSON, with long texts that it shares with other messages. */
export const sizeOf = (message: MessageRecord): number => Buffer.byteLength(JSON.stringify(message));

/** Counts messages in the background, each once. The counts are kept, because counting at each start would read all messages. */
export function createMessageCounts({
  store,
  records,
  clock,
}: {
  readonly store: Database;
  readonly records: Pick<MessageRecords, 'committed'>;
  readonly clock: Pick<Clock, 'now'>;
}) {
  return {
    of: (number: string): Promise<MessageCounts | undefined> => store.open(messageCounts).get(number),

    /** Counts the messages of a number that were not counted yet. */
    async update(number: string, isStopped: () => boolean): Promise<void> {
      const before = [new Date(clock.now().getTime() - COUNTED_AFTER_MS).toISOString()];
      for (;;) {
        const through = (await store.open(messageCounts).get(number))?.through;
        const page = await records.committed.find('age', { equals: [number], before, limit: PAGE, ...(through && { after: through }) });
        if (page.length === 0 || isStopped()) return;
        await store.transaction(async (tx) => {
          const counted = await tx.in(messageCounts).get(number);
          if (counted?.through[1] === through?.[1]) tx.in(messageCounts).put(changed(number, counted, page, 1));
        });
        await breathe();
      }
    },

    /** Call in the transaction that deletes messages of a number. */
    async removed(tx: Transaction, number: string, removed: readonly MessageRecord[]): Promise<void> {
      const counted = await tx.in(messageCounts).get(number);
      if (!counted) return;
      const known = removed.filter(({ recorded_at: at, uuid }) => !isAfter([at, uuid], counted.through));
      tx.in(messageCounts).put(changed(number, counted, known, -1));
    },
  };
}

function changed(number: string, before: MessageCounts | undefined, messages: readonly MessageRecord[], by: 1 | -1): MessageCounts {
  const days: Record<string, readonly [number, number]> = { ...before?.days };
  for (const message of messages) {
    const day = dayOf(message);
    const [count, bytes] = days[day] ?? [0, 0];
    // A message may have grown since it was counted.
    days[day] = [Math.max(0, count + by), Math.max(0, bytes + by * sizeOf(message))];
    if (days[day][0] === 0) delete days[day];
  }
  const last = messages.at(-1);
  return { number, through: by === 1 ? [last!.recorded_at, last!.uuid] : before!.through, days };
}

const isAfter = (a: readonly [string, string], b: readonly [string, string]): boolean => a[0] > b[0] || (a[0] === b[0] && a[1] > b[1]);
