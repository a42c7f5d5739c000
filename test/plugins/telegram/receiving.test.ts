import t from 'tap';
import { ANN, BOB, startBot } from './bot-under-test.js';

for (const receive of ['polling', 'webhook'] as const) {
  t.test(`by ${receive}, messages arrive once, in the order of their chat, and are answered`, async (t) => {
    const test = await startBot(t, { bot: { receive } });
    const { standIn, settle, told } = test;
    standIn.person(ANN, { first_name: 'Ann', username: 'ann', language_code: 'de' });
    for (const text of ['one', 'two', 'three']) await standIn.write(ANN, text);
    await standIn.write(BOB, 'other');
    await settle();
    const received = told('message.received');
    t.same(
      received.filter(({ contact }) => contact.id === String(ANN)).map(({ message }) => message.content.text.body),
      ['one', 'two', 'three'],
    );
    t.match(received[0], {
      contact: { id: String(ANN), fields: { name: 'Ann' } },
      message: { external_id: `${ANN}:1`, from: String(ANN) },
    });
    t.match(await test.platform.contacts.known(test.uuid, String(ANN)), { fields: { telegram_username: 'ann', telegram_language: 'de' } });
    await standIn.repeat();
    await settle();
    t.equal(told('message.received').length, 4, 'an update that arrives again is the same message');
    const uuid = await test.send({ type: 'text', text: { body: 'hello' } });
    await settle();
    t.match(standIn.sent.at(-1), { message: { text: 'hello' } });
    t.match(await test.message(uuid), { status: 'sent', external_id: /^7000001:\d+$/ });
    t.same(test.problems(), []);
  });
}

t.test('files, places, cards and quotes have their form of the platform', async (t) => {
  const { standIn, settle, told, platform, send, message } = await startBot(t);
  const bytes = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64');
  await standIn.write(ANN, { photo: { bytes }, caption: 'my card' });
  await standIn.write(ANN, { document: { bytes, file_name: 'a.txt', mime_type: 'text/plain' } });
  await standIn.album(ANN, [{ photo: { bytes } }, { photo: { bytes } }]);
  await standIn.write(ANN, { location: { latitude: 1.5, longitude: 2.5 } });
  await standIn.write(ANN, { poll: { question: 'Tea?', options: ['yes', 'no'] } });
  await settle();
  const received = told('message.received').map((one) => one.message);
  t.match(received, [
    { type: 'image', content: { image: { caption: 'my card', link: /^media:/, mime_type: 'image/jpeg', sha256: String } } },
    { type: 'document', content: { document: { filename: 'a.txt', mime_type: 'text/plain' } } },
    { type: 'image' },
    { type: 'image' },
    { type: 'location', content: { location: { latitude: 1.5, longitude: 2.5 } } },
    { type: 'unsupported', content: { unsupported: { poll: {} } } },
  ]);
  const { bytes: stored } = await platform.media.get(received[0].content.image.id);
  t.same(Buffer.from(stored), bytes);
  const uuid = await send({ type: 'text', text: { body: 'Which one?' } });
  await settle();
  const { external_id: sent } = await message(uuid);
  await standIn.write(ANN, 'this one', { replyTo: standIn.sent.at(-1)!.message.message_id });
  await settle();
  t.match(told('message.received').at(-1).message, { context: { id: sent } });
});

t.test('an edit keeps the first text, and adds the new one', async (t) => {
  const { standIn, settle, told, message } = await startBot(t);
  const { message_id: id } = await standIn.write(ANN, 'first');
  await settle();
  await standIn.edit(ANN, id, 'second');
  await standIn.repeat();
  await settle();
  const [{ message: received }] = told('message.received');
  t.match(await message(received.uuid), { content: { text: { body: 'first' } }, edits: [{ content: { text: { body: 'second' } } }] });
  t.equal(told('message.received').length, 1);
  t.equal(told('message.edited').length, 1);
});

t.test('a person who blocks the bot gets no more messages, until it is unblocked', async (t) => {
  const { standIn, settle, send, platform, uuid, told, message } = await startBot(t);
  await standIn.write(ANN, 'hi');
  await settle();
  await standIn.block(ANN);
  await settle();
  t.match(told('contact.blocked'), [{ by: 'network' }]);
  await t.rejects(send({ type: 'text', text: { body: 'hello' } }), { code: 'message_refused' });
  await standIn.unblock(ANN);
  await settle();
  t.match(told('contact.unblocked'), [{ by: 'network' }]);
  // The update about the block was lost: the refusal of a message says it, too.
  standIn.fault({ on: { method: 'sendMessage' }, error: { code: 403, description: 'Forbidden: bot was blocked by the user' }, times: 1 });
  const sent = await send({ type: 'text', text: { body: 'hello' } });
  await settle();
  t.match(await message(sent), { status: 'failed', statuses: [{ errors: [{ code: 152403 }] }] });
  t.match(await platform.contacts.known(uuid, String(ANN)), { blocked: { network: { reason: /blocked by the user/ } } });
  await standIn.write(ANN, 'I am back');
  await settle();
  t.equal((await platform.contacts.known(uuid, String(ANN)))!.blocked, undefined);
});

