import t from 'tap';
import { definePlugin } from '#core';
import { startPlatform } from '#core/testing';
import { channels } from '../../../plugins/channels/plugin.js';
import { sampleJson } from '../../pages/samples.js';

t.test('a number has a kind, an address, a name and optionally a business account', async (t) => {
  const { admin, clock, events } = await startPlatform(t, { plugins: [] });
  const { status, body } = await admin('POST', '/numbers', { kind: 'network', address: '+27820001001', name: 'Clinic', account: 'acme' });
  t.equal(status, 201);
  t.match(body.number, {
    kind: 'network',
    type: 'network',
    address: '+27820001001',
    name: 'Clinic',
    account: 'acme',
    created_at: clock.now().toISOString(),
  });
  t.strictSame(await admin('GET', `/numbers/${body.number.uuid}`).then(({ body }) => body), body);
  t.strictSame(events, [{ name: 'number.created', data: { number: body.number } }]);

  await clock.advance(1);
  const other = await admin('POST', '/numbers', { kind: 'sandbox', address: '+27820001001', name: 'Trying out' });
  t.match(other, { status: 201, body: { number: { account: null } } }, 'another kind of number may have the same address');
  t.strictSame(
    (await admin('GET', '/numbers')).body.numbers.map(({ name }: { name: string }) => name),
    ['Clinic', 'Trying out'],
  );
});

t.test('numbers are listed in the order of their creation, also if no time passes between them', async (t) => {
  const { admin } = await startPlatform(t, { plugins: [] });
  const names = Array.from({ length: 8 }, (_, i) => `Number ${i}`);
  for (const [i, name] of names.entries()) await admin('POST', '/numbers', { kind: 'network', address: `+2782000100${i}`, name });
  t.strictSame(
    (await admin('GET', '/numbers')).body.numbers.map(({ name }: { name: string }) => name),
    names,
  );
});

t.test('two numbers of a kind cannot have the same address', async (t) => {
  const { admin, platform } = await startPlatform(t, { plugins: [] });
  const clinic = { kind: 'network', address: '+27820001001', name: 'Clinic' };
  await admin('POST', '/numbers', clinic);
  t.match(await admin('POST', '/numbers', clinic), {
    status: 409,
    body: sampleJson('core/kernel/README.md', '409') as object,
  });
  t.equal((await platform.numbers.list()).length, 1);
});

t.test('a number of the network is stored by its digits, in whatever notation it is given', async (t) => {
  const { admin } = await startPlatform(t, { plugins: [] });
  const make = (address: string, kind = 'network') => admin('POST', '/numbers', { kind, address, name: 'Clinic' });
  t.match(await make('27 82 (000) 10-01'), { status: 201, body: { number: { address: '+27820001001' } } });
  for (const address of ['27820001001', '+27820001001']) t.equal((await make(address)).status, 409, address);
  for (const kind of ['network', 'sandbox']) {
    for (const address of ['abc', '+27', '0820001001', ' ', '+278200010012345678']) {
      t.match(
        await make(address, kind),
        { status: 400, body: { errors: [{ details: 'address must be an international phone number, such as +27600000001' }] } },
        `${kind} ${address}`,
      );
    }
  }
});

t.test('a number can have a type that a plugin supports', async (t) => {
  const none = await startPlatform(t, { plugins: [] });
  const whole = definePlugin({
    name: 'whole-post',
    version: '1.0.0',
    register: () => ({ channels: [{ type: 'whole_post', supports: 'everything', deliver: () => undefined }] }),
  });
  const { admin, platform } = await startPlatform(t, { plugins: [channels(), whole()] });
  const about = { address: 'web:zz', name: 'n' };
  const refused: [object, string][] = [
    [
      { kind: 'channel', ...about },
      `type is required for a number of kind 'channel': supported types are channel_http_api, whole_post; the plugin of a type may have a call that creates a complete channel`,
    ],
    [
      { kind: 'channel', type: 'network', ...about },
      `A number of kind 'channel' cannot be of type "network": supported types are channel_http_api, whole_post;`,
    ],
    [
      { kind: 'network', type: 'bogus', ...about },
      `A number of kind 'network' cannot be of type "bogus": supported types are network, whole_post`,
    ],
    [
      { kind: 'network', type: 'channel_http_api', ...about },
      `A number of kind 'network' cannot be of type "channel_http_api": supported types are network, whole_post`,
    ],
    [
      { kind: 'network', type: 'sandbox', ...about },
      `A number of kind 'network' cannot be of type "sandbox": supported types are network, whole_post`,
    ],
  ];
  for (const [payload, details] of refused) {
    t.match(await admin('POST', '/numbers', payload), { status: 400, body: { errors: [{ details }] } }, details);
  }
  t.match(await none.admin('POST', '/numbers', { kind: 'channel', ...about }), {
    status: 400,
    body: { errors: [{ details: `type is required for a number of kind 'channel': no plugin supports any` }] },
  });
  t.strictSame(await platform.numbers.list(), []);
  t.match(await admin('POST', '/numbers', { kind: 'channel', type: 'channel_http_api', ...about }), {
    status: 201,
    body: { number: { address: 'web:zz' } },
  });
  const theirs = { kind: 'network', type: 'whole_post', address: '+27600000001', name: 'n' };
  t.match(await admin('POST', '/numbers', theirs), { status: 201, body: { number: { type: 'whole_post' } } });
});

