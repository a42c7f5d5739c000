import t from 'tap';
import { flowTurn, formPath, publishedFlow } from '../form-turns.js';
import { ANN, startBot } from './bot-under-test.js';

const text = (body: string) => ({ type: 'text', text: { body } });
const buttons = (...titles: string[]) => ({
  type: 'interactive',
  interactive: {
    type: 'button',
    body: { text: 'Which?' },
    action: { buttons: titles.map((title, i) => ({ type: 'reply', reply: { id: `b${i}`, title } })) },
  },
});

t.test('a tap is the reply of its button, ends its busy sign, and takes the buttons away', async (t) => {
  const { standIn, settle, send, told, message } = await startBot(t);
  await standIn.write(ANN, 'hi');
  await settle();
  const uuid = await send(buttons('Yes', 'No'));
  await settle();
  const { message: shown } = standIn.sent.at(-1)!;
  await standIn.tap(ANN, shown.message_id, 'No');
  await settle();
  t.match(told('message.received').at(-1).message, {
    type: 'interactive',
    content: { interactive: { type: 'button_reply', button_reply: { id: 'b1', title: 'No' } } },
    context: { id: (await message(uuid)).external_id },
  });
  t.same(standIn.openQueries, []);
  t.notOk(standIn.sent.at(-1)!.message.reply_markup?.inline_keyboard.length);
  const before = told('message.received').length;
  await standIn.tap(ANN, shown.message_id, { data: 'forged.0' });
  await settle();
  t.same(standIn.openQueries, [], 'also a tap on a button that no message has is answered');
  t.equal(told('message.received').length, before);
});

t.test('with buttons in place of the keyboard, their titles are replies', async (t) => {
  const { standIn, settle, send, told } = await startBot(t, { bot: { buttons: 'reply' } });
  await standIn.write(ANN, 'hi');
  await settle();
  await send(buttons('Yes', 'No'));
  await settle();
  await standIn.choose(ANN, 'Yes');
  await settle();
  t.match(told('message.received').at(-1).message, { content: { interactive: { button_reply: { id: 'b0' } } } });
  await standIn.write(ANN, 'something else');
  await settle();
  t.match(told('message.received').at(-1).message, { type: 'text' });
});

t.test('a long message is sent in parts, in order, and a quote of any part is one of the message', async (t) => {
  const { standIn, settle, send, told, message } = await startBot(t);
  await standIn.write(ANN, 'hi');
  await settle();
  const uuid = await send(text('word '.repeat(1_500)));
  await send(text('after it'));
  await settle(30_000);
  const sent = standIn.sent.map((one) => one.message);
  t.equal(sent.length, 3);
  t.match(sent.at(-1), { text: 'after it' });
  t.equal((await message(uuid)).status, 'sent');
  await standIn.write(ANN, 'what?', { replyTo: sent[0]!.message_id });
  await settle();
  t.match(told('message.received').at(-1).message, { context: { id: (await message(uuid)).external_id } });
});

t.test('if a part is refused, the message fails and its other parts are not sent', async (t) => {
  const { standIn, settle, send, message } = await startBot(t);
  await standIn.write(ANN, 'hi');
  await settle();
  standIn.fault({ on: { method: 'sendMessage' }, error: { code: 400, description: 'Bad Request: message is too long' }, times: 1 });
  const uuid = await send(text('word '.repeat(1_500)));
  const next = await send(text('after it'));
  await settle(30_000);
  t.same(
    standIn.sent.map((one) => one.message.text),
    ['after it'],
  );
  t.match(await message(uuid), { status: 'failed', statuses: [{ errors: [{ code: 152400, details: /too long/ }] }] });
  t.equal((await message(next)).status, 'sent');
});

t.test('429 makes the whole bot wait as long as Telegram says, and keeps the order', async (t) => {
  const { standIn, settle, send } = await startBot(t);
  await standIn.write(ANN, 'hi');
  await settle();
  standIn.flood(30);
  for (const body of ['one', 'two', 'three']) await send(text(body));
  await settle(20_000);
  t.equal(standIn.sent.length, 0);
  await settle(30_000);
  t.same(
    standIn.sent.map((one) => one.message.text),
    ['one', 'two', 'three'],
  );
});

t.test('a file is uploaded once; if Telegram no longer knows it, again', async (t) => {
  const { standIn, settle, send, platform, uuid: number, message } = await startBot(t);
  await standIn.write(ANN, 'hi');
  await settle();
  const file = await platform.media.put(number, Buffer.from('%PDF-1.4'), { mimeType: 'application/pdf', filename: 'loans.pdf' });
  const turn = {
    type: 'document',
    document: { link: `media:${file.id}`, mime_type: 'application/pdf', filename: 'loans.pdf', caption: '*Loans*' },
  };
  const uploads = () => standIn.requests.filter((one) => String(one.headers['content-type']).startsWith('multipart')).length;
  await send(turn);
  await settle(2_000);
  t.match(standIn.sent.at(-1), {
    message: { caption: 'Loans', caption_entities: [{ type: 'bold' }], document: { file_name: 'loans.pdf' } },
  });
  t.equal(uploads(), 1);
  await send(turn);
  await settle(2_000);
  t.equal(uploads(), 1);
  standIn.loseFile(standIn.sent.at(-1)!.message.document!.file_id);
  const again = await send(turn);
  await settle(5_000);
  t.equal(uploads(), 2);
  t.match(await message(again), { status: 'sent' });
});

