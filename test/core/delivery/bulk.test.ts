import t from 'tap';
import { ENDPOINT, startWithWebhook } from './webhook-platform.js';

t.test('failed deliveries are redelivered in one call, oldest first, and the response lists them', async (t) => {
  const { post, clock, http, admin, calls, platform } = await startWithWebhook(t, { answers: [{ status: 404 }] });
  for (let n = 0; n < 5; n++) {
    await post({ body: { n } });
    await clock.advance(1_000);
  }
  http.answer(ENDPOINT, {});
  await post({ body: { n: 5 } });
  await clock.advance(0);
  const before = calls().length;
  const { status, body } = await admin('POST', '/deliveries/redeliver', {});
  t.equal(status, 200);
  t.match(body, { redelivered: 5, more: false, deliveries: { length: 5 } });
  await clock.advance(0);
  t.strictSame(
    calls()
      .slice(before)
      .map(({ json }) => json.n)
      .sort(),
    [0, 1, 2, 3, 4],
  );
  t.ok((await platform.deliveries.list({ limit: 10 })).every(({ state }) => state === 'delivered'));
  t.match((await admin('POST', '/deliveries/redeliver', {})).body, { redelivered: 0, more: false, deliveries: [] });
});

t.test('a bulk call selects deliveries by webhook, number, state, reason and time', async (t) => {
  const { post, clock, http, admin, webhook, platform } = await startWithWebhook(t, { answers: [{ status: 404 }] });
  const other = await platform.store.transaction((tx) => {
    const number = platform.numbers.create(tx, { kind: 'network', type: 'network', address: '+2712', name: 'Shop' });
    return platform.webhooks.create(tx, { number: number.uuid, url: 'https://other.test', name: 'Other', subscriptions: ['network'] })
      .webhook;
  });
  http.answer('https://other.test', { status: 502 });
  const start = clock.now().getTime();
  const at = (seconds: number) => new Date(start + seconds * 1000).toISOString();
  await post();
  await clock.advance(10_000);
  await post({ webhook: other });
  await clock.advance(10_000);
  http.answer(ENDPOINT, {});
  await post();
  await clock.advance(10_000);

  const matched = async (filter: object) => (await admin('POST', '/deliveries/redeliver', filter)).body.redelivered;
  t.equal(await matched({ reason: 'expired' }), 0);
  t.equal(await matched({ from: at(20), states: ['dropped', 'cancelled'] }), 0);
  t.equal(await matched({ from: at(10), to: at(20), webhook, number: other.number }), 0);
  t.equal(await matched({ from: at(10), to: at(20), webhook }), 0);
  t.equal(await matched({ from: at(10), to: at(20) }), 1, 'to is exclusive');
  await clock.advance(0);
  t.equal(await matched({ reason: 'http_502', number: other.number }), 1);
  await clock.advance(0);
  t.equal(await matched({ webhook, states: ['delivered'] }), 1);
  t.equal(await matched({ webhook, reason: 'http_4xx', number: other.number }), 0, 'all conditions must match');
  t.equal(await matched({ webhook }), 1);
});

t.test('a bulk call handles at most its limit, and reports that there are more', async (t) => {
  const { post, clock, http, admin } = await startWithWebhook(t, { answers: [{ status: 404 }] });
  for (let n = 0; n < 250; n++) await post();
  await clock.advance(0);
  http.answer(ENDPOINT, {});
  t.match((await admin('POST', '/deliveries/redeliver', {})).body, { redelivered: 100, more: true });
  await clock.advance(0);
  t.match((await admin('POST', '/deliveries/redeliver', { limit: 149 })).body, { redelivered: 149, more: true });
  await clock.advance(0);
  t.match((await admin('POST', '/deliveries/redeliver', { limit: 1 })).body, { redelivered: 1, more: false });
});

t.test('unsettled deliveries are cancelled in one call; settled ones do not change', async (t) => {
  const { post, clock, http, admin, calls, platform } = await startWithWebhook(t, { answers: [{}, { status: 500 }] });
  for (let n = 0; n < 4; n++) await post();
  await clock.advance(1_000);
  t.match((await admin('POST', '/deliveries/cancel', {})).body, { cancelled: 3, more: false, deliveries: { length: 3 } });
  http.answer(ENDPOINT, {});
  const before = calls().length;
  await clock.advance(600_000);
  t.equal(calls().length, before);
  const states = (await platform.deliveries.list({ limit: 10 })).map(({ state, reason }) => reason ?? state);
  t.strictSame(states.sort(), ['by_hand', 'by_hand', 'by_hand', 'delivered']);
});

t.test('a delivery whose webhook was deleted is skipped, and the others are redelivered', async (t) => {
  const { post, clock, admin, platform } = await startWithWebhook(t, { answers: [{ status: 404 }] });
  const gone = await platform.store.transaction((tx) => {
    const number = platform.numbers.create(tx, { kind: 'network', type: 'network', address: '+2713', name: 'Gone' });
    return platform.webhooks.create(tx, { number: number.uuid, url: ENDPOINT, name: 'Gone', subscriptions: ['network'] }).webhook;
  });
  await post({ webhook: gone });
  await post();
  await clock.advance(0);
  await platform.store.transaction((tx) => platform.webhooks.delete(tx, gone.uuid));
  t.match((await admin('POST', '/deliveries/redeliver', {})).body, { redelivered: 1, more: false });
});

t.test('a bulk call for an unknown webhook or number gets 404, not an empty result', async (t) => {
  const { admin, post, clock, webhook, platform } = await startWithWebhook(t, { answers: [{ status: 404 }] });
  const unknown = '8d6e2c4c-6f0e-4b52-9d0e-1d7f6f0a3b11';
  const answers = async (filter: Record<string, string>) => [
    await admin('POST', '/deliveries/redeliver', filter),
    await admin('POST', '/deliveries/cancel', filter),
  ];
  for (const noun of ['webhook', 'number'] as const) {
    for (const answer of await answers({ [noun]: unknown })) {
      t.match(answer, { status: 404, body: { errors: [{ details: `There is no ${noun} "${unknown}"` }] } });
    }
  }
  await post();
  await clock.advance(0);
  await platform.store.transaction((tx) => platform.webhooks.delete(tx, webhook));
  for (const answer of await answers({ webhook })) t.equal(answer.status, 200, 'the deliveries of a deleted webhook can still be selected');
});

t.test('a retry that is due is selected as queued, as the admin API shows it, and not as waiting', async (t) => {
  const answers = [{ status: 500 }, 'hang'] as const;
  const { post, admin, clock } = await startWithWebhook(t, { answers, deliveries: { slots: 1 } });
  const { uuid } = await post();
  await clock.advance(16_000);
  await post();
  await clock.advance(1_000);
  t.match((await admin('GET', `/deliveries/${uuid}`)).body.delivery, { state: 'queued' });
  t.match((await admin('POST', '/deliveries/cancel', { states: ['retry_wait'] })).body, { cancelled: 0 });
  t.match((await admin('POST', '/deliveries/redeliver', { states: ['retry_wait'] })).body, { redelivered: 0 });
  t.match((await admin('POST', '/deliveries/cancel', { states: ['queued'] })).body, { cancelled: 1, deliveries: [uuid] });
});
