import { isDeepStrictEqual } from 'node:util';
import { Conflict, NotFound, PlatformError } from '../errors.js';
import type { Clock } from '../ports/clock.js';
import type { Ids } from '../ports/ids.js';
import { withFields } from '../ports/store.js';
import type { Transaction } from '../ports/transaction.js';
import { withoutUndefined } from '../shape.js';
import { adviceOnce, issuedAdviceCollection } from './advice-once.js';
import { type ContactRecord, contacts as contactRecords } from './contact.js';
import type { Contacts } from './contacts.js';
import { type ConversationRecord, conversations as conversationRecords } from './conversation.js';
import type { Conversations } from './conversations.js';
import {
  advice,
  type MessageHappened,
  messageAccepted,
  messageQueued,
  messageReceived,
  messageSeen,
  messageUndeliverable,
} from './events.js';
import type { Author, Inbound, MessageContext, MessageRecord, NotificationError } from './message.js';
import type { MessageReader, MessageRecords } from './message-records.js';
import type { NumberRecord } from './number.js';
import { createStatuses } from './statuses.js';

/** The messages whose ids were used again, for which advice was issued. */
export const issuedAdvice = issuedAdviceCollection();

const MAX_LABELS = 100;

/** What is needed to record a message to a contact. */
export interface NewOutbound {
  readonly type: string;
  readonly content: MessageRecord['content'];
  readonly author: Author;
  readonly context?: MessageRecord['context'];
  readonly journey?: MessageRecord['journey'];
  readonly posted?: MessageRecord['posted'];
  readonly rendered?: string;
}

/** A message came in under the id of one from somebody else: taken for the same, it would be lost in silence. */
export class MessageIdTaken extends Conflict {
  /** The message that has the id. */
  readonly earlier: string;

  constructor({ id, from }: Inbound, earlier: MessageRecord) {
    super('message_id_taken', `The message from '${from}' has the id '${id}', which is that of an earlier one from '${earlier.from}'`);
    this.earlier = earlier.uuid;
  }
}

/** Records the messages of all numbers, and the statuses reported for them, in the caller's transaction. */
export type Messages = ReturnType<typeof createMessages>;