t.test('the business account of a number can be set, changed and removed', async (t) => {
  const { admin, number, platform } = await startPlatform(t, { plugins: [] });
  const { uuid } = await number('network');
  const change = async (payload: object) => (await admin('PATCH', `/numbers/${uuid}`, payload)).body.number;
  t.match(await change({ account: 'acme' }), { account: 'acme', name: 'network' });
  t.match(await change({ name: 'Clinic' }), { account: 'acme', name: 'Clinic' }, 'other fields do not change');
  t.match(await change({ account: null }), { account: null, name: 'Clinic' });
  t.match(await change({}), { account: null, name: 'Clinic' });
  t.equal((await admin('PATCH', `/numbers/${uuid}`, { kind: 'channel', address: 'x' })).status, 400, 'read-only fields do not change');
  t.match(await platform.numbers.require(uuid), { kind: 'network' });
});

t.test('a channel belongs to the account of the number whose token created it', async (t) => {
  const { call, number, platform } = await startPlatform(t, { plugins: [channels()] });
  const { token } = await number('network', { account: 'acme' });
  const payload = { backend_type: 'channel', number_type: 'channel_http_api', from_addr: 'a', name: 'a', endpoint: 'https://a.test' };
  const { body } = await call('POST', '/v1/numbers', { token, payload });
  t.match(await platform.numbers.require(body.number.uuid), { kind: 'channel', account: 'acme' });
});

t.test('a number that does not exist is not found', async (t) => {
  const { admin, platform } = await startPlatform(t, { plugins: [] });
  t.match(await admin('GET', '/numbers/no-such'), {
    status: 404,
    body: { errors: [{ code: 1006, title: 'Resource not found', details: 'There is no number "no-such"' }] },
  });
  await t.rejects(platform.numbers.require('no-such'), { code: 'number_not_found' });
  await t.rejects(
    platform.store.transaction((tx) => platform.numbers.update(tx, 'no-such', { name: 'x' })),
    { code: 'number_not_found' },
  );
});

t.test('in code, too, a number without a required field cannot be created, nor a token without a number', async (t) => {
  const { platform } = await startPlatform(t, { plugins: [] });
  const { store, numbers, tokens } = platform;
  const whole = { kind: 'network', type: 'network', address: '+27820001001', name: 'Clinic' } as const;
  await t.rejects(
    store.transaction((tx) => numbers.create(tx, {} as never)),
    { name: 'TypeError', message: 'invalid number: "kind" is required' },
  );
  for (const wrong of [{ kind: 'pigeon' }, { type: '' }, { address: undefined }, { name: 7 }, { account: {} }]) {
    await t.rejects(
      store.transaction((tx) => numbers.create(tx, { ...whole, ...wrong } as never)),
      new RegExp(`invalid number: "${Object.keys(wrong)[0]}"`),
    );
  }
  await t.rejects(
    store.transaction((tx) => tokens.issue(tx, 'no-such', 'test')),
    { code: 'number_not_found' },
  );
  await t.rejects(
    store.transaction((tx) => tokens.issue(tx, undefined as never, 'test')),
    /invalid token: "number" is required/,
  );
  t.strictSame([await numbers.list(), await tokens.list('no-such')], [[], []]);
  const { token } = await store.transaction((tx) => tokens.issue(tx, numbers.create(tx, whole).uuid, 'test'));
  t.match(token, { name: 'test' }, 'both together');
});

t.test('in code, a number whose messages no plugin can send is refused, unless that is what the caller wants', async (t) => {
  const { platform } = await startPlatform(t, { plugins: [channels()] });
  const { store, numbers } = platform;
  const about = { kind: 'network', type: 'network', address: '+27820001001', name: 'Clinic' } as const;
  const create = (more: object, ...options: [object?]) => store.transaction((tx) => numbers.create(tx, { ...about, ...more }, ...options));
  const refused = (type: string) => ({
    name: 'TypeError',
    message: `no plugin has a channel driver for the type '${type}'; types with a driver: channel_http_api`,
  });
  await t.rejects(create({}), refused('network'));
  await t.rejects(create({ kind: 'channel', type: 'pigeon' }), refused('pigeon'));
  await t.rejects(platform.createNumber(about), refused('network'), 'as in createNumber');
  t.strictSame(await numbers.list(), []);
  t.match(await create({ kind: 'channel', type: 'channel_http_api' }), { type: 'channel_http_api' });
  t.match(await create({}, { needsDriver: false }), { type: 'network' });

  const silent = (await startPlatform(t, { plugins: [] })).platform;
  const made = await silent.store.transaction((tx) => silent.numbers.create(tx, about));
  t.match(made, { type: 'network' }, 'a platform without any driver sends nothing');
  await t.rejects(silent.createNumber(about), { message: /types with a driver: none/ });
});
