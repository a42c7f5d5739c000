import type { Plugin } from '../contract/plugin.js';
import { PlatformError } from '../errors.js';
import type { MessageRecord } from '../messaging/message.js';
import type { NumberKind } from '../messaging/number.js';
import type { NewNumber } from '../messaging/numbers.js';
import type { Turn } from '../turns/turn.js';
import { startPlatform, type TestPlatform } from './start-platform.js';
import type { Tap } from './tap.js';

/** A number of the channel, with its token. */
export interface ChannelNumber {
  readonly uuid: string;
  readonly token: string;
}

/** A text that the channel delivered. */
export interface DeliveredText {
  readonly to: string;
  readonly text: string | undefined;
}

/** A channel whose remote end the test plays: usually `test.http` with scripted responses, or a collection that the channel writes to. */
export interface ChannelUnderTest {
  readonly plugins: readonly Plugin[];
  readonly number: Partial<NewNumber> & { readonly kind: NumberKind };
  /**
   * Ids of contacts as the channel spells them, such as `ada@example.org`, `@ada` or `9007199254740993`: each receives and writes messages,
   * the first one in all rules. `+27820001001` if not given.
   */
  readonly contacts?: readonly [string, ...string[]];
  /** Sets up what a number needs before it can send: scripted responses, a webhook, a token. */
  prepare?(test: TestPlatform, number: ChannelNumber): Promise<void> | void;
  /** All texts that the remote end has received so far, in order. */
  delivered(test: TestPlatform, number: ChannelNumber): Promise<readonly DeliveredText[]> | readonly DeliveredText[];
  /** Sends a message from a contact. A repeated `id` is the same message again. Omit it for channels that only send. */
  write?(test: TestPlatform, number: ChannelNumber, message: { from: string; id: string; text: string }): Promise<void>;
}

const PHONE = ['+27820001001'] as const;
const author = { type: 'OPERATOR', id: 'desk', name: 'Desk' } as const;
const textTurn = (body: string): Turn => ({ type: 'text', text: { body } });
const media = { link: 'https://example.org/file', mime_type: 'image/png' };

/** One turn of every kind that a channel has to send. */
const turns: Readonly<Record<string, Turn>> = {
  text: textTurn('hello'),
  template: { template: { name: 'greeting', language: { code: 'en' } } },
  buttons: {
    type: 'interactive',
    interactive: {
      type: 'button',
      body: { text: 'Which?' },
      action: { buttons: [{ type: 'reply', reply: { id: 'a', title: 'This' } }] },
    },
  },
  list: {
    type: 'interactive',
    interactive: {
      type: 'list',
      body: { text: 'Which?' },
      action: { button: 'Choose', sections: [{ rows: [{ id: 'a', title: 'This' }] }] },
    },
  },
  image: { type: 'image', image: media },
  video: { type: 'video', video: { ...media, mime_type: 'video/mp4' } },
  audio: { type: 'audio', audio: { ...media, mime_type: 'audio/ogg' } },
  document: { type: 'document', document: { ...media, mime_type: 'application/pdf', filename: 'a.pdf' } },
};

/**
 * The contract of every channel:
 * `channelContract(t, () => ({ plugins: [mine()], number: { kind: 'channel', type: 'mine' }, delivered }))`.
 */
