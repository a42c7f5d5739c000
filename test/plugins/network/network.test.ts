import t from 'tap';
import { ManualClock, ScriptedHttp, startPlatform } from '#core/testing';
import { freshFolder } from '../../core/adapters/store/folders.js';
import { allPlugins, OWNER, PHONE, startNetwork } from '../messages/network-under-test.js';

const text = { text: { body: 'hello' } };
const START = 1_767_600_000;

/** A number whose owner's webhook receives statuses. */
async function startListening(...args: Parameters<typeof startNetwork>) {
  const test = await startNetwork(...args);
  await test.listen(['msgapp']);
  const statuses = () => test.received().flatMap(({ json }) => json.statuses ?? []);
  const told = () => statuses().map(({ status, timestamp }) => [status, Number(timestamp) - START]);
  const sendOne = async (body: object = text) => {
    const id = (await test.send(body)).body.messages[0].id as string;
    return (await test.platform.messages.known(test.uuid, 'outbound', id))!;
  };
  return { ...test, statuses, told, sendOne };
}

t.test('a message is reported as sent and delivered after the delays of the policy', async (t) => {
  const { sendOne, clock, told, policy, platform } = await startListening(t);
  const { uuid } = await sendOne();
  await clock.advance(250);
  t.strictSame(told(), [
    ['sent', 0],
    ['delivered', 0],
  ]);
  t.match(await platform.messages.get(uuid), { status: 'delivered' });
  await policy({ sent_after_ms: 2_000, delivered_after_ms: 10_000 });
  await sendOne();
  await clock.advance(1_000);
  t.equal(told().length, 2, 'nothing before its time');
  await clock.advance(60_000);
  t.strictSame(told().slice(2), [
    ['sent', 2],
    ['delivered', 10],
  ]);
});

t.test('a message is read if the policy has read receipts', async (t) => {
  const { sendOne, clock, told, policy } = await startListening(t);
  await policy({ read_after_ms: 30_000 });
  await sendOne();
  await clock.advance(60_000);
  t.strictSame(told(), [
    ['sent', 0],
    ['delivered', 0],
    ['read', 30],
  ]);
});

t.test('a message that is read immediately is not reported as delivered, which read implies', async (t) => {
  const { sendOne, clock, told, policy, platform } = await startListening(t);
  await policy({ read_after_ms: 500 });
  const { uuid } = await sendOne();
  await clock.advance(60_000);
  t.strictSame(told(), [
    ['sent', 0],
    ['read', 0],
  ]);
  t.match(await platform.messages.get(uuid), { status: 'read' });
});

t.test('reports can arrive in reverse order, with correct timestamps', async (t) => {
  const { sendOne, clock, told, policy, platform } = await startListening(t);
  await policy({ delivered_after_ms: 5_000, read_after_ms: 30_000, order: 'reversed' });
  const { uuid } = await sendOne();
  await clock.advance(60_000);
  t.strictSame(told(), [
    ['read', 30],
    ['delivered', 5],
    ['sent', 0],
  ]);
  t.match(await platform.messages.get(uuid), { status: 'read' });
});

t.test('with a manual policy statuses are reported on request only, in any order', async (t) => {
  const { sendOne, clock, told, policy, admin, platform } = await startListening(t);
  await policy({ mode: 'manual' });
  const { uuid } = await sendOne();
  await clock.advance(60_000);
  t.strictSame(told(), []);
  const answer = await admin('POST', `/network/messages/${uuid}/statuses`, {
    statuses: [{ status: 'read', timestamp: String(START + 9) }, { status: 'sent', timestamp: String(START + 1) }, { status: 'delivered' }],
  });
  t.match(answer, { status: 200, body: { message: { status: 'read' } } });
  await clock.advance(0);
  t.strictSame(told(), [
    ['read', 9],
    ['sent', 1],
    ['delivered', 60],
  ]);
  t.match(await platform.messages.get(uuid), { status: 'read' });
  t.equal((await admin('POST', '/network/messages/nothing/statuses', { statuses: [{ status: 'read' }] })).status, 404);
});

