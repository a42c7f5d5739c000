import { Conflict, NotFound, PlatformError } from '../errors.js';
import type { Clock } from '../ports/clock.js';
import type { Ids } from '../ports/ids.js';
import { promiseOf, type Steps, wait } from '../ports/steps.js';
import { peek, peekBy, withFields } from '../ports/store.js';
import type { Transaction } from '../ports/transaction.js';
import { withoutUndefined } from '../shape.js';
import { adviceOnce, issuedAdviceCollection } from './advice-once.js';
import { type ContactRecord, contacts as contactRecords } from './contact.js';
import type { Contacts } from './contacts.js';
import { type ConversationRecord, conversations as conversationRecords } from './conversation.js';
import type { Conversations } from './conversations.js';
import { createEdits } from './edits.js';
import { type MessageHappened, messageAccepted, messageQueued, messageReceived, messageSeen, messageUndeliverable } from './events.js';
import {
  type Author,
  checkChannelData,
  type Inbound,
  type MessageContext,
  type MessageRecord,
  messages as messageRecords,
  type NotificationError,
  undeliverableError,
} from './message.js';
import { type BeforeReceive, type OwnedHook, receivingHooks } from './message-hooks.js';
import type { MessageReader, MessageRecords } from './message-records.js';
import type { NumberRecord } from './number.js';
import { createRemoteIds } from './remote-ids.js';
import { adviseOtherContent, adviseRepeatedId, hasSameContent, MessageIdTaken } from './repeated-ids.js';
import type { IncomingStatus } from './status.js';
import { createStatuses, type StatusOutcome } from './statuses.js';

/** Messages whose ids were reused, for which advice was issued. */
export const issuedAdvice = issuedAdviceCollection();

const MAX_LABELS = 100;

/** The input for a message to a contact. */
export interface NewOutbound {
  readonly type: string;
  readonly content: MessageRecord['content'];
  readonly author: Author;
  readonly context?: MessageRecord['context'];
  readonly journey?: MessageRecord['journey'];
  readonly posted?: MessageRecord['posted'];
  readonly rewritten_by?: MessageRecord['rewritten_by'];
  readonly rendered?: string;
}

/** The message service: records messages, and the statuses reported for them, in the caller's transaction. */
export type Messages = ReturnType<typeof createMessages>;

