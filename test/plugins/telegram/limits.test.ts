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
/** More than 64 kB with its links. */
const endless = {
  text: 'ж'.repeat(4_096),
  entities: Array.from({ length: 100 }, (_, i) => ({
    type: 'text_link' as const,
    offset: i,
    length: 1,
    url: `https://a.example/${'a'.repeat(2_000)}`,
  })),
};

t.test('messages too long for one answer do not stop the bot', async (t) => {
  const { standIn, settle, told, problems } = await startBot(t);
  standIn.fault({ on: { method: 'getUpdates' }, error: 502, times: 1 });
  for (let i = 0; i < 50; i++) await standIn.write(ANN, endless);
  await standIn.write(BOB, 'hi');
  await settle(120_000);
  t.equal(told('message.received').length, 51);
  t.same(problems(), ['receiving failed, and is tried again']);
});

t.test('a message that quotes a long one is sent once', async (t) => {
  const { standIn, settle, send, message } = await startBot(t);
  await standIn.write(ANN, endless);
  await settle();
  const uuid = await send(text('a'), ANN, { id: `${ANN}:1` });
  await settle(120_000);
  t.match(standIn.sent[0]!.message.reply_to_message, { text: endless.text });
  t.equal((await message(uuid)).status, 'sent');
  t.equal(standIn.sent.length, 1);
});

t.test('a message waits for the end of an outage', async (t) => {
  const { standIn, settle, send, message } = await startBot(t);
  await standIn.write(ANN, 'hi');
  await settle();
  const { id } = standIn.fault({ on: { method: 'sendMessage' }, error: 502 });
  const uuid = await send(text('late'));
  await settle(20 * 60 * 60 * 1_000);
  t.equal((await message(uuid)).status, undefined);
  standIn.faults.remove(id);
  await settle(15 * 60 * 1_000);
  t.equal((await message(uuid)).status, 'sent');
});

t.test('messages that cannot be sent fail immediately, with the reason, and hold up none', async (t) => {
  const { standIn, settle, send, message, platform, uuid, problems } = await startBot(t);
  await standIn.write(ANN, 'hi');
  await settle();
  const file = async () => (await platform.media.put(uuid, Buffer.from('%PDF'), { mimeType: 'application/pdf' })).id;
  const document = (id: string) => ({ type: 'document', document: { link: `media:${id}`, mime_type: 'application/pdf' } });
  const gone = await file();
  await platform.media.erase(gone);
  const [waiting, meanwhile] = [await file(), 'meanwhile'];
  for (const [turn, details] of [
    [text('[ ](https://a.example)'), /no text/],
    [text('```\n \n```'), /no text/],
    [document(gone), /deleted/],
  ] as const) {
    const failed = await send(turn);
    t.match(await message(failed), { status: 'failed', statuses: [{ errors: [{ details }] }] });
  }
  standIn.flood(10);
  const last = await send(document(waiting));
  await platform.media.erase(waiting);
  const next = await send(text(meanwhile));
  await settle(30_000);
  t.match(await message(last), { status: 'failed', statuses: [{ errors: [{ code: 152400 }] }] });
  t.equal((await message(next)).status, 'sent');
  t.same(problems(), []);
});

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

t.test('after a part is redelivered, the parts after it are sent, too', async (t) => {
  const { standIn, settle, send, message, platform } = await startBot(t);
  await standIn.write(ANN, 'hi');
  await settle();
  standIn.fault({ on: { method: 'sendMessage' }, error: 400, skip: 1, times: 1 });
  const uuid = await send(text(['a ', 'b ', 'c ', 'd '].map((one) => one.repeat(2_000)).join('\n\n')));
  await settle(10_000);
  t.equal((await message(uuid)).status, 'failed');
  const failed = (await platform.deliveries.list({ message: uuid, limit: 10 })).find(({ reason }) => reason === 'telegram_400')!;
  await platform.store.transaction((tx) => platform.deliveries.redeliver(tx, failed.uuid));
  await settle(10_000);
  t.same(
    standIn.sent.map((one) => one.message.text![0]),
    ['a', 'b', 'c', 'd'],
  );
  t.equal((await message(uuid)).status, 'sent');
});

t.test('titles that are numbers, signs, or nearly equal are replies as they are', async (t) => {
  const { standIn, settle, send, told } = await startBot(t, { bot: { buttons: 'reply' } });
  await standIn.write(ANN, 'hi');
  await settle();
  for (const titles of [
    ['0', '1', '2'],
    ['?', '!'],
    ['दिन', 'दान'],
  ]) {
    await send(buttons(...titles));
    await settle(2_000);
    for (const title of titles) {
      await standIn.choose(ANN, title);
      await settle();
      t.match(told('message.received').at(-1).message, { content: { interactive: { button_reply: { title } } } }, title);
    }
  }
});