export function createMessages({
  records,
  ids,
  clock,
  contacts,
  conversations,
}: {
  records: MessageRecords;
  ids: Ids;
  clock: Clock;
  contacts: Contacts;
  conversations: Conversations;
}) {
  const { committed } = records;
  const reports = createStatuses({ ids, records });
  const once = adviceOnce(issuedAdvice, clock);

  return {
    get: (uuid: string): Promise<MessageRecord | undefined> => committed.get(uuid),

    /** A message as the transaction has it. */
    current: (tx: Transaction, uuid: string): Promise<MessageRecord | undefined> => records.in(tx).get(uuid),

    /** The message that the other side knows by this id. */
    known: (number: string, direction: MessageRecord['direction'], externalId: string): Promise<MessageRecord | undefined> =>
      committed.getBy('external', [number, direction, externalId]),

    /** The message that somebody names: by the id of the other side, in either direction, or by ours. */
    named: (number: NumberRecord, id: string): Promise<MessageRecord | undefined> => named(committed, number, id),

    /**
     * Records what a contact sent. A message whose id is known already changes nothing and is announced to nobody;
     * when it says something else than it did, advice tells of that.
     * @throws MessageIdTaken when the id is known as that of a message from somebody else
     */
    async received(tx: Transaction, number: NumberRecord, inbound: Inbound): Promise<{ message: MessageRecord; isDuplicate: boolean }> {
      const known = await records.in(tx).getBy('external', [number.uuid, 'inbound', inbound.id]);
      if (known) {
        const sender = await tx.in(contactRecords).getBy('id', [number.uuid, inbound.contact.id]);
        if (sender?.uuid !== known.contact) throw new MessageIdTaken(inbound, known);
        if (!isDuplicate(inbound, known)) await adviseOtherContent(tx, number, known);
        return { message: known, isDuplicate: true };
      }
      const contact = await contacts.meet(tx, number, { id: inbound.contact.id, address: inbound.from, name: inbound.contact.name });
      const conversation = await conversations.grow(tx, number, contact, 'inbound');
      const message: MessageRecord = placed(number, contact, conversation, {
        direction: 'inbound',
        external_id: inbound.id,
        from: inbound.from,
        to: number.address,
        timestamp: inbound.timestamp,
        type: inbound.type,
        content: inbound.content,
        author: { type: 'OWNER', id: contact.uuid, name: String(contact.fields.name ?? '') },
        ...(inbound.context && { context: await quoted(tx, number, inbound.context) }),
        ...(inbound.errors && { errors: [...inbound.errors] }),
      });
      await records.put(tx, message);
      tx.emit(messageReceived, { number, contact, conversation, message });
      return { message, isDuplicate: false };
    },

    /** Records a message to a contact. It is pending until the other side has answered for it. */
    async queued(tx: Transaction, number: NumberRecord, contact: ContactRecord, outbound: NewOutbound): Promise<MessageHappened> {
      const conversation = await conversations.grow(tx, number, contact, 'outbound');
      const message: MessageRecord = placed(
        number,
        contact,
        conversation,
        withFields(outbound, {
          direction: 'outbound',
          from: number.address,
          to: contact.address,
          timestamp: unixSeconds(clock.now()),
          pending_for: contact.address,
        }),
      );
      await records.put(tx, message);
      const happened = { number, contact, conversation, message };
      tx.emit(messageQueued, happened);
      return happened;
    },

    /** Somebody here has read what a contact wrote. @throws NotFound, PlatformError for a message that no contact wrote */
    async seen(tx: Transaction, number: NumberRecord, id: string): Promise<MessageRecord> {
      const message = await named(records.in(tx), number, id);
      if (!message) throw new NotFound('message', id);
      if (message.direction !== 'inbound') {
        throw new PlatformError(
          400,
          'not_inbound',
          'Only a message that a contact sent can be marked as read; this one was sent to a contact',
        );
      }
      const seen: MessageRecord = withFields(message, { read_at: message.read_at ?? clock.now().toISOString() });
      if (message.read_at === undefined) await records.put(tx, seen);
      await conversations.seen(tx, seen.conversation);
      tx.emit(messageSeen, { number, message: seen });
      return seen;
    },

    /** Puts labels on a message, each once. @throws Conflict when it would have too many */
    async label(tx: Transaction, uuid: string, labels: readonly string[]): Promise<void> {
      const message = await records.in(tx).get(uuid);
      if (!message) return;
      const all = [...new Set([...(message.labels ?? []), ...labels])];
      if (all.length > MAX_LABELS) throw new Conflict('too_many_labels', `A message has at most ${MAX_LABELS} labels`);
      await records.put(tx, { ...message, labels: all });
    },

    /** A message is on its way once more: it is pending again. That nobody took it before is over. */
    async repeated(tx: Transaction, uuid: string): Promise<void> {
      const message = await records.in(tx).get(uuid);
      if (!message) return;
      const { status: _, status_timestamp: _at, ...untaken } = message;
      const again = message.external_id === undefined ? { ...untaken, statuses: [] } : message;
      await records.put(tx, { ...again, pending_for: message.to });
    },

    /**
     * The other side took a message, and names it if it does; of several names the last counts. Reports that came before
     * the name are recorded now. Who has them at hand gives the contact and conversation, which saves looking them up.
     */
    async accepted(
      tx: Transaction,
      number: NumberRecord,
      uuid: string,
      externalId?: string,
      known?: Pick<MessageHappened, 'contact' | 'conversation'>,
    ): Promise<MessageRecord | undefined> {
      const message = await records.in(tx).get(uuid);
      if (!message) return undefined;
      const holder = externalId === undefined ? undefined : await records.in(tx).getBy('external', [number.uuid, 'outbound', externalId]);
      const isTaken = holder !== undefined && holder.uuid !== uuid;
      if (isTaken) adviseRepeatedId(tx, number, holder);
      const { pending_for: _, ...settled } = { ...message, ...(externalId !== undefined && !isTaken && { external_id: externalId }) };
      await records.put(tx, settled);
      const contact = known?.contact ?? (await tx.in(contactRecords).get(settled.contact));
      const conversation = known?.conversation ?? (await tx.in(conversationRecords).get(settled.conversation));
      if (contact && conversation) tx.emit(messageAccepted, { number, contact, conversation, message: settled });
      await reports.release(tx, number, settled);
      return settled;
    },

    /**
     * The other side did not take a message: it has `failed` (States, "Delivery status of a sent message"). One that it took
     * before was delivered all the same.
     */
    async undeliverable(tx: Transaction, number: NumberRecord, uuid: string, reason: string): Promise<void> {
      const message = await records.in(tx).get(uuid);
      if (!message?.pending_for) return;
      const { pending_for: _, ...settled } = message;
      if (settled.external_id === undefined) {
        const timestamp = unixSeconds(clock.now());
        const failed = await reports.report(tx, number, settled, { status: 'failed', timestamp, errors: [assertIdIsFree(reason)] });
        tx.emit(messageUndeliverable, { number, message: failed, reason });
      } else await records.put(tx, settled);
      await reports.release(tx, number, settled);
    },

    /** Records a report on a sent message. One on a message that the other side has still to name is held until it has. */
    status: reports.record,
  };

  /** Whose message it was, where whoever tells of the reply does not say. */
  async function quoted(tx: Transaction, { uuid: number }: NumberRecord, context: MessageContext): Promise<MessageContext> {
    const { id, from } = context;
    if (id === undefined || from !== undefined) return withoutUndefined(context);
    return withoutUndefined({ ...context, from: (await records.in(tx).getBy('external', [number, 'outbound', id]))?.from });
  }

  function placed<T extends object>(number: NumberRecord, contact: ContactRecord, conversation: ConversationRecord, said: T) {
    return {
      uuid: ids.uuid(),
      number: number.uuid,
      conversation: conversation.uuid,
      contact: contact.uuid,
      position: conversation.length,
      recorded_at: clock.now().toISOString(),
      statuses: [],
      ...said,
    };
  }

  function adviseOtherContent(tx: Transaction, number: NumberRecord, { uuid, from, external_id }: MessageRecord): Promise<void> {
    return once.say(tx, uuid, {
      name: 'inbound_id_repeated',
      number: number.uuid,
      message: `A message from '${from}' has the id '${external_id}' of an earlier one, and another content; it was taken for the same message, and is not kept.`,
      fix: 'Give every message an id of its own. Where a count begins again, put before it what does not: "<time of the start>:<count>".',
      about: { message: uuid },
    });
  }

  function adviseRepeatedId(tx: Transaction, number: NumberRecord, holder: MessageRecord): void {
    tx.emit(advice, {
      name: 'message_id_repeated',
      number: number.uuid,
      message: `The answer to a delivery named the message '${holder.external_id}', which is the id of an earlier message.`,
      fix: 'Answer every delivery with an id of its own, except a repeated delivery of the same message.',
      about: { message: holder.uuid },
    });
  }
}

