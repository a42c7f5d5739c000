import t from 'tap';
import { type RecordedCall, RecordingLogger } from '#core/testing';
import { MemoryStore } from '../../../core/adapters/store/index.js';
import { StoreUnavailable } from '../../../core/ports/store.js';
import { ENDPOINT, startWithWebhook } from './webhook-platform.js';

const nth = ({ json }: RecordedCall): number => json.n;

t.test('a retry in flight does not block its conversation, and runs before queued first attempts', async (t) => {
  const { post, clock, http, calls, times } = await startWithWebhook(t);
  // The first request fails immediately; its retry hangs.
  let attemptsMade = 0;
  http.answer(ENDPOINT, ({ json }) => (json.n === 1 ? (attemptsMade++ === 0 ? 'refuse' : 'hang') : { afterMs: 1_000 }));
  await post({ conversation: 'a', body: { n: 1 } });
  await clock.advance(16_500);
  for (const n of [2, 3, 4]) await post({ conversation: 'a', body: { n } });
  await clock.advance(4_000);
  t.strictSame(calls().map(nth), [1, 2, 1, 3, 4]);
  t.strictSame(times(), [0, 16.5, 17, 17.5, 18.5], 'one first attempt after the other, and the retry in parallel');
  await clock.advance(200_000);
});

t.test('the retries of a webhook run before its first attempts, as only their time is limited', async (t) => {
  const { post, clock, http, calls, times } = await startWithWebhook(t, { deliveries: { slots: 1 } });
  let attemptsMade = 0;
  http.answer(ENDPOINT, ({ json }) => (json.n === 1 && attemptsMade++ === 0 ? 'refuse' : { afterMs: 1_000 }));
  await post({ body: { n: 1 } });
  await clock.advance(16_900);
  for (const n of [2, 3, 4]) await post({ body: { n } });
  await clock.advance(10_000);
  t.strictSame(calls().map(nth), [1, 2, 1, 3, 4]);
  t.strictSame(times(), [0, 16.9, 17.9, 18.9, 19.9]);
});

t.test('a hanging first attempt blocks its own conversation only', async (t) => {
  const { post, clock, http, calls, times } = await startWithWebhook(t);
  http.answer(ENDPOINT, ({ json }) => (json.n === 1 ? 'hang' : {}));
  for (const [n, conversation] of [
    [1, 'a'],
    [2, 'a'],
    [3, 'b'],
  ] as const)
    await post({ conversation, body: { n } });
  await clock.advance(6_000);
  t.strictSame(calls().map(nth), [1, 3, 2]);
  t.strictSame(times(), [0, 0, 5], 'a failed attempt unblocks those behind it');
  await clock.advance(200_000);
});

t.test('a conversation keeps its order when its endpoint moves to another lane', async (t) => {
  const { post, clock, http, calls, change, platform, webhook } = await startWithWebhook(t);
  http.answer(ENDPOINT, { afterMs: 10 });
  for (let n = 0; n < 30; n++) {
    await change({ lane: (['low', 'default', 'high'] as const)[n % 3]! });
    await post({ conversation: 'a', body: { n } });
  }
  await clock.advance(1_000);
  t.strictSame(
    calls().map(nth),
    Array.from({ length: 30 }, (_, n) => n),
  );
  t.match(await platform.webhooks.get(webhook), { lane: 'high', response_ms: 10 });
});

/** A store that refuses transactions, as one whose log is away. */
class AbsentStore extends MemoryStore {
  isAway = false;
  leavesAfterNext = false;

  override async transaction<T>(work: Parameters<MemoryStore['transaction']>[0]): Promise<T> {
    if (this.isAway) throw new StoreUnavailable('the log cannot be reached');
    const result = await super.transaction(work);
    if (this.leavesAfterNext) this.isAway = true;
    this.leavesAfterNext = false;
    return result as T;
  }
}

t.test('while the store is away nothing starts, and then a conversation continues in its order', async (t) => {
  const store = new AbsentStore({ log: new RecordingLogger() });
  const { post, clock, http, calls, times } = await startWithWebhook(t, { ports: { store }, secretKey: 'ab'.repeat(32) });
  http.answer(ENDPOINT, {});
  store.leavesAfterNext = true;
  await post({ conversation: 'a', body: { n: 1 } });
  await clock.advance(1_500);
  t.strictSame(calls(), []);
  store.isAway = false;
  await post({ conversation: 'a', body: { n: 2 } });
  await clock.advance(10_000);
  t.strictSame(calls().map(nth), [1, 2]);
  t.strictSame(times(), [3, 3], 'after pauses of 1 and 2 seconds');
});

