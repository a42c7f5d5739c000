import t from 'tap';
import { sampleJson } from '../../pages/samples.js';
import { ANN, BOB, startNumber } from './number-under-test.js';

const text = (body: string) => ({ type: 'text', text: { body } });
const buttons = (...titles: string[]) => ({
  type: 'interactive',
  interactive: {
    type: 'button',
    body: { text: 'Which?' },
    action: { buttons: titles.map((title, i) => ({ type: 'reply', reply: { id: `b${i}`, title } })) },
  },
});

t.test('the number on the page is connected', async (t) => {
  const { admin, standIn } = await startNumber(t);
  const body = sampleJson('plugins/sms/README.md', 'number');
  // The account of the stand-in, which does not know that of the page.
  const settings = { ...body.settings, account: standIn.account, token: standIn.token, base_url: standIn.url, sender: '+15550100099' };
  t.equal((await admin('POST', '/connections', { ...body, settings })).status, 201);
});

t.test('a message is sent with the account, and its statuses are those of the callbacks', async (t) => {
  const { standIn, settle, send, message, told, uuid: number, problems } = await startNumber(t);
  const uuid = await send(text('Hello **Ann**, see [us](https://example.org/a)'));
  await settle();
  const [sent] = standIn.sent;
  t.match(sent, { to: ANN, from: standIn.sender, text: 'Hello Ann, see us (https://example.org/a)' });
  t.equal(sent!.callback, `https://posthorn.test/sms/${number}/statuses?m=${uuid}/1`);
  t.match(await message(uuid), { external_id: sent!.id, pending_for: undefined, status: undefined });
  await standIn.report(sent!.id, 'queued');
  await standIn.report(sent!.id, 'delivered');
  await standIn.report(sent!.id, 'sent');
  await standIn.report(sent!.id, 'delivered');
  await settle();
  t.match(await message(uuid), { status: 'delivered' });
  t.equal(told('message.status').length, 2, 'doubles and steps on the way are nothing new');
  t.same(problems(), []);
});

t.test('reports come before the answer, late, contradict and have unknown words', async (t) => {
  const { standIn, settle, send, message, problems } = await startNumber(t);
  standIn.fault({ times: 1, reportFirst: 'delivered' });
  const early = await send(text('early'));
  await settle();
  t.match(await message(early), { status: 'delivered', external_id: standIn.sent[0]!.id });
  const failing = await send(text('failing'));
  await settle();
  const { id } = standIn.sent[1]!;
  await standIn.report(id, 'undelivered', { code: 30_008, reason: 'Unknown error' });
  await settle(24 * 60 * 60 * 1_000);
  await standIn.report(id, 'sent');
  await settle();
  t.match(await message(failing), {
    status: 'failed',
    statuses: [{ errors: [{ code: 153_000, details: 'Twilio 30008: Unknown error' }] }],
  });
  await standIn.report(id, 'delivered');
  await standIn.report(id, 'undelivered', { code: 30_008 });
  await settle();
  t.equal((await message(failing)).status, 'delivered', 'a contact who has the message has it');
  await standIn.report(id, 'exploded');
  await settle();
  t.equal(standIn.callbacks.at(-1)!.answer?.status, 200);
  t.same(problems(), ['a gateway reported a status that is not known']);
});

t.test('a long text is sent in parts, whose reports are those of the whole', async (t) => {
  const { standIn, settle, send, message } = await startNumber(t, { number: { max_segments: 40 } });
  const uuid = await send(text('A sentence of the library. '.repeat(150)));
  await send(text('after it'));
  await settle(60_000);
  t.equal(standIn.sent.length, 4);
  t.match(standIn.sent[0]!.text, /library\. \(1\/3\)$/);
  t.equal(standIn.sent[3]!.text, 'after it');
  const [one, two, three] = standIn.sent.map(({ id }) => id);
  await standIn.report(three!, 'delivered');
  await standIn.report(one!, 'delivered');
  await standIn.report(two!, 'sent');
  await settle();
  t.equal((await message(uuid)).status, 'sent');
  await standIn.report(two!, 'delivered');
  await settle();
  t.equal((await message(uuid)).status, 'delivered');
  const failing = await send(text('A sentence of the library. '.repeat(150)));
  standIn.fault({ times: 1, on: { contains: '(2/3)' }, error: { status: 400, code: 21_617, message: 'The body is too long' } });
  await settle(60_000);
  t.match(await message(failing), { status: 'failed', statuses: [{ errors: [{ details: 'Twilio 21617: The body is too long' }] }] });
  t.equal(standIn.sent.length, 5, 'the parts after it are not sent');
});

