import { isDeepStrictEqual } from 'node:util';
import type { Clock } from '../ports/clock.js';
import type { Transaction } from '../ports/transaction.js';
import { messageEdited } from './events.js';
import type { MessageRecord } from './message.js';
import type { MessageRecords } from './message-records.js';
import type { NumberRecord } from './number.js';

/** Edits of a message that are kept. */
const MAX_EDITS = 10;

/** The part of the message service that records edits. */
export const createEdits = ({ records, clock }: { records: MessageRecords; clock: Pick<Clock, 'now'> }) => ({
  /**
   * Records that a contact has edited a message: its new content, beside the first one, which webhooks and journeys got. Nothing for an unknown
   * message, or the same content.
   */
  async edited(tx: Transaction, number: NumberRecord, uuid: string, content: MessageRecord['content']): Promise<void> {
    const message = await records.in(tx).get(uuid);
    if (message?.number !== number.uuid || message.direction !== 'inbound') return;
    const { edits = [] } = message;
    if (isDeepStrictEqual(edits.at(-1)?.content ?? message.content, content)) return;
    const edited: MessageRecord = { ...message, edits: [...edits, { at: clock.now().toISOString(), content }].slice(-MAX_EDITS) };
    await records.put(tx, edited);
    tx.emit(messageEdited, { number, message: edited });
  },
});
