import t from 'tap';
import type { DeliveryRecord } from '#core';
import { ManualClock, type Tap } from '#core/testing';
import { webhooks } from '../../../plugins/webhooks/plugin.js';
import { crashed, freshFolder } from '../adapters/store/folders.js';
import { anyBody, startWithWebhook, type WebhookPlatform, type WebhookPlatformOptions } from './webhook-platform.js';

const startBox = (t: Tap, options: WebhookPlatformOptions = {}) => startWithWebhook(t, { plugins: [webhooks(), anyBody()], ...options });

const pause = ({ admin, webhook }: WebhookPlatform) => admin('POST', `/webhooks/${webhook}/pause`);
const resume = ({ admin, webhook }: WebhookPlatform) => admin('POST', `/webhooks/${webhook}/resume`);
const numbered = (n: number, conversation = 'one') => ({ body: { n }, conversation });
const received = ({ calls }: WebhookPlatform): number[] => calls().map(({ json }) => json.n);
const states = async ({ platform }: WebhookPlatform): Promise<DeliveryRecord['state'][]> =>
  (await platform.deliveries.list({ limit: 500 })).map(({ state }) => state).reverse();

t.test('a paused webhook receives nothing, and everything in order once it is resumed', async (t) => {
  const box = await startBox(t, { answers: [{}] });
  const { webhook, clock, post, delivery, events } = box;
  t.match(await pause(box), { status: 200, body: { webhook: { uuid: webhook, paused_at: String, paused_because: 'by_hand' } } });
  const held: DeliveryRecord[] = [];
  for (let n = 0; n < 250; n++) held.push(await post(numbered(n)));
  await clock.advance(3_600_000);
  t.strictSame(box.calls(), []);
  t.match(await delivery(held[0]!.uuid), { state: 'queued', attempts: 0, held_at: String });

  t.notOk('paused_at' in (await resume(box)).body.webhook);
  for (let n = 250; n < 260; n++) await post(numbered(n));
  await clock.advance(0);
  t.strictSame(
    received(box),
    Array.from({ length: 260 }, (_, n) => n),
    'newer deliveries go behind the paused ones',
  );
  t.ok((await states(box)).every((state) => state === 'delivered'));
  t.notOk('held_at' in (await delivery(held[0]!.uuid)));
  t.equal((await box.platform.webhooks.require(webhook)).releasing, undefined);
  t.match(
    events.filter(({ name }) => name.startsWith('webhook.')).map(({ name, data }) => [name, data]),
    [
      ['webhook.paused', { webhook, because: 'by_hand', resume: `POST /admin/v1/webhooks/${webhook}/resume` }],
      ['webhook.resumed', { webhook, number: held[0]!.number }],
    ],
  );
});

t.test('events during the resumption go behind the paused deliveries', async (t) => {
  const box = await startBox(t, { answers: [{}] });
  const { clock, post, platform, webhook } = box;
  await pause(box);
  for (let n = 0; n < 120; n++) await post(numbered(n));
  await clock.advance(0);
  await platform.store.transaction(async (tx) => {
    const resumed = await platform.webhooks.resume(tx, webhook);
    await platform.deliveries.post(tx, { event: 'new', webhook: resumed, kind: 'network', ...numbered(120) });
  });
  await clock.advance(0);
  t.strictSame(
    received(box),
    Array.from({ length: 121 }, (_, n) => n),
  );
});

t.test('on disk too, events during the resumption go behind the few paused deliveries', async (t) => {
  const box = await startBox(t, { answers: [{}], dataDir: freshFolder(t) });
  const { clock, post, platform, webhook } = box;
  await pause(box);
  for (let n = 0; n < 20; n++) await post(numbered(n));
  await clock.advance(0);
  await platform.store.transaction(async (tx) => {
    const resumed = await platform.webhooks.resume(tx, webhook);
    await platform.deliveries.post(tx, { event: 'new', webhook: resumed, kind: 'network', ...numbered(20) });
  });
  await clock.advance(0);
  t.strictSame(
    received(box),
    Array.from({ length: 21 }, (_, n) => n),
  );
});

