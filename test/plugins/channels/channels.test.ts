import t from 'tap';
import { startPlatform, type TestPlatform } from '#core/testing';
import { channels } from '../../../plugins/channels/plugin.js';
import { webhooks } from '../../../plugins/webhooks/plugin.js';
import { CONNECTOR, tokenOf } from './channel-under-test.js';

const newChannel = {
  backend_type: 'channel',
  number_type: 'channel_http_api',
  from_addr: 'library',
  name: 'Library',
  endpoint: CONNECTOR,
};

async function start(t: Parameters<typeof startPlatform>[0], account: string | null = null) {
  const test = await startPlatform(t, { plugins: [channels(), webhooks()] });
  const { token } = await numberOf(test, 'network', account);
  const create = (payload: unknown) => test.call('POST', '/v1/numbers', { token, payload });
  return { ...test, token, create };
}

async function numberOf(test: TestPlatform, kind: string, account: string | null) {
  const { body } = await test.admin('POST', '/numbers', { kind, address: '+27110000000', name: kind, account });
  return { uuid: body.number.uuid as string, token: await tokenOf(test, body.number.uuid) };
}

t.test('a channel is created with the token of a network or sandbox number, and the response has exactly three fields', async (t) => {
  const test = await startPlatform(t, { plugins: [channels()] });
  for (const kind of ['network', 'sandbox']) {
    const { token } = await numberOf(test, kind, null);
    const made = await test.call('POST', '/v1/numbers', { token, payload: { ...newChannel, from_addr: `library of ${kind}` } });
    t.equal(made.status, 201);
    t.strictSame(Object.keys(made.body).sort(), ['number', 'webhook']);
    t.strictSame(Object.keys(made.body.number), ['uuid']);
    t.strictSame(Object.keys(made.body.webhook).sort(), ['hmac_secret', 'uuid']);
    t.match(made.body, { number: { uuid: /^[0-9a-f-]{36}$/ }, webhook: { uuid: /^[0-9a-f-]{36}$/, hmac_secret: /^\S{43}$/ } });
  }
});

t.test('the errors of a new channel name each invalid field', async (t) => {
  const { create, admin } = await start(t);
  const blank = ["can't be blank"];
  const invalid = ['is invalid'];
  const cases: [what: string, change: object, errors: object][] = [
    ['another backend type', { backend_type: 'whatever' }, { number: { backend_type: invalid } }],
    ['no backend type', { backend_type: undefined }, { number: { backend_type: blank } }],
    ['an empty backend type', { backend_type: '' }, { number: { backend_type: blank } }],
    ['another number type', { number_type: 'channel_smtp' }, { number: { number_type: invalid } }],
    ['no number type', { number_type: undefined }, { number: { number_type: blank } }],
    ['no address', { from_addr: undefined }, { number: { from_addr: blank } }],
    ['an empty address', { from_addr: '' }, { number: { from_addr: blank } }],
    ['an address of nothing but spaces', { from_addr: '  ' }, { number: { from_addr: blank } }],
    ['an address of far too many spaces', { from_addr: ' '.repeat(300) }, { number: { from_addr: blank } }],
    ['an address that is a number', { from_addr: 27 }, { number: { from_addr: invalid } }],
    ['an address that is too long', { from_addr: 'a'.repeat(257) }, { number: { from_addr: invalid } }],
    ['no name', { name: undefined }, { number: { name: blank } }],
    ['a null name', { name: null }, { number: { name: blank } }],
    ['no endpoint', { endpoint: undefined }, { webhook: { endpoint: blank } }],
    ['an empty endpoint', { endpoint: '' }, { webhook: { endpoint: blank } }],
    ['an endpoint of another scheme', { endpoint: 'ftp://connector.test/hook' }, { webhook: { endpoint: invalid } }],
    ['an endpoint that is a script', { endpoint: 'javascript:alert(1)' }, { webhook: { endpoint: invalid } }],
    ['an endpoint without a scheme', { endpoint: 'connector.test/hook' }, { webhook: { endpoint: invalid } }],
    ['an endpoint with a password', { endpoint: 'https://me:word@connector.test/hook' }, { webhook: { endpoint: invalid } }],
    ['an endpoint on a port that does not exist', { endpoint: 'https://connector.test:99999' }, { webhook: { endpoint: invalid } }],
    ['an endpoint that is too long', { endpoint: `https://connector.test/${'x'.repeat(2048)}` }, { webhook: { endpoint: invalid } }],
    ['two things at once', { name: '', endpoint: 'x' }, { number: { name: blank }, webhook: { endpoint: invalid } }],
  ];
  for (const [what, change, errors] of cases) {
    const answer = await create({ ...newChannel, ...change });
    t.equal(answer.status, 400, what);
    t.strictSame(answer.body, { message: 'Bad Request', errors }, what);
  }
  const { body } = await admin('GET', '/channels');
  t.strictSame(body.channels, [], 'none was created');
});

t.test('a body that is not an object is a bad request too', async (t) => {
  const { create, call, token } = await start(t);
  for (const payload of [[], ['channel'], 'channel', 7]) {
    const answer = await create(payload);
    t.equal(answer.status, 400, JSON.stringify(payload));
    t.match(answer.body, { message: 'Bad Request', errors: { body: { base: [String] } } });
  }
  t.strictSame((await create(null)).body, (await create({})).body, 'without a body, the missing fields are named');
  const notJson = await call('POST', '/v1/numbers', { token, payload: '{"name":', headers: { 'content-type': 'application/json' } });
  t.equal(notJson.status, 400);
  t.match(notJson.body, { message: 'Bad Request', errors: { body: { base: [/cannot be read/] } } });
});

