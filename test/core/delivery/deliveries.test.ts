import t from 'tap';
import { beforeCommit, type DeliverySettled, definePlugin, deliverySettled, verifySignature, type WorkerPool } from '#core';
import { InlinePool, ManualClock, type Reply, type ScriptedAnswer } from '#core/testing';
import { forgetOldDeliveries } from '../../../core/delivery/retention.js';
import { crashed, freshFolder } from '../store/folders.js';
import { BODY, ENDPOINT, SECRET, startLetterBox } from './letters.js';

t.test('a delivery is a signed POST of exactly the bytes that were posted', async (t) => {
  const { post, clock, http, calls, change } = await startLetterBox(t);
  http.answer(ENDPOINT, {});
  await change({ headers: { 'X-Own': 'yes' } });
  await post({ headers: { 'X-Msgapp-Id': 'wamid.1' } });
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
  });
  t.ok(verifySignature(SECRET, call!.body, call!.headers['x-svc-hook-signature']));
});

t.test('what an endpoint does, and what becomes of the delivery', async (t) => {
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
    const { post, clock, http, delivery, calls, events } = await startLetterBox(t);
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

t.test('retries come 17, 36, 60, 91 and 138 seconds after the first failure, however long each attempt takes', async (t) => {
  for (const [answer, takes] of [
    ['refuse', 0],
    [{ status: 500, afterMs: 1200 }, 1.2],
    ['hang', 5],
  ] as [ScriptedAnswer, number][]) {
    const { post, clock, http, times } = await startLetterBox(t);
    http.answer(ENDPOINT, answer);
    await post();
    await clock.advance(300_000);
    t.strictSame(
      times(),
      [0, 17, 36, 60, 91, 138].map((second, n) => (n === 0 ? 0 : second + takes)),
    );
  }
});

t.test('retries vary a little by chance', async (t) => {
  for (const [chance, expected] of [
    [0, [0, 15.3, 34.1, 57.6, 87.9, 133.3]],
    [0.5, [0, 16.49, 35.43, 59.28, 90.07, 136.59]],
  ] as const) {
    const { post, clock, http, times } = await startLetterBox(t, { chance });
    http.answer(ENDPOINT, 'refuse');
    await post();
    await clock.advance(300_000);
    t.strictSame(times(), expected);
  }
});

t.test('an endpoint that comes back hears what it missed', async (t) => {
  const { post, clock, http, delivery, times } = await startLetterBox(t);
  http.answer(ENDPOINT, 'refuse', 'hang', { status: 503 }, {});
  const { uuid } = await post();
  await clock.advance(100_000);
  t.match(await delivery(uuid), { state: 'delivered', attempts: 4, first_failed_at: '2026-01-05T08:00:00.000Z' });
  t.strictSame(times(), [0, 17, 36, 60]);
});

t.test('a delivery says when it is tried next', async (t) => {
  const { post, clock, http, delivery } = await startLetterBox(t);
  http.answer(ENDPOINT, 'refuse');
  const { uuid } = await post();
  await clock.advance(0);
  t.match(await delivery(uuid), { state: 'retry_wait', attempts: 1, due_at: '2026-01-05T08:00:17.000Z', last_error: /refused/ });
});

t.test('every attempt is on record, in plain words', async (t) => {
  const { post, clock, http, attempts } = await startLetterBox(t);
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
  t.equal(made[3]?.response?.length, 4096, 'the first 4 KB of a response and no more');
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
  const { post, clock, http, calls } = await startLetterBox(t);
  http.answer(ENDPOINT, {});
  const [one, two] = await Promise.all([post({ event: 'same' }), post({ event: 'same' })]);
  const three = await post({ event: 'same', body: { other: true } });
  t.equal(one!.uuid, two!.uuid);
  t.equal(one!.uuid, three.uuid);
  await clock.advance(0);
  t.equal(calls().length, 1);
});

t.test('a settled delivery can be started again, from its first attempt', async (t) => {
  const { post, clock, http, delivery, attempts, redeliver, times } = await startLetterBox(t);
  http.answer(ENDPOINT, { status: 404 }, 'refuse', {});
  const { uuid } = await post();
  await clock.advance(0);
  t.match(await delivery(uuid), { state: 'cancelled', run: 1 });
  const answer = await redeliver(uuid);
  t.equal(answer.status, 200);
  t.match(answer.body.delivery, {
    state: 'queued',
    run: 2,
    attempts: 0,
    settled_at: undefined,
    reason: undefined,
    first_failed_at: undefined,
  });
  await clock.advance(20_000);
  t.match(await delivery(uuid), { state: 'delivered', run: 2, attempts: 2 });
  t.strictSame(times(), [0, 0, 17], 'its retries are due as always');
  t.strictSame(
    (await attempts(uuid)).map(({ run, n, trigger }) => [run, n, trigger]),
    [
      [1, 0, 'auto'],
      [2, 0, 'manual'],
      [2, 1, 'auto'],
    ],
  );
  t.equal((await redeliver(uuid)).status, 200, 'also when it was delivered');
  await clock.advance(0);
  t.match(await delivery(uuid), { state: 'delivered', run: 3 });
});

t.test('starting again takes the place of a retry that waits', async (t) => {
  const { post, clock, http, delivery, redeliver, times } = await startLetterBox(t);
  http.answer(ENDPOINT, 'refuse', {});
  const { uuid } = await post();
  await clock.advance(10_000);
  await redeliver(uuid);
  await clock.advance(200_000);
  t.strictSame(times(), [0, 10]);
  t.match(await delivery(uuid), { state: 'delivered', run: 2, attempts: 1 });
});

t.test('a delivery that is not settled can be cancelled; one that is cannot', async (t) => {
  const { post, clock, http, delivery, cancel, calls } = await startLetterBox(t);
  http.answer(ENDPOINT, 'refuse');
  const { uuid } = await post();
  await clock.advance(1000);
  t.match((await cancel(uuid)).body.delivery, { state: 'cancelled', reason: 'by_hand', due_at: undefined });
  await clock.advance(200_000);
  t.equal(calls().length, 1);
  t.match(await cancel(uuid), { status: 409, body: { errors: [{ details: 'The delivery is cancelled already' }] } });
  t.match(await delivery(uuid), { state: 'cancelled' });
  t.match(await cancel('unknown'), { status: 404 });
});

t.test('what is cancelled while it is being sent stays cancelled, unless the endpoint takes it after all', async (t) => {
  for (const [answer, state] of [
    [{ status: 500, afterMs: 2000 }, 'cancelled'],
    [{ afterMs: 2000 }, 'delivered'],
  ] as [Reply, string][]) {
    const { post, clock, http, delivery, attempts, cancel, calls } = await startLetterBox(t);
    http.answer(ENDPOINT, answer);
    const { uuid } = await post();
    await clock.advance(1000);
    t.match(await delivery(uuid), { state: 'sending' });
    t.equal((await cancel(uuid)).status, 200);
    await clock.advance(200_000);
    t.match(await delivery(uuid), { state, reason: state === 'cancelled' ? 'by_hand' : undefined });
    t.equal((await attempts(uuid)).length, 1);
    t.equal(calls().length, 1);
  }
});

t.test('what is started again while it is being sent is sent once more', async (t) => {
  for (const status of [500, 200]) {
    const { post, clock, http, delivery, attempts, redeliver, times } = await startLetterBox(t);
    http.answer(ENDPOINT, { status, afterMs: 2000 }, { status: 201 });
    const { uuid } = await post();
    await clock.advance(1000);
    await redeliver(uuid);
    await clock.advance(200_000);
    t.strictSame(times(), [0, 2]);
    t.match(await delivery(uuid), { state: 'delivered', run: 2, attempts: 1, last_status: 201 });
    t.strictSame(
      (await attempts(uuid)).map(({ run, status }) => [run, status]),
      [
        [1, status],
        [2, 201],
      ],
    );
  }
});

t.test('what happens while a webhook is disabled is recorded, and can be delivered later', async (t) => {
  const { post, clock, http, delivery, redeliver, change, calls } = await startLetterBox(t);
  http.answer(ENDPOINT, {});
  await change({ enabled: false });
  const { uuid } = await post();
  await clock.advance(0);
  t.match(await delivery(uuid), { state: 'cancelled', reason: 'webhook_disabled', attempts: 0 });
  await change({ enabled: true });
  await redeliver(uuid);
  await clock.advance(0);
  t.match(await delivery(uuid), { state: 'delivered' });
  t.equal(calls().length, 1);
});

t.test('what waits for a webhook that is disabled or removed is cancelled when its turn comes', async (t) => {
  for (const [what, reason] of [
    ['disabled', 'webhook_disabled'],
    ['removed', 'webhook_removed'],
  ] as const) {
    const { post, clock, http, delivery, redeliver, change, platform, webhook, calls } = await startLetterBox(t);
    http.answer(ENDPOINT, 'refuse');
    const { uuid } = await post();
    await clock.advance(1000);
    if (what === 'disabled') await change({ enabled: false });
    else await platform.store.transaction((tx) => platform.webhooks.delete(tx, webhook));
    await clock.advance(20_000);
    t.match(await delivery(uuid), { state: 'cancelled', reason });
    t.equal(calls().length, 1);
    if (what === 'removed') t.match(await redeliver(uuid), { status: 409 });
  }
});

t.test('a webhook that moves gets its retries at the new address', async (t) => {
  const { post, clock, http, change, delivery } = await startLetterBox(t);
  http.answer(ENDPOINT, 'refuse').answer('https://new.test/hook', {});
  const { uuid } = await post();
  await clock.advance(1000);
  await change({ url: 'https://new.test/hook' });
  await clock.advance(20_000);
  t.match(await delivery(uuid), { state: 'delivered' });
});

t.test('within a conversation first attempts come one after the other; a retry holds up nobody', async (t) => {
  const { post, clock, http, calls } = await startLetterBox(t);
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
  const heard = (talk: string) =>
    calls()
      .filter(({ json }) => json.talk === talk)
      .map(({ json }) => json.n);
  t.strictSame(heard('b').slice(0, 4).sort(), [0, 1, 2, 3]);
  t.strictSame(
    heard('a').filter((n, i, all) => all.indexOf(n) === i),
    [0, 1, 2, 3],
    'in order',
  );
});

t.test('one hanging endpoint does not hold up another conversation', async (t) => {
  const { post, clock, http, delivery } = await startLetterBox(t);
  http.answer(ENDPOINT, ({ json }) => (json.talk === 'slow' ? 'hang' : {}));
  const slow = await post({ conversation: 'slow', body: { talk: 'slow' } });
  const quick = await post({ conversation: 'quick', body: { talk: 'quick' } });
  await clock.advance(1);
  t.match(await delivery(slow.uuid), { state: 'sending' });
  t.match(await delivery(quick.uuid), { state: 'delivered' });
  await clock.advance(5000);
});

t.test('twenty response times decide the lane of what comes then', async (t) => {
  for (const [answer, lane] of [
    [{ afterMs: 200 }, 'high'],
    [{ afterMs: 201 }, 'default'],
    [{ afterMs: 1000 }, 'low'],
    ['refuse', 'low'],
    ['hang', 'low'],
  ] as [ScriptedAnswer, string][]) {
    const { post, clock, http, platform, webhook, events, attempts } = await startLetterBox(t);
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

t.test('what never left this machine says nothing of how fast an endpoint is', async (t) => {
  const { post, clock, change, platform, webhook, delivery } = await startLetterBox(t);
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

t.test('a platform that stops between two attempts goes on where it was', async (t) => {
  const dataDir = freshFolder(t);
  const before = await startLetterBox(t, { dataDir });
  before.http.answer(ENDPOINT, 'refuse');
  const { uuid } = await before.post();
  await before.clock.advance(20_000);
  t.match(await before.delivery(uuid), { state: 'retry_wait', attempts: 2 });
  await before.server.stop();

  const clock = new ManualClock({ start: new Date('2026-01-05T08:00:30Z') });
  const after = await startLetterBox(t, { dataDir, seed: 'again', webhook: before.webhook, answers: ['refuse', {}], ports: { clock } });
  await clock.advance(60_000);
  t.strictSame(after.times(), [6, 30], 'at 36 and 60 seconds after the first failure');
  t.match(await after.delivery(uuid), { state: 'delivered', attempts: 4, run: 1 });
  t.equal((await after.attempts(uuid)).length, 4);
  t.equal(after.calls()[0]?.text, JSON.stringify(BODY));
  t.ok(verifySignature(SECRET, after.calls()[0]!.body, after.calls()[0]!.headers['x-svc-hook-signature']));
});

t.test('retries that became due while the platform was down come at once, or never when the window is over', async (t) => {
  for (const [downUntil, becomes, times] of [
    ['2026-01-05T08:02:15Z', { state: 'delivered', attempts: 2 }, [0]],
    ['2026-01-05T08:02:20Z', { state: 'delivered', attempts: 2 }, [0]],
    ['2026-01-05T08:02:21Z', { state: 'dropped', reason: 'expired', attempts: 1 }, []],
    ['2026-01-06T08:00:00Z', { state: 'dropped', reason: 'expired', attempts: 1 }, []],
  ] as const) {
    const dataDir = freshFolder(t);
    const before = await startLetterBox(t, { dataDir });
    before.http.answer(ENDPOINT, 'refuse');
    const { uuid } = await before.post();
    await before.clock.advance(0);
    await before.server.stop();
    const clock = new ManualClock({ start: new Date(downUntil) });
    const after = await startLetterBox(t, { dataDir, seed: 'again', webhook: before.webhook, answers: [{}], ports: { clock } });
    await clock.advance(0);
    t.strictSame(after.times(), times, downUntil);
    t.match(await after.delivery(uuid), becomes, downUntil);
  }
});

t.test('a last retry that waits for a slot of ours has 30 seconds of grace, and then is dropped under a name of its own', async (t) => {
  for (const [busyMs, becomes] of [
    [45_000, { state: 'delivered', attempts: 6 }],
    [55_000, { state: 'dropped', reason: 'expired_in_queue', attempts: 5 }],
  ] as const) {
    const box = await startLetterBox(t, { deliveries: { slots: 1, law: { deadlineMs: busyMs } } });
    const { post, clock, http, platform, delivery } = box;
    http.answer(ENDPOINT, 'refuse');
    http.answer('https://hangs.test/', 'hang');
    const other = await platform.store.transaction((tx) => {
      const number = platform.numbers.create(tx, { kind: 'network', type: 'network', address: '+2712', name: 'Other' });
      return platform.webhooks.create(tx, { number: number.uuid, url: 'https://hangs.test/', name: 'Hangs', subscriptions: ['network'] });
    });
    const { uuid } = await post();
    await clock.advance(120_000);
    await post({ webhook: other.webhook });
    http.answer(ENDPOINT, {});
    await clock.advance(60_000);
    t.match(await delivery(uuid), becomes);
  }
});

t.test('what never failed is sent however old it is', async (t) => {
  const dataDir = freshFolder(t);
  const before = await startLetterBox(t, { dataDir });
  const { uuid } = await before.platform.store.transaction(async (tx) => {
    const webhook = (await before.platform.webhooks.get(before.webhook))!;
    return before.platform.deliveries.post(tx, { event: 'old', webhook, kind: 'network', body: BODY });
  });
  const image = crashed(t, dataDir);
  const clock = new ManualClock({ start: new Date('2026-02-05T08:00:00Z') });
  const after = await startLetterBox(t, { dataDir: image, seed: 'again', webhook: before.webhook, answers: [{}], ports: { clock } });
  await clock.advance(0);
  t.match(await after.delivery(uuid), { state: 'delivered' });
});

t.test('a crash between sending and writing down what came of it sends the same body again', async (t) => {
  const dataDir = freshFolder(t);
  const before = await startLetterBox(t, { dataDir });
  let image = '';
  before.http.answer(ENDPOINT, () => {
    image = crashed(t, dataDir);
    return {};
  });
  const { uuid } = await before.post();
  await before.clock.advance(0);
  t.match(await before.delivery(uuid), { state: 'delivered' });

  const after = await startLetterBox(t, { dataDir: image, seed: 'again', webhook: before.webhook, answers: [{}] });
  await after.clock.advance(0);
  t.match(await after.delivery(uuid), { state: 'delivered', attempts: 1, run: 1 });
  const [first] = before.calls();
  const [second] = after.calls();
  t.equal(second?.text, first?.text);
  t.strictSame(second?.headers, first?.headers);
});

/** A plugin that fails every transaction in which a delivery is settled as delivered. */
const failing = (times: number) => {
  let left = times;
  return definePlugin({
    name: 'failing',
    version: '1.0.0',
    register: () => ({
      on: [
        beforeCommit(deliverySettled, ({ delivery }: DeliverySettled) => {
          if (delivery.state === 'delivered' && left-- > 0) throw new Error('the account cannot be kept');
        }),
      ],
    }),
  })();
};

t.test('a try whose outcome could not be written down is made again soon, as the same one, and both are on record', async (t) => {
  const { post, clock, http, delivery, times, attempts } = await startLetterBox(t, { plugins: [failing(1)] });
  http.answer(ENDPOINT, {});
  const { uuid } = await post();
  await clock.advance(10_000);
  t.strictSame(times(), [0, 1]);
  t.match(await delivery(uuid), { state: 'delivered', attempts: 1 });
  t.match(await attempts(uuid), [
    { n: 0, trigger: 'auto', result: 'interrupted', duration_ms: null, status: 0, error: /stopped or failed before it was known/ },
    { n: 0, trigger: 'interrupted', result: 'delivered', status: 200 },
  ]);
});

t.test('a failure of our own before anything was sent is no attempt: it is tried again a second later, and the log says why', async (t) => {
  const workers = new InlinePool();
  let failures = 1;
  const sick: WorkerPool = {
    check: (type) => workers.check(type),
    stop: () => workers.stop(),
    run: (type, input) =>
      type.name === 'delivery.sign' && failures-- > 0 ? Promise.reject(new Error('the worker died')) : workers.run(type, input),
  };
  const { post, clock, http, delivery, times, attempts, log } = await startLetterBox(t, { ports: { workers: sick } });
  http.answer(ENDPOINT, {});
  const { uuid } = await post();
  await clock.advance(999);
  t.match(await delivery(uuid), { state: 'queued', attempts: 0, started_at: undefined });
  await clock.advance(1);
  t.strictSame(times(), [1]);
  t.match(await delivery(uuid), { state: 'delivered', attempts: 1 });
  t.match(await attempts(uuid), [{ n: 0, result: 'delivered' }]);
  t.ok(
    log.lines.some(
      ({ message, fields }) => message === 'a job has failed, and is tried again' && /worker died/.test(JSON.stringify(fields.error)),
    ),
  );
});

t.test('a try that is interrupted three times counts as failed, and the law goes on from there', async (t) => {
  const { post, clock, http, delivery, attempts, times } = await startLetterBox(t, { plugins: [failing(3)] });
  http.answer(ENDPOINT, {});
  const { uuid } = await post();
  await clock.advance(10_000);
  t.strictSame(times(), [0, 1, 3], 'the queue waits 1, 2 and 4 seconds');
  t.match(await delivery(uuid), { state: 'retry_wait', attempts: 1, last_error: /stopped or failed every time/, interruptions: undefined });
  await clock.advance(60_000);
  t.match(await delivery(uuid), { state: 'delivered', attempts: 2 });
  t.strictSame(
    (await attempts(uuid)).map(({ n, result }) => [n, result]),
    [
      [0, 'interrupted'],
      [0, 'interrupted'],
      [0, 'interrupted'],
      [1, 'delivered'],
    ],
  );
});

t.test('what the platform fails at every time is not sent for ever', async (t) => {
  const { post, clock, http, delivery, calls } = await startLetterBox(t, { plugins: [failing(1000)] });
  http.answer(ENDPOINT, {});
  const { uuid } = await post();
  await clock.advance(3600_000);
  t.equal(calls().length, 17, 'three times each attempt, until the window is shut');
  t.match(await delivery(uuid), { state: 'dropped', reason: 'expired', attempts: 5, last_error: /stopped or failed/ });
});

t.test('deliveries that were settled a month ago are forgotten with all that belongs to them', async (t) => {
  const { post, clock, http, platform, redeliver } = await startLetterBox(t);
  http.answer(ENDPOINT, {});
  const day = 24 * 3600_000;
  const old = await post();
  const kept = await post();
  await clock.advance(10 * day);
  await redeliver(kept.uuid);
  await clock.advance(20 * day);
  await forgetOldDeliveries({ store: platform.store, clock, mostKept: 100_000 });
  t.strictSame(
    (await platform.deliveries.list({ limit: 10 })).map(({ uuid }) => uuid),
    [kept.uuid],
  );
  await t.rejects(platform.deliveries.show(old.uuid), { name: 'PlatformError', status: 404 });
  t.match(await platform.deliveries.show(kept.uuid), { body: JSON.stringify(BODY), attempts: { length: 2 } });
});

t.test('of too many settled deliveries the newest are kept, and all that are under way', async (t) => {
  const { post, clock, http, platform } = await startLetterBox(t);
  http.answer(ENDPOINT, 'refuse', {});
  const posted: string[] = [];
  for (let n = 0; n < 5; n++) {
    posted.push((await post()).uuid);
    await clock.advance(1);
  }
  await forgetOldDeliveries({ store: platform.store, clock, mostKept: 3 });
  const left = (await platform.deliveries.list({ limit: 10 })).map(({ uuid }) => posted.indexOf(uuid));
  t.strictSame(left, [4, 3, 0], 'the first still waits for its retry');
});

t.test('a delivery that is started again at that very moment is not forgotten', async (t) => {
  const { post, clock, platform, redeliver, delivery } = await startLetterBox(t, { answers: [{}] });
  const { uuid } = await post();
  await clock.advance(31 * 24 * 3600_000);
  const { store } = platform;
  const transaction: typeof store.transaction = async (work) => {
    await redeliver(uuid);
    return store.transaction(work);
  };
  await forgetOldDeliveries({ store: { open: store.open, transaction }, clock, mostKept: 100_000 });
  await clock.advance(0);
  t.match(await delivery(uuid), { state: 'delivered', run: 2 });
});

t.test('a list goes on where it ended, also among deliveries of the same moment', async (t) => {
  const { post, admin } = await startLetterBox(t, { answers: [{}] });
  const posted = await Promise.all(Array.from({ length: 7 }, () => post()));
  const found: string[] = [];
  for (let after = ''; ; after = `&after=${found.at(-1)}`) {
    const { body } = await admin('GET', `/deliveries?limit=3${after}`);
    found.push(...body.deliveries.map(({ uuid }: { uuid: string }) => uuid));
    if (body.deliveries.length < 3) break;
  }
  t.strictSame([...found].sort(), posted.map(({ uuid }) => uuid).sort());
});

t.test('deliveries are listed the newest first, by webhook, number or message', async (t) => {
  const { post, clock, http, admin, webhook, platform } = await startLetterBox(t);
  http.answer(ENDPOINT, {});
  const posted: string[] = [];
  for (const message of ['m1', 'm2', 'm2']) {
    posted.unshift((await post({ message })).uuid);
    await clock.advance(1);
  }
  const { number } = (await platform.webhooks.get(webhook))!;
  const list = async (query: string) =>
    (await admin('GET', `/deliveries?${query}`)).body.deliveries.map(({ uuid }: { uuid: string }) => uuid);
  for (const query of ['', `webhook=${webhook}`, `number=${number}`]) t.strictSame(await list(query), posted, query);
  t.strictSame(await list('message=m2'), posted.slice(0, 2));
  t.strictSame(await list('limit=1'), posted.slice(0, 1));
  t.strictSame(await list('number=unknown'), []);
  t.strictSame(await list(`after=${posted[0]}`), posted.slice(1));
  t.strictSame(await list(`message=m2&after=${posted[0]}`), [posted[1]]);
  t.equal((await admin('GET', '/deliveries?after=unknown')).status, 404);
  const { body } = await admin('GET', `/deliveries/${posted[0]}`);
  t.match(body, { delivery: { uuid: posted[0], subscription: 'msgapp' }, body: JSON.stringify(BODY), attempts: [{ status: 200 }] });
  t.notOk(JSON.stringify(body).includes(SECRET));
  t.equal((await admin('GET', '/deliveries/unknown')).status, 404);
});

t.test('a retry waits until its time has come; then it is queued, as long as it has no turn', async (t) => {
  const answers = [{ status: 500 }, 'hang'] as const;
  const { post, admin, clock, platform } = await startLetterBox(t, { answers, deliveries: { slots: 1 } });
  const { uuid } = await post();
  await clock.advance(0);
  const shown = async () => {
    const { deliveries } = (await admin('GET', '/deliveries')).body;
    const one = (await admin('GET', `/deliveries/${uuid}`)).body.delivery;
    const listed = deliveries.find((delivery: { uuid: string }) => delivery.uuid === uuid);
    t.strictSame(listed, one);
    return { state: one.state, due_at: one.due_at };
  };
  t.match(await shown(), { state: 'retry_wait', due_at: String });
  await clock.advance(16_000);
  await post();
  await clock.advance(1_000);
  t.strictSame(await shown(), { state: 'queued', due_at: undefined }, 'another one has the only slot');
  t.match(await platform.deliveries.list({ limit: 5 }), [{ state: 'sending' }, { state: 'retry_wait' }]);
  t.equal((await admin('POST', `/deliveries/${uuid}/cancel`)).status, 200);
  t.match(await shown(), { state: 'cancelled' });
});
