import t from 'tap';
import type { Reply } from '#core/testing';
import { webhooks } from '../../../plugins/webhooks/plugin.js';
import { anyBody, ENDPOINT, startWithWebhook } from './webhook-platform.js';

t.test('a settled delivery can be redelivered, from its first attempt', async (t) => {
  const { post, clock, http, delivery, attempts, redeliver, times } = await startWithWebhook(t);
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
  t.equal((await redeliver(uuid)).status, 200, 'also a delivered one');
  await clock.advance(0);
  t.match(await delivery(uuid), { state: 'delivered', run: 3 });
});

t.test('a redelivery replaces a scheduled retry', async (t) => {
  const { post, clock, http, delivery, redeliver, times } = await startWithWebhook(t);
  http.answer(ENDPOINT, 'refuse', {});
  const { uuid } = await post();
  await clock.advance(10_000);
  await redeliver(uuid);
  await clock.advance(200_000);
  t.strictSame(times(), [0, 10]);
  t.match(await delivery(uuid), { state: 'delivered', run: 2, attempts: 1 });
});

t.test('an unsettled delivery can be cancelled; a settled one cannot', async (t) => {
  const { post, clock, http, delivery, cancel, calls } = await startWithWebhook(t);
  http.answer(ENDPOINT, 'refuse');
  const { uuid } = await post();
  await clock.advance(1000);
  t.match((await cancel(uuid)).body.delivery, { state: 'cancelled', reason: 'by_hand', due_at: undefined });
  await clock.advance(200_000);
  t.equal(calls().length, 1);
  t.match(await cancel(uuid), { status: 409, body: { errors: [{ details: 'The delivery is already cancelled' }] } });
  t.match(await delivery(uuid), { state: 'cancelled' });
  t.match(await cancel('unknown'), { status: 404 });
});