t.test('messages in groups are refused visibly', async (t) => {
  const { standIn, settle, told } = await startBot(t);
  standIn.group(-100, 'Readers');
  await standIn.join(ANN, -100);
  await standIn.write(ANN, 'hi all', { chat: -100 });
  await settle();
  t.equal(told('message.received').length, 0);
  t.match(
    told('advice').filter(({ name }) => name === 'telegram_group'),
    [{ fix: /setjoingroups/ }],
  );
});

t.test('a link to the bot with a parameter sets a field, by which a journey can begin', async (t) => {
  const { standIn, settle, told } = await startBot(t);
  await standIn.start(ANN, 'shop-7');
  await settle();
  t.match(told('message.received'), [{ message: { content: { text: { body: '/start shop-7' } } } }]);
  t.match(told('contact.changed').at(-1), { contact: { fields: { telegram_start: 'shop-7' } } });
});

t.test('calls of others to the webhook are refused, and such of no bot', async (t) => {
  const { call, uuid } = await startBot(t, { bot: { receive: 'webhook' } });
  const path = `/telegram/${uuid}/updates`;
  const update = { update_id: 1, message: { message_id: 1, chat: { id: 5, type: 'private' }, text: 'x' } };
  t.match(await call('POST', path, { payload: update }), { status: 401, headers: { 'x-posthorn-cause': 'telegram_secret_wrong' } });
  t.match(await call('POST', path, { payload: update, headers: { 'x-telegram-bot-api-secret-token': 'x'.repeat(64) } }), { status: 401 });
  t.match(await call('POST', '/telegram/none/updates', { payload: update }), { status: 404 });
  const polling = await startBot(t);
  t.match(await polling.call('POST', `/telegram/${polling.uuid}/updates`, { payload: update }), { status: 404 });
});

t.test('a disconnected number has no webhook at Telegram any more, and is disconnected also if Telegram does not answer', async (t) => {
  for (const isDown of [false, true]) {
    const { standIn, uuid, admin, settle, problems } = await startBot(t, { bot: { receive: 'webhook' } });
    if (isDown) standIn.fault({ on: { method: 'deleteWebhook' }, error: { code: 500, description: 'Internal Server Error' }, times: 1 });
    t.match(await admin('DELETE', `/numbers/${uuid}/connection`), { status: 200 });
    await settle();
    t.equal(problems().length, isDown ? 1 : 0);
    await standIn.write(ANN, 'anyone there?');
    t.equal(standIn.deliveries.length, isDown ? 1 : 0, 'Telegram calls the webhook only if it still has it');
  }
});

t.test('a file that is lost or too large does not hold up the chat', async (t) => {
  const { standIn, settle, told } = await startBot(t);
  standIn.fault({ on: { method: 'getFile' }, error: { code: 400, description: 'Bad Request: file is too big' }, times: 1 });
  await standIn.write(ANN, { document: { bytes: Buffer.from('x'), file_name: 'big.zip' }, caption: 'look' });
  await standIn.write(ANN, 'next');
  await settle(1_000);
  const byType = (type: string) =>
    told('message.received')
      .map(({ message }) => message)
      .find((one) => one.type === type);
  t.match(byType('document'), { content: { document: { caption: 'look' } }, errors: [{ code: 131052 }] });
  t.match(byType('text'), { content: { text: { body: 'next' } } });
});

t.test('a second program that polls causes advice, and the token that is no longer valid stops the bot', async (t) => {
  const { standIn, settle, told, admin, uuid, send, message } = await startBot(t);
  standIn.fault({
    on: { method: 'getUpdates' },
    error: { code: 409, description: 'Conflict: terminated by other getUpdates request' },
    times: 1,
  });
  await standIn.write(ANN, 'hi');
  await settle(60_000);
  t.ok(told('advice').some(({ name }) => name === 'telegram_other_poller'));
  t.equal(told('message.received').length, 1);
  standIn.fault({ error: { code: 401, description: 'Unauthorized' } });
  const sent = await send({ type: 'text', text: { body: 'wait' } });
  await settle(5_000);
  t.match(
    told('advice').find(({ name }) => name === 'connection_stopped'),
    { severity: 'critical' },
  );
  t.match(await message(sent), { status: undefined });
  t.match(JSON.stringify((await admin('GET', `/why?message=${sent}`)).body), /The number is stopped: Telegram refuses the token/);
  standIn.faults.clear();
  t.match(await admin('POST', `/numbers/${uuid}/connection/check`), { status: 200 });
  await settle(5_000);
  t.match(await message(sent), { status: 'sent' });
});
