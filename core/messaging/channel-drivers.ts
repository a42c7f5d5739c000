import { PlatformError } from '../errors.js';
import type { JsonObject } from '../json.js';
import type { Transaction } from '../ports/transaction.js';
import type { StepDetails } from '../turns/input.js';
import { type ChannelCapabilities, NETWORK_CAPABILITIES } from '../turns/network-limits.js';
import { type Sendable, type Turn, turnType, turnTypes } from '../turns/turn.js';
import type { ConnectionType } from './connection.js';
import { blockOf, type ContactRecord } from './contact.js';
import type { Contacts } from './contacts.js';
import type { MessageHappened } from './events.js';
import { mediaRecords } from './medium.js';
import type { Author, MessageRecord, NotificationError } from './message.js';
import { type BeforeSend, type OutboundDraft, type OwnedHook, type SendCheck, sendingHooks } from './message-hooks.js';
import type { Messages } from './messages.js';
import type { NumberRecord } from './number.js';
import { withStoredTypes } from './stored-types.js';
import type { SentTemplate } from './template.js';
import type { Templates } from './templates.js';

/** A message to a contact, recorded and ready for its driver. */
export interface Outbound extends MessageHappened {
  readonly turn: Turn;
  /** The journey step it comes from; null for messages of operators and of the API. */
  readonly step: (StepDetails & { readonly waiting: boolean }) | null;
}

/** Delivers the messages of one type of number. A plugin contributes its drivers as `channels`. */
export interface ChannelDriver {
  /** The `type` of the numbers that this driver serves: channels and, with `supports: 'everything'`, also numbers of the network. */
  readonly type: string;
  /** `turns` (the default): only message types that connectors receive. `everything`: all types; read `message.content`, not `turn`. */
  readonly supports?: 'turns' | 'everything';
  /** The limits of its messages. Missing: no limits that are known before a message is sent, and any files. */
  readonly capabilities?: ChannelCapabilities;
  /** Whether a message of a contact lifts its own block, as one by the network. If not, the driver calls `contacts.unblock`. */
  readonly unblocksOnMessage?: boolean;
  /** How numbers of this type are connected to a service. The core then has the routes, stores the settings, and seals the secrets. */
  readonly connection?: ConnectionType;
  /**
   * Checks a message to a number of this type, after `beforeSend` of all plugins. It may write in the transaction, which can commit even if
   * the message is refused.
   * @throws PlatformError to refuse the message
   */
  check?(tx: Transaction, draft: OutboundDraft): Promise<void> | void;
  /**
   * Runs in the transaction that recorded the message: write and push jobs with `tx`, and do no I/O. The driver must eventually call
   * `messages.accepted` or `messages.undeliverable`; until then the message is pending.
   * @returns the current message, if it was accepted immediately; saves looking it up
   */
  deliver(tx: Transaction, outbound: Outbound): Promise<MessageRecord | undefined> | Promise<void> | void;
  /**
   * The problem of a connector's 2XX response, as text that follows "but"; undefined if the response is valid. With strict answers, a
   * response with a problem is a failure; otherwise `why` and the records of the delivery show the problem.
   */
  answerFault?(answer: { readonly status: number; readonly body: string; readonly cut: boolean }): string | undefined;
  /** The correction of each `answerFault`, as a sentence in the imperative. */
  readonly answerFix?: string;
}

/**
 * Checks a message before it is recorded. It may write in the transaction, which can commit even if the message is refused.
 * @deprecated Contribute `beforeSend` with `{ check }`, which does the same, or declare `check` of a channel driver.
 * @throws PlatformError to refuse the message
 */
export type OutboundCheck = (tx: Transaction, draft: OutboundDraft) => Promise<void> | void;

/** The network or connector refuses a message; `error` is its reason. */
export class MessageRefused extends PlatformError {
  readonly error: NotificationError;

  constructor(error: NotificationError, status = 400) {
    super(status, 'message_refused', error.details || error.title);
    this.error = error;
  }
}

/** The driver of the number does not support messages of this type. */
export class TypeNotSupported extends PlatformError {
  constructor(type: string, number: NumberRecord) {
    super(400, 'type_not_supported', `Numbers of type '${number.type}' do not support messages of type '${type}'`);
  }
}

/** No loaded plugin has a driver for numbers of this type. */
export class NumberNotSupported extends PlatformError {
  constructor({ type }: NumberRecord, supported: readonly string[]) {
    const others = supported.length === 0 ? '' : `; there are drivers for ${supported.join(', ')}`;
    super(409, 'number_not_carried', `No loaded plugin has a driver for numbers of type '${type}'${others}`);
  }
}

/** A message to send, and its author. */
export interface NewTurn {
  readonly turn: Sendable;
  readonly author: Author;
  readonly step?: Outbound['step'];
  readonly journey?: MessageRecord['journey'];
  readonly context?: MessageRecord['context'];
  readonly posted?: MessageRecord['posted'];
  readonly rewritten_by?: MessageRecord['rewritten_by'];
}