t.test('a text with too many segments is refused before it is sent, with the count', async (t) => {
  const { standIn, settle, send, admin } = await startNumber(t);
  await t.rejects(send(text('x'.repeat(1_000))), { message: /needs 7 segments of GSM-7, and the number sends at most 6/ });
  await t.rejects(send(text('я'.repeat(500))), { message: /needs 8 segments of UCS-2/ });
  await settle();
  t.equal(standIn.sent.length, 0);
  t.match(await admin('POST', '/sms/segments', { text: '“Hello”' }), {
    status: 200,
    body: { text: '"Hello"', encoding: 'GSM-7', units: 7, segments: 1, left: 153 },
  });
  t.match(await admin('POST', '/sms/segments', { text: '“Hello” 👋'.repeat(10) }), {
    body: { encoding: 'UCS-2', units: 100, segments: 2 },
  });
});

t.test('options are numbered, in the language of the contact', async (t) => {
  const { standIn, settle, send, platform, uuid } = await startNumber(t, {
    sms: { texts: { nl: { choose: 'Antwoord met het nummer.', stopped: 'Gestopt.' } } },
  });
  await standIn.write(ANN, 'hi');
  await settle();
  await send(buttons('Renew', 'Return'));
  await settle();
  t.equal(standIn.sent.at(-1)!.text, 'Which?\n\n1 Renew\n2 Return\nReply with the number.');
  const number = await platform.numbers.require(uuid);
  const { uuid: ann } = (await platform.contacts.known(uuid, ANN))!;
  for (const [language, line] of [
    ['nl', 'Antwoord met het nummer.'],
    ['de-AT', 'Antworten Sie mit der Zahl.'],
    ['fi', 'Reply with the number.'],
  ] as const) {
    await platform.store.transaction((tx) => platform.contacts.setFields(tx, number, ann, { language }));
    await send(buttons('Renew'));
    await settle();
    t.equal(standIn.sent.at(-1)!.text.split('\n').at(-1), line);
  }
  await t.rejects(send(buttons(...Array.from({ length: 21 }, (_, i) => `${i}`))), { message: /at most 20/ });
});

t.test('segments are spaced, a long message takes longer, and 429 makes the whole number wait', async (t) => {
  const { standIn, settle, send, clock } = await startNumber(t, { number: { segments_per_second: 1 } });
  await send(text('x'.repeat(300)), ANN);
  await send(text('two'), BOB);
  await settle(0);
  t.equal(standIn.sent.length, 1);
  await settle(1_500);
  t.equal(standIn.sent.length, 1);
  await settle(600);
  t.equal(standIn.sent.length, 2);
  standIn.fault({ times: 1, respond: { status: 429, headers: { 'retry-after': '30' }, body: '{"code":20429,"message":"Too many"}' } });
  await settle(2_000);
  await send(text('three'), ANN);
  await send(text('four'), BOB);
  await settle(20_000);
  t.equal(standIn.sent.length, 2, clock.now().toISOString());
  await settle(20_000);
  t.equal(standIn.sent.length, 4);
});

t.test('errors of Twilio stop the number, block the contact, advise, or fail the message', async (t) => {
  const { standIn, settle, send, message, platform, uuid, told, admin } = await startNumber(t);
  const refuse = (code: number, what: string, status = 400) => standIn.fault({ times: 1, error: { status, code, message: what } });
  const blocked = async (who: string) => (await platform.contacts.known(uuid, who))?.blocked;

  refuse(21_610, 'unsubscribed');
  const optedOut = await send(text('one'), '+15550100003');
  await settle();
  t.match(await message(optedOut), { status: 'failed', statuses: [{ errors: [{ code: 153_406 }] }] });
  t.match(await blocked('+15550100003'), { contact: { reason: 'Twilio 21610: unsubscribed' } });
  await t.rejects(send(text('two'), '+15550100003'), { message: /has opted out of messages/ });

  refuse(21_211, 'invalid');
  await send(text('one'), '+15550100004');
  await settle();
  t.match(await blocked('+15550100004'), { network: { reason: /21211/ } });

  const late = await send(text('one'), '+15550100005');
  await settle();
  await standIn.report(standIn.sent.at(-1)!.id, 'undelivered', { code: 21_610 });
  await settle();
  t.match(await message(late), { status: 'failed' });
  t.match(await blocked('+15550100005'), { contact: {} }, 'an opt-out that only a report tells');

  refuse(21_408, 'no permission for this region');
  refuse(30_003, 'unreachable');
  await send(text('one'), '+15550100006');
  await send(text('one'), '+15550100007');
  await settle();
  t.match(
    told('advice').filter(({ name }) => name === 'sms_gateway_refuses'),
    [{ message: /21408: no permission/ }],
  );
  t.equal(await blocked('+15550100007'), undefined, 'only unreachable now');

  refuse(20_003, 'Authenticate', 401);
  const waiting = await send(text('waits'), ANN);
  await settle(60_000);
  t.match((await admin('GET', '/connections')).body.connections, [{ stopped: { code: 20_003 } }]);
  t.match(told('advice').at(-1), { name: 'connection_stopped' });
  t.equal((await message(waiting)).pending_for, ANN);
  t.equal((await admin('POST', `/numbers/${uuid}/connection/check`)).status, 200);
  await settle(60_000);
  t.equal((await message(waiting)).pending_for, undefined);
});

