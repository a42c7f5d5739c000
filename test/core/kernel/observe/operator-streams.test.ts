import t from 'tap';
import { type Authenticate, event, type Operator } from '#core';
import { ADMIN_KEY, ManualClock, RecordingLogger, startPlatform } from '#core/testing';
import { createEventStream } from '../../../../core/kernel/observe/event-stream.js';

const moved = event<{ number: string; text: string }>('pigeon.moved', 'A pigeon moved.');
const LIMIT_MS = 5_000;

t.test('an event stream shows the events of the accounts of its operator, and ends with the session', async (t) => {
  let roles: readonly string[] = ['viewer'];
  const authenticate: Authenticate = async ({ headers: { 'x-user': user } }) =>
    user === undefined ? undefined : ({ id: 'ann', name: 'Ann', roles, accounts: ['beta'] } satisfies Operator);
  let adminKey = ADMIN_KEY;
  const test = await startPlatform(t, {
    plugins: [],
    admin: { key: () => adminKey },
    operators: { authenticate },
    ports: { clock: new ManualClock() },
  });
  const { server, platform, number, call } = test;
  const [own, other] = [await number('network', { account: 'beta' }), await number('network', { account: 'alpha' })];
  await server.start();
  const open = async (headers: Record<string, string>) => (await fetch(`${server.info.uri}/admin/v1/events`, { headers })).body!;
  const textOf = async (stream: ReadableStream<Uint8Array>) => new Response(stream).text();
  const key = (await call('POST', '/admin/v1/keys', { token: ADMIN_KEY, payload: { name: 'tail', roles: ['viewer'] } })).body;

  const streams = [
    await open({ 'x-user': 'ann' }),
    ...(await Promise.all([key.text, ADMIN_KEY].map((text) => open({ authorization: `Bearer ${text}` })))),
  ];
  for (const [{ uuid }, text] of [
    [own, 'of beta'],
    [other, 'of alpha'],
  ] as const)
    await platform.store.transaction((tx) => tx.emit(moved, { number: uuid, text }));
  const began = performance.now();
  roles = ['operator'];
  await call('DELETE', `/admin/v1/keys/${key.key.uuid}`, { token: ADMIN_KEY });
  adminKey = 'another-admin-key-of-the-tests';
  const [ofAnn, ofKey, ofAdminKey] = await Promise.all(streams.map(textOf));
  t.ok(performance.now() - began < LIMIT_MS, 'a changed role, a removed key and a replaced admin key end the streams within 5 seconds');
  t.match(ofAnn, 'of beta');
  t.notMatch(ofAnn, 'alpha');
  t.notMatch(ofAnn, other.uuid);
  t.match(ofKey, 'of alpha');
  t.match(ofAdminKey, 'of alpha');
  t.match(ofAnn, /id: [0-9a-f]{12}-x[0-9a-f]{32}\n/, 'nor the number of events of others');
  const run = /id: ([0-9a-f]{12})-x/.exec(ofAnn!)![1];
  roles = ['viewer'];
  for (const plain of [`${run}-1`, `${run}-1000000`]) {
    const again = await open({ 'x-user': 'ann', 'last-event-id': plain });
    const { value } = await again.getReader().read();
    t.match(Buffer.from(value!).toString(), /event: gap/, 'nor does a plain id tell');
  }
});

t.test('a client continues after an id that does not show how many events there were', async (t) => {
  const stream = createEventStream({ clock: new ManualClock(), log: new RecordingLogger() });
  for (let n = 1; n <= 3; n++) stream.append({ name: `event-${n}`, payload: undefined, shown: n } as never);
  const first = stream.reader('unknown').next()!;
  const id = stream.sealed(first.id);
  t.not(id, stream.sealed(stream.reader(first.id).next()!.id));
  const reader = stream.reader(id);
  t.equal(reader.hasGap, false);
  t.equal(reader.next()?.name, 'event-2');
  t.equal(stream.reader(id.replace(/.$/, (last) => (last === '0' ? '1' : '0'))).hasGap, true, 'an id of another key is unknown');
});
