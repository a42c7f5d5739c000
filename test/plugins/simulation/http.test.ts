import t from 'tap';
import { asks, fetches, ID, says, startSimulation } from './simulation-under-test.js';

/** A journey that asks for an order in a loop. */
const orders = {
  blocks: [
    asks('order_no'),
    fetches('order', { url: 'https://shop.test/orders/@order_no', headers: [['accept', 'application/json']], query: [['full', 'yes']] }),
    { ...says('told'), exits: [{ to: 'order_no' }] },
  ],
  texts: { order_no: 'Which order?', told: 'Order @order_no: @order.json.state (@order)' },
};
const mock = (body: unknown, status = 200, url = 'https://shop.test/orders/:id') => ({ url, response: { status, body } });

t.test('a mocked request gets its response, and is shown with all its fields', async (t) => {
  const { simulate, http } = await startSimulation(t, orders);
  const { body } = await simulate({ input: '7', http_mocks: [mock({ state: 'sent' })] });
  t.match(body.message, /Order 7: sent \(200\)/);
  t.strictSame(body.http_calls, [
    {
      method: 'GET',
      url: 'https://shop.test/orders/7?full=yes',
      headers: { accept: 'application/json' },
      body: null,
      json: null,
      query: { full: 'yes' },
      params: { id: '7' },
      status: 200,
      mocked: true,
      failures: [],
    },
  ]);
  t.equal(http.calls.length, 0);
  t.strictSame((await simulate({ input: '8' })).body.http_calls.length, 1, 'of this turn only');
});

t.test('mocked responses and input can be JSON of any depth', async (t) => {
  const { simulate } = await startSimulation(t, orders);
  const deep = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
  const mocked = await simulate({ input: '7', http_mocks: [mock(deep(5000))] });
  t.match(mocked, { status: 200, body: { message: /\(200\)/, context: { order: { error: 'too_large', json: null, body: deep(5000) } } } });
  t.strictSame(mocked.body.http_calls[0].failures, ['JSON nested more than 64 levels deep']);
  t.equal((await simulate({ input: `{"type":"location","location":{"a":${deep(20_000)}}}` })).status, 200);
});

t.test('integers of mocks keep their digits, as text and as JSON, in the request of a simulation too', async (t) => {
  const { call, simulate, admin, number } = await startSimulation(t, orders);
  const { body: asText } = await simulate({ input: '7', http_mocks: [mock('{"state":12345678901234567890}')] });
  t.match(asText, { message: /Order 7: 12345678901234567890 /, context: { order: { json: { state: '12345678901234567890' } } } });
  const token = (await admin('POST', `/numbers/${number}/tokens`, { name: 'raw' })).body.text;
  const json = JSON.stringify({ simulation_id: 'simulation-2', input: '7', http_mocks: [mock({ state: 'ID' })] });
  const payload = json.replace('"ID"', '12345678901234567890');
  const { body: asJson } = await call('POST', '/v1/journeys/5c1e7a52-4a0e-4c55-9a43-1d0f52a7f001/simulation', { token, payload });
  t.match(asJson, { message: /Order 7: 12345678901234567890 / });
});

t.test('mocks are used in order, one request each, and the last repeatedly; mocks of a later request are appended', async (t) => {
  const { simulate } = await startSimulation(t, orders);
  const state = async (payload: object) => /\((\d+)\)/.exec((await simulate({ input: '7', ...payload })).body.message)?.[1];
  t.equal(await state({ http_mocks: [mock({}, 500), mock({}, 202)] }), '500');
  t.equal(await state({}), '202');
  t.equal(await state({}), '202');
  t.equal(await state({ http_mocks: [mock({}, 201)] }), '201');
  t.equal(await state({}), '201');
});

t.test('mocks and their use survive a restart of the platform', async (t) => {
  const { mkdtempSync, rmSync } = await import('node:fs');
  const dataDir = mkdtempSync('/tmp/posthorn-simulation-');
  t.teardown(() => rmSync(dataDir, { recursive: true }));
  const first = await startSimulation(t, orders, { dataDir });
  await first.simulate({ input: '7', http_mocks: [mock({}, 500), mock({}, 202)] });
  const token = (await first.admin('POST', `/numbers/${first.number}/tokens`, { name: 'again' })).body.text;
  await first.server.stop();
  const { startPlatform } = await import('#core/testing');
  const { journeys } = await import('../../../plugins/journeys/plugin.js');
  const { simulation } = await import('../../../plugins/simulation/plugin.js');
  const second = await startPlatform(t, { plugins: [journeys(), simulation()], dataDir });
  const { body, status } = await second.call('POST', '/v1/journeys/5c1e7a52-4a0e-4c55-9a43-1d0f52a7f001/simulation', {
    token,
    payload: { simulation_id: ID, input: '8' },
  });
  t.equal(status, 200, JSON.stringify(body));
  t.match(body.http_calls, [{ status: 202, mocked: true }]);
});