t.test('after a merge of contacts, the options that one of them was offered are still known', async (t) => {
  const { standIn, settle, send, told, platform, uuid } = await startBot(t, { bot: { buttons: 'reply' } });
  for (const one of [ANN, BOB]) await standIn.write(one, 'hi');
  await settle();
  await send(buttons('Yes', 'No'));
  await settle(2_000);
  const number = await platform.numbers.require(uuid);
  const [contact, into] = await Promise.all([ANN, BOB].map(async (one) => (await platform.contacts.known(uuid, String(one)))!.uuid));
  await platform.store.transaction((tx) => platform.contacts.merge(tx, number, { contact: contact!, into: into! }));
  await standIn.choose(ANN, 'Yes');
  await settle();
  t.match(told('message.received').at(-1).message, { content: { interactive: { button_reply: { id: 'b0' } } } });
});

t.test('an id that comes again with another text is reported by advice', async (t) => {
  const { standIn, settle, told } = await startBot(t);
  await standIn.write(ANN, 'one');
  await standIn.repeat();
  await settle();
  t.equal(told('advice').length, 0);
  const last = standIn.updates.at(-1)!;
  await standIn.repeat(last, { message: { ...last.message!, text: 'two' } });
  await settle();
  t.match(told('advice'), [{ name: 'inbound_id_repeated' }]);
  t.equal(told('message.received').length, 1);
});

t.test('messages to a stand-in that was started again are new ones', async (t) => {
  const { standIn, settle, told, http, clock } = await startBot(t);
  await standIn.write(ANN, 'one');
  await settle();
  const again = await telegramStandIn({ clock, port: false, firstUpdateId: 2 ** 31, firstMessageId: 2 ** 30 });
  again.serve(http);
  await again.write(ANN, 'two');
  await settle(60_000);
  t.match(told('message.received').at(-1).message, { content: { text: { body: 'two' } }, external_id: `${ANN}:${2 ** 30}` });
});

t.test('messages to a phone number or a name are refused', async (t) => {
  const { standIn, settle, send } = await startBot(t);
  await standIn.write(ANN, 'hi');
  await settle();
  for (const to of [`+${ANN}`, '0x6ACFC1', '@ann', '0']) await t.rejects(send(text('hello'), to), { code: 'message_refused' }, to);
  await settle(5_000);
  t.same(standIn.sent, []);
});

t.test("a tap with the data of another person's button gets an answer, and is not received", async (t) => {
  const { standIn, settle, send, told } = await startBot(t);
  for (const one of [ANN, BOB]) await standIn.write(one, 'hi');
  await settle();
  await send(buttons('Yes', 'No'));
  await send(text('hello'), BOB);
  await settle(2_000);
  const [anns, bobs] = [ANN, BOB].map((one) => standIn.sent.find(({ message }) => message.chat.id === one)!.message);
  const { callback_data: data } = anns!.reply_markup!.inline_keyboard[0]![0] as { callback_data: string };
  await standIn.tap(BOB, bobs!.message_id, { data });
  await settle();
  t.equal(told('message.received').length, 2);
  t.same(standIn.openQueries, []);
});

t.test('a refusal of a token that was replaced meanwhile does not stop the bot', async (t) => {
  const { standIn, settle, send, message, platform, uuid } = await startBot(t);
  await standIn.write(ANN, 'hi');
  await settle();
  standIn.fault({ on: { method: 'sendMessage' }, error: 401, times: 1 });
  const sent = await send(text('hello'));
  await settle(5_000);
  t.equal((await platform.connections.of(uuid))!.stopped, undefined);
  t.equal((await message(sent)).status, 'sent');
});

t.test('another server of the Bot API is asked from its own first update', async (t) => {
  const first = await telegramStandIn({ clock: new ManualClock(), port: false, firstUpdateId: 900 });
  const { standIn, settle, told, admin, uuid, http, clock } = await startBot(t, { standIn: first });
  await standIn.write(ANN, 'one');
  await settle();
  const other = await telegramStandIn({ clock, port: false, url: 'https://other.test', firstUpdateId: 5 });
  other.serve(http);
  await other.write(BOB, 'two');
  t.match(await admin('PUT', `/numbers/${uuid}/connection`, { settings: { token: other.token, api_url: other.url } }), { status: 200 });
  await settle(5_000);
  t.equal(told('message.received').length, 2);
});
