import t from 'tap';
import { MemoryStore, RecordingLogger } from '#core/testing';
import { MemorySecrets } from '../../../core/adapters/secrets/memory-secrets.js';
import { BODY, ENDPOINT, SECRET, startWithWebhook } from './webhook-platform.js';

t.test('deliveries that were settled a month ago are evicted with their bodies and attempts', async (t) => {
  const { post, clock, http, platform, redeliver } = await startWithWebhook(t);
  http.answer(ENDPOINT, {});
  const day = 24 * 3600_000;
  const old = await post();
  const kept = await post();
  await clock.advance(10 * day);
  await redeliver(kept.uuid);
  await clock.advance(20 * day);
  await clock.advance(60 * 60_000);
  t.strictSame(
    (await platform.deliveries.list({ limit: 10 })).map(({ uuid }) => uuid),
    [kept.uuid],
  );
  await t.rejects(platform.deliveries.show(old.uuid), { name: 'PlatformError', status: 404 });
  t.match(await platform.deliveries.show(kept.uuid), { body: JSON.stringify(BODY), attempts: { length: 2 } });
});

t.test('above the limit the newest settled deliveries are stored, and all unsettled ones', async (t) => {
  const { post, clock, http, platform } = await startWithWebhook(t, { deliveries: { kept: 3 } });
  http.answer(ENDPOINT, 'refuse', {});
  const posted: string[] = [];
  for (let n = 0; n < 5; n++) {
    posted.push((await post()).uuid);
    await clock.advance(1);
  }
  const remaining = (await platform.deliveries.list({ limit: 10 })).map(({ uuid }) => posted.indexOf(uuid));
  t.strictSame(remaining, [4, 3, 2, 0], 'the first still waits for its retry, and does not count');
});

t.test('a delivery that is redelivered during the eviction is not evicted', async (t) => {
  const store = new MemoryStore({ log: new RecordingLogger() });
  const transaction = store.transaction.bind(store);
  let meanwhile: (() => Promise<unknown>) | undefined;
  store.transaction = async (work) => {
    const run = meanwhile;
    meanwhile = undefined;
    await run?.();
    return transaction(work);
  };
  const options = { answers: [{}, { afterMs: 1_000 }] as const, ports: { store, secrets: new MemorySecrets() } };
  const { post, clock, redeliver, delivery } = await startWithWebhook(t, { ...options, answers: [...options.answers] });
  const { uuid } = await post();
  await clock.advance(30 * 24 * 3600_000 - 60 * 60_000);
  // The next transaction is that of the hourly eviction.
  meanwhile = () => redeliver(uuid);
  await clock.advance(60 * 60_000);
  await clock.advance(1_000);
  t.match(await delivery(uuid), { state: 'delivered', run: 2 });
});

t.test('a list continues where the previous page ended, also among deliveries of the same millisecond', async (t) => {
  const { post, admin } = await startWithWebhook(t, { answers: [{}] });
  const posted = await Promise.all(Array.from({ length: 7 }, () => post()));
  const found: string[] = [];
  for (let after = ''; ; after = `&after=${found.at(-1)}`) {
    const { body } = await admin('GET', `/deliveries?limit=3${after}`);
    found.push(...body.deliveries.map(({ uuid }: { uuid: string }) => uuid));
    if (body.deliveries.length < 3) break;
  }
  t.strictSame([...found].sort(), posted.map(({ uuid }) => uuid).sort());
});

t.test('deliveries are listed newest first, by webhook, number or message', async (t) => {
  const { post, clock, http, admin, webhook, platform } = await startWithWebhook(t);
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

t.test('a retry is shown as waiting until it is due, and then as queued until a slot is free', async (t) => {
  const answers = [{ status: 500 }, 'hang'] as const;
  const { post, admin, clock, platform } = await startWithWebhook(t, { answers, deliveries: { slots: 1 } });
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
  t.strictSame(await shown(), { state: 'queued', due_at: undefined }, 'another delivery has the only slot');
  t.match(await platform.deliveries.list({ limit: 5 }), [{ state: 'sending' }, { state: 'retry_wait' }]);
  t.equal((await admin('POST', `/deliveries/${uuid}/cancel`)).status, 200);
  t.match(await shown(), { state: 'cancelled' });
});