t.test('an address belongs to one channel', async (t) => {
  const { create, admin } = await start(t);
  t.equal((await create(newChannel)).status, 201);
  const again = await create(newChannel);
  t.equal(again.status, 400);
  t.strictSame(again.body, { message: 'Bad Request', errors: { number: { from_addr: ['is invalid'] } } });
  const both = await Promise.all([create({ ...newChannel, from_addr: 'two' }), create({ ...newChannel, from_addr: 'two' })]);
  t.strictSame(both.map(({ status }) => status).sort(), [201, 400], 'also concurrently');
  t.equal((await admin('GET', '/channels')).body.channels.length, 2);
});

t.test('a new channel has a webhook for its connector: sha256, enabled, subscribed to the channel', async (t) => {
  const { create, admin } = await start(t);
  const { body } = await create(newChannel);
  const { webhook } = (await admin('GET', `/webhooks/${body.webhook.uuid}`)).body;
  t.match(webhook, { number: body.number.uuid, url: CONNECTOR, hmac_digest: 'sha256', enabled: true, subscriptions: ['channel'] });
  t.notOk(JSON.stringify(webhook).includes(body.webhook.hmac_secret), 'the secret is not shown again');
});

t.test('a webhook accepts only sha256, and needs at least one subscription', async (t) => {
  const { create, admin } = await start(t);
  const { number } = (await create(newChannel)).body;
  const webhook = { number: number.uuid, url: 'https://owner.test/hook', subscriptions: ['msgapp'] };
  t.equal((await admin('POST', '/webhooks', { ...webhook, hmac_digest: 'sha256' })).status, 201);
  t.equal((await admin('POST', '/webhooks', { ...webhook, hmac_digest: 'sha1' })).status, 400);
  t.equal((await admin('POST', '/webhooks', { ...webhook, subscriptions: [] })).status, 400);
  t.equal((await admin('POST', '/webhooks', { ...webhook, subscriptions: ['nothing'] })).status, 400);
});

t.test('a channel cannot create channels', async (t) => {
  const { create, call, ...test } = await start(t);
  const { number } = (await create(newChannel)).body;
  const answer = await call('POST', '/v1/numbers', {
    token: await tokenOf({ ...test, call }, number.uuid),
    payload: { ...newChannel, from_addr: 'another' },
  });
  t.equal(answer.status, 403);
  t.match(answer.body, { error: { code: 'not_supported', type: 'NotSupported' } });
});

t.test('without a valid token nothing is created', async (t) => {
  const { call, admin } = await start(t);
  for (const token of [undefined, 'wrong']) {
    const answer = await call('POST', '/v1/numbers', { payload: newChannel, ...(token !== undefined && { token }) });
    t.equal(answer.status, 401);
    t.match(answer.body, { errors: [{ title: 'Access denied' }] });
  }
  t.strictSame((await admin('GET', '/channels')).body.channels, []);
});

t.test('a channel belongs to the business account of the number that created it', async (t) => {
  const { create, admin } = await start(t, 'acme');
  const { number } = (await create(newChannel)).body;
  t.match((await admin('GET', `/numbers/${number.uuid}`)).body.number, {
    account: 'acme',
    kind: 'channel',
    type: 'channel_http_api',
    address: 'library',
    name: 'Library',
  });
});

t.test('an operator creates channels too, lists them and changes their endpoints', async (t) => {
  const { admin } = await start(t);
  const made = await admin('POST', '/channels', { from_addr: 'library', name: 'Library', endpoint: CONNECTOR, account: 'acme' });
  t.equal(made.status, 201);
  const { number, webhook } = made.body;
  t.equal(number.account, 'acme');
  const moved = await admin('PATCH', `/channels/${number.uuid}`, { endpoint: 'https://connector.test/new' });
  t.strictSame(moved.body.webhooks, [{ uuid: webhook.uuid, url: 'https://connector.test/new' }]);
  t.strictSame((await admin('GET', '/channels')).body.channels, [moved.body]);
  t.equal((await admin('PATCH', '/channels/unknown', { endpoint: CONNECTOR })).status, 404);
  const again = await admin('POST', '/channels', { from_addr: 'library', name: 'Library', endpoint: CONNECTOR });
  t.match(again, { status: 409, body: { errors: [{ details: /already/ }] } });
});

t.test('a channel always keeps the webhook of its connector', async (t) => {
  const { create, admin } = await start(t);
  const { number, webhook } = (await create(newChannel)).body;
  const { body } = await admin('POST', '/webhooks', { number: number.uuid, url: 'https://other.test', subscriptions: ['channel'] });
  t.match(await admin('DELETE', `/webhooks/${webhook.uuid}`), { status: 409 });
  for (const subscriptions of [['msgapp'], ['channel', 'msgapp'], ['journey_outbound']]) {
    t.match(await admin('PATCH', `/webhooks/${webhook.uuid}`, { subscriptions }), { status: 409 });
  }
  t.match(await admin('PATCH', `/webhooks/${webhook.uuid}`, { subscriptions: ['channel'], enabled: false }), { status: 200 });
  t.match(await admin('DELETE', `/webhooks/${body.webhook.uuid}`), { status: 200 }, 'other webhooks can be created and deleted');
});
