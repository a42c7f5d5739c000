import t from 'tap';
import { ANN, PHONE_ID, SECRETS, startCloud, WABA } from './cloud-under-test.js';

const text = (body = 'hello') => ({ type: 'text', text: { body } });
const MESSAGES = { method: 'POST', path: '/*/messages' } as const;
const bodies = (sent: readonly { readonly body: unknown }[]) => sent.map(({ body }) => (body as { text: { body: string } }).text.body);

t.test('messages of a conversation keep their order while the first is repeated', async (t) => {
  const { send, standIn, settle, told } = await startCloud(t);
  standIn.rule({ on: MESSAGES, times: 2, error: 131000 });
  for (const body of ['one', 'two', 'three']) await send(text(body));
  await settle();
  t.strictSame(bodies(standIn.sent), []);
  await settle(10_000);
  t.strictSame(bodies(standIn.sent), ['one', 'two', 'three']);
  t.equal(told('message.accepted').length, 3);
});

t.test('a permanent refusal fails the message with the error of the network, and the next one is sent', async (t) => {
  const { send, standIn, settle, listen, received } = await startCloud(t);
  await listen(['msgapp', 'svc']);
  standIn.rule({ on: MESSAGES, times: 1, error: { code: 131026, details: 'not on the network' } });
  const first = (await send(text('one'))).body.messages[0].id;
  await send(text('two'));
  await settle(500);
  t.strictSame(bodies(standIn.sent), ['two']);
  const [failed] = received().flatMap(({ json }) => json.statuses ?? []);
  t.match(failed, {
    id: first,
    status: 'failed',
    errors: [{ code: 131026, title: 'Message undeliverable', details: 'not on the network' }],
  });
  t.equal(received().filter(({ headers }) => headers['x-svc-hook-subscription'] === 'svc').length, 1, 'svc only for the accepted one');
});

t.test('a connection that breaks before the network accepts loses nothing', async (t) => {
  const { send, standIn, settle, told } = await startCloud(t);
  standIn.rule({ on: MESSAGES, times: 1, connection: 'reset' });
  await send(text('one'));
  await send(text('two'));
  await settle(10_000);
  t.strictSame(bodies(standIn.sent), [], 'the outcome is unknown, so that it waits for a status');
  await settle(130_000);
  t.strictSame(bodies(standIn.sent), ['one', 'two']);
  t.equal(told('message.accepted').length, 2);
});

t.test('a connection that breaks after the network has accepted sends nothing twice', async (t) => {
  for (const connection of ['reset after', 'silent'] as const) {
    const { send, standIn, settle, told, listen, received } = await startCloud(t);
    await listen(['msgapp']);
    standIn.rule({ on: MESSAGES, times: 1, connection });
    const { id } = (await send(text('one'))).body.messages[0];
    await send(text('two'));
    await settle(60_000);
    await settle(300_000);
    t.strictSame(bodies(standIn.sent), ['one', 'two'], connection);
    t.equal(told('message.accepted').length, 2);
    t.match(
      received()
        .flatMap(({ json }) => json.statuses ?? [])
        .filter((status: { id: string }) => status.id === id),
      [{ status: 'sent' }, { status: 'delivered' }],
    );
  }
});