t.test('a message is found by the id that sending it returned, in any case if it is a uuid', async (t) => {
  const { send, admin, platform, policy, call, number } = await startListening(t);
  await policy({ mode: 'manual' });
  const { id } = (await send({ text: { body: 'hi' } })).body.messages[0];
  t.match(id, /[A-Z]/);
  const { message } = (await admin('GET', `/messages/${id}`)).body;
  t.match(message, { external_id: id, content: { text: { body: 'hi' } } });
  t.match((await admin('GET', `/messages/${message.uuid.toUpperCase()}`)).body, { message: { uuid: message.uuid } });
  t.match(await admin('POST', `/network/messages/${id}/statuses`, { statuses: [{ status: 'read' }] }), {
    status: 200,
    body: { message: { uuid: message.uuid, status: 'read' } },
  });
  const unknown = { status: 404, body: { errors: [{ details: /^There is no message.* "Wamid\.No"$/ }] } };
  t.match(await admin('GET', '/messages/Wamid.No'), unknown);
  t.match(await admin('POST', '/network/messages/Wamid.No/statuses', { statuses: [{ status: 'read' }] }), unknown);

  const inbound = {
    contact: { id: '1', profile: { name: 'Ann' } },
    message: { from: '1', id: 'M-1', timestamp: '1767600000', type: 'text', text: { body: 'hi' } },
  };
  for (const address of ['web:1', 'web:2']) {
    const channel = await number('channel', { type: 'channel_http_api', address });
    await call('POST', `/v1/numbers/${channel.uuid}/messages`, { token: channel.token, payload: inbound });
    const answer = await admin('GET', '/messages/M-1');
    if (address === 'web:1') t.match(answer.body, { message: { number: channel.uuid, external_id: 'M-1' } });
    else
      t.match(answer, {
        status: 409,
        body: { errors: [{ details: '2 messages have the id "M-1"; use the uuid of the message instead' }] },
      });
  }
  t.equal((await platform.numbers.list()).length, 3);
});

t.test('a rule makes a number of messages fail, with its own error', async (t) => {
  const { send, clock, statuses, policy, admin, uuid } = await startListening(t);
  const error = { code: 131026, title: 'Message undeliverable', details: 'no such phone', href: 'https://errors.test/131026' };
  await policy({ rules: [{ outcome: 'fail', to: `+${PHONE}`, type: 'text', text: 'fail', times: 2, error }] });
  for (const body of ['fail 1', 'fine', 'fail 2', 'fail 3']) t.equal((await send({ text: { body } })).status, 200);
  await clock.advance(60_000);
  const failed = statuses().filter(({ status }) => status === 'failed');
  t.equal(failed.length, 2);
  t.strictSame(failed[0].errors, [error]);
  t.equal(statuses().filter(({ status }) => status === 'delivered').length, 2);
  t.strictSame((await admin('GET', `/network/numbers/${uuid}/policy`)).body.policy.rules, [], 'the rule is used up');
});

t.test('a rule applies to messages that match all its conditions, and to no others', async (t) => {
  const { send, clock, statuses, policy } = await startListening(t);
  await policy({ rules: [{ outcome: 'fail', type: 'text', text: 'bad', to: PHONE }] });
  await send({ text: { body: 'good' } });
  await send({ type: 'image', image: { link: 'https://files.test/a', caption: 'bad' } });
  await send({ to: '27820001002', text: { body: 'bad' } });
  await clock.advance(1000);
  t.strictSame([...new Set(statuses().map(({ status }) => status))], ['sent', 'delivered']);
  await send({ text: { body: 'too bad' } });
  await clock.advance(1000);
  t.equal(statuses().at(-1).status, 'failed');
});

t.test('a message is never delivered before it is sent, whatever the delays are', async (t) => {
  const { sendOne, clock, told, policy } = await startListening(t);
  await policy({ sent_after_ms: 5_000, delivered_after_ms: 1_000 });
  await sendOne();
  await clock.advance(60_000);
  t.strictSame(told(), [
    ['sent', 5],
    ['delivered', 5],
  ]);
});

t.test('a rule accepts phone numbers with separators as recipient', async (t) => {
  const { send, clock, statuses, policy } = await startListening(t);
  await policy({ rules: [{ outcome: 'fail', to: '+27 82 000-1001' }] });
  await send(text);
  await clock.advance(60_000);
  t.match(statuses(), [{ status: 'failed' }]);
});

