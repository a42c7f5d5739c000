import t from 'tap';
import { type DeliveryRecord, verifySignature } from '#core';
import { queue } from '#core/ports';
import { jobs as storedJobs } from '../../../core/adapters/queue/job-record.js';
import { earlierCollections } from '../../../core/delivery/earlier-records.js';
import type { CollectionType } from '../../../core/ports/store.js';
import { freshFolder } from '../adapters/store/folders.js';
import { BODY, SECRET, startWithWebhook, type WebhookPlatform } from './webhook-platform.js';

const { deliveries, attempts, 'delivery-bodies': bodies, 'held-deliveries': held } = earlierCollections;
const jobs = queue<{ delivery: string; run: number }>('core.deliveries');

const NOW = Date.parse('2026-01-05T08:00:00Z');
const at = (seconds: number): string => new Date(NOW + seconds * 1000).toISOString();

interface EarlierDelivery {
  readonly record?: Partial<DeliveryRecord>;
  readonly attempts?: readonly object[];
  readonly place?: { readonly order: number; readonly since: string };
  readonly body?: 'none';
}

/** Writes deliveries as releases before the outbox stored them, created one second after the other. @returns their uuids */
async function write({ platform, webhook }: WebhookPlatform, prefix: string, earlier: readonly EarlierDelivery[]): Promise<string[]> {
  const { number, lane } = (await platform.webhooks.get(webhook))!;
  return platform.store.transaction(async (tx) =>
    earlier.map(({ record, attempts: made = [], place, body }, i) => {
      const uuid = `${prefix}0000000-0000-4000-8000-${String(i).padStart(12, '0')}`;
      const delivery = {
        ...{
          uuid,
          number,
          webhook,
          kind: 'network',
          subscription: 'msgapp',
          event: `${prefix}-${i}`,
          state: 'queued',
          run: 1,
          attempts: 0,
        },
        ...{ created_at: at(i - 1000), body_bytes: 117, kept_bytes: 117, lane },
        ...record,
      } as DeliveryRecord;
      tx.in(deliveries).put(delivery);
      if (body !== 'none') {
        tx.in(bodies).put({
          delivery: uuid,
          body: JSON.stringify({ ...BODY, to: `${prefix}${i}` }),
          headers: { 'x-own': '1' },
          media_links: [],
        });
      }
      for (const [n, attempt] of made.entries()) {
        tx.in(attempts).put({
          ...{ uuid: `${prefix}a${n}-${i}`, delivery: uuid, run: 1, n, trigger: 'auto', lane: 'default', started_at: at(n - 500) },
          ...{
            duration_ms: 12.5,
            result: 'retry',
            status: 500,
            error_code: 'http_500',
            error: 'broken',
            response: 'no',
            response_headers: {},
          },
          ...attempt,
        } as never);
      }
      if (place) tx.in(held).put({ delivery: uuid, run: 1, webhook, ...place } as never);
      else if (delivery.settled_at === undefined) {
        const notBefore = delivery.due_at === undefined ? {} : { notBefore: new Date(delivery.due_at) };
        tx.push(jobs, { delivery: uuid, run: delivery.run }, { id: uuid, lane, group: webhook, ...notBefore });
      }
      return uuid;
    }),
  );
}

/** Stops a platform and starts the next one on its data, in which deliveries are converted. */
async function restarted(t: Parameters<typeof startWithWebhook>[0], before: WebhookPlatform, options = {}): Promise<WebhookPlatform> {
  await before.server.stop();
  return startWithWebhook(t, { dataDir: before.folder!, seed: 'again', webhook: before.webhook, answers: [{}], ...options });
}

const sent = (test: WebhookPlatform): string[] => test.calls().map(({ json }) => json.to);

/** Numbers of earlier documents: deliveries, attempts, bodies, places while paused, and jobs. */
async function left({ platform: { store } }: WebhookPlatform): Promise<number[]> {
  const types = [deliveries, attempts, bodies, held] as unknown as readonly CollectionType<{ key: string }>[];
  const found = await Promise.all(types.map(async (type) => (await store.open(type).list()).length));
  return [...found, (await store.open(storedJobs).list()).filter(({ queue }) => queue === jobs.name).length];
}

t.test('deliveries that are queued, waiting for a retry, or being sent continue as before', async (t) => {
  const before = await startWithWebhook(t, { dataDir: freshFolder(t) });
  const failed = { attempts: 1, first_failed_at: at(-10), last_status: 500, last_error: 'broken' };
  const [queued, waiting, due, sending] = await write(before, 'b', [
    {},
    { record: { ...failed, state: 'retry_wait', due_at: at(7) }, attempts: [{ started_at: at(-10) }] },
    { record: { ...failed, state: 'retry_wait', due_at: at(-1) }, attempts: [{ started_at: at(-18) }] },
    { record: { state: 'sending', started_at: at(-3) } },
  ]);
  const after = await restarted(t, before);
  t.match(await after.delivery(queued!), {
    state: 'queued',
    attempts: 0,
    number: (await after.platform.webhooks.get(after.webhook))!.number,
  });
  await after.clock.advance(0);
  t.strictSame(sent(after), ['b2', 'b0', 'b3'], 'the retry that is due comes first, the others in the order of creation');
  const [, first] = after.calls();
  t.ok(verifySignature(SECRET, first!.body, first!.headers['x-svc-hook-signature']));
  t.equal(first!.headers['x-own'], '1');
  await after.clock.advance(6_900);
  t.equal(sent(after).length, 3);
  await after.clock.advance(200);
  t.strictSame(sent(after).slice(3), ['b1']);
  for (const [uuid, count] of [
    [queued, 1],
    [waiting, 2],
    [due, 2],
    [sending, 1],
  ] as const) {
    t.match(await after.delivery(uuid!), { state: 'delivered', attempts: count }, uuid!);
  }
  t.match(await after.attempts(waiting!), [
    { n: 0, trigger: 'auto', result: 'retry', status: 500, error: 'broken', response: 'no', duration_ms: 12.5 },
    { n: 1, result: 'delivered' },
  ]);
  t.match(await after.attempts(sending!), [
    { n: 0, result: 'interrupted', status: 0 },
    { n: 0, trigger: 'interrupted', result: 'delivered' },
  ]);
  t.strictSame(await left(after), [0, 0, 0, 0, 0]);
});