export async function channelContract(t: Tap, open: () => ChannelUnderTest): Promise<void> {
  await t.test('a text reaches the remote end, and its message is reported as accepted or undeliverable', async (t) => {
    for (const contact of contactsOf(open())) {
      const { send, settle, delivered, message } = await start(t, open(), contact);
      const sent = await send(textTurn('hello'));
      await settle();
      t.same(await delivered(), [{ to: contact, text: 'hello' }]);
      t.equal((await message(sent.uuid))?.pending_for, undefined, 'reported as accepted or undeliverable');
    }
  });

  await t.test('messages to a contact keep their order', async (t) => {
    const { send, settle, delivered } = await start(t, open());
    const texts = ['one', 'two', 'three', 'four'];
    for (const text of texts) await send(textTurn(text));
    await settle();
    t.same(
      (await delivered()).map(({ text }) => text),
      texts,
    );
  });

  await t.test('a turn of any kind is delivered or refused with a reason; none is dropped', async (t) => {
    const { send, settle, delivered, message } = await start(t, open());
    for (const [kind, turn] of Object.entries(turns)) {
      const before = (await delivered()).length;
      const sent = await send(turn).catch((error: unknown) => error);
      await settle();
      if (sent instanceof Error) {
        t.ok(sent instanceof PlatformError && sent.status < 500, `${kind}: ${sent.message}`);
        t.equal((await delivered()).length, before, `${kind} was refused, and not delivered`);
      } else
        t.equal((await message((sent as MessageRecord).uuid))?.pending_for, undefined, `${kind} is reported as accepted or undeliverable`);
    }
  });

  await t.test('a transaction that fails delivers nothing', async (t) => {
    const { send, settle, delivered } = await start(t, open());
    const failing = send(textTurn('never'), () => {
      throw new Error('this transaction fails');
    });
    await t.rejects(failing, { message: 'this transaction fails' });
    await settle();
    t.same(await delivered(), []);
  });

  await t.test('a message sent in a transaction is delivered once, even if the transaction runs more than once', async (t) => {
    const { send, settle, delivered } = await start(t, open());
    let runs = 0;
    await send(textTurn('first'), async () => {
      // The other transaction writes to the same conversation, so this one conflicts and runs again.
      if (runs++ === 0) await send(textTurn('other'));
    });
    await settle();
    t.ok(runs > 1);
    t.same((await delivered()).map(({ text }) => text).sort(), ['first', 'other']);
  });

  await t.test('platforms in one process share no channel state', async (t) => {
    const [one, other] = [await start(t, open()), await start(t, open())];
    await one.send(textTurn('here'));
    await one.settle();
    await other.settle();
    t.equal((await one.delivered()).length, 1);
    t.same(await other.delivered(), []);
  });

  if (open().write === undefined) return;

  await t.test('a message from a contact is recorded with its text, once even if it arrives several times', async (t) => {
    for (const from of contactsOf(open())) {
      const { write, settle, test } = await start(t, open());
      for (const text of ['hi', 'hi']) await write!({ from, id: 'in-1', text });
      await settle();
      const received = test.events.filter(({ name }) => name === 'message.received').map(({ data }) => data);
      t.equal(received.length, 1);
      t.match(received, [{ contact: { id: from }, message: { direction: 'inbound', from, content: { text: { body: 'hi' } } } }]);
    }
  });

  await t.test('a contact who has written receives replies', async (t) => {
    for (const contact of contactsOf(open())) {
      const { write, send, settle, delivered } = await start(t, open(), contact);
      await write!({ from: contact, id: 'in-1', text: 'hi' });
      await send(textTurn('good day'));
      await settle();
      t.same(await delivered(), [{ to: contact, text: 'good day' }]);
    }
  });
}

const contactsOf = ({ contacts = PHONE }: ChannelUnderTest): readonly [string, ...string[]] => contacts;

async function start(t: Tap, channel: ChannelUnderTest, contact = contactsOf(channel)[0]) {
  const test = await startPlatform(t, { plugins: channel.plugins });
  const { platform, clock } = test;
  const { kind, ...about } = channel.number;
  const number = await test.number(kind, about);
  await channel.prepare?.(test, number);
  return {
    test,
    delivered: () => channel.delivered(test, number),
    write: channel.write && ((message: { from: string; id: string; text: string }) => channel.write!(test, number, message)),
    settle: () => clock.advance(60_000),
    message: (uuid: string) => platform.messages.get(uuid),
    async send(turn: Turn, meanwhile?: () => Promise<void> | void): Promise<MessageRecord> {
      const record = await platform.numbers.require(number.uuid);
      return platform.store.transaction(async (tx) => {
        const sent = await platform.channels.sendTo(tx, record, { id: contact, address: contact }, { turn, author });
        await meanwhile?.();
        return sent;
      });
    },
  };
}