t.test('without a status a send of unknown outcome is repeated; the double is counted, and is one message', async (t) => {
  const { send, standIn, settle, told, admin, platform, uuid } = await startCloud(t);
  standIn.change({ statuses: 'manual' });
  standIn.rule({ on: MESSAGES, times: 1, connection: 'reset after' });
  const { id } = (await send(text('one'))).body.messages[0];
  await settle(130_000);
  t.strictSame(bodies(standIn.sent), ['one', 'one']);
  t.equal(told('message.accepted').length, 1);
  for (const { id } of standIn.sent) await standIn.status(id, 'delivered');
  await settle();
  t.match(
    told('advice').filter(({ name }) => name === 'cloud_api_sent_twice'),
    [{ number: uuid }],
  );
  t.equal((await platform.messages.known(uuid, 'outbound', id))?.status, 'delivered');
  t.match((await admin('GET', '/metrics')).body, /cloud_api_doubles_total\{number_id="[^"]+"[^}]*\} 1/);
});

t.test('unknownOutcome fail: the message fails when no status arrives, and is never sent twice', async (t) => {
  const { send, standIn, settle, platform, uuid } = await startCloud(t, { cloud: { unknownOutcome: 'fail' } });
  standIn.change({ statuses: 'manual' });
  standIn.rule({ on: MESSAGES, times: 1, connection: 'reset after' });
  const { id } = (await send(text('one'))).body.messages[0];
  await send(text('two'));
  await settle(400_000);
  t.strictSame(bodies(standIn.sent), ['one', 'two']);
  t.match(await platform.messages.known(uuid, 'outbound', id), { status: 'failed', statuses: [{ errors: [{ code: 131000 }] }] });
});

t.test('an expired token stops the number, keeps its messages, and a new token sends them in order', async (t) => {
  const PAGER = 'https://pager.test/';
  const { send, standIn, settle, told, admin, uuid, http } = await startCloud(t, { alerts: [{ url: PAGER, from: 'critical' }] });
  http.answer(PAGER, {});
  const rule = standIn.rule({ on: MESSAGES, error: 190 });
  for (const body of ['one', 'two']) await send(text(body));
  await settle(60_000);
  t.strictSame(bodies(standIn.sent), []);
  t.match(told('advice'), [{ name: 'cloud_api_stopped', number: uuid }]);
  const { body } = await admin('GET', '/cloud-api/numbers');
  t.match(body.connections, [{ number: uuid, stopped: { code: 190 } }]);
  standIn.rules.remove(rule.id);
  await settle(600_000);
  t.strictSame(bodies(standIn.sent), [], 'nothing is sent before an operator acts');
  const { status, body: connected } = await admin('PUT', `/cloud-api/numbers/${uuid}`, {
    ...{ phone_number_id: PHONE_ID, waba_id: WABA },
    ...{ access_token: SECRETS.accessToken, app_secret: SECRETS.appSecret, verify_token: SECRETS.verifyToken },
  });
  t.equal(status, 200, JSON.stringify(connected));
  t.equal(connected.connection.stopped, null);
  await settle(5_000);
  t.strictSame(bodies(standIn.sent), ['one', 'two']);
  await settle(60_000);
  t.match(http.bodies(PAGER), [
    { state: 'raised', name: 'cloud_api_stopped', about: { number: uuid }, text: /\/resume/ },
    { state: 'resolved', name: 'cloud_api_stopped' },
  ]);
  t.strictSame((await admin('GET', `/advice?number=${uuid}`)).body.advice, [], 'its advice is dismissed');
});

t.test('pair rate: messages beyond the budget of a contact wait, without a refusal of the network; others are sent', async (t) => {
  const { send, standIn, settle, told, clock } = await startCloud(t, { cloud: { pairBurst: 3, pairSeconds: 6 } });
  const BEE = '16505559999';
  await standIn.write(BEE, 'hi');
  for (let n = 1; n <= 5; n++) await send(text(`${n}`));
  await send({ ...text('other'), to: BEE });
  await settle(1_000);
  t.strictSame(bodies(standIn.sent).sort(), ['1', '2', '3', 'other']);
  await settle(6_000);
  t.strictSame(bodies(standIn.sent).slice(4), ['4']);
  clock.jump(-60 * 60 * 1000);
  await settle(6_000);
  t.strictSame(bodies(standIn.sent).slice(5), ['5'], 'also when the wall clock is set back');
  t.equal(told('message.accepted').length, 6);
  t.equal(standIn.requests.filter(({ url }) => url.endsWith('/messages')).length, 6, 'no call was refused');
});

t.test('a message that would wait too long for the pair rate is refused with its code', async (t) => {
  const { send, settle } = await startCloud(t, { cloud: { pairBurst: 2, pairSeconds: 6, maxWaitSeconds: 20 } });
  const answers = [];
  for (let n = 1; n <= 7; n++) answers.push(await send(text(`${n}`)));
  t.strictSame(
    answers.map(({ status }) => status),
    [200, 200, 200, 200, 200, 429, 429],
  );
  t.match(answers.at(-1)!.body.errors, [{ code: 131056 }]);
  await settle(60_000);
  t.equal((await send(text())).status, 200);
});

t.test('throughput: a number stays below its messages per second', async (t) => {
  const { send, standIn, settle } = await startCloud(t, { cloud: { messagesPerSecond: 5, pairBurst: 100 } });
  standIn.change({ messagesPerSecond: 8 });
  for (let n = 0; n < 20; n++) {
    await standIn.write(`1650555${1000 + n}`, 'hi');
    await settle(1_000);
  }
  for (let n = 0; n < 20; n++) await send({ ...text(), to: `1650555${1000 + n}` });
  for (let n = 0; n < 50; n++) await settle(100);
  t.equal(standIn.sent.length, 20);
  t.equal(standIn.requests.filter(({ url }) => url.endsWith('/messages')).length, 20, 'the network refused nothing');
});

t.test('the network limits us anyway: pair and number are slowed down, and nothing fails', async (t) => {
  const { send, standIn, settle, told } = await startCloud(t);
  standIn.rule({ on: MESSAGES, times: 2, error: 131056 });
  await send(text('one'));
  await settle(10_000);
  standIn.rule({ on: MESSAGES, times: 2, error: 130429 });
  await send(text('two'));
  await settle(30_000);
  t.strictSame(bodies(standIn.sent), ['one', 'two']);
  t.equal(told('message.undeliverable').length, 0);
});

t.test('the window of 24 hours is judged before sending, with advice and its end in the conversation', async (t) => {
  const { send, standIn, settle, told, admin, uuid, platform } = await startCloud(t);
  const [conversation] = await platform.conversations.list(uuid, 1);
  const { body } = await admin('GET', `/conversations/${conversation!.uuid}`);
  t.match(JSON.stringify(body), /window_closes_at/);
  await settle(25 * 60 * 60 * 1000);
  const refused = await send(text());
  t.equal(refused.status, 400);
  t.match(refused.body.errors, [{ code: 470, details: new RegExp(ANN) }]);
  t.match(told('advice'), [{ name: 'cloud_api_window_closed' }]);
  await standIn.write(ANN, 'I am back');
  await settle();
  t.equal((await send(text())).status, 200);
});