t.test('without a mock a request is sent, unless the simulation forbids it', async (t) => {
  const { simulate, http } = await startSimulation(t, orders);
  http.answer('https://shop.test/*', { body: { state: 'real' } });
  const out = await simulate({ input: '7', http_mocks: [mock({}, 200, 'https://other.test/*')] });
  t.match(out.body, { message: /real \(200\)/, http_calls: [{ mocked: false, status: 200, failures: [] }] });
  t.equal(http.calls.length, 1);
  const inside = await simulate({ input: '7', fail_unmocked_http_calls: true });
  t.match(inside.body.http_calls, [
    {
      mocked: false,
      status: null,
      failures: ['no mock matched GET https://shop.test/orders/7?full=yes; closest: mock 1, differs at "shop.test/orders/7"'],
    },
  ]);
  t.match(inside.body.message, /\(0\)/, 'the journey continues');
  t.match((await simulate({ input: '7' })).body.http_calls, [{ status: null }], 'the setting persists');
  t.match(
    (await simulate({ input: '7', fail_unmocked_http_calls: false })).body.http_calls,
    [{ status: 200 }],
    'until a request changes it',
  );
  t.equal(http.calls.length, 2);
});

t.test('a request of a simulation is sent without the cache', async (t) => {
  const { simulate, http } = await startSimulation(t, {
    blocks: [
      asks('go'),
      fetches('call', { url: 'https://shop.test/x', cache_ttl_ms: 60_000 }),
      { ...says('told', 'go'), exits: [{ to: 'go' }] },
    ],
    texts: { go: 'Go on' },
  });
  http.answer('https://shop.test/x', { body: {} });
  await simulate({ input: 'a' });
  await simulate({ input: 'b' });
  t.equal(http.calls.length, 2);
});

t.test('a malformed mock is refused with its position and field, and no simulation is started', async (t) => {
  const { simulate } = await startSimulation(t, orders);
  const wrong: [mocks: unknown, text: string][] = [
    [[mock({}), { url: 7 }], 'Invalid http_mocks: mock 2: url must be a non-empty string'],
    [[{ url: '*', response: { status: 'OK' } }], 'Invalid http_mocks: mock 1: response.status must be an integer from 100 to 599'],
    [[null], 'Invalid http_mocks: mock 1: must be an object'],
  ];
  for (const [http_mocks, text] of wrong) {
    t.match(await simulate({ http_mocks }), { status: 400, body: { errors: [text] } });
  }
  t.match(await simulate({ http_mocks: {} }), { status: 400, body: { errors: [/^Invalid http_mocks: /] } });
  t.match(
    await simulate({ http_mocks: [{ url: 7 }] }, { journey: '5c1e7a52-4a0e-4c55-9a43-1d0f52a7f009' }),
    { status: 400 },
    'before the journey is looked up',
  );
  await simulate({ http_mocks: [mock({})] });
  t.match(await simulate({ input: '7', http_mocks: [{}] }), {
    status: 400,
    body: { errors: ['Invalid http_mocks: mock 1: url must be a non-empty string'] },
  });
  t.match(await simulate({ input: '7' }), { status: 200 }, 'the simulation is unchanged');
});

t.test('secrets are redacted in responses, and sent in real requests', async (t) => {
  const secret = 'sk-very-secret-1';
  const { simulate, http, admin, number } = await startSimulation(t, {
    blocks: [
      asks('go'),
      fetches('call', { url: 'https://shop.test/@go', headers: [['authorization', 'Bearer @secrets.shop']] }),
      { ...says('told', 'go'), exits: [{ to: 'go' }] },
    ],
    texts: { go: 'Go on' },
  });
  const put = await admin('PUT', `/numbers/${number}/secrets`, { name: 'shop', value: secret });
  if (put.status >= 300) t.fail(JSON.stringify(put.body));
  http.answer('https://shop.test/*', { body: { echo: secret } });
  const mocked = await simulate({ input: 'a', http_mocks: [{ url: 'https://shop.test/a', response: { body: {} } }] });
  const sent = await simulate({ input: 'b' });
  t.equal(http.calls[0]?.headers.authorization, `Bearer ${secret}`);
  for (const { body } of [mocked, sent]) {
    t.match(body.http_calls, [{ headers: { authorization: 'Bearer ‹redacted:shop›' } }]);
    t.notOk(JSON.stringify(body).includes(secret));
  }
});
