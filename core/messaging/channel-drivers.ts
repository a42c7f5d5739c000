import { PlatformError } from '../errors.js';
import type { JsonObject } from '../json.js';
import type { Transaction } from '../ports/transaction.js';
import type { StepDetails } from '../turns/input.js';
import { type Sendable, type Turn, turnType, turnTypes } from '../turns/turn.js';
import type { ContactRecord } from './contact.js';
import type { Contacts } from './contacts.js';
import type { MessageHappened } from './events.js';
import { mediaRecords } from './medium.js';
import type { Author, MessageRecord, NotificationError } from './message.js';
import type { Messages } from './messages.js';
import type { NumberRecord } from './number.js';
import { withStoredTypes } from './stored-types.js';
import type { SentTemplate } from './template.js';
import type { Templates } from './templates.js';

/** A message to a contact, recorded and ready to be carried. */
export interface Outbound extends MessageHappened {
  readonly turn: Turn;
  /** The journey step it comes from; null for messages of people and of the API. */
  readonly step: (StepDetails & { readonly waiting: boolean }) | null;
}

/** Delivers the messages of one type of number. A plugin contributes it as `channels` of its manifest. */
export interface ChannelDriver {
  /** The `type` of the numbers it carries messages for. They are channels; with `carries: 'everything'` also numbers of the network. */
  readonly type: string;
  /** `turns`, the kinds that connectors are given, if not given. With `everything` look at `message.content` instead of `turn`. */
  readonly supports?: 'turns' | 'everything';
  /**
   * Runs in the transaction that recorded the message: it writes and pushes through `tx`, and does no I/O. Sooner or later
   * somebody says `messages.accepted` or `messages.undeliverable`.
   * @returns the message as it is then, if it was accepted at once; without it the message is looked up
   */
  deliver(tx: Transaction, outbound: Outbound): Promise<MessageRecord | undefined> | Promise<void> | void;
  /** What is wrong with a connector's answer of status 2XX, in words that follow "but"; asked where answers are taken strictly. */
  answerFault?(answer: { readonly status: number; readonly body: string; readonly cut: boolean }): string | undefined;
}

/** A message that is about to be recorded. */
export interface Intended {
  readonly number: NumberRecord;
  /** The recipient as the number knows it. */
  readonly to: string;
  readonly turn: Sendable;
  readonly author: Author;
  readonly journey?: MessageRecord['journey'];
}

/**
 * Looks at a message before anything of it is recorded. It may count in the transaction, which commits also when the message
 * is refused. @throws PlatformError to refuse it
 */
export type OutboundCheck = (tx: Transaction, intended: Intended) => Promise<void> | void;

/** The other side, or what stands for it, does not take a message. `error` is what it says of that. */
export class MessageRefused extends PlatformError {
  readonly error: NotificationError;

  constructor(error: NotificationError, status = 400) {
    super(status, 'message_refused', error.details || error.title);
    this.error = error;
  }
}

/** The driver of the number does not carry messages of this type. */
export class TypeNotSupported extends PlatformError {
  constructor(type: string, number: NumberRecord) {
    super(400, 'type_not_supported', `A number of type '${number.type}' does not carry messages of type '${type}'`);
  }
}

/** The plugin that carried numbers of this type is not loaded any more. */
export class NumberNotSupported extends PlatformError {
  constructor({ type }: NumberRecord, carried: readonly string[]) {
    const others = carried.length === 0 ? '' : `, only those of ${carried.join(', ')}`;
    super(409, 'number_not_carried', `No plugin carries the messages of numbers of type '${type}'${others}`);
  }
}

/** Something to say to a contact, and who says it. */
export interface NewTurn {
  readonly turn: Sendable;
  readonly author: Author;
  readonly step?: Outbound['step'];
  readonly journey?: MessageRecord['journey'];
  readonly context?: MessageRecord['context'];
  readonly posted?: MessageRecord['posted'];
}

/**
 * The directory of channel drivers, and the way from a turn to the driver of its number: `channels` in the context of a plugin. The
 * plugin `channels`, one of the areas, contributes a driver for numbers with a connector.
 */
export type Channels = ReturnType<typeof createChannels>;

export interface ChannelPorts {
  readonly messages: Messages;
  readonly contacts: Contacts;
  readonly templates: Pick<Templates, 'rendered'>;
  readonly drivers: () => ReadonlyMap<string, ChannelDriver>;
  readonly checks: () => readonly OutboundCheck[];
}

export function createChannels({ messages, contacts, templates, drivers, checks }: ChannelPorts) {
  return {
    /**
     * Records a message and hands it to the number's driver, in one transaction with whatever caused it.
     * @throws PlatformError when it is refused; then nothing of it is recorded, and the transaction may still commit
     */
    async send(tx: Transaction, number: NumberRecord, contact: ContactRecord, message: NewTurn): Promise<MessageRecord> {
      const typed = await withTypes(tx, number, message);
      const driver = await admitted(tx, number, contact.address, typed);
      return record(tx, driver, number, contact, typed);
    },

    /**
     * For whoever has work to do before there is something to send. Only what a plugin has carried can wait until it is back: a number
     * of the network's own types serves also where nobody carries its messages. @throws NumberNotCarried
     */
    requireSupported(number: NumberRecord): void {
      if (number.type !== number.kind) driverOf(number);
    },

    /** The same to somebody who may not be known yet. @throws PlatformError as `send` does */
    async sendTo(tx: Transaction, number: NumberRecord, who: { id: string; address: string }, message: NewTurn): Promise<MessageRecord> {
      const typed = await withTypes(tx, number, message);
      const driver = await admitted(tx, number, who.address, typed);
      return record(tx, driver, number, await contacts.meet(tx, number, who), typed);
    },
  };

  function driverOf(number: NumberRecord): ChannelDriver {
    const driver = drivers().get(number.type);
    if (!driver) throw new NumberNotSupported(number, [...drivers().keys()]);
    return driver;
  }

  async function withTypes(tx: Transaction, { uuid }: NumberRecord, message: NewTurn): Promise<NewTurn> {
    const turn = await withStoredTypes(uuid, message.turn, (id) => tx.in(mediaRecords).get(id));
    return turn === message.turn ? message : { ...message, turn };
  }

  async function admitted(tx: Transaction, number: NumberRecord, to: string, { turn, author, journey }: NewTurn): Promise<ChannelDriver> {
    const driver = driverOf(number);
    const type = turnType(turn);
    if (driver.supports !== 'everything' && !turnTypes.has(type)) throw new TypeNotSupported(type, number);
    for (const check of checks()) await check(tx, { number, to, turn, author, ...(journey && { journey }) });
    return driver;
  }

  async function record(
    tx: Transaction,
    driver: ChannelDriver,
    number: NumberRecord,
    contact: ContactRecord,
    { turn, step = null, ...rest }: NewTurn,
  ): Promise<MessageRecord> {
    const type = turnType(turn);
    const content: MessageRecord['content'] = { [type]: (turn as unknown as JsonObject)[type] };
    const rendered = type === 'template' ? await templates.rendered(tx, number, content.template as SentTemplate) : undefined;
    const about = { type, content, ...rest, ...(rendered !== undefined && { rendered }) };
    const happened = await messages.queued(tx, number, contact, about);
    // A driver that looks at turns is given no other kinds.
    const settled = await driver.deliver(tx, { ...happened, turn: turn as Turn, step });
    return settled ?? (await messages.current(tx, happened.message.uuid)) ?? happened.message;
  }
}