t.test('a delivery cancelled while it is being sent stays cancelled, unless the endpoint accepts it', async (t) => {
  for (const [answer, state] of [
    [{ status: 500, afterMs: 2000 }, 'cancelled'],
    [{ afterMs: 2000 }, 'delivered'],
  ] as [Reply, string][]) {
    const { post, clock, http, delivery, attempts, cancel, calls } = await startWithWebhook(t);
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

t.test('a delivery that is delivered after it was cancelled counts once in the history', async (t) => {
  const { post, clock, http, delivery, cancel, admin } = await startWithWebhook(t);
  http.answer(ENDPOINT, { afterMs: 2000 });
  const { uuid } = await post();
  await clock.advance(1000);
  t.equal((await cancel(uuid)).status, 200);
  await clock.advance(200_000);
  t.match(await delivery(uuid), { state: 'delivered' });
  t.match((await admin('GET', '/memory')).body.memory.histories[0], { name: 'deliveries', count: 1 });
});

t.test('an attempt that ends after its delivery was evicted leaves nothing behind', async (t) => {
  const { post, clock, http, cancel, platform, calls } = await startWithWebhook(t, { deliveries: { kept: 0 } });
  http.answer(ENDPOINT, { afterMs: 2000 });
  const { uuid } = await post();
  await clock.advance(1000);
  t.equal((await cancel(uuid)).status, 200);
  t.strictSame(await platform.deliveries.list({ limit: 5 }), []);
  await clock.advance(200_000);
  t.equal(calls().length, 1);
  t.strictSame(await platform.deliveries.list({ limit: 5 }), []);
});

t.test('a delivery that is redelivered while it is being sent is sent once more', async (t) => {
  for (const status of [500, 200]) {
    const { post, clock, http, delivery, attempts, redeliver, times } = await startWithWebhook(t);
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

t.test('events of a disabled webhook are recorded, and can be redelivered later', async (t) => {
  const { post, clock, http, delivery, redeliver, change, calls } = await startWithWebhook(t);
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

t.test('pending deliveries of a disabled or deleted webhook are cancelled when they become due', async (t) => {
  for (const [what, reason] of [
    ['disabled', 'webhook_disabled'],
    ['removed', 'webhook_removed'],
  ] as const) {
    const { post, clock, http, delivery, redeliver, change, platform, webhook, calls } = await startWithWebhook(t);
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

t.test('retries use the new URL of a webhook', async (t) => {
  const { post, clock, http, change, delivery } = await startWithWebhook(t);
  http.answer(ENDPOINT, 'refuse').answer('https://new.test/hook', {});
  const { uuid } = await post();
  await clock.advance(1000);
  await change({ url: 'https://new.test/hook' });
  await clock.advance(20_000);
  t.match(await delivery(uuid), { state: 'delivered' });
});

t.test('a scheduled retry can be sent now; the next follows after its usual gap', async (t) => {
  const { post, clock, http, delivery, attempts, admin, times } = await startWithWebhook(t);
  http.answer(ENDPOINT, { status: 500 });
  const { uuid } = await post();
  await clock.advance(5_000);
  const answer = await admin('POST', `/deliveries/${uuid}/retry`);
  t.match(answer, { status: 200, body: { delivery: { state: 'queued', run: 1, attempts: 1 } } });
  await clock.advance(200_000);
  t.strictSame(times(), [0, 5, 24.76, 49.72, 81.96, 130.84], 'at most 4 % later than 19, 24, 31 and 47 s');
  t.match(await delivery(uuid), { state: 'dropped', reason: 'exhausted', run: 1 });
  t.strictSame(
    (await attempts(uuid)).map(({ n }) => n),
    [0, 1, 2, 3, 4, 5],
  );
  t.match(await admin('POST', `/deliveries/${uuid}/retry`), {
    status: 409,
    body: { errors: [{ details: 'The delivery is dropped, so it has no scheduled retry' }] },
  });
});

t.test('a retry of a paused webhook is not sent before the webhook is resumed', async (t) => {
  const { post, clock, http, admin, webhook, calls } = await startWithWebhook(t, { plugins: [webhooks(), anyBody()] });
  http.answer(ENDPOINT, { status: 500 });
  const { uuid } = await post();
  await clock.advance(1_000);
  await admin('POST', `/webhooks/${webhook}/pause`);
  await clock.advance(60_000);
  t.match(await admin('POST', `/deliveries/${uuid}/retry`), { status: 409, body: { errors: [{ details: /is paused/ }] } });
  t.equal(calls().length, 1);
});

t.test('deliveries are listed by state with the duration of the newest attempt, and shown with the retry policy', async (t) => {
  const { post, clock, http, admin } = await startWithWebhook(t);
  http.answer(ENDPOINT, { status: 404 }, { status: 500 }, {});
  const cancelled = await post();
  await clock.advance(0);
  const waiting = await post();
  await clock.advance(0);
  const list = async (query: string) => (await admin('GET', `/deliveries${query}`)).body.deliveries;
  t.match(await list('?state=cancelled'), [{ uuid: cancelled.uuid, duration_ms: Number }]);
  t.match(await list('?state=retry_wait'), [{ uuid: waiting.uuid }]);
  t.strictSame(await list('?state=delivered'), []);
  await clock.advance(20_000);
  t.match(await list('?state=delivered&limit=1'), [{ uuid: waiting.uuid }]);
  t.strictSame((await admin('GET', `/deliveries/${waiting.uuid}`)).body.retry_policy, {
    deadline_ms: 5_000,
    gaps_ms: [17_000, 19_000, 24_000, 31_000, 47_000],
    window_ms: 140_000,
  });
});

t.test('the responses of a webhook are the newest twenty, with the time that counts for the lane', async (t) => {
  const { post, clock, http, admin, webhook } = await startWithWebhook(t);
  const responses = async () => (await admin('GET', `/webhooks/${webhook}/responses`)).body;
  t.strictSame(await responses(), {
    responses: [],
    next: { count: 0, of: 20, mean_ms: null },
    thresholds: { high_up_to_ms: 200, low_from_ms: 1_000 },
  });
  http.answer(ENDPOINT, { status: 404, afterMs: 300 }, 'refuse', { afterMs: 50 });
  await post();
  await clock.advance(1_000);
  const failed = await post();
  await clock.advance(1_000);
  const { responses: two, next } = await responses();
  t.match(two, [
    { status: 404, error_code: 'http_4xx', counted_ms: 300 },
    { status: 504, error_code: 'network_error', counted_ms: 5_000, delivery: failed.uuid },
  ]);
  t.strictSame(next, { count: 2, of: 20, mean_ms: 2_650 });
  for (let n = 0; n < 25; n++) await post();
  await clock.advance(1_000);
  const all = await responses();
  t.equal(all.responses.length, 20);
  t.equal(all.next.count, 7, 'the lane was decided by the first twenty');
  t.match(await admin('GET', '/webhooks/unknown/responses'), { status: 404 });
});
