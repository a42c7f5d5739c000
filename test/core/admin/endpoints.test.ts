import t from 'tap';
import type { Announcement } from '#core/ports';
import { ManualClock, MemoryStore, RecordingLogger } from '#core/testing';
import { type EndpointRecord, endpointRecords, markRecords } from '../../../core/kernel/observe/endpoint-record.js';
import { createEndpoints } from '../../../core/kernel/observe/endpoints.js';
import type { Database } from '../../../core/ports/transaction.js';
import { crashed, freshFolder } from '../adapters/store/folders.js';
import { ENDPOINT, startWithWebhook, type WebhookPlatform } from '../delivery/webhook-platform.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const endpointsOf = async ({ admin }: Pick<WebhookPlatform, 'admin'>) => (await admin('GET', '/endpoints')).body.endpoints;

t.test('a webhook that fails, recovers and is no longer called: state, counts, last error and next attempt', async (t) => {
  const test = await startWithWebhook(t);
  const { clock, http, post, webhook } = test;
  t.strictSame(await endpointsOf(test), [], 'none before the first call');

  http.answer(ENDPOINT, 'refuse');
  for (let n = 0; n < 20; n++) await post({ conversation: `c-${n}` });
  await clock.advance(0);
  const [failing] = await endpointsOf(test);
  t.match(failing, {
    ...{ endpoint: webhook, state: 'failing', failures_in_a_row: 20, last_at: '2026-01-05T08:00:00.000Z' },
    ...{ last_15_min: { ok: 0, failed: 20 }, last_24_h: { ok: 0, failed: 20 } },
    last_error: { code: 'refused', text: 'The connection was refused: no program listens at this address.', details: null },
    next_attempt_at: '2026-01-05T08:00:17.000Z',
  });
  t.match(await test.delivery(failing.last_error.delivery), { webhook, state: 'retry_wait' });

  http.answer(ENDPOINT, {});
  await clock.advance(17_000);
  t.match(await endpointsOf(test), [
    { state: 'unstable', failures_in_a_row: 0, last_15_min: { ok: 20, failed: 20 }, next_attempt_at: null },
  ]);
  await clock.advance(16 * MINUTE);
  t.match(await endpointsOf(test), [{ state: 'working', last_15_min: { ok: 0, failed: 0 }, last_24_h: { ok: 20, failed: 20 } }]);

  http.answer(ENDPOINT, { status: 401 });
  await post();
  await clock.advance(0);
  t.match(await endpointsOf(test), [
    { state: 'failing', last_error: { code: 'http_4xx', text: 'It responded 401: it rejected the signature.' } },
  ]);
  t.match((await test.admin('GET', '/endpoints?number=other')).body, { endpoints: [] });
  await clock.advance(25 * HOUR);
  t.strictSame(await endpointsOf(test), [], 'none that was not called for a day');
});

t.test('copies to another URL and the targets of alerts count for no endpoint', async (t) => {
  const test = await startWithWebhook(t, { answers: [{}] });
  const { uuid } = await test.post();
  await test.clock.advance(0);
  test.http.answer('https://elsewhere.test/hook', { status: 500 });
  const replayed = await test.admin('POST', `/deliveries/${uuid}/redeliver?no_retry=true`, { url: 'https://elsewhere.test/hook' });
  t.ok(replayed.status < 300, JSON.stringify(replayed.body));
  await test.clock.advance(0);
  t.equal(test.http.callsTo('https://elsewhere.test/hook').length, 1);
  t.match(await endpointsOf(test), [{ endpoint: test.webhook, last_24_h: { ok: 1, failed: 0 } }]);
});

t.test('counts outlast a restart; a crash loses those of the last minute', async (t) => {
  const dataDir = freshFolder(t);
  const one = await startWithWebhook(t, { dataDir, answers: [{}] });
  await one.post();
  await one.clock.advance(61_000);
  await one.post();
  await one.clock.advance(0);
  const folder = crashed(t, dataDir);
  await one.server.stop();
  const clock = new ManualClock({ start: one.clock.now() });
  const options = { webhook: one.webhook, answers: [{}] as [object], ports: { clock } };
  const stopped = await startWithWebhook(t, { ...options, dataDir, seed: 'stopped' });
  t.match(await endpointsOf(stopped), [{ last_15_min: { ok: 2, failed: 0 } }], 'a stop stores them');
  const after = await startWithWebhook(t, { ...options, dataDir: folder, seed: 'crashed' });
  t.match(await endpointsOf(after), [{ last_15_min: { ok: 1, failed: 0 } }]);
});

