import t from 'tap';
import { definePlugin, event } from '#core';
import type { Announcement } from '#core/ports';
import { ManualClock, SeededIds } from '#core/testing';
import { BOUNDS_MS } from '../../../core/kernel/observe/endpoint-record.js';
import { crashed, freshFolder } from '../adapters/store/folders.js';
import { ENDPOINT, startWithWebhook, type WebhookPlatform } from '../delivery/webhook-platform.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

interface Time {
  readonly at: string;
  readonly ok: number;
  readonly failed: number;
  readonly p50_ms: number | null;
  readonly p95_ms: number | null;
  readonly p99_ms: number | null;
  readonly waiting: number;
  readonly lanes: Readonly<Record<string, number>>;
  readonly marks: readonly { readonly at: string; readonly kind: string; readonly text: string; readonly endpoint: string | null }[];
}

const trafficOf = async ({ admin }: Pick<WebhookPlatform, 'admin'>, query = '') =>
  (await admin('GET', `/endpoints/traffic${query}`)).body as { seconds: number; times: Time[] };
const timesOf = async (test: Pick<WebhookPlatform, 'admin'>, query = '') => (await trafficOf(test, query)).times;
/** Those with calls or waiting deliveries. */
const busy = (times: readonly Time[]) => times.filter(({ ok, failed, waiting }) => ok + failed + waiting > 0);
const marksOf = (times: readonly Time[]) => times.flatMap(({ marks }) => marks.map(({ kind, text }) => `${kind}: ${text}`));

interface Called {
  readonly number: string;
  readonly endpoint: string;
  readonly ok: boolean;
  readonly ms?: number;
}

/** Emits calls to endpoints with chosen response times. */
const called = event<Called>('calling.called', 'An endpoint was called.', { outcome: (call): Announcement['outcome'] => call });
const calling = definePlugin({ name: 'calling', version: '1.0.0', emits: [called], register: () => ({}) });

t.test('calls, failures, waiting deliveries, lanes and marks of a webhook, in three ranges, also while the clock is moved', async (t) => {
  const test = await startWithWebhook(t, { answers: [{}] });
  const { clock, http, post, webhook, admin } = test;
  const ranges = { '5m': [10, 30], '1h': [60, 60], '24h': [900, 96] } as const;
  for (const [range, [seconds, times]] of Object.entries(ranges)) {
    const empty = await trafficOf(test, `?range=${range}`);
    t.strictSame([empty.seconds, empty.times.length], [seconds, times], range);
    t.strictSame(busy(empty.times), []);
    const newest = Math.floor(clock.now().getTime() / seconds / 1_000) * seconds * 1_000;
    t.equal(empty.times.at(-1)!.at, new Date(newest).toISOString());
    t.match(marksOf(empty.times), [/^start: Started version \d/]);
  }

  for (let n = 0; n < 3; n++) await post();
  await clock.advance(0);
  t.match(busy(await timesOf(test, '?range=5m')), [
    { at: '2026-01-05T08:00:00.000Z', ok: 3, failed: 0, waiting: 3, lanes: { high: 0, default: 3, low: 0 } },
  ]);

  await clock.advance(20_000);
  await admin('POST', `/deliveries/cancel`, { webhook });
  http.answer(ENDPOINT, 'refuse');
  await post();
  await post();
  await clock.advance(10_000);
  const five = await timesOf(test, `?range=5m&endpoint=${webhook}`);
  t.match(five.slice(-4), [
    { ok: 3, failed: 0, waiting: 3 },
    { ok: 0, failed: 0, waiting: 0, p50_ms: null },
    { ok: 0, failed: 2, waiting: 2, p95_ms: null },
    { ok: 0, failed: 0, waiting: 2 },
  ]);
  t.match(busy(await timesOf(test)), [{ ok: 3, failed: 2, waiting: 3 }], 'the last hour, without a range');
  t.strictSame(busy(await timesOf(test, '?endpoint=another')), []);
  t.strictSame(busy(await timesOf(test, '?number=another')), []);

  await test.platform.store.transaction((tx) => test.platform.webhooks.pause(tx, webhook));
  await clock.advance(HOUR - 2 * MINUTE);
  await test.platform.store.transaction((tx) => test.platform.webhooks.resume(tx, webhook));
  const hour = await timesOf(test, `?endpoint=${webhook}`);
  t.strictSame(marksOf(hour).slice(1), ['pause: Paused', 'resume: Resumed']);
  t.equal(hour.at(-2)!.waiting, 2, 'deliveries of a paused webhook wait all the time');
  t.equal(marksOf(await timesOf(test, '?endpoint=another')).length, 1, 'only those of the endpoint, and of the platform');
  http.answer(ENDPOINT, {});
  await clock.advance(MINUTE);
  const day = busy(await timesOf(test, '?range=24h'));
  t.match(day[0], { at: '2026-01-05T08:00:00.000Z', ok: 3, failed: 2, waiting: 3 });
  t.equal(
    day.reduce((sum, { ok }) => sum + ok, 0),
    5,
  );
  t.match(day.at(-1), { waiting: 2 });
  await clock.advance(25 * HOUR);
  const later = await timesOf(test, '?range=24h');
  t.strictSame([busy(later), marksOf(later)], [[], []], 'nothing that is older than a day');
});