export function createMessages({
  records,
  ids,
  clock,
  contacts,
  conversations,
  hooks = () => [],
  unblocksOnMessage = () => false,
}: {
  records: MessageRecords;
  ids: Ids;
  clock: Clock;
  contacts: Contacts;
  conversations: Conversations;
  hooks?: () => readonly OwnedHook<BeforeReceive>[];
  /** Whether a message of a contact lifts its own block, on numbers of this type. */
  unblocksOnMessage?: (type: string) => boolean;
}) {
  const { committed } = records;
  const remoteIds = createRemoteIds({ records });
  const reports = createStatuses({ ids, records, contacts, remoteIds });
  const once = adviceOnce(issuedAdvice, clock);

  return {
    /** The message with this uuid, as it is stored durably; undefined if there is none. */
    get: (uuid: string): Promise<MessageRecord | undefined> => committed.get(uuid),

    /** Returns a message, including changes made in this transaction. */
    current: (tx: Transaction, uuid: string): Promise<MessageRecord | undefined> => records.in(tx).get(uuid),

    /** Finds a message by the id that the network or connector gave it. */
    known: (number: string, direction: MessageRecord['direction'], externalId: string): Promise<MessageRecord | undefined> =>
      committed.getBy('external', [number, direction, externalId]),

    /**
     * Gives a message to a contact a further id of the service, such as that of a part of a long text, or of a second send: `status` finds the
     * message by it. Statuses that arrived before are recorded now; so call it before `accepted`. An id that an earlier message of the number
     * has remains with that one, with advice. Nothing for a message that is gone.
     */
    async addRemoteId(tx: Transaction, number: NumberRecord, uuid: string, id: string): Promise<void> {
      const message = await records.in(tx).get(uuid);
      if (!message) return;
      const holder = await remoteIds.find(tx, number.uuid, id);
      if (holder && holder.uuid !== uuid) return adviseRepeatedId(tx, number, { ...holder, external_id: id });
      await remoteIds.add(tx, message, id);
      await reports.release(tx, number, { external_id: id }, message.pending_for ?? message.to);
    },

    /** Finds the message to a contact with this further id of the service. Without `tx`, as it is stored durably. */
    byRemoteId: (tx: Transaction | undefined, number: string, id: string): Promise<MessageRecord | undefined> =>
      remoteIds.find(tx, number, id),

    /** The further ids of a message, in the order in which they were added. */
    remoteIdsOf: (uuid: string, tx?: Transaction): Promise<string[]> => remoteIds.of(uuid, tx),

    /** Finds a message of a number, in either direction, by its external id or its uuid. */
    find: (number: NumberRecord, id: string): Promise<MessageRecord | undefined> => find(committed, number, id),

    /**
     * Records a message from a contact. A message with the id of an earlier message is a duplicate: it changes nothing and emits no
     * `message.received`. If the content of a duplicate differs, advice is issued.
     * A message lifts a block of its contact by the network, and one by the contact if the driver says so. Its `parts` are recorded after it,
     * each with its own `message.received`.
     * @throws MessageIdTaken when the earlier message is from another contact, PlatformError when a plugin refuses the message, TypeError when
     *   `channel` is too large
     */
    received: (tx: Transaction, number: NumberRecord, reported: Inbound): Promise<{ message: MessageRecord; isDuplicate: boolean }> =>
      promiseOf(received(tx, number, reported)),

    /** Methods of the same names for work in steps, which waits only for what is not in memory. */
    inSteps: { received },

    /** Records a message to a contact. It is pending until `accepted` or `undeliverable`. */
    async queued(tx: Transaction, number: NumberRecord, recipient: ContactRecord, outbound: NewOutbound): Promise<MessageHappened> {
      const contact = (await peek(tx, contactRecords, recipient.uuid)) ? recipient : await contacts.latest(tx, recipient);
      const conversation = await conversations.addMessage(tx, number, contact, 'outbound');
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

    /** Marks a message from a contact as read. @throws NotFound, PlatformError for a message to a contact */
    async markRead(
      tx: Transaction,
      number: NumberRecord,
      id: string,
      { isTyping = false }: { isTyping?: boolean } = {},
    ): Promise<MessageRecord> {
      const message = await find(records.in(tx), number, id);
      if (!message) throw new NotFound('message', id);
      if (message.direction !== 'inbound') {
        throw new PlatformError(
          400,
          'not_inbound',
          'Only messages from contacts can be marked as read; this message was sent to a contact',
        );
      }
      const seen: MessageRecord = withFields(message, { read_at: message.read_at ?? clock.now().toISOString() });
      if (message.read_at === undefined) await records.put(tx, seen);
      await conversations.markRead(tx, seen.conversation);
      tx.emit(messageSeen, { number, message: seen, ...(isTyping && { typing: true }) });
      return seen;
    },

    /** Records that a contact has edited a message: its new content, beside the first one, which webhooks and journeys got. */
    edited: createEdits({ records, clock }).edited,

    /** Adds labels to a message, except those that it already has. @throws Conflict above the maximum of labels */
    async label(tx: Transaction, uuid: string, labels: readonly string[]): Promise<void> {
      const message = await records.in(tx).get(uuid);
      if (!message) return;
      const all = [...new Set([...(message.labels ?? []), ...labels])];
      if (all.length > MAX_LABELS) throw new Conflict('too_many_labels', `A message can have at most ${MAX_LABELS} labels`);
      await records.put(tx, { ...message, labels: all });
    },

    /**
     * Makes a message pending again when its delivery is redelivered. If the message was never accepted, its `failed` status is removed.
     */
    async markPending(tx: Transaction, uuid: string): Promise<void> {
      const message = await records.in(tx).get(uuid);
      if (!message) return;
      const { status: _, status_timestamp: _at, interrupted_for: _for, ...withoutStatus } = message;
      const pending = message.external_id === undefined ? { ...withoutStatus, statuses: [] } : message;
      await records.put(tx, { ...pending, pending_for: message.to });
    },

    /**
     * Records that the network or connector accepted a message, with the id that it returned, if any; a later id replaces an earlier one.
     * Status reports that arrived before the id are recorded now. Pass `known` to save looking up its records.
     */
    accepted,

    /**
     * Gives a pending message the id under which clients know it, before the network has accepted it. For drivers whose network returns its
     * own id later.
     */
    async identify(tx: Transaction, uuid: string, externalId: string): Promise<MessageRecord | undefined> {
      const message = await records.in(tx).get(uuid);
      if (!message) return undefined;
      const identified: MessageRecord = withFields(message, { external_id: externalId });
      await records.put(tx, identified);
      return identified;
    },

    /** Records that the network refused a message that `identify` has given an id: its status is `failed`, with this error. */
    async refused(tx: Transaction, number: NumberRecord, uuid: string, error: NotificationError): Promise<void> {
      const message = await records.in(tx).get(uuid);
      if (!message?.pending_for) return;
      const { pending_for: _, ...settled } = message;
      const timestamp = unixSeconds(clock.now());
      const failed = await reports.report(tx, number, settled, { status: 'failed', timestamp, errors: [error] });
      tx.emit(messageUndeliverable, { number, message: failed, reason: error.details || error.title });
    },

    /**
     * Records that the network or connector did not accept a pending message: its status is `failed` (States, "Delivery status of a sent
     * message"), unless an earlier delivery of it was accepted.
     * @param why the details of the error 131026, or the error of the channel
     * @param interrupted given if the platform stopped during each attempt, so that it is unknown if the connector has accepted it: the id that the
     *   connector got with it. A status report with this id, or that can only be of this message, then proves that it has, before or after this call.
     */
    async undeliverable(
      tx: Transaction,
      number: NumberRecord,
      uuid: string,
      why: string | NotificationError,
      interrupted?: string,
    ): Promise<void> {
      const message = await records.in(tx).get(uuid);
      if (!message?.pending_for) return;
      const { pending_for: recipient, ...pending } = message;
      const isUnknown = interrupted !== undefined && pending.external_id === undefined;
      const reported = isUnknown ? await reports.heldOnlyFor(tx, number, recipient, interrupted) : undefined;
      if (reported !== undefined) return void (await accepted(tx, number, uuid, reported));
      const settled: MessageRecord = isUnknown ? { ...pending, interrupted_for: recipient } : pending;
      if (settled.external_id === undefined) {
        const timestamp = unixSeconds(clock.now());
        const failed = await reports.report(tx, number, settled, {
          status: 'failed',
          timestamp,
          errors: [typeof why === 'string' ? undeliverableError(why) : why],
        });
        tx.emit(messageUndeliverable, { number, message: failed, reason: typeof why === 'string' ? why : why.details || why.title });
      } else await records.put(tx, settled);
      await reports.release(tx, number, settled, recipient);
    },

    /**
     * Records a status report on a sent message; see `createStatuses` for reports that arrive before the message's id. One with an unknown id
     * is of the message that failed because each attempt was interrupted, if the recipient has only one such message.
     * @param sentAs the uuid of the message that a connector got with an id, which it may report as its own
     */
    async status(
      tx: Transaction,
      number: NumberRecord,
      report: IncomingStatus,
      sentAs?: (id: string) => Promise<string | undefined>,
    ): Promise<StatusOutcome> {
      const outcome = await reports.record(tx, number, report);
      if (outcome !== 'unknown message') return outcome;
      const message = await reports.interruptedFor(tx, number, report.recipient, await sentAs?.(report.id));
      if (!message) return outcome;
      const { status: _, status_timestamp: _at, interrupted_for: _for, ...withoutFailure } = message;
      await records.put(tx, { ...withoutFailure, statuses: [] });
      await accepted(tx, number, message.uuid, report.id);
      return reports.record(tx, number, report);
    },
  };

  function* received(tx: Transaction, number: NumberRecord, reported: Inbound): Steps<{ message: MessageRecord; isDuplicate: boolean }> {
    checkChannelData(reported);
    const earlier = yield* wait(peekBy(tx, messageRecords, 'external', [number.uuid, 'inbound', reported.id]));
    if (earlier) return yield* wait(receivedAgain(tx, number, reported, earlier.uuid));
    const { message: inbound, rewritten_by } =
      hooks().length === 0
        ? { message: reported, rewritten_by: undefined }
        : yield* wait(receivingHooks(hooks(), tx, { number, message: reported }));
    const { id, name, aliases } = inbound.contact;
    const writer = yield* contacts.inSteps.findOrCreate(tx, number, { id, address: inbound.from, name, aliases });
    const contact = writer.blocked ? yield* wait(withoutBlocks(tx, number, writer)) : writer;
    const conversation = yield* conversations.inSteps.addMessage(tx, number, contact, 'inbound');
    const message: MessageRecord = placed(number, contact, conversation, {
      direction: 'inbound',
      external_id: inbound.id,
      // On the network, in the spelling under which clients know the contact.
      from: number.kind === 'channel' ? inbound.from : contact.address,
      to: number.address,
      timestamp: inbound.timestamp,
      type: inbound.type,
      content: inbound.content,
      author: { type: 'OWNER', id: contact.uuid, name: String(contact.fields.name ?? '') },
      ...(inbound.context && { context: yield* wait(quoted(tx, number, inbound.context)) }),
      ...(inbound.errors && { errors: [...inbound.errors] }),
      ...(inbound.contact.id !== contact.id && { sender_id: inbound.contact.id }),
      ...(inbound.group !== undefined && { group_id: inbound.group }),
      ...(inbound.channel && { channel: inbound.channel }),
      ...(inbound.quiet !== undefined && { quiet: inbound.quiet }),
      ...(rewritten_by && { rewritten_by }),
    });
    yield* wait(records.put(tx, message));
    tx.emit(messageReceived, { number, contact, conversation, message });
    return { message: yield* withParts(tx, number, reported, message), isDuplicate: false };
  }

  /** Records the further parts of a message, which journeys get with it. */
  function* withParts(tx: Transaction, number: NumberRecord, reported: Inbound, message: MessageRecord): Steps<MessageRecord> {
    const { parts = [], errors: _, channel: _channel, ...about } = reported;
    if (parts.length === 0) return message;
    const quiet = `it is a further part of the message ${message.external_id}`;
    const uuids: string[] = [];
    for (const part of parts) uuids.push((yield* received(tx, number, { ...about, quiet, ...part })).message.uuid);
    const whole = { ...message, parts: uuids };
    yield* wait(records.put(tx, whole));
    return whole;
  }

  /** The contact without the blocks that its message lifts. */
  async function withoutBlocks(tx: Transaction, number: NumberRecord, contact: ContactRecord): Promise<ContactRecord> {
    const reached = await contacts.unblock(tx, number, contact, 'network');
    return unblocksOnMessage(number.type) ? contacts.unblock(tx, number, reached, 'contact') : reached;
  }

  async function receivedAgain(
    tx: Transaction,
    number: NumberRecord,
    reported: Inbound,
    uuid: string,
  ): Promise<{ message: MessageRecord; isDuplicate: boolean }> {
    const known = (await records.in(tx).get(uuid))!;
    if (!(await isFrom(tx, number, reported, known))) throw new MessageIdTaken(reported, known);
    if (!known.rewritten_by && !hasSameContent(reported, known)) await adviseOtherContent(once, tx, number, known);
    return { message: known, isDuplicate: true };
  }

  async function accepted(
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
    const { pending_for: recipient = message.to, ...settled } = {
      ...message,
      ...(externalId !== undefined && !isTaken && { external_id: externalId }),
    };
    await records.put(tx, settled);
    const contact = known?.contact ?? (await tx.in(contactRecords).get(settled.contact));
    const conversation = known?.conversation ?? (await tx.in(conversationRecords).get(settled.conversation));
    if (contact && conversation) tx.emit(messageAccepted, { number, contact, conversation, message: settled });
    await reports.release(tx, number, settled, recipient);
    return settled;
  }

  /** Whether a message has the sender of an earlier one, by any of the ids of the contact. */
  async function isFrom(tx: Transaction, number: NumberRecord, { contact: { id, aliases = [] } }: Inbound, earlier: MessageRecord) {
    for (const one of [id, ...aliases]) if ((await contacts.current(tx, number, one))?.uuid === earlier.contact) return true;
    return false;
  }

  /** Adds the sender of the quoted message, if it is missing. */
  async function quoted(tx: Transaction, { uuid: number }: NumberRecord, context: MessageContext): Promise<MessageContext> {
    const { id, from } = context;
    if (id === undefined || from !== undefined) return withoutUndefined(context);
    return withoutUndefined({ ...context, from: (await records.in(tx).getBy('external', [number, 'outbound', id]))?.from });
  }

  function placed<T extends object>(number: NumberRecord, contact: ContactRecord, conversation: ConversationRecord, fields: T) {
    return {
      uuid: ids.uuid(),
      number: number.uuid,
      conversation: conversation.uuid,
      contact: contact.uuid,
      position: conversation.length,
      // The time of the conversation's change: with a later one, its first message would not count as the first.
      recorded_at: conversation.updated_at,
      statuses: [],
      ...fields,
    };
  }
}

async function find(from: MessageReader, { uuid: number }: NumberRecord, id: string): Promise<MessageRecord | undefined> {
  const byExternalId = (direction: MessageRecord['direction']) => from.getBy('external', [number, direction, id]);
  const message = (await byExternalId('inbound')) ?? (await byExternalId('outbound')) ?? (await from.get(id));
  return message?.number === number ? message : undefined;
}

/** Unix seconds as text, the format of timestamps in the API specification. */
export const unixSeconds = (date: Date): string => String(Math.floor(date.getTime() / 1000));