/** The service over a store in memory. */
async function start() {
  const log = new RecordingLogger();
  const store = new MemoryStore({ log });
  const clock = new ManualClock();
  const moved = { ms: 0 };
  store.define('core.endpoints', endpointRecords);
  store.define('core.marks', markRecords);
  await store.start();
  const endpoints = createEndpoints({
    store: store as unknown as Database,
    log,
    version: '1.2.3',
    waiting: () => 0,
    clock: {
      now: () => new Date(clock.now().getTime() + moved.ms),
      monotonic: () => clock.monotonic(),
      after: (ms, run) => clock.after(ms, run),
      sleep: (ms) => clock.sleep(ms),
      during: (work) => clock.during(work),
    },
  });
  await endpoints.start();
  const call = (outcome: NonNullable<Announcement['outcome']>) => endpoints.received({ name: 'x', payload: 0, shown: 0, outcome });
  const stored = () => store.open(endpointRecords).list() as Promise<EndpointRecord[]>;
  return { clock, moved, endpoints, call, stored };
}

t.test('stored counts have a histogram per ten seconds, minute and quarter of an hour, and stay small', async (t) => {
  const { clock, endpoints, call, stored } = await start();
  const [endpoint, number] = ['webhook', 'number'];
  for (const ms of [3, 5, 6, 90, 10_001]) call({ endpoint, number, ok: true, ms, lane: ms === 90 ? 'default' : 'high' });
  call({ endpoint, number, ok: false, code: 'refused' });
  await clock.advance(MINUTE);
  const minute = String(Date.parse('2026-01-05T08:00:00Z') / MINUTE);
  const counts = [5, 1, 4, 1, 0, 0, 0, 2, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1];
  t.match(await stored(), [
    {
      counts: {
        tens: { [6 * Number(minute)]: counts },
        minutes: { [minute]: counts },
        quarters: { [Math.floor(Number(minute) / 15)]: counts },
      },
    },
  ]);

  for (let n = 0; n < 2 * 24 * 60; n++) {
    for (const ms of [1, 30, 200, 9_000]) call({ endpoint, number, ok: n % 2 === 0, ms, code: 'http_500', status: 500 });
    await clock.advance(MINUTE);
  }
  const [record] = await stored();
  const kept = Object.values(record!.counts).map((series) => Object.keys(series).length);
  t.strictSame(kept, [6, 61, 97], 'one call a minute is in every sixth of the times of ten seconds');
  t.ok(JSON.stringify(record).length < 16_000, `${JSON.stringify(record).length} bytes`);
  await clock.advance(26 * HOUR);
  call({ endpoint: 'another', number, ok: true, ms: 1 });
  await endpoints.stop();
  t.strictSame(
    (await stored()).map((one) => one.endpoint),
    ['another'],
    'those that are no longer called are deleted',
  );
});

t.test('2,000 endpoints are kept, those that were called last, and a clock that goes back counts nothing twice', async (t) => {
  const { clock, moved, endpoints, call } = await start();
  for (let n = 0; n < 2_010; n++) call({ endpoint: `webhook-${n}`, number: 'number', ok: true, ms: 1 });
  const known = endpoints.list().map((one) => one.endpoint);
  t.strictSame([known.length, known[0]], [2_000, 'webhook-10']);
  await clock.advance(30 * MINUTE);
  call({ endpoint: 'webhook-2009', number: 'number', ok: true, ms: 1 });
  moved.ms = -30 * MINUTE;
  t.match(
    endpoints.list().find((one) => one.endpoint === 'webhook-2009'),
    { last_15_min: { ok: 1, failed: 0 } },
  );
});
