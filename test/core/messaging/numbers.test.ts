import t from 'tap';
import { startPlatform } from '#core/testing';
import { channels } from '../../../plugins/channels/plugin.js';

t.test('a number has a kind, an address, a name and, if it likes, a business account', async (t) => {
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
  t.match(other, { status: 201, body: { number: { account: null } } }, 'the same address may serve another kind');
  t.strictSame(
    (await admin('GET', '/numbers')).body.numbers.map(({ name }: { name: string }) => name),
    ['Clinic', 'Trying out'],
  );
});

t.test('two numbers of a kind cannot have the same address', async (t) => {
  const { admin, platform } = await startPlatform(t, { plugins: [] });
  const clinic = { kind: 'network', address: '+27820001001', name: 'Clinic' };
  await admin('POST', '/numbers', clinic);
  t.match(await admin('POST', '/numbers', clinic), {
    status: 409,
    body: { errors: [{ code: 409, title: 'Conflict', details: 'There is a number of this type with this address already' }] },
  });
  t.equal((await platform.numbers.list()).length, 1);
});

t.test('the business account of a number can be set, changed and taken away', async (t) => {
  const { admin, number } = await startPlatform(t, { plugins: [] });
  const { uuid } = await number('network');
  const change = async (payload: object) => (await admin('PATCH', `/numbers/${uuid}`, payload)).body.number;
  t.match(await change({ account: 'acme' }), { account: 'acme', name: 'network' });
  t.match(await change({ name: 'Clinic' }), { account: 'acme', name: 'Clinic' }, 'what is not named stays');
  t.match(await change({ account: null }), { account: null, name: 'Clinic' });
  t.match(await change({}), { account: null, name: 'Clinic' });
  t.match(await change({ kind: 'channel', address: 'x', uuid: 'x' }), { uuid, kind: 'network' }, 'what cannot change does not');
});

t.test('a channel belongs to the account of the number whose token made it', async (t) => {
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
