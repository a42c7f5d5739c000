import type { JsonObject } from '../json.js';
import type { Clock } from '../ports/clock.js';
import type { Ids } from '../ports/ids.js';
import type { Database, Transaction } from '../ports/transaction.js';
import { withoutUndefined } from '../shape.js';
import { choices } from './choice.js';
import type { Contacts } from './contacts.js';
import type { Conversations } from './conversations.js';
import type { Inlined } from './inlined.js';
import { type Inbound, type MessageRecord, messages as messageRecords } from './message.js';
import type { NumberRecord } from './number.js';
import type { TurnOption } from './turn-parts.js';

/** An option that a contact has chosen, and the message that offered it. */
export type Chosen = Inlined<{
  readonly message: string;
  readonly option: TurnOption;
}>;

/** 8 characters. */
const KEY_BYTES = 6;
/** Messages after one with options, among which an answer is looked for. */
const MAX_LATER = 20;
const VALID_MS = 24 * 60 * 60 * 1000;

/** Remembers the options of messages, and finds the one that a contact means. They are deleted with their message. */
export type Choices = ReturnType<typeof createChoices>;

interface ChoicePorts {
  readonly store: Database;
  readonly ids: Pick<Ids, 'secret'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly contacts: Pick<Contacts, 'known'>;
  readonly conversations: Pick<Conversations, 'ofContact'>;
}

export function createChoices({ store, ids, clock, contacts, conversations }: ChoicePorts) {
  return {
    /** Remembers the options of a message. @returns a key of 8 characters, such as for the data of buttons */
    offer(tx: Transaction, { uuid, number, conversation }: MessageRecord, options: readonly TurnOption[]): string {
      const key = ids.secret(KEY_BYTES);
      tx.in(choices).put({ key, number, message: uuid, conversation, at: clock.now().toISOString(), options });
      return key;
    },

    /** The option of a key and an index, of a message of this number; undefined for any other text that a contact sent. */
    async byKey(number: string, key: string, index: number): Promise<Chosen | undefined> {
      const known = key === '' ? undefined : await store.open(choices).get(key);
      const option = known?.number === number ? known.options[index] : undefined;
      return known && option && { message: known.message, option };
    },

    /**
     * The option that a text means: its number, its title, whose case, accents and outer punctuation do not matter, or its id. Only the options that
     * were offered last in the conversation, for a day, until the contact has answered and got another message: a number then answers that one.
     */
    async byText(conversation: string, text: string): Promise<Chosen | undefined> {
      const after = [new Date(clock.now().getTime() - VALID_MS).toISOString()];
      const last = (await store.open(choices).find('conversation', { equals: [conversation], after })).at(-1);
      const wanted = comparable(text);
      if (!last || text === '' || (await isOver(last.message, conversation))) return undefined;
      // A tap sends a title as it is, and titles can be numbers, or differ only in what is not compared.
      const option =
        only(last.options.filter(({ title }) => title === text)) ??
        only(
          last.options.filter(({ id, title }, i) => id === text || (wanted !== '' && [String(i + 1), comparable(title)].includes(wanted))),
        );
      return option && { message: last.message, option };
    },

    /** Like `byText`, in the conversation of a contact by its id on the channel. */
    async ofContact(number: string, id: string, text: string): Promise<Chosen | undefined> {
      const contact = await contacts.known(number, id);
      const conversation = contact && (await conversations.ofContact(number, contact.uuid));
      return conversation && this.byText(conversation.uuid, text);
    },
  };

  /** Whether the conversation has continued after a message with options. */
  async function isOver(offered: string, conversation: string): Promise<boolean> {
    const messages = store.open(messageRecords);
    const position = (await messages.get(offered))?.position;
    if (position === undefined) return false;
    const later = await messages.find('conversation', { equals: [conversation], after: [position], limit: MAX_LATER });
    const answer = later.findIndex(({ direction }) => direction === 'inbound');
    return answer >= 0 && later.slice(answer).some(({ direction, type }) => direction === 'outbound' && type !== 'system');
  }
}

/** The message of a contact who has chosen an option; `sent` is the message that offered it, if it still exists. */
export function choiceReply(
  { address }: Pick<NumberRecord, 'address'>,
  { kind, ...reply }: TurnOption,
  sent: Pick<MessageRecord, 'uuid' | 'external_id'> | undefined,
): Pick<Inbound, 'type' | 'content' | 'context'> {
  return {
    type: 'interactive',
    content: { interactive: { type: kind, [kind]: withoutUndefined(reply) } } as JsonObject,
    ...(sent && { context: { id: sent.external_id ?? sent.uuid, from: address } }),
  };
}

const only = <T>(found: readonly T[]): T | undefined => (found.length === 1 ? found[0] : undefined);

const comparable = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/^[\s\p{P}]+|[\s\p{P}]+$/gu, '')
    .toLowerCase();