t.test('an unknown outcome is sent again, or fails', async (t) => {
  for (const [unknownOutcome, times] of [
    ['resend', 2],
    ['fail', 1],
  ] as const) {
    const { standIn, settle, send, message } = await startNumber(t, { sms: { unknownOutcome } });
    standIn.fault({ times: 1, connection: 'reset after' });
    const uuid = await send(text('one'));
    await settle(60_000);
    t.equal(standIn.sent.length, times);
    if (unknownOutcome === 'fail') t.match(await message(uuid), { status: 'failed' });
    // A report on either of the two proves what happened.
    await standIn.report(standIn.sent[0]!.id, 'delivered');
    await settle();
    t.equal((await message(uuid)).status, 'delivered');
  }
});

t.test('files are MMS where the number sends them, and otherwise links', async (t) => {
  const plain = await startNumber(t);
  const file = async ({ platform, uuid }: Awaited<ReturnType<typeof startNumber>>) =>
    (await platform.media.put(uuid, Buffer.from('a picture'), { mimeType: 'image/png' })).id;
  const image = (link: string) => ({ type: 'image', image: { link, mime_type: 'image/png', caption: 'The *reading* room' } });
  await plain.send(image(`media:${await file(plain)}`));
  await plain.settle();
  t.match(plain.standIn.sent.at(-1)!.text, /^The reading room\n\nhttps:\/\/posthorn\.test\/media\/\d+\/[\w-]{22}$/);
  await plain.send(image('https://example.org/room.png'));
  await plain.settle();
  t.equal(plain.standIn.sent.at(-1)!.text, 'The reading room\n\nhttps://example.org/room.png');
  const rich = await startNumber(t, { number: { mms: true } });
  await rich.send(image(`media:${await file(rich)}`));
  await rich.settle();
  t.match(rich.standIn.sent.at(-1), { text: 'The reading room' });
  t.equal(Buffer.from(rich.standIn.sent.at(-1)!.bytes!).toString(), 'a picture');
  const { status, body } = await rich.admin('POST', '/connections', {
    type: 'sms',
    settings: { gateway: 'africas_talking', account: 'a', token: 'b', sender: '12345', mms: true },
  });
  t.equal(status, 400, JSON.stringify(body));
});

t.test("Africa's Talking: a 201 can be a failure, without recipients too", async (t) => {
  const { standIn, settle, send, message, told, platform, uuid: number } = await startNumber(t, { shape: 'africas_talking' });
  const failed = async (uuid: string) => (await message(uuid)).statuses[0]?.errors?.[0]?.details;
  standIn.fault({ times: 1, recipients: 'InvalidSenderId' });
  const one = await send(text('one'));
  await settle();
  t.equal(await failed(one), "Africa's Talking 402: InvalidSenderId");
  t.match(told('advice').at(-1), { name: 'sms_gateway_refuses' });
  standIn.fault({ times: 1, error: { status: 201, code: 406, message: 'UserInBlacklist' } });
  const two = await send(text('two'));
  await settle();
  t.equal(await failed(two), "Africa's Talking 406: UserInBlacklist");
  t.match(await platform.contacts.known(number, ANN), { blocked: { contact: {} } });
  standIn.fault({ times: 1, error: { status: 201, code: 401, message: 'RiskHold' } });
  const three = await send(text('three'), BOB);
  await settle();
  t.equal(await failed(three), "Africa's Talking 1401: RiskHold", 'not a wrong key');
  standIn.fault({ times: 2, error: { status: 201, code: 501, message: 'GatewayError' } });
  const four = await send(text('four'), BOB);
  await settle(60_000);
  await standIn.report(standIn.sent.at(-1)!.id, 'Expired');
  await settle();
  t.match(await message(four), { status: 'failed' });
  standIn.fault({ times: 1, error: { status: 201, code: 405, message: 'InsufficientBalance' } });
  await send(text('five'), BOB);
  await settle(60_000);
  t.match(told('advice').at(-1), { name: 'connection_stopped' });
});
