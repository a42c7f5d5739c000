import t from 'tap';
import { ManualClock, type RecordedCall, RecordingLogger, type ScriptedAnswer, type Tap } from '#core/testing';
import { MemorySecrets } from '../../../core/adapters/secrets/memory-secrets.js';
import { MemoryStore } from '../../../core/adapters/store/memory-store.js';
import { patient } from '../../../core/testing/slowness.js';
import { ENDPOINT, startWithWebhook, type WebhookPlatform } from './webhook-platform.js';

const FAST = ['f1', 'f2', 'f3', 'f4', 'f5', 'f6', 'f7', 'f8'];
const urlOf = (name: string): string => `https://${name}.test/`;

/** Endpoints by host name, each with its response. */
async function startEndpoints(t: Tap, answers: Readonly<Record<string, ScriptedAnswer>>, slots = 64) {
  const box = await startWithWebhook(t, { deliveries: { slots } });
  const webhooks = new Map<string, string>();
  for (const [name, answer] of Object.entries(answers)) {
    box.http.answer(urlOf(name), answer);
    const { webhook } = await box.platform.store.transaction((tx) => {
      const number = box.platform.numbers.create(tx, { kind: 'network', type: 'network', address: name, name });
      return box.platform.webhooks.create(tx, { number: number.uuid, url: urlOf(name), name, subscriptions: ['network'] });
    });
    webhooks.set(name, webhook.uuid);
  }
  const post = async (name: string) => box.post({ webhook: (await box.platform.webhooks.get(webhooks.get(name)!))! });
  return { ...box, webhooks, post };
}

/** Milliseconds from each event to its first request, for the given endpoints. */
function waits(
  { http, events }: Pick<WebhookPlatform, 'http' | 'events'>,
  names: readonly string[],
  idOf: (call: RecordedCall) => string,
): number[] {
  const sent = new Map(names.flatMap((name) => http.callsTo(urlOf(name)).map((call) => [idOf(call), call.at.getTime()] as const)));
  return events
    .filter(({ name }) => name === 'delivery.queued')
    .map(({ data }) => (data as { delivery: { event: string; created_at: string } }).delivery)
    .filter(({ event }) => sent.has(event))
    .map(({ event, created_at }) => sent.get(event)! - Date.parse(created_at));
}

t.test('a dead and a slow endpoint do not delay eight fast ones', async (t) => {
  const fast = Object.fromEntries(FAST.map((name) => [name, { afterMs: 20 }]));
  const alone = await run(t, fast);
  const among = await run(t, { ...fast, dead: 'hang', slow: { afterMs: 1_500 } });
  t.equal(alone.delivered, 8 * 20);
  t.equal(among.delivered, 8 * 20, 'every event of the fast endpoints has arrived');
  t.ok(among.latest <= Math.max(alone.latest * 2, 1), `the longest delay is ${among.latest} ms, and ${alone.latest} ms alone`);
  t.ok(among.others >= 9, 'the others are served, too');

  async function run(t: Tap, answers: Readonly<Record<string, ScriptedAnswer>>) {
    const box = await startEndpoints(t, answers);
    let n = 0;
    const eventOf = new Map<string, string>();
    for (let tick = 0; tick < 20; tick++) {
      for (const name of box.webhooks.keys()) {
        const webhook = (await box.platform.webhooks.get(box.webhooks.get(name)!))!;
        const { event } = await box.platform.store.transaction((tx) =>
          box.platform.deliveries.post(tx, { event: `e${++n}`, webhook, kind: 'network', body: { n } }),
        );
        eventOf.set(String(n), event);
      }
      await box.clock.advance(50);
    }
    await box.clock.advance(100);
    const idOf = ({ json }: RecordedCall) => eventOf.get(String(json.n))!;
    // Otherwise stopping the platform would wait for the hanging endpoints.
    await box.http.stop();
    const all = waits(box, FAST, idOf);
    const others = ['dead', 'slow'].flatMap((name) => box.http.callsTo(urlOf(name))).length;
    return { delivered: all.length, latest: Math.max(...all), others };
  }
});