t.test('a reaction to an unknown message is accepted, and fails', async (t) => {
  const { send, say, clock, statuses } = await startListening(t);
  const { external_id } = await say('hi');
  const react = (message_id: string, to = PHONE) => send({ to, type: 'reaction', reaction: { message_id, emoji: '👍' } });
  t.equal((await react('wamid.nothing')).status, 200);
  t.equal((await react(external_id!, '27820001002')).status, 200);
  await clock.advance(1000);
  const errors = [{ code: 131009, title: /./, details: /not the id of a message of this conversation/, href: /^https/ }];
  t.match(statuses(), [
    { status: 'failed', errors },
    { status: 'failed', errors, recipient_id: '27820001002' },
  ]);
  await react(external_id!);
  await clock.advance(1000);
  t.match(statuses().slice(2), [{ status: 'sent' }, { status: 'delivered' }]);
});

t.test('a refuse rule makes the network refuse messages, and nothing is recorded', async (t) => {
  const { send, clock, statuses, policy, platform, uuid } = await startListening(t);
  await policy({ rules: [{ outcome: 'refuse', times: 1 }] });
  t.match(await send(text), { status: 400, body: { errors: [{ code: 131000, title: /./, details: /rule/, href: /^https/ }], meta: {} } });
  t.strictSame(await platform.conversations.list(uuid, 1), []);
  t.equal((await send(text)).status, 200, 'the rule was counted down');
  await clock.advance(60_000);
  t.equal(statuses().length, 2);
});

t.test('a hold rule accepts messages and never reports a status', async (t) => {
  const { sendOne, clock, statuses, policy } = await startListening(t);
  await policy({ rules: [{ outcome: 'hold' }] });
  await sendOne();
  await clock.advance(3_600_000);
  t.strictSame(statuses(), []);
});

t.test('outside the window only a template can be sent, if the policy has a window', async (t) => {
  const { send, say, clock, policy, admin, uuid } = await startListening(t);
  await policy({ window_hours: 24 });
  t.match(await send(text), { status: 400, body: { errors: [{ code: 470, details: /last 24 hours/ }] } });
  await say('hi');
  t.equal((await send(text)).status, 200);
  await clock.advance(24 * 3_600_000 + 1);
  t.equal((await send(text)).status, 400);
  await admin('PUT', `/numbers/${uuid}/templates`, { name: 'hi', language: 'en', components: [{ type: 'body', text: 'Hello' }] });
  t.equal((await send({ type: 'template', template: { name: 'hi', language: { code: 'en' } } })).status, 200);
});

t.test('a policy is shown, partially changed and reset', async (t) => {
  const { admin, uuid, number } = await startNetwork(t);
  const path = `/network/numbers/${uuid}/policy`;
  const usual = {
    mode: 'automatic',
    sent_after_ms: 50,
    delivered_after_ms: 250,
    read_after_ms: null,
    swallow_delivered_ms: 1000,
    order: 'real',
    window_hours: null,
    rules: [],
  };
  t.strictSame((await admin('GET', path)).body.policy, usual);
  t.strictSame((await admin('PATCH', path, { read_after_ms: 5 })).body.policy, { ...usual, read_after_ms: 5 });
  t.strictSame((await admin('PATCH', path, { read_after_ms: null, mode: 'manual' })).body.policy, { ...usual, mode: 'manual' });
  await admin('DELETE', path);
  t.strictSame((await admin('GET', path)).body.policy, usual);
  t.equal((await admin('PATCH', path, { order: 'random' })).status, 400);
  const channel = await number('channel', { type: 'channel_http_api' });
  t.match(await admin('GET', `/network/numbers/${channel.uuid}/policy`), { status: 409 });
  t.equal((await admin('GET', '/network/numbers/nothing/policy')).status, 404);
});

t.test('pending status reports are made after a restart', async (t) => {
  const dataDir = freshFolder(t);
  const { sendOne, server, clock: before } = await startListening(t, { dataDir });
  const { uuid } = await sendOne();
  await server.stop();
  const clock = new ManualClock({ start: before.now() });
  const { platform } = await startPlatform(t, {
    plugins: allPlugins(),
    dataDir,
    ports: { clock, http: new ScriptedHttp({ clock }).answer(OWNER, {}) },
  });
  await clock.advance(60_000);
  t.strictSame(
    (await platform.messages.get(uuid))?.statuses.map(({ status }) => status),
    ['sent', 'delivered'],
  );
});
