import t from 'tap';
import { verifySignature } from '#core';
import type { ScriptedAnswer } from '#core/testing';
import { BODY, ENDPOINT, SECRET, startWithWebhook } from './webhook-platform.js';

t.test('a delivery is a signed POST of exactly the bytes that were posted', async (t) => {
  const { post, clock, http, calls, change } = await startWithWebhook(t);
  http.answer(ENDPOINT, {});
  await change({ headers: { 'X-Own': 'yes' } });
  const { uuid } = await post({ headers: { 'X-Msgapp-Id': 'wamid.1' } });
  await clock.advance(0);
  const [call] = calls();
  t.equal(call?.method, 'POST');
  t.equal(call?.text, JSON.stringify(BODY));
  t.strictSame(call?.headers, {
    'content-type': 'application/json',
    'x-svc-hook-signature': 'jW/nhuaGDB2IMv2nBlzEngmBGiHX4cZeTsSHuiESTmc=',
    'x-svc-hook-subscription': 'msgapp',
    'x-msgapp-id': 'wamid.1',
    'x-own': 'yes',
    'x-svc-hook-delivery': uuid,
    'x-svc-hook-run': '1',
    'x-svc-hook-attempt': '1',
    'x-svc-hook-time': String(clock.now().getTime() / 1_000),
  });
  t.ok(verifySignature(SECRET, call!.body, call!.headers['x-svc-hook-signature']));
});

t.test('the response of an endpoint decides the state of its delivery', async (t) => {
  const cases: [answer: ScriptedAnswer, becomes: object, attempts: number][] = [
    [{}, { state: 'delivered', last_status: 200 }, 1],
    [{ status: 204 }, { state: 'delivered', last_status: 204 }, 1],
    [{ afterMs: 4999 }, { state: 'delivered', last_status: 200 }, 1],
    [{ bodyAfterMs: 60_000, body: 'never ends' }, { state: 'delivered', last_status: 200 }, 1],
    [{ status: 400 }, { state: 'cancelled', reason: 'http_4xx', last_status: 400, last_error: /answered 400/ }, 1],
    [{ status: 410 }, { state: 'cancelled', reason: 'http_4xx' }, 1],
    [{ status: 429, headers: { 'retry-after': '1' } }, { state: 'cancelled', reason: 'http_4xx' }, 1],
    [{ status: 502 }, { state: 'cancelled', reason: 'http_502' }, 1],
    ['unknown host', { state: 'cancelled', reason: 'dns_not_found', last_status: 502 }, 1],
    [{ status: 302, headers: { location: 'https://elsewhere.test' } }, { state: 'dropped', reason: 'exhausted', last_status: 302 }, 6],
    [{ status: 500 }, { state: 'dropped', reason: 'exhausted', last_status: 500 }, 6],
    [{ status: 504 }, { state: 'dropped', reason: 'exhausted', last_status: 504, last_error: /answered 504/ }, 6],
    [{ afterMs: 5000 }, { state: 'dropped', reason: 'exhausted', last_status: 504, last_error: /within 5 seconds/ }, 6],
    ['hang', { state: 'dropped', reason: 'exhausted', last_status: 504, last_error: /within 5 seconds/ }, 6],
    ['refuse', { state: 'dropped', reason: 'exhausted', last_status: 504, last_error: /refused/ }, 6],
    ['reset', { state: 'dropped', reason: 'exhausted', last_status: 504, last_error: /reset/ }, 6],
  ];
  for (const [answer, becomes, attempts] of cases) {
    const what = typeof answer === 'string' ? answer : JSON.stringify(answer);
    const { post, clock, http, delivery, calls, events } = await startWithWebhook(t);
    http.answer(ENDPOINT, answer);
    const { uuid } = await post();
    await clock.advance(300_000);
    t.match(await delivery(uuid), { ...becomes, attempts, settled_at: String }, what);
    t.equal(calls().length, attempts, what);
    t.ok(
      calls().every((call) => call.text === JSON.stringify(BODY)),
      'the same body every time',
    );
    t.equal(events.filter(({ name }) => name === 'delivery.settled').length, 1);
    http.assertExpected();
  }
});

t.test('retries are due 17, 36, 60, 91 and 138 seconds after the first failure, however long each attempt takes', async (t) => {
  for (const [answer, takes] of [
    ['refuse', 0],
    [{ status: 500, afterMs: 1200 }, 1.2],
    ['hang', 5],
  ] as [ScriptedAnswer, number][]) {
    const { post, clock, http, times } = await startWithWebhook(t);
    http.answer(ENDPOINT, answer);
    await post();
    await clock.advance(300_000);
    t.strictSame(
      times(),
      [0, 17, 36, 60, 91, 138].map((second, n) => (n === 0 ? 0 : second + takes)),
    );
  }
});

t.test('retries have random jitter', async (t) => {
  for (const [chance, expected] of [
    [0, [0, 15.3, 34.1, 57.6, 87.9, 133.3]],
    [0.5, [0, 16.49, 35.43, 59.28, 90.07, 136.59]],
  ] as const) {
    const { post, clock, http, times } = await startWithWebhook(t, { chance });
    http.answer(ENDPOINT, 'refuse');
    await post();
    await clock.advance(300_000);
    t.strictSame(times(), expected);
  }
});

t.test('an endpoint that recovers receives the events it missed', async (t) => {
  const { post, clock, http, delivery, times } = await startWithWebhook(t);
  http.answer(ENDPOINT, 'refuse', 'hang', { status: 503 }, {});
  const { uuid } = await post();
  await clock.advance(100_000);
  t.match(await delivery(uuid), { state: 'delivered', attempts: 4, first_failed_at: '2026-01-05T08:00:00.000Z' });
  t.strictSame(times(), [0, 17, 36, 60]);
});