t.test('strict order: the next delivery of a conversation waits for the retries, at most for their 140 seconds', async (t) => {
  const { post, clock, http, calls, times, change, platform, webhook } = await startWithWebhook(t);
  await change({ order: 'strict' });
  http.answer(ENDPOINT, ({ json }) => (json.n === 1 ? 'refuse' : {}));
  await post({ conversation: 'a', body: { n: 1 } });
  for (const n of [2, 3]) await post({ conversation: 'a', body: { n } });
  await post({ conversation: 'b', body: { n: 4 } });
  await clock.advance(1_000);
  t.strictSame(calls().map(nth).toSorted(), [1, 4]);
  t.strictSame(platform.deliveries.blocked(webhook), { conversations: 1, deliveries: 2 });
  await clock.advance(139_000);
  t.strictSame(calls().map(nth).toSorted(), [1, 1, 1, 1, 1, 1, 2, 3, 4]);
  t.strictSame(calls().map(nth).slice(-2), [2, 3]);
  t.ok(times().at(-1)! <= 140);
  await change({ order: 'first_attempts' });
  await post({ conversation: 'a', body: { n: 1 } });
  await post({ conversation: 'a', body: { n: 5 } });
  await clock.advance(0);
  t.strictSame(calls().map(nth).slice(-2), [1, 5]);
  await clock.advance(200_000);
});

t.test('a webhook with a limit gets no more attempts per second, from the first on, and a change applies to those that wait', async (t) => {
  const { post, clock, calls, times, change } = await startWithWebhook(t);
  await change({ max_per_second: 2 });
  for (let n = 0; n < 8; n++) await post({ body: { n } });
  await clock.advance(2_000);
  t.strictSame(times(), [0, 0.48, 0.98, 1.48, 1.98]);
  await change({ max_per_second: null });
  await clock.advance(500);
  t.strictSame(calls().map(nth), [0, 1, 2, 3, 4, 5, 6, 7]);
});

t.test('strict order: no retry is too late because an older delivery was sent again before it', async (t) => {
  const { post, clock, http, change, redeliver, delivery } = await startWithWebhook(t);
  await change({ order: 'strict' });
  const old = await post({ conversation: 'a', body: { n: 1 } });
  await clock.advance(0);
  let isAway = true;
  http.answer(ENDPOINT, ({ json }) => (json.n === 1 || isAway ? 'refuse' : {}));
  const newer = await post({ conversation: 'a', body: { n: 2 } });
  await clock.advance(1_000);
  isAway = false;
  await redeliver(old.uuid);
  await clock.advance(300_000);
  t.match(await delivery(old.uuid), { state: 'dropped' });
  t.match(await delivery(newer.uuid), { state: 'delivered' });
});

t.test('strict order: those that wait keep it when the order of the webhook changes', async (t) => {
  const { post, clock, http, calls, change } = await startWithWebhook(t);
  await change({ order: 'strict' });
  http.answer(ENDPOINT, ({ json }) => (json.n === 1 ? 'refuse' : {}));
  for (const n of [1, 2, 3]) await post({ conversation: 'a', body: { n } });
  await clock.advance(0);
  await change({ order: 'first_attempts' });
  for (const n of [4, 5]) await post({ conversation: 'a', body: { n } });
  await clock.advance(200_000);
  t.strictSame(
    calls()
      .map(nth)
      .filter((n) => n > 1),
    [2, 3, 4, 5],
  );
});

t.test('a limit that is set while many retries wait drops none, and a disabled webhook cancels without it', async (t) => {
  const { post, clock, http, calls, change, delivery } = await startWithWebhook(t);
  http.answer(ENDPOINT, 'refuse');
  const posted = [];
  for (let n = 0; n < 60; n++) posted.push(await post({ body: { n } }));
  await clock.advance(1_000);
  http.answer(ENDPOINT, {});
  await change({ max_per_second: 0.2 });
  const before = calls().length;
  await clock.advance(400_000);
  t.equal(calls().length, before + 60);
  for (const { uuid } of posted) t.match(await delivery(uuid), { state: 'delivered' });
  const more = [];
  for (let n = 0; n < 10; n++) more.push(await post({ body: { n } }));
  await change({ enabled: false });
  await clock.advance(6_000);
  const states = await Promise.all(more.map(async ({ uuid }) => (await delivery(uuid)).state));
  t.ok(states.filter((state) => state === 'cancelled').length >= 8, states.join(' '));
});
