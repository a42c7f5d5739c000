import t from 'tap';
import { ManualClock, type ScriptedAnswer, ScriptedHttp } from '#core/testing';
import { connections } from '../../../core/messaging/connection.js';
import { freshFolder } from '../adapters/store/folders.js';
import { hookCalls, startOwls, TOKEN } from './owl-post.js';

const OTHER = 'token-of-errol';

t.test('a connected number has its settings, and nothing shows its secrets', async (t) => {
  const { connect, admin, platform, log, events } = await startOwls(t);
  const made = await connect({ token: TOKEN, nest: 'south', flights: 3 });
  t.match(made, { status: 201, body: { connection: { number: { kind: 'channel', type: 'owl', address: 'owl-1', name: 'Hedwig' } } } });
  const { connection } = made.body;
  t.match(connection, { stopped: null, receiving: null, details: { perch: `perch of ${connection.number.uuid}` } });
  t.strictSame(connection.settings, { nest: 'south', flights: 3, name: 'Hedwig' });
  t.equal(await platform.connections.secret(connection.number.uuid, 'token'), TOKEN);
  t.match(
    events.filter(({ name }) => name === 'connection.changed').map(({ data }) => data),
    [{ number: connection.number.uuid, connection: { settings: { nest: 'south' } } }],
  );
  const shown = await Promise.all(
    ['/connections', '/connections/types', '/audit', '/advice', '/numbers', '/platform'].map((path) => admin('GET', path)),
  );
  const stored = await platform.store.open(connections).list();
  t.notMatch(JSON.stringify([made, shown, stored, events, log.lines]), TOKEN);
  const [{ changes }] = shown[2]!.body.records;
  t.match(changes.slice(0, 2), [{ records: 'core.numbers' }, { records: 'core.connections', what: 'created' }]);
});

t.test('a connection whose details cannot be shown is shown as broken, and its error is in the log', async (t) => {
  const { connect, admin, log } = await startOwls(t);
  t.match(await connect({ token: TOKEN, nest: 'fallen' }), { status: 201 });
  t.match(await admin('GET', '/connections'), { status: 200, body: { connections: [{ details: { error: /'owl' has failed/ } }] } });
  t.match(JSON.stringify(log.lines), 'the nest has fallen');
});

t.test('settings that do not fit, or that the service refuses, connect nothing and are not repeated', async (t) => {
  const { connect, http, says, platform, log } = await startOwls(t);
  const refused = async (settings: object, expected: object) => {
    const answer = await connect(settings);
    t.match(answer, expected, JSON.stringify(settings));
    return JSON.stringify(answer);
  };
  const invalid = (details: string) => ({
    status: 400,
    body: { errors: [{ details }] },
    headers: { 'x-posthorn-cause': 'invalid_request' },
  });
  await refused({}, invalid('settings.token is required'));
  const wrong = await refused(
    { token: 'UPPER-CASE-TOKEN', nest: 5 },
    invalid('settings.token is not valid; settings.nest must be a string'),
  );
  t.notMatch(wrong, 'UPPER');
  await refused({ token: TOKEN, colour: 'white' }, invalid('settings.colour is not allowed'));
  http.answer(says.me, { status: 401 }, 'refuse', { body: { id: 'owl-1', name: 'Hedwig' } });
  const about = { status: 400, headers: { 'x-posthorn-cause': 'connection_refused' } };
  t.notMatch(await refused({ token: OTHER }, about), OTHER);
  await refused({ token: OTHER }, { status: 502, headers: { 'x-posthorn-cause': 'service_unreachable' } });
  t.notMatch(JSON.stringify(log.lines), OTHER);
  t.strictSame(await platform.connections.list(), []);
  t.strictSame(await platform.numbers.list(), []);
});

t.test('a stopped number keeps its messages, with advice, until it is resumed, checked or connected again', async (t) => {
  const { connect, admin, http, says, write, letters, clock, platform } = await startOwls(t);
  const { uuid } = (await connect()).body.connection.number;
  const path = `/numbers/${uuid}/connection`;
  const state = async () => (await admin('GET', '/connections')).body.connections[0].stopped;
  const advice = async () =>
    (await admin('GET', '/advice')).body.advice.map(({ name, fix }: { name: string; fix: string }) => `${name}: ${fix}`);

  const ways: readonly (() => Promise<{ status: number }>)[] = [
    () => admin('POST', `${path}/resume`),
    () => admin('POST', `${path}/check`),
    () => admin('PUT', path, { settings: { token: TOKEN } }),
    () => connect(),
  ];
  for (const [i, resume] of ways.entries()) {
    http.answer(says.letters, { status: 401 }, { status: 200 });
    await write(uuid, `ron-${i}`);
    await clock.advance(1_000);
    t.match(await state(), { code: 401, title: 'The owl was dismissed' });
    t.match(await advice(), [
      `connection_stopped: Hire the owl again, then PUT /admin/v1${path} with new credentials, or POST /admin/v1${path}/check.`,
    ]);
    await write(uuid, `hermione-${i}`);
    await clock.advance(600_000);
    t.equal(letters().length, 3 * i + 1, 'nothing is sent while it is stopped');
    t.equal(await platform.store.transaction((tx) => platform.connections.stop(tx, uuid, { code: 1, title: 'again' })), false);
    t.equal((await resume()).status, 200);
    await clock.advance(1_000);
    t.equal(await state(), null);
    t.strictSame(await advice(), []);
    t.equal(letters().length, 3 * i + 3, 'both messages are sent');
  }
  t.strictSame(new Set(letters()), new Set([`Bearer ${TOKEN}`]));
});