/**
 * The registry of channel drivers (`channels` in the context of a plugin). Passes each message to the driver of its number. The
 * plugin `channels` contributes the driver for numbers with a connector.
 */
export type Channels = ReturnType<typeof createChannels>;

export interface ChannelPorts {
  readonly messages: Messages;
  readonly contacts: Contacts;
  readonly templates: Pick<Templates, 'rendered'>;
  readonly drivers: () => ReadonlyMap<string, ChannelDriver>;
  readonly hooks: () => readonly OwnedHook<BeforeSend>[];
  readonly checks: () => readonly SendCheck['check'][];
}

export function createChannels({ messages, contacts, templates, drivers, hooks, checks }: ChannelPorts) {
  return {
    /**
     * The limits and files that the driver of a number declares; none if it declares nothing. A network number without a driver has
     * the limits of the network, because its driver may be loaded later.
     */
    capabilitiesOf: ({ type, kind }: Pick<NumberRecord, 'type' | 'kind'>): ChannelCapabilities =>
      drivers().get(type)?.capabilities ?? (kind === 'network' ? NETWORK_CAPABILITIES : {}),

    /**
     * Records a message and passes it to the number's driver, in the caller's transaction.
     * @throws PlatformError when it is refused; then nothing is recorded, and the transaction may still commit
     */
    async send(tx: Transaction, number: NumberRecord, contact: ContactRecord, message: NewTurn): Promise<MessageRecord> {
      refuseBlocked(await contacts.latest(tx, contact));
      const { driver, checked } = await checkedMessage(tx, number, contact.address, message);
      return record(tx, driver, number, contact, checked);
    },

    /**
     * Checks that a number has a driver, before work that leads to a message. Network and sandbox numbers need no driver, because they can
     * be used without sending messages. @throws NumberNotSupported
     */
    requireSupported(number: NumberRecord): void {
      if (number.type !== number.kind) driverOf(number);
    },

    /** Like `send`, for a recipient by address; creates the contact if it does not exist. @throws PlatformError as `send` does */
    async sendTo(tx: Transaction, number: NumberRecord, who: { id: string; address: string }, message: NewTurn): Promise<MessageRecord> {
      refuseBlocked(await contacts.current(tx, number, who.id));
      const { driver, checked } = await checkedMessage(tx, number, who.address, message);
      return record(tx, driver, number, await contacts.findOrCreate(tx, number, who), checked);
    },
  };

  function refuseBlocked(contact: ContactRecord | undefined): void {
    const block = contact?.blocked && blockOf(contact);
    if (block) throw new MessageRefused(block.error);
  }

  function driverOf(number: NumberRecord): ChannelDriver {
    const driver = drivers().get(number.type);
    if (!driver) throw new NumberNotSupported(number, [...drivers().keys()]);
    return driver;
  }

  async function withTypes(tx: Transaction, { uuid }: NumberRecord, message: NewTurn): Promise<NewTurn> {
    const turn = await withStoredTypes(uuid, message.turn, (id) => tx.in(mediaRecords).get(id));
    return turn === message.turn ? message : { ...message, turn };
  }

  /** The message as it is sent, with the driver that sends it. @throws PlatformError when it is refused */
  async function checkedMessage(tx: Transaction, number: NumberRecord, to: string, posted: NewTurn) {
    const driver = driverOf(number);
    const message = await rewritten(tx, driver, number, to, await withTypes(tx, number, posted));
    const { turn, author, journey } = message;
    const type = turnType(turn);
    if (driver.supports !== 'everything' && !turnTypes.has(type)) throw new TypeNotSupported(type, number);
    const draft = { number, to, turn, author, ...(journey && { journey }) };
    for (const check of checks()) await check(tx, draft);
    await driver.check?.(tx, draft);
    return { driver, checked: message };
  }

  async function rewritten(tx: Transaction, driver: ChannelDriver, number: NumberRecord, to: string, message: NewTurn) {
    if (hooks().length === 0) return message;
    const { turn, author, journey } = message;
    const changed = await sendingHooks(hooks(), tx, { number, to, turn, author, ...(journey && { journey }) }, driver);
    return changed.rewritten_by ? withTypes(tx, number, { ...message, ...changed }) : message;
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
    const outbound = { type, content, ...rest, ...(rendered !== undefined && { rendered }) };
    const happened = await messages.queued(tx, number, contact, outbound);
    // The cast holds: `checkedMessage` has refused other types for drivers that read `turn`.
    const settled = await driver.deliver(tx, { ...happened, turn: turn as Turn, step });
    return settled ?? (await messages.current(tx, happened.message.uuid)) ?? happened.message;
  }
}
