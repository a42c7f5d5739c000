import t from 'tap';
import { ManualClock } from '#core/testing';
import { telegramStandIn } from '../../../plugins/telegram/testing/index.js';
import { ANN, BOB, startBot } from './bot-under-test.js';

const text = (body: string) => ({ type: 'text', text: { body } });
const buttons = (...titles: string[]) => ({
  type: 'interactive',
  interactive: {
    type: 'button',
    body: { text: 'Which?' },
    action: { buttons: titles.map((title, i) => ({ type: 'reply', reply: { id: `b${i}`, title } })) },
  },
});
/** More than a megabyte with its links, as nobody writes by hand. */
const endless = {
  text: 'ж'.repeat(4_096),
  entities: Array.from({ length: 100 }, (_, i) => ({ type: 'text_link', offset: i, length: 1, url: `https://a.example/${'a'.repeat(2_000)}` })),
};

t.test('a message of a contact whose fields are full is not lost', async (t) => {
  const { standIn, settle, told, platform, uuid } = await startBot(t);
  await standIn.write(ANN, 'hi');
  await settle();
  const number = await platform.numbers.require(uuid);
  const { uuid: contact, fields } = (await platform.contacts.known(uuid, String(ANN)))!;
  const note = 'x'.repeat(65_536 - JSON.stringify({ ...fields, note: '' }).length);
  await platform.store.transaction((tx) => platform.contacts.setFields(tx, number, contact, { note }));
  await standIn.start(ANN, 'shop-7');
  await settle();
  t.match(told('message.received').at(-1).message, { content: { text: { body: '/start shop-7' } } });
});

t.test('the buttons of one person are none of another', async (t) => {
  const { standIn, settle, send, told } = await startBot(t);
  for (const one of [ANN, BOB]) await standIn.write(one, 'hi');
  await settle();
  await send(buttons('Yes', 'No'));
  await send(text('hello'), BOB);
  await settle(2_000);
  const [anns, bobs] = [ANN, BOB].map((one) => standIn.sent.find(({ message }) => message.chat.id === one)!.message);
  const data = anns!.reply_markup!.inline_keyboard[0]![0]!.callback_data!;
  await standIn.tap(BOB, bobs!.message_id, { data });
  await settle();
  t.equal(told('message.received').length, 2);
  t.same(standIn.openQueries, []);
});