t.test('a check that the service refuses changes nothing', async (t) => {
  const { connect, admin, http, says, platform } = await startOwls(t);
  const { uuid } = (await connect()).body.connection.number;
  await platform.store.transaction((tx) => platform.connections.stop(tx, uuid, { code: 5, title: 'Gone' }));
  http.answer(says.me, { status: 401 }, 'hang');
  t.match(await admin('POST', `/numbers/${uuid}/connection/check`), { status: 400, headers: { 'x-posthorn-cause': 'connection_refused' } });
  t.match(await platform.connections.of(uuid), { stopped: { code: 5 } });
  t.equal((await admin('POST', `/numbers/${uuid}/connection/resume`)).status, 200, 'an operator can resume without the service');
  t.equal((await platform.connections.of(uuid))?.stopped, undefined);
});

t.test('new credentials replace the old ones, and those of another address are refused', async (t) => {
  const { connect, admin, http, says, platform } = await startOwls(t);
  const { connection: first } = (await connect()).body;
  const { uuid } = first.number;
  http.answer(says.me, { body: { id: 'owl-1', name: 'Hedwig the Second' } }, { body: { id: 'owl-2', name: 'Errol' } });
  const again = await connect({ token: OTHER });
  t.match(again, { status: 200, body: { connection: { number: { uuid, name: 'Hedwig' }, connected_at: first.connected_at } } });
  t.equal(await platform.connections.secret(uuid, 'token'), OTHER);
  t.match(await admin('PUT', `/numbers/${uuid}/connection`, { settings: { token: TOKEN } }), {
    status: 409,
    headers: { 'x-posthorn-cause': 'other_address' },
  });
  t.equal(await platform.connections.secret(uuid, 'token'), OTHER, 'nothing has changed');
  t.match(await platform.store.open(hookCalls).get(uuid), { calls: ['owl-1 connected to north', 'owl-1 connected to north'] });
});

t.test('a disconnected number has no secrets, and its messages fail', async (t) => {
  const { connect, admin, write, clock, http, says, platform, events } = await startOwls(t);
  const { uuid } = (await connect()).body.connection.number;
  http.answer(says.letters, { status: 401 });
  await write(uuid);
  await clock.advance(1_000);
  t.match(await admin('DELETE', `/numbers/${uuid}/connection`), { status: 200, body: { number: { uuid } } });
  await clock.advance(1_000);
  t.match(
    events.filter(({ name }) => name === 'message.undeliverable').map(({ data }) => data),
    [{ reason: 'owl_removed' }],
    'what waited fails',
  );
  await write(uuid);
  t.equal(events.filter(({ name }) => name === 'message.undeliverable').length, 2);
  t.strictSame((await admin('GET', '/advice')).body.advice, []);
  await t.rejects(platform.connections.secret(uuid, 'token'), { code: 'connection_not_found' });
  for (const [method, path] of [
    ['DELETE', ''],
    ['POST', '/check'],
    ['POST', '/resume'],
  ] as const)
    t.match(await admin(method, `/numbers/${uuid}/connection${path}`), {
      status: 404,
      headers: { 'x-posthorn-cause': 'connection_not_found' },
    });
  t.match(await platform.store.open(hookCalls).get(uuid), { calls: ['owl-1 connected to north', 'disconnected'] });
  t.match(await connect(), { status: 200, body: { connection: { number: { uuid } } } }, 'the number is connected again');
});

t.test('numbers of the options are connected once, and a service that refuses one prevents no start', async (t) => {
  const dataDir = freshFolder(t);
  const start = async (tokens: readonly string[], ...answers: [ScriptedAnswer, ...ScriptedAnswer[]]) => {
    const clock = new ManualClock();
    const http = new ScriptedHttp({ clock }).answer('GET https://owls.test/me*', ...answers);
    const test = await startOwls(t, { owls: tokens.map((token) => ({ token })), dataDir, ports: { clock, http } });
    const asked = http.calls.length;
    const connected = await test.platform.connections.list('owl');
    const errors = test.log.lines.filter(({ level }) => level === 'error');
    await test.platform.store.transaction((tx) => test.platform.connections.stop(tx, connected[0]!.number, { code: 1, title: 'Tired' }));
    await clock.advance(0);
    await test.server.stop();
    return { asked, connected, errors };
  };
  const hedwig = { body: { id: 'owl-1', name: 'Hedwig' } };
  t.match(await start([TOKEN], hedwig), { asked: 1, connected: [{ settings: { nest: 'north', name: 'Hedwig' } }], errors: [] });
  t.match(await start([TOKEN], { status: 500 }), { asked: 0, connected: [{ stopped: { code: 1 } }], errors: [] }, 'nothing is new');
  const refused = await start([OTHER, TOKEN], { status: 401 });
  t.match(refused, { asked: 1, connected: [{ settings: { name: 'Hedwig' } }], errors: [{ fields: { type: 'owl', index: 0 } }] });
  t.notMatch(JSON.stringify(refused.errors), OTHER);
  const replaced = await start([OTHER], hedwig);
  t.strictSame([replaced.asked, replaced.connected.length, replaced.connected[0]?.stopped], [1, 1, undefined], 'new credentials resume it');
});
