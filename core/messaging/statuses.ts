import type { Ids } from '../ports/ids.js';
import { withFields } from '../ports/store.js';
import type { Transaction } from '../ports/transaction.js';
import { type ContactRecord, contacts as contactRecords } from './contact.js';
import type { Contacts } from './contacts.js';
import { advice, messageStatus } from './events.js';
import type { MessageRecord, StatusReport } from './message.js';
import type { MessageRecords } from './message-records.js';
import { otherSpellings } from './network-id.js';
import type { NumberRecord } from './number.js';
import type { RemoteIds } from './remote-ids.js';
import { currentStatus, type IncomingStatus, type PendingStatus, pendingStatuses } from './status.js';

/** The outcome of a status report. `held`: pending until its message has an external id. */
export type StatusOutcome = 'recorded' | 'repeated' | 'held' | 'unknown message' | 'other recipient';

/** Older reports of a message are dropped, except the current one. */
const MAX_STATUSES = 20;
/** Pending reports for one recipient; a message has up to four, and few messages are in flight at a time. */
const MAX_PENDING = 100;

/** Records status reports of the network and of connectors, in any order, and even before they have returned the message's id. */
export function createStatuses({
  ids,
  records,
  contacts,
  remoteIds,
}: {
  ids: Pick<Ids, 'uuid'>;
  records: MessageRecords;
  contacts: Pick<Contacts, 'current' | 'idsOf'>;
  remoteIds: Pick<RemoteIds, 'find'>;
}) {
  return {
    /**
     * Records a report on a sent message. A connector may report a status before its response with the message's id arrives: a report
     * with an unknown id is stored while another message to the same recipient is pending, and not longer.
     */
    async record(tx: Transaction, number: NumberRecord, report: IncomingStatus): Promise<StatusOutcome> {
      const outcome = await recordKnown(tx, number, report);
      if (outcome !== 'unknown message') return outcome;
      const { id, status, timestamp, errors } = report;
      const recipient = await pendingRecipient(tx, number, report.recipient);
      if (recipient === undefined) return outcome;
      const pending = await tx
        .in(pendingStatuses)
        .find('recipient', { equals: [number.uuid, recipient], order: 'descending', limit: MAX_PENDING });
      if (pending.length === MAX_PENDING) return outcome;
      const order = (pending[0]?.order ?? 0) + 1;
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

    /**
     * The id in the pending reports of the recipient, if all of them have the same, and can only be of this message: no other message to the
     * recipient is pending, or was interrupted. The id that the connector got with the message is of this message anyway.
     */
    async heldOnlyFor(tx: Transaction, number: NumberRecord, recipient: string, sentAs: string): Promise<string | undefined> {
      const held = await tx.in(pendingStatuses).find('recipient', { equals: [number.uuid, recipient] });
      if (held.some(({ id }) => id === sentAs)) return sentAs;
      const others = await records.in(tx).find('pending', { equals: [number.uuid, recipient], limit: 2 });
      const interrupted = await records.in(tx).find('interrupted', { equals: [number.uuid, recipient], limit: 1 });
      const [first, ...more] = new Set(held.map(({ id }) => id));
      return others.length + interrupted.length > 1 || more.length > 0 ? undefined : first;
    },

    /**
     * The message to the recipient that failed because each attempt was interrupted; undefined if there is none, or several.
     * @param uuid the only message that it can be, if known
     */
    async interruptedFor(tx: Transaction, number: NumberRecord, recipient: string, uuid?: string): Promise<MessageRecord | undefined> {
      const recipients = await idsOfRecipient(tx, number, recipient);
      if (uuid !== undefined) {
        const message = await records.in(tx).get(uuid);
        const isOf = message?.number === number.uuid && recipients.includes(message.interrupted_for ?? '');
        return isOf ? message : undefined;
      }
      const found = new Map<string, MessageRecord>();
      for (const id of recipients)
        for (const message of await records.in(tx).find('interrupted', { equals: [number.uuid, id], limit: 2 }))
          found.set(message.uuid, message);
      return found.size === 1 ? [...found.values()][0] : undefined;
    },

    /** Records a report on a message that the caller has read. @returns the changed message */
    report,

    /**
     * Records the pending reports of a message that now has its external id. If no message to the recipient is pending any more, the
     * remaining reports belong to no message: they are discarded with advice.
     */
    async release(
      tx: Transaction,
      number: NumberRecord,
      { external_id: externalId }: Pick<MessageRecord, 'external_id'>,
      recipient: string,
    ): Promise<void> {
      const pending = await tx.in(pendingStatuses).find('recipient', { equals: [number.uuid, recipient] });
      if (pending.length === 0) return;
      const isOver = !(await isPending(tx, number, recipient));
      for (const report of pending) {
        if (report.id === externalId) await recordKnown(tx, number, report);
        else if (isOver) adviseUnknownMessage(tx, number, report);
        else continue;
        tx.in(pendingStatuses).delete(report.uuid);
      }
    },
  };

  async function report(tx: Transaction, number: NumberRecord, message: MessageRecord, report: StatusReport): Promise<MessageRecord> {
    const current = currentStatus(message.statuses, report);
    const statuses = [...message.statuses, report].filter((one, i, all) => one === current || i >= all.length - MAX_STATUSES);
    const reported: MessageRecord = withFields(message, { statuses, status: current.status, status_timestamp: current.timestamp });
    await records.put(tx, reported);
    tx.emit(messageStatus, { number, message: reported, report, stands: current === report });
    return reported;
  }

  async function recordKnown(
    tx: Transaction,
    number: NumberRecord,
    { id, recipient, status, timestamp, errors }: IncomingStatus,
  ): Promise<StatusOutcome> {
    const message = (await records.in(tx).getBy('external', [number.uuid, 'outbound', id])) ?? (await remoteIds.find(tx, number.uuid, id));
    if (!message) return 'unknown message';
    if (message.to !== recipient && !(await isRecipient(tx, number, message, recipient))) return 'other recipient';
    if (message.statuses.some((known) => known.status === status && known.timestamp === timestamp)) return 'repeated';
    await report(tx, number, message, { status, timestamp, ...(errors && { errors: [...errors] }) });
    return 'recorded';
  }

  /** Whether a message went to the contact with this id or address, in any spelling. */
  async function isRecipient(tx: Transaction, number: NumberRecord, message: MessageRecord, recipient: string): Promise<boolean> {
    const spellings = [recipient, ...otherSpellings(number.kind, recipient)];
    if (spellings.includes(message.to)) return true;
    const contact = await tx.in(contactRecords).get(message.contact);
    if (contact && spellings.includes(contact.address)) return true;
    return (await contactNamed(tx, number, spellings))?.uuid === message.contact;
  }

  /** The recipient of a pending message as the message has it, from any id of the contact; undefined if no message is pending. */
  async function pendingRecipient(tx: Transaction, number: NumberRecord, recipient: string): Promise<string | undefined> {
    if (await isPending(tx, number, recipient)) return recipient;
    for (const id of await idsOfRecipient(tx, number, recipient)) if (await isPending(tx, number, id)) return id;
    return undefined;
  }

  /** The id, its other spellings, and all ids of its contact. */
  async function idsOfRecipient(tx: Transaction, number: NumberRecord, recipient: string): Promise<readonly string[]> {
    const spellings = [recipient, ...otherSpellings(number.kind, recipient)];
    const contact = await contactNamed(tx, number, spellings);
    return contact ? [...spellings, contact.address, ...(await contacts.idsOf(contact, tx))] : spellings;
  }

  async function contactNamed(tx: Transaction, number: NumberRecord, ids: readonly string[]): Promise<ContactRecord | undefined> {
    for (const id of ids) {
      const contact = await contacts.current(tx, number, id);
      if (contact) return contact;
    }
    return undefined;
  }

  async function isPending(tx: Transaction, number: NumberRecord, recipient: string): Promise<boolean> {
    return (await records.in(tx).find('pending', { equals: [number.uuid, recipient], limit: 1 })).length > 0;
  }

  function adviseUnknownMessage(tx: Transaction, number: NumberRecord, { status, id, recipient }: PendingStatus): void {
    tx.emit(advice, {
      name: 'status_without_message',
      number: number.uuid,
      message: `A '${status}' status was discarded: no response to a delivery to ${recipient} had its message id '${id}'.`,
      fix: 'Report statuses with the id that your webhook response returned in messages[0].id.',
    });
  }
}