for (const [unknownOutcome, expected] of [
  ['resend', 'sent'],
  ['fail', 'failed'],
] as const) {
  t.test(`a call whose outcome is unknown: ${unknownOutcome}`, async (t) => {
    const { standIn, settle, send, message } = await startBot(t, { telegram: { unknownOutcome } });
    await standIn.write(ANN, 'hi');
    await settle();
    standIn.fault({ on: { method: 'sendMessage' }, connection: 'reset after', times: 1 });
    const uuid = await send(text('once'));
    await settle(30_000);
    t.equal((await message(uuid)).status, expected);
    t.equal(standIn.sent.length, unknownOutcome === 'resend' ? 2 : 1);
  });
}

t.test('a form that has no page is refused before it is sent, and no record has the token', async (t) => {
  const { standIn, settle, send, platform, log, told } = await startBot(t);
  const flow = {
    type: 'flow',
    body: { text: 'Sign up' },
    action: {
      name: 'flow',
      parameters: { flow_id: '1', flow_cta: 'Go', flow_action: 'navigate', flow_message_version: '3', mode: 'published' },
    },
  };
  await t.rejects(send({ type: 'interactive', interactive: flow }), {
    code: 'message_refused',
    message: /"1" is not one of this platform/,
  });
  await standIn.write(ANN, 'hi');
  await send(text('hello'));
  standIn.fault({ on: { method: 'sendMessage' }, connection: 'reset', times: 1 });
  await send(text('again'));
  await settle(10_000);
  const deliveries = await Promise.all((await platform.deliveries.list({ limit: 10 })).map(({ uuid }) => platform.deliveries.show(uuid)));
  for (const [what, shown] of Object.entries({ deliveries, lines: log.lines, advice: told('advice') }))
    t.notMatch(JSON.stringify(shown), standIn.token.split(':')[1], what);
});

t.test('a message waits with its reason, which why shows', async (t) => {
  const { standIn, settle, send, admin } = await startBot(t);
  await standIn.write(ANN, 'hi');
  await settle();
  standIn.flood(60);
  const uuid = await send(text('later'));
  await settle(1_000);
  const { body } = await admin('GET', `/why?message=${uuid}`);
  t.match(JSON.stringify(body), /retry after 60/);
  await settle(90_000);
  t.match(JSON.stringify((await admin('GET', `/why?message=${uuid}`)).body), /"sent"|was sent|sent at/);
});

t.test('a form is a button with a link, or a line of text where Telegram would refuse the button', async (t) => {
  for (const publicUrl of ['https://posthorn.test', 'https://intranet']) {
    const bot = await startBot(t, { publicUrl });
    await bot.standIn.write(ANN, 'hi');
    await bot.settle();
    await bot.send(flowTurn(await publishedFlow(bot)));
    await bot.settle();
    const { message } = bot.standIn.sent.at(-1)!;
    const [button] = message.reply_markup?.inline_keyboard[0] ?? [];
    t.equal(button !== undefined, publicUrl === 'https://posthorn.test');
    const link = `${publicUrl}${formPath(JSON.stringify(message))}`;
    if (button) t.match(button, { text: 'Give feedback', url: link });
    t.equal(message.text, `Library\n\nHow was it?\n\n${button ? '' : `Give feedback: ${link}\n\n`}Thank you`);
    const { status } = await bot.call('POST', formPath(link), { payload: { response: { rating: 'good' } } });
    t.equal(status, 200);
    t.match(bot.told('message.received').at(-1)!.message, {
      ...{ from: String(ANN), type: 'interactive', content: { interactive: { type: 'nfm_reply' } } },
      context: { id: `${ANN}:${message.message_id}` },
    });
  }
});

t.test('a file that Telegram does not take is a link', async (t) => {
  const { standIn, settle, send, platform, uuid: number, call } = await startBot(t);
  await standIn.write(ANN, 'hi');
  await settle();
  const file = await platform.media.put(number, Buffer.alloc(50 * 1024 * 1024 + 1), { mimeType: 'video/mp4', filename: 'a.mp4' });
  await send({ type: 'video', video: { link: `media:${file.id}`, mime_type: 'video/mp4', caption: 'How to renew' } });
  await settle();
  const [, path] = /^How to renew\n\nhttps:\/\/posthorn\.test(\/media\/\d+\/[\w-]{22})$/.exec(standIn.sent.at(-1)!.message.text!) ?? [];
  t.match(await call('GET', path!), { status: 200, headers: { 'content-disposition': "attachment; filename*=UTF-8''a.mp4" } });
});
