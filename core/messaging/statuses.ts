import type { Ids } from '../ports/ids.js';
import { withFields } from '../ports/store.js';
import type { Transaction } from '../ports/transaction.js';
import { advice, messageStatus } from './events.js';
import type { MessageRecord, StatusReport } from './message.js';
import type { MessageRecords } from './message-records.js';
import type { NumberRecord } from './number.js';
import { currentStatus, type IncomingStatus, type PendingStatus, pendingStatuses } from './status.js';

/** What became of a status report. */
export type StatusOutcome = 'recorded' | 'repeated' | 'held' | 'unknown message' | 'other recipient';

const STATUSES_KEPT = 20;
/** Reports held for one recipient; a message has four, and few are in flight at a time. */
const MAX_HELD = 100;

/** Records what the other side reports of messages, whatever the order in which it comes and even before it has named them. */
export function createStatuses({ ids, records }: { ids: Pick<Ids, 'uuid'>; records: MessageRecords }) {
  return {
    /**
     * Records a report on a sent message. A report on an unknown message is held while a message to the same recipient is
     * still unanswered for, as the other side may report before it has answered; it is never held for longer.
     */
    async record(tx: Transaction, number: NumberRecord, report: IncomingStatus): Promise<StatusOutcome> {
      const outcome = await recordKnown(tx, number, report);
      if (outcome !== 'unknown message') return outcome;
      const { id, recipient, status, timestamp, errors } = report;
      if (!(await isPending(tx, number, recipient))) return outcome;
      const held = await tx
        .in(pendingStatuses)
        .find('recipient', { equals: [number.uuid, recipient], order: 'descending', limit: MAX_HELD });
      if (held.length === MAX_HELD) return outcome;
      const order = (held[0]?.order ?? 0) + 1;
      tx.in(pendingStatuses).put({
        uuid: ids.uuid(),
        number: number.uuid,
        order,
        id,
        recipient,
        status,
        timestamp,
        ...(errors && { errors }),
      });
      return 'held';
    },

    /** Records a report on a message that is at hand. @returns the message as it is then */
    report,

    /**
     * Records what was held for a message that has its name now. When nothing to its recipient is pending any more, the rest
     * is about no message of ours.
     */
    async release(tx: Transaction, number: NumberRecord, { to: recipient, external_id: name }: MessageRecord): Promise<void> {
      const held = await tx.in(pendingStatuses).find('recipient', { equals: [number.uuid, recipient] });
      if (held.length === 0) return;
      const isOver = !(await isPending(tx, number, recipient));
      for (const report of held) {
        if (report.id === name) await recordKnown(tx, number, report);
        else if (isOver) adviseOrphan(tx, number, report);
        else continue;
        tx.in(pendingStatuses).delete(report.uuid);
      }
    },
  };

  async function report(tx: Transaction, number: NumberRecord, message: MessageRecord, report: StatusReport): Promise<MessageRecord> {
    const stands = currentStatus(message.statuses, report);
    const statuses = [...message.statuses, report].filter((one, i, all) => one === stands || i >= all.length - STATUSES_KEPT);
    const reported: MessageRecord = withFields(message, { statuses, status: stands.status, status_timestamp: stands.timestamp });
    await records.put(tx, reported);
    tx.emit(messageStatus, { number, message: reported, report, stands: stands === report });
    return reported;
  }

  async function recordKnown(
    tx: Transaction,
    number: NumberRecord,
    { id, recipient, status, timestamp, errors }: IncomingStatus,
  ): Promise<StatusOutcome> {
    const message = await records.in(tx).getBy('external', [number.uuid, 'outbound', id]);
    if (!message) return 'unknown message';
    if (message.to !== recipient) return 'other recipient';
    if (message.statuses.some((known) => known.status === status && known.timestamp === timestamp)) return 'repeated';
    await report(tx, number, message, { status, timestamp, ...(errors && { errors: [...errors] }) });
    return 'recorded';
  }

  async function isPending(tx: Transaction, number: NumberRecord, recipient: string): Promise<boolean> {
    return (await records.in(tx).find('pending', { equals: [number.uuid, recipient], limit: 1 })).length > 0;
  }

  function adviseOrphan(tx: Transaction, number: NumberRecord, { status, id, recipient }: PendingStatus): void {
    tx.emit(advice, {
      name: 'status_without_message',
      number: number.uuid,
      message: `A '${status}' status named a message '${id}' that no delivery to ${recipient} was answered with.`,
      fix: 'Report statuses with the id that the webhook response gave in messages[0].id.',
    });
  }
}
