import type { ContactRecord, Inbound, MessageRecord, NumberRecord, Transaction } from '#core';
import { startPlatform, type Tap } from '#core/testing';

export const PHONE = '16505550001';
export const USER = 'US.13491208655302741918';
export const BRAZIL = ['5511987654321', '551187654321'] as const;

export const outbound = {
  type: 'text',
  content: { text: { body: 'hello' } },
  author: { type: 'OPERATOR' as const, id: 'desk', name: 'Desk' },
};

/** A number whose messages the test records itself, with its contacts. */
export async function startContacts(t: Tap, kind: NumberRecord['kind'] = 'network', options = {}) {
  const test = await startPlatform(t, { plugins: [], ...options });
  const { store, numbers, messages, contacts, conversations } = test.platform;
  const number: NumberRecord = await store.transaction((tx) =>
    numbers.create(tx, { kind, type: kind === 'channel' ? 'any' : kind, address: '+27110000000', name: 'Library' }),
  );
  const within = <T>(work: (tx: Transaction) => Promise<T>): Promise<T> => store.transaction(work);
  let count = 0;
  const inbound = (id: string, about: Partial<Inbound> & { aliases?: readonly string[]; name?: string } = {}): Inbound => {
    const { aliases, name, ...rest } = about;
    const body = { text: { body: `message ${++count}` } };
    return { id: `in-${count}`, contact: { id, name, aliases }, from: id, timestamp: '1767600000', type: 'text', content: body, ...rest };
  };
  const receive = async (id: string, about: Parameters<typeof inbound>[1] = {}): Promise<MessageRecord> => {
    await test.clock.advance(1_000);
    return (await within((tx) => messages.received(tx, number, inbound(id, about)))).message;
  };
  const send = async (id: string): Promise<MessageRecord> => {
    await test.clock.advance(1_000);
    return within(async (tx) => {
      const contact = await contacts.findOrCreate(tx, number, { id, address: id });
      return (await messages.queued(tx, number, contact, outbound)).message;
    });
  };
  return {
    ...test,
    ...{ number, messages, contacts, conversations, within, receive, send },
    all: () => contacts.list(number.uuid),
    /** The messages with a contact, oldest first. */
    async history({ uuid }: ContactRecord): Promise<MessageRecord[]> {
      const conversation = await conversations.ofContact(number.uuid, uuid);
      return conversation ? (await conversations.newest(conversation.uuid, 1_000)).reverse() : [];
    },
    // biome-ignore lint/suspicious/noExplicitAny: event data of any shape
    told: (name: string): any[] => test.events.filter((event) => event.name === name).map(({ data }) => data),
  };
}

/** The texts of messages, and `note` for an entry about contacts. */
export const bodies = (history: readonly MessageRecord[]): string[] =>
  history.map(({ type, content }) => (type === 'system' ? 'note' : (content.text as { body: string }).body));