t.test('a pause uses up no attempt and no time of the retry window', async (t) => {
  const box = await startBox(t, { answers: [{ status: 500 }, { status: 500 }, {}] });
  const { uuid } = await box.post();
  await box.clock.advance(20_000);
  t.equal(box.calls().length, 2);
  await pause(box);
  await box.clock.advance(600_000);
  t.equal(box.calls().length, 2);
  t.match(await box.delivery(uuid), { state: 'retry_wait', attempts: 2 });
  await resume(box);
  await box.clock.advance(0);
  t.match(await box.delivery(uuid), { state: 'delivered', attempts: 3 });
});

t.test('paused retries become due again by the retry policy: the window continues where the pause stopped it', async (t) => {
  const box = await startBox(t, { answers: [{ status: 500 }] });
  const { uuid } = await box.post();
  await pause(box);
  await box.clock.advance(1_000_000);
  t.strictSame(box.times(), [0], 'the first attempt was in flight');
  await resume(box);
  await box.clock.advance(300_000);
  // Paused from 17 s on, when the first retry was due.
  t.strictSame(box.times(), [0, 1000, 1019, 1043, 1074, 1121]);
  t.match(await box.delivery(uuid), { state: 'dropped', reason: 'exhausted' });
});

t.test('a pause and its deliveries survive a restart', async (t) => {
  const folder = freshFolder(t);
  const clock = new ManualClock();
  const first = await startBox(t, { dataDir: folder, ports: { clock }, answers: [{}] });
  await pause(first);
  for (let n = 0; n < 5; n++) await first.post(numbered(n));
  await clock.advance(1_000);
  t.strictSame(first.calls(), []);

  const second = await startBox(t, {
    dataDir: crashed(t, folder),
    webhook: first.webhook,
    seed: 'second',
    ports: { clock },
    answers: [{}],
  });
  await second.post(numbered(5));
  await clock.advance(1_000);
  t.strictSame(second.calls(), [], 'still paused');
  await resume(second);
  await clock.advance(0);
  t.strictSame(received(second), [0, 1, 2, 3, 4, 5]);
});

t.test('a pause during a resumption pauses the remaining deliveries', async (t) => {
  const box = await startBox(t, { answers: [{ afterMs: 10 }] });
  await pause(box);
  for (let n = 0; n < 150; n++) await box.post(numbered(n));
  await box.clock.advance(0);
  await resume(box);
  await box.clock.advance(100);
  await pause(box);
  await box.clock.advance(10_000);
  t.equal(received(box).length, 11);
  await resume(box);
  await box.clock.advance(10_000);
  t.strictSame(
    received(box),
    Array.from({ length: 150 }, (_, n) => n),
  );
});

t.test('paused deliveries can be cancelled and redelivered, and are cancelled with their webhook', async (t) => {
  const box = await startBox(t, { answers: [{}] });
  await pause(box);
  const [a, b, c] = [await box.post(), await box.post(), await box.post()] as [DeliveryRecord, DeliveryRecord, DeliveryRecord];
  await box.clock.advance(0);
  t.match((await box.cancel(a.uuid)).body.delivery, { state: 'cancelled', reason: 'by_hand', held_at: undefined });
  t.match((await box.redeliver(b.uuid)).body.delivery, { state: 'queued', run: 2, held_at: undefined });
  await box.clock.advance(0);
  t.match(await box.delivery(b.uuid), { state: 'queued', run: 2, held_at: String });
  t.strictSame(box.calls(), []);
  await box.admin('DELETE', `/webhooks/${box.webhook}`);
  await box.clock.advance(0);
  t.match(await box.delivery(b.uuid), { state: 'cancelled', reason: 'webhook_removed' });
  t.match(await box.delivery(c.uuid), { state: 'cancelled', reason: 'webhook_removed' });
  t.strictSame(box.calls(), []);
});

