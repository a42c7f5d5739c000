import t from 'tap';
import { beforeCommit, type DeliverySettled, definePlugin, deliverySettled, verifySignature } from '#core';
import type { WorkerPool } from '#core/ports';
import { InlinePool, ManualClock } from '#core/testing';
import { crashed, freshFolder } from '../adapters/store/folders.js';
import { BODY, ENDPOINT, SECRET, startWithWebhook } from './webhook-platform.js';

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

t.test('a platform that stops between two attempts continues after the restart', async (t) => {
  const dataDir = freshFolder(t);
  const before = await startWithWebhook(t, { dataDir });
  before.http.answer(ENDPOINT, 'refuse');
  const { uuid } = await before.post();
  await before.clock.advance(20_000);
  t.match(await before.delivery(uuid), { state: 'retry_wait', attempts: 2 });
  await before.server.stop();

  const clock = new ManualClock({ start: new Date('2026-01-05T08:00:30Z') });
  const after = await startWithWebhook(t, { dataDir, seed: 'again', webhook: before.webhook, answers: ['refuse', {}], ports: { clock } });
  await clock.advance(60_000);
  t.strictSame(after.times(), [6, 30], 'at 36 and 60 seconds after the first failure');
  t.match(await after.delivery(uuid), { state: 'delivered', attempts: 4, run: 1 });
  t.equal((await after.attempts(uuid)).length, 4);
  t.equal(after.calls()[0]?.text, JSON.stringify(BODY));
  t.ok(verifySignature(SECRET, after.calls()[0]!.body, after.calls()[0]!.headers['x-svc-hook-signature']));
});

t.test('retries that became due while the platform was down are sent immediately, or dropped when the window has ended', async (t) => {
  for (const [downUntil, becomes, times] of [
    ['2026-01-05T08:02:15Z', { state: 'delivered', attempts: 2 }, [0]],
    ['2026-01-05T08:02:20Z', { state: 'delivered', attempts: 2 }, [0]],
    ['2026-01-05T08:02:21Z', { state: 'dropped', reason: 'expired', attempts: 1 }, []],
    ['2026-01-06T08:00:00Z', { state: 'dropped', reason: 'expired', attempts: 1 }, []],
  ] as const) {
    const dataDir = freshFolder(t);
    const before = await startWithWebhook(t, { dataDir });
    before.http.answer(ENDPOINT, 'refuse');
    const { uuid } = await before.post();
    await before.clock.advance(0);
    await before.server.stop();
    const clock = new ManualClock({ start: new Date(downUntil) });
    const after = await startWithWebhook(t, { dataDir, seed: 'again', webhook: before.webhook, answers: [{}], ports: { clock } });
    await clock.advance(0);
    t.strictSame(after.times(), times, downUntil);
    t.match(await after.delivery(uuid), becomes, downUntil);
  }
});

t.test('a last retry that waits for a slot has 30 seconds of grace, and then is dropped as expired_in_queue', async (t) => {
  for (const [busyMs, becomes] of [
    [45_000, { state: 'delivered', attempts: 6 }],
    [55_000, { state: 'dropped', reason: 'expired_in_queue', attempts: 5 }],
  ] as const) {
    const box = await startWithWebhook(t, { deliveries: { slots: 1 }, deliveryTimes: { deadlineMs: busyMs } });
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

t.test('a delivery that has never failed is sent however old it is', async (t) => {
  const dataDir = freshFolder(t);
  const before = await startWithWebhook(t, { dataDir });
  const { uuid } = await before.platform.store.transaction(async (tx) => {
    const webhook = (await before.platform.webhooks.get(before.webhook))!;
    return before.platform.deliveries.post(tx, { event: 'old', webhook, kind: 'network', body: BODY });
  });
  const image = crashed(t, dataDir);
  const clock = new ManualClock({ start: new Date('2026-02-05T08:00:00Z') });
  const after = await startWithWebhook(t, { dataDir: image, seed: 'again', webhook: before.webhook, answers: [{}], ports: { clock } });
  await clock.advance(0);
  t.match(await after.delivery(uuid), { state: 'delivered' });
});

t.test('after a crash between sending and recording the outcome, the same body is sent again', async (t) => {
  const dataDir = freshFolder(t);
  const before = await startWithWebhook(t, { dataDir });
  let image = '';
  before.http.answer(ENDPOINT, () => {
    image = crashed(t, dataDir);
    return {};
  });
  const { uuid } = await before.post();
  await before.clock.advance(0);
  t.match(await before.delivery(uuid), { state: 'delivered' });

  const after = await startWithWebhook(t, { dataDir: image, seed: 'again', webhook: before.webhook, answers: [{}] });
  await after.clock.advance(0);
  t.match(await after.delivery(uuid), { state: 'delivered', attempts: 1, run: 1 });
  const [first] = before.calls();
  const [second] = after.calls();
  t.equal(second?.text, first?.text);
  t.strictSame(second?.headers, first?.headers);
});

t.test('an attempt whose outcome could not be recorded is soon repeated with the same number, and both are recorded', async (t) => {
  const { post, clock, http, delivery, times, attempts } = await startWithWebhook(t, { plugins: [failing(1)] });
  http.answer(ENDPOINT, {});
  const { uuid } = await post();
  await clock.advance(10_000);
  t.strictSame(times(), [0, 1]);
  t.match(await delivery(uuid), { state: 'delivered', attempts: 1 });
  t.match(await attempts(uuid), [
    {
      n: 0,
      trigger: 'auto',
      result: 'interrupted',
      duration_ms: null,
      status: 0,
      error: /stopped or failed before the outcome was recorded/,
    },
    { n: 0, trigger: 'interrupted', result: 'delivered', status: 200 },
  ]);
});

t.test(
  'a failure of the platform before anything was sent is not an attempt: the job runs again a second later, and the log says why',
  async (t) => {
    const workers = new InlinePool();
    let failures = 1;
    const sick: WorkerPool = {
      check: (type) => workers.check(type),
      stop: () => workers.stop(),
      run: (type, input) =>
        type.name === 'delivery.sign' && failures-- > 0 ? Promise.reject(new Error('the worker died')) : workers.run(type, input),
    };
    const { post, clock, http, delivery, times, attempts, log } = await startWithWebhook(t, { ports: { workers: sick } });
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
        ({ message, fields }) =>
          message === 'the platform could not complete an attempt of a delivery, and will repeat it' &&
          /worker died/.test(JSON.stringify(fields.error)),
      ),
    );
  },
);

t.test('an attempt that is interrupted three times counts as failed, and retries continue by the retry policy', async (t) => {
  const { post, clock, http, delivery, attempts, times } = await startWithWebhook(t, { plugins: [failing(3)] });
  http.answer(ENDPOINT, {});
  const { uuid } = await post();
  await clock.advance(10_000);
  t.strictSame(times(), [0, 1, 3], 'the queue waits 1, 2 and 4 seconds');
  t.match(await delivery(uuid), { state: 'retry_wait', attempts: 1, last_error: /stopped or failed each time/, interruptions: undefined });
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

t.test('a delivery at which the platform fails every time is dropped in the end', async (t) => {
  const { post, clock, http, delivery, calls } = await startWithWebhook(t, { plugins: [failing(1000)] });
  http.answer(ENDPOINT, {});
  const { uuid } = await post();
  await clock.advance(3600_000);
  t.equal(calls().length, 17, 'three times each attempt, until the window ends');
  t.match(await delivery(uuid), { state: 'dropped', reason: 'expired', attempts: 5, last_error: /stopped or failed/ });
});