t.test('a delivery shows when its next attempt is due', async (t) => {
  const { post, clock, http, delivery } = await startWithWebhook(t);
  http.answer(ENDPOINT, 'refuse');
  const { uuid } = await post();
  await clock.advance(0);
  t.match(await delivery(uuid), { state: 'retry_wait', attempts: 1, due_at: '2026-01-05T08:00:17.000Z', last_error: /refused/ });
});

t.test('every attempt is recorded, with its error as a sentence', async (t) => {
  const { post, clock, http, attempts } = await startWithWebhook(t);
  const long = `${'x'.repeat(5000)}`;
  http.answer(
    ENDPOINT,
    'refuse',
    { status: 500, body: 'no\u0000\u001b[31m way\r\n', headers: { 'X-Why': 'because' }, afterMs: 250 },
    'hang',
    { status: 200, body: long },
  );
  const { uuid } = await post();
  await clock.advance(100_000);
  const common = { delivery: uuid, run: 1, trigger: 'auto', lane: 'default' };
  const made = await attempts(uuid);
  t.equal(made[3]?.response?.length, 4096, 'at most the first 4 KB of a response');
  t.match(made, [
    {
      ...common,
      n: 0,
      started_at: '2026-01-05T08:00:00.000Z',
      duration_ms: 0,
      result: 'retry',
      status: 504,
      error: /refused/,
      response: null,
    },
    {
      ...common,
      n: 1,
      started_at: '2026-01-05T08:00:17.000Z',
      duration_ms: 250,
      result: 'retry',
      status: 500,
      error: 'the endpoint answered 500',
      response: 'no[31m way\r\n',
      response_headers: { 'x-why': 'because' },
    },
    { ...common, n: 2, duration_ms: 5000, status: 504, error: 'no response within 5 seconds', response: null },
    { ...common, n: 3, result: 'delivered', status: 200, error: null, response: /^x+$/ },
  ]);
});

t.test('the same event is delivered to a webhook once', async (t) => {
  const { post, clock, http, calls } = await startWithWebhook(t);
  http.answer(ENDPOINT, {});
  const [one, two] = await Promise.all([post({ event: 'same' }), post({ event: 'same' })]);
  const three = await post({ event: 'same', body: { other: true } });
  t.equal(one!.uuid, two!.uuid);
  t.equal(one!.uuid, three.uuid);
  await clock.advance(0);
  t.equal(calls().length, 1);
});

t.test('first attempts of a conversation run one after the other; a retry blocks none of them', async (t) => {
  const { post, clock, http, calls } = await startWithWebhook(t);
  const going = new Set<string>();
  http.answer(ENDPOINT, async ({ json }) => {
    t.notOk(going.has(json.talk), 'one at a time');
    going.add(json.talk);
    await new Promise((resolve) => setImmediate(resolve));
    going.delete(json.talk);
    return json.n === 1 && calls().length < 4 ? { status: 500 } : {};
  });
  for (const n of [0, 1, 2, 3]) for (const talk of ['a', 'b']) await post({ conversation: talk, body: { talk, n } });
  await clock.advance(20_000);
  const received = (talk: string) =>
    calls()
      .filter(({ json }) => json.talk === talk)
      .map(({ json }) => json.n);
  t.strictSame(received('b').slice(0, 4).sort(), [0, 1, 2, 3]);
  t.strictSame(
    received('a').filter((n, i, all) => all.indexOf(n) === i),
    [0, 1, 2, 3],
    'in order',
  );
});

t.test('a hanging endpoint does not block another conversation', async (t) => {
  const { post, clock, http, delivery } = await startWithWebhook(t);
  http.answer(ENDPOINT, ({ json }) => (json.talk === 'slow' ? 'hang' : {}));
  const slow = await post({ conversation: 'slow', body: { talk: 'slow' } });
  const quick = await post({ conversation: 'quick', body: { talk: 'quick' } });
  await clock.advance(1);
  t.match(await delivery(slow.uuid), { state: 'sending' });
  t.match(await delivery(quick.uuid), { state: 'delivered' });
  await clock.advance(5000);
});

t.test('twenty response times decide the lane of later deliveries', async (t) => {
  for (const [answer, lane] of [
    [{ afterMs: 200 }, 'high'],
    [{ afterMs: 201 }, 'default'],
    [{ afterMs: 1000 }, 'low'],
    ['refuse', 'low'],
    ['hang', 'low'],
  ] as [ScriptedAnswer, string][]) {
    const { post, clock, http, platform, webhook, events, attempts } = await startWithWebhook(t);
    http.answer(ENDPOINT, answer);
    for (let i = 0; i < 20; i++) await post();
    await clock.advance(15_000);
    t.equal((await platform.webhooks.get(webhook))?.lane, lane);
    t.equal(events.filter(({ name }) => name === 'webhook.lane_changed').length, lane === 'default' ? 0 : 1);
    http.answer(ENDPOINT, {});
    const { uuid } = await post();
    await clock.advance(0);
    t.match(await attempts(uuid), [{ lane }]);
  }
});

t.test('failures before anything was sent do not count as response times', async (t) => {
  const { post, clock, change, platform, webhook, delivery } = await startWithWebhook(t);
  await change({ url: 'http://user:word@endpoint.test' });
  const posted = await Promise.all(Array.from({ length: 20 }, () => post()));
  await clock.advance(0);
  t.match(await delivery(posted[0]!.uuid), {
    state: 'cancelled',
    reason: 'bad_url',
    last_status: 0,
    last_error: /user name or a password/,
  });
  t.equal((await platform.webhooks.get(webhook))?.lane, 'default');
});