t.test('pauseAfterFailures pauses a webhook after that many failed attempts in a row, and emits an event', async (t) => {
  const box = await startBox(t, {
    deliveries: { pauseAfterFailures: 3 },
    answers: [{ status: 500 }, { status: 404 }, {}, 'refuse', 'hang', { status: 500 }, {}],
  });
  const { clock, post, events, platform, webhook } = box;
  const paused = () => events.filter(({ name }) => name === 'webhook.paused').map(({ data }) => data);
  for (let n = 0; n < 3; n++) {
    await post(numbered(n, `c${n}`));
    await clock.advance(0);
  }
  t.strictSame(paused(), [], 'a successful attempt resets the count');
  t.equal((await platform.webhooks.require(webhook)).failures_in_a_row, undefined);
  for (let n = 3; n < 6; n++) {
    await post(numbered(n, `c${n}`));
    await clock.advance(5_000);
  }
  const { number } = await platform.webhooks.require(webhook);
  t.strictSame(paused(), [{ webhook, number, because: 'failures', failures: 3, resume: `POST /admin/v1/webhooks/${webhook}/resume` }]);
  const sent = box.calls().length;
  await clock.advance(600_000);
  t.equal(box.calls().length, sent);
  t.match(await platform.webhooks.require(webhook), { paused_because: 'failures', failures_in_a_row: 3 });
  await resume(box);
  await clock.advance(0);
  t.equal((await platform.webhooks.require(webhook)).failures_in_a_row, undefined);
  t.match((await states(box)).sort(), ['cancelled', 'delivered', 'delivered', 'delivered', 'delivered', 'delivered']);
});

t.test('no webhook is paused without pauseAfterFailures', async (t) => {
  const box = await startBox(t, { answers: [{ status: 404 }] });
  for (let n = 0; n < 50; n++) await box.post();
  await box.clock.advance(0);
  t.equal(box.calls().length, 50);
  t.match(await box.platform.webhooks.require(box.webhook), { paused_at: undefined, failures_in_a_row: undefined });
});

t.test('an unknown webhook can be neither paused nor resumed', async (t) => {
  const { admin } = await startBox(t);
  for (const verb of ['pause', 'resume', 'rotate-secret'])
    t.match(await admin('POST', `/webhooks/unknown/${verb}`, {}), {
      status: 404,
      body: { errors: [{ details: 'There is no webhook "unknown"' }] },
    });
});

t.test('a paused retry waits as long as the pause lasts; then it is shown as queued until a slot is free', async (t) => {
  const box = await startBox(t, { answers: [{ status: 500 }], deliveries: { slots: 1 } });
  const { post, clock, http, admin, platform } = box;
  const other = await platform.store.transaction((tx) => {
    const number = platform.numbers.create(tx, { kind: 'network', type: 'network', address: '+2712', name: 'Shop' });
    const slow = { number: number.uuid, url: 'https://slow.test', name: 'Slow', subscriptions: ['network' as const] };
    return platform.webhooks.create(tx, slow).webhook;
  });
  http.answer('https://slow.test', 'hang');
  const { uuid } = await post();
  const shown = async () => (await admin('GET', `/deliveries/${uuid}`)).body.delivery;
  await clock.advance(0);
  await pause(box);
  await clock.advance(20_000);
  t.match(await shown(), { state: 'retry_wait', held_at: String, due_at: undefined });
  await post({ webhook: other });
  await clock.advance(0);
  await resume(box);
  await clock.advance(0);
  t.match(await shown(), { state: 'queued', held_at: undefined, attempts: 1 }, 'another delivery has the only slot');
  t.match((await admin('POST', '/deliveries/cancel', { states: ['queued'] })).body, { cancelled: 1, deliveries: [uuid] });
});
