import type { JsonObject, StepDetails } from '../journey/session.js';
import type { Transaction } from '../ports/transaction.js';
import type { ContactRecord } from './contact.js';
import type { MessageHappened } from './events.js';
import type { Author, MessageRecord } from './message.js';
import type { MessageLog } from './message-log.js';
import type { NumberRecord } from './number.js';
import { type Turn, turnType } from './turn.js';

/** A message to a contact, recorded and ready to be carried. */
export interface Outbound extends MessageHappened {
  readonly turn: Turn;
  /** The journey step it comes from; null for messages of people and of the API. */
  readonly step: (StepDetails & { readonly waiting: boolean }) | null;
}

/** Carries the messages of one type of number. */
export interface ChannelDriver {
  /** The `type` of the numbers it carries messages for. */
  readonly type: string;
  /**
   * Runs in the transaction that recorded the message: it writes and pushes through `tx`, and does no I/O. Sooner or later
   * somebody says `messages.accepted` or `messages.undeliverable`.
   */
  deliver(tx: Transaction, outbound: Outbound): Promise<void> | void;
}

export interface NewTurn {
  readonly turn: Turn;
  readonly author: Author;
  readonly step?: Outbound['step'];
  readonly journey?: MessageRecord['journey'];
  readonly context?: MessageRecord['context'];
}

/** Picks the driver of a number, and keeps what other parts need to send. */
export type Channels = ReturnType<typeof createChannels>;

export function createChannels({ messages, drivers }: { messages: MessageLog; drivers: () => ReadonlyMap<string, ChannelDriver> }) {
  return {
    /** Records a message and hands it to the number's driver, in one transaction with whatever caused it. */
    async send(
      tx: Transaction,
      number: NumberRecord,
      contact: ContactRecord,
      { turn, step = null, ...rest }: NewTurn,
    ): Promise<MessageRecord> {
      const driver = drivers().get(number.type);
      if (!driver)
        throw new Error(`no plugin carries numbers of type '${number.type}'; loaded: ${[...drivers().keys()].join(', ') || 'none'}`);
      const type = turnType(turn);
      const content = { [type]: (turn as unknown as JsonObject)[type] };
      const happened = await messages.queued(tx, number, contact, { type, content, ...rest });
      await driver.deliver(tx, { ...happened, turn, step });
      return happened.message;
    },
  };
}
