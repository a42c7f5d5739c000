import { PlatformError } from '../errors.js';
import type { MessageRecord } from '../messaging/message.js';
import { receivingContract } from './channel-receiving.js';
import { serviceContract } from './channel-services.js';
import { type ChannelUnderTest, contactsOf, startChannel, textTurn, turns } from './channel-under-test.js';
import type { Tap } from './tap.js';

/**
 * The contract of every channel:
 * `channelContract(t, () => ({ plugins: [mine()], number: { kind: 'channel', type: 'mine' }, delivered }))`.
 */
export async function channelContract(t: Tap, open: () => ChannelUnderTest): Promise<void> {
  await t.test('a text reaches the remote end, and its message is reported as accepted or undeliverable', async (t) => {
    for (const contact of contactsOf(open())) {
      const { send, settle, delivered, message } = await startChannel(t, open(), { contact });
      const sent = await send(textTurn('hello'));
      await settle();
      t.same(await delivered(), [{ to: contact, text: 'hello' }]);
      t.equal((await message(sent.uuid))?.pending_for, undefined, 'reported as accepted or undeliverable');
    }
  });

  await t.test('messages to a contact keep their order', async (t) => {
    const { send, settle, delivered } = await startChannel(t, open());
    const texts = ['one', 'two', 'three', 'four'];
    for (const text of texts) await send(textTurn(text));
    await settle();
    t.same(
      (await delivered()).map(({ text }) => text),
      texts,
    );
  });

  await t.test('a turn of any kind is delivered or refused with a reason; none is dropped', async (t) => {
    const { send, settle, delivered, message } = await startChannel(t, open());
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
    const { send, settle, delivered } = await startChannel(t, open());
    const failing = send(textTurn('never'), () => {
      throw new Error('this transaction fails');
    });
    await t.rejects(failing, { message: 'this transaction fails' });
    await settle();
    t.same(await delivered(), []);
  });

  await t.test('a message sent in a transaction is delivered once, even if the transaction runs more than once', async (t) => {
    const { send, settle, delivered } = await startChannel(t, open());
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
    const [one, other] = [await startChannel(t, open()), await startChannel(t, open())];
    await one.send(textTurn('here'));
    await one.settle();
    await other.settle();
    t.equal((await one.delivered()).length, 1);
    t.same(await other.delivered(), []);
  });

  await serviceContract(t, open);
  await receivingContract(t, open);

  if (open().write === undefined) return t.comment('left out without `write`: messages of contacts, and replies to them');

  await t.test('a message from a contact is recorded with its text, once even if it arrives several times', async (t) => {
    for (const from of contactsOf(open())) {
      const { write, settle, test } = await startChannel(t, open());
      for (const text of ['hi', 'hi']) await write!({ from, id: 'in-1', text });
      await settle();
      const received = test.events.filter(({ name }) => name === 'message.received').map(({ data }) => data);
      t.equal(received.length, 1);
      t.match(received, [{ contact: { id: from }, message: { direction: 'inbound', from, content: { text: { body: 'hi' } } } }]);
    }
  });

  await t.test('a contact who has written receives replies', async (t) => {
    for (const contact of contactsOf(open())) {
      const { write, send, settle, delivered } = await startChannel(t, open(), { contact });
      await write!({ from: contact, id: 'in-1', text: 'hi' });
      await send(textTurn('good day'));
      await settle();
      t.same(await delivered(), [{ to: contact, text: 'good day' }]);
    }
  });
}