t.test('a hanging endpoint has at most as many concurrent requests as its lane allows', async (t) => {
  const { post, clock, http, platform, webhooks } = await startEndpoints(t, { dead: 'hang' });
  for (let i = 0; i < 60; i++) await post('dead');
  await clock.advance(0);
  t.equal(http.callsTo(urlOf('dead')).length, 8, 'the cap of the default lane');
  await clock.advance(15_000);
  t.equal((await platform.webhooks.get(webhooks.get('dead')!))?.lane, 'low');
  for (let i = 0; i < 40; i++) await post('dead');
  await clock.advance(60_000);
  t.equal(http.callsTo(urlOf('dead')).length > 60, true);
  const ends = http.callsTo(urlOf('dead')).map(({ at }) => at.getTime());
  for (const moment of ends) t.ok(ends.filter((at) => at > moment - 5_000 && at <= moment).length <= 8);
  await http.stop();
});

t.test('hanging endpoints together occupy at most half of the slots, or a quarter once in the low lane; the rest stays free', async (t) => {
  const hanging = Array.from({ length: 20 }, (_, n) => `x${n}`);
  for (const [lane, slots] of [
    ['default', 32],
    ['low', 16],
  ] as const) {
    const { post, clock, http, platform, webhooks } = await startEndpoints(t, {
      ...Object.fromEntries(hanging.map((name) => [name, 'hang' as const])),
      quick: {},
    });
    for (const name of hanging) await platform.store.transaction((tx) => platform.webhooks.update(tx, webhooks.get(name)!, { lane }));
    await platform.store.transaction((tx) => platform.webhooks.update(tx, webhooks.get('quick')!, { lane: 'high' }));
    for (let i = 0; i < 8; i++) for (const name of hanging) await post(name);
    await clock.advance(0);
    t.equal(http.calls.length, slots, lane);
    for (let i = 0; i < 40; i++) await post('quick');
    await clock.advance(0);
    t.equal(http.callsTo(urlOf('quick')).length, 40, 'fast endpoints do not wait for them');
    await http.stop();
  }
});

t.test('an attempt frees its slot when the response arrives, however long the disk takes to record it', async (t) => {
  const store = new MemoryStore({ log: new RecordingLogger() });
  const transaction = store.transaction.bind(store);
  let written: Promise<void> = Promise.resolve();
  let catchUp = () => {};
  store.transaction = (work) => transaction(work).then((result) => written.then(() => result));
  const { post, clock, calls, http } = await startWithWebhook(t, {
    ports: { store, secrets: new MemorySecrets(), clock: new ManualClock({ patienceMs: patient(20) }) },
    deliveries: { slots: 1 },
  });
  http.answer(ENDPOINT, { afterMs: 100 });
  for (let n = 0; n < 3; n++) await post({ body: { n } });
  await clock.advance(50);
  t.equal(calls().length, 1);
  written = new Promise((resolve) => {
    catchUp = resolve;
  });
  await clock.advance(100);
  t.equal(calls().length, 2);
  catchUp();
  await clock.advance(500);
  t.equal(calls().length, 3);
});

t.test('when the high lane has more work than slots, lanes share the slots six to three to one', async (t) => {
  const names = ['h1', 'h2', 'd1', 'd2', 'l1', 'l2'];
  const { post, clock, http, platform, webhooks } = await startEndpoints(
    t,
    Object.fromEntries(names.map((n) => [n, { afterMs: 100 }])),
    10,
  );
  const lanes = { h: 'high', d: 'default', l: 'low' } as const;
  for (const name of names) {
    const lane = lanes[name[0] as keyof typeof lanes];
    await platform.store.transaction((tx) => platform.webhooks.update(tx, webhooks.get(name)!, { lane }));
  }
  for (let i = 0; i < 60; i++) for (const name of names) await post(name);
  // Ten slots, a tenth of a second per attempt: a hundred a second.
  await clock.advance(100);
  const before = new Map(names.map((name) => [name, http.callsTo(urlOf(name)).length]));
  await clock.advance(1_000);
  const count = (lane: string) =>
    names.filter((name) => name.startsWith(lane)).reduce((sum, name) => sum + http.callsTo(urlOf(name)).length - before.get(name)!, 0);
  const [high, standard, low] = ['h', 'd', 'l'].map(count) as [number, number, number];
  t.equal(high + standard + low, 100);
  t.ok(high >= 50 && high <= 70, `${high} of the high lane`);
  t.ok(standard >= 20 && standard <= 40, `${standard} of the default lane`);
  t.ok(low >= 8, `${low} of the low lane`);
  const [first, second] = ['h1', 'h2'].map((name) => http.callsTo(urlOf(name)).length) as [number, number];
  t.ok(Math.abs(first - second) <= 1, 'endpoints of one lane take turns');
  await clock.advance(30_000);
});