t.test('deliveries of a paused webhook stay paused, and are sent in order when it is resumed', async (t) => {
  const before = await startWithWebhook(t, { dataDir: freshFolder(t) });
  await before.platform.store.transaction((tx) => before.platform.webhooks.pause(tx, before.webhook));
  const since = at(-60);
  const paused = { held_at: since };
  const failed = { state: 'retry_wait', attempts: 1, first_failed_at: at(-100) } as const;
  const uuids = await write(before, 'c', [
    { record: paused, place: { order: 1, since } },
    { record: { ...paused, ...failed }, place: { order: 2, since }, attempts: [{}] },
    { record: paused, place: { order: 3, since } },
  ]);
  const after = await restarted(t, before);
  await after.clock.advance(1_000);
  t.strictSame(sent(after), []);
  for (const uuid of uuids) t.match(await after.delivery(uuid), { held_at: since });
  await after.platform.store.transaction((tx) => after.platform.webhooks.resume(tx, after.webhook));
  await after.clock.advance(0);
  t.match(await after.delivery(uuids[1]!), { first_failed_at: at(-39) }, 'the pause does not use up the time for retries');
  t.strictSame(sent(after), ['c1', 'c0', 'c2'], 'the retry comes first, the others in the order of creation');
  for (const uuid of uuids) t.match(await after.delivery(uuid), { state: 'delivered', held_at: undefined });
});

t.test('settled deliveries keep their attempts and their age, can be redelivered, and are evicted when they are old', async (t) => {
  const before = await startWithWebhook(t, { dataDir: freshFolder(t) });
  const [delivered, dropped, removed] = await write(before, 'd', [
    {
      record: { state: 'delivered', attempts: 2, settled_at: at(-900), last_status: 200 },
      attempts: [
        {},
        { result: 'interrupted', status: 0, duration_ms: null },
        { n: 1, trigger: 'interrupted', result: 'delivered', status: 200, error: null, error_code: null },
      ],
    },
    {
      record: { state: 'dropped', reason: 'exhausted', attempts: 6, settled_at: at(-800) },
      attempts: Array.from({ length: 6 }, () => ({})),
    },
    { record: { state: 'cancelled', reason: 'webhook_removed', settled_at: at(-950) }, body: 'none' },
  ]);
  const after = await restarted(t, before, { deliveries: { kept: 3 } });
  t.match(await after.delivery(delivered!), { state: 'delivered', attempts: 2, settled_at: at(-900) });
  const shown = await after.attempts(delivered!);
  t.strictSame(
    shown.map(({ n, trigger, result, duration_ms: ms, error }) => [n, trigger, result, ms, error]),
    [
      [0, 'auto', 'retry', 12.5, 'broken'],
      [1, 'auto', 'interrupted', null, 'broken'],
      [1, 'interrupted', 'delivered', 12.5, null],
    ],
  );
  t.equal(new Set(shown.map(({ uuid }) => uuid)).size, 3, 'each attempt has a uuid of its own');
  t.strictSame(await after.attempts(delivered!), shown, 'the uuids stay the same');
  t.equal((await after.attempts(dropped!)).length, 6);
  t.match(await after.post({ event: 'd-0' }), { uuid: delivered }, 'an event that was posted before the upgrade is not sent again');

  t.equal((await after.redeliver(dropped!)).status, 200);
  await after.clock.advance(0);
  t.match(await after.delivery(dropped!), { state: 'delivered', run: 2 });
  t.strictSame(sent(after), ['d1']);

  for (const [n, evicted] of [removed, delivered].entries()) {
    await after.post({ event: `new-${n}` });
    await after.clock.advance(0);
    t.match(await after.admin('GET', `/deliveries/${evicted}`), { status: 404 }, 'the delivery that settled first is evicted first');
  }
  t.match(await after.delivery(dropped!), { state: 'delivered' });
});

t.test('a start after an interrupted conversion moves the remaining deliveries', async (t) => {
  const before = await startWithWebhook(t, { dataDir: freshFolder(t) });
  // More than one transaction converts.
  const settled = { record: { state: 'delivered', settled_at: at(-10) }, attempts: [{ result: 'delivered' }] } as const;
  const first = await write(
    before,
    'e',
    Array.from({ length: 120 }, () => settled),
  );
  const between = await restarted(t, before);
  t.strictSame(await left(between), [0, 0, 0, 0, 0]);
  const second = await write(
    between,
    'f',
    Array.from({ length: 105 }, () => settled),
  );
  const after = await restarted(t, between);
  t.strictSame(await left(after), [0, 0, 0, 0, 0]);
  const listed = await after.platform.deliveries.list({ webhook: after.webhook, limit: 500 });
  t.strictSame(listed.map(({ uuid }) => uuid).sort(), [...first, ...second].sort());
  t.equal((await after.attempts(second[104]!)).length, 1);
  await after.clock.advance(0);
  t.strictSame(sent(after), []);
});