t.test('percentiles are between the same bounds as the exact ones', async (t) => {
  const test = await startWithWebhook(t, { plugins: [calling()] });
  const { number } = (await test.platform.webhooks.get(test.webhook))!;
  const exact = (sorted: readonly number[], share: number) => sorted[Math.ceil(share * sorted.length) - 1]!;
  let seed = 7;
  const random = () => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed / 2_147_483_647;
  };
  for (const [round, [count, scale]] of [
    [1, 30],
    [20, 3],
    [100, 80],
    [997, 900],
    [60, 12_000],
  ].entries() as Iterable<[number, [number, number]]>) {
    const endpoint = `endpoint-${round}`;
    const all = Array.from({ length: count }, () => Math.round(scale * Math.exp(2 * random() - 1)));
    await test.platform.store.transaction((tx) => {
      for (const ms of all) tx.emit(called, { number, endpoint, ok: true, ms });
    });
    const [found] = busy(await timesOf(test, `?endpoint=${endpoint}`));
    all.sort((a, b) => a - b);
    for (const [name, share] of [
      ['p50_ms', 0.5],
      ['p95_ms', 0.95],
      ['p99_ms', 0.99],
    ] as const) {
      const ms = found![name]!;
      const wanted = Math.min(exact(all, share), BOUNDS_MS.at(-1)!);
      const place = BOUNDS_MS.findIndex((bound) => wanted <= bound);
      const [lower, upper] = [BOUNDS_MS[place - 1] ?? 0, BOUNDS_MS[place]!];
      t.ok(ms >= lower && ms <= upper, `${name} of ${count}: ${ms} instead of ${wanted}`);
      t.ok(Math.abs(ms - wanted) <= Math.max(5, (2 / 3) * wanted), `${name} of ${count} is near: ${ms}, ${wanted}`);
    }
  }
});

t.test('counts, marks and the queue outlast a restart; a crash loses at most those of the last minute', async (t) => {
  const dataDir = freshFolder(t);
  const one = await startWithWebhook(t, { dataDir, answers: [{}] });
  await one.post();
  await one.platform.store.transaction((tx) => one.platform.webhooks.pause(tx, one.webhook));
  await one.clock.advance(61_000);
  await one.post();
  await one.clock.advance(0);
  const before = await timesOf(one);
  t.match(busy(before), [{ waiting: 1 }, { waiting: 2 }]);
  const folder = crashed(t, dataDir);
  await one.server.stop();
  const clock = new ManualClock({ start: one.clock.now() });
  const options = { webhook: one.webhook, answers: [{}] as [object], ports: { clock } };
  const stopped = await startWithWebhook(t, { ...options, dataDir, seed: 'stopped' });
  const withoutStarts = (times: readonly Time[]) =>
    times.map(({ marks, ...time }) => ({ ...time, marks: marks.filter(({ kind }) => kind !== 'start') }));
  t.strictSame(withoutStarts(await timesOf(stopped)), withoutStarts(before), 'a stop stores everything');
  t.strictSame(
    marksOf(await timesOf(stopped)).map((text) => text.split(':')[0]),
    ['start', 'pause', 'start'],
  );
  const after = await startWithWebhook(t, { ...options, dataDir: folder, seed: 'crashed' });
  t.match(busy(await timesOf(after)), [{ at: before[58]!.at, waiting: 1 }, { waiting: 2 }], 'the queue is what the outbox has');
  t.strictSame(
    marksOf(await timesOf(after)).map((text) => text.split(':')[0]),
    ['start', 'pause', 'start'],
  );
});

t.test('operators who are restricted to accounts see the calls and marks of their numbers', async (t) => {
  const test = await startWithWebhook(t, {
    answers: [{}],
    ports: { ids: new SeededIds('accounts') },
    operators: {
      authenticate: async ({ headers: { 'x-user': user } }) =>
        user === undefined ? undefined : { id: String(user), name: String(user), roles: ['viewer'], accounts: ['beta'] },
    },
  });
  const { server, platform, number, webhook, post, clock } = test;
  const [own, other] = [await number('network', { account: 'beta' }), await number('network', { account: 'alpha' })];
  await post();
  const hooks = [];
  for (const { uuid } of [own, other])
    hooks.push(
      (
        await platform.store.transaction((tx) =>
          platform.webhooks.create(tx, { number: uuid, url: ENDPOINT, name: 'x', subscriptions: ['network'] }),
        )
      ).webhook,
    );
  for (const [n, hook] of hooks.entries())
    await platform.store.transaction((tx) =>
      platform.deliveries.post(tx, { event: `own-${n}`, webhook: hook, kind: 'network', body: { n } }),
    );
  await clock.advance(0);
  for (const { uuid } of [...hooks, { uuid: webhook }]) await platform.store.transaction((tx) => platform.webhooks.pause(tx, uuid));
  const seen = async (query: string) => {
    const { result } = await server.inject({ url: `/admin/v1/endpoints/traffic${query}`, headers: { 'x-user': 'ann' } });
    return (result as { times: Time[] }).times;
  };
  const all = await seen('');
  t.match(busy(all), [{ ok: 1 }]);
  t.strictSame(
    all.flatMap(({ marks }) => marks.map(({ kind, endpoint }) => [kind, endpoint])),
    [
      ['start', null],
      ['pause', hooks[0]!.uuid],
    ],
  );
  t.strictSame(busy(await seen(`?endpoint=${hooks[1]!.uuid}`)), []);
  t.strictSame(busy(await seen(`?number=${other.uuid}`)), []);
  t.match(busy(await timesOf(test)), [{ ok: 3 }]);
});