/** Whether a message says what an earlier one did. Links to a file may be fresh ones, null is as good as nothing, and the time may be another. */
const isDuplicate = ({ type, content }: Inbound, earlier: MessageRecord): boolean =>
  type === earlier.type && isDeepStrictEqual(contentOf(content[type]), contentOf(earlier.content[type]));

const contentOf = (part: unknown): unknown =>
  typeof part === 'object' && part !== null && !Array.isArray(part)
    ? Object.fromEntries(Object.entries(part).filter(([name, value]) => name !== 'link' && value !== null))
    : part;

async function named(from: MessageReader, { uuid: number }: NumberRecord, id: string): Promise<MessageRecord | undefined> {
  const byOthers = (direction: MessageRecord['direction']) => from.getBy('external', [number, direction, id]);
  const message = (await byOthers('inbound')) ?? (await byOthers('outbound')) ?? (await from.get(id));
  return message?.number === number ? message : undefined;
}

/** Described here, as there is nowhere else. */
const assertIdIsFree = (details: string): NotificationError => ({
  code: 131026,
  title: 'Message undeliverable',
  details,
  href: 'https://posthorn.invalid/undeliverable',
});

/** Seconds since 1970 as text, as timestamps travel. */
export const unixSeconds = (moment: Date): string => String(Math.floor(moment.getTime() / 1000));
