import t from 'tap';
import { ManualClock } from '../../../../core/adapters/clock/manual-clock.js';
import { liveOverStore } from '../../../../core/adapters/store/live-over-store.js';
import { MemoryStore } from '../../../../core/adapters/store/memory-store.js';
import { RecordingLogger } from '../../../../core/testing/recording-logger.js';
import { storeContract } from '../../../../core/testing/store-contract.js';
import { ENDPOINT, startWithWebhook } from '../../delivery/webhook-platform.js';
import { plainStore } from './plain-store.js';
import { SimulatedDisk } from './simulated-disk.js';
import { counters, storeOn } from './store-on-disk.js';

t.test('a store with live collections over a plain store keeps the contract', async (t) => {
  await t.test('in memory', (t) =>
    storeContract(t, () => ({
      create: () => liveOverStore(plainStore(new MemoryStore({ log: new RecordingLogger() }))),
      isPersistent: false,
    })),
  );
  await t.test('on disk', (t) =>
    storeContract(t, () => {
      const disk = new SimulatedDisk();
      return { create: () => liveOverStore(plainStore(storeOn(disk))), isPersistent: true };
    }),
  );
});

t.test('a plain store that reports its health keeps doing so, and others count as open', async (t) => {
  const disk = new SimulatedDisk();
  const json = storeOn(disk);
  const store = liveOverStore({
    ...plainStore(json),
    health: () => json.health(),
    onHealth: (listener) => json.onHealth(listener),
    reopen: () => json.reopen(),
    offHeapBytes: () => 123,
  });
  const states: string[] = [];
  store.onHealth!(({ state }) => states.push(state));
  await store.start();
  t.equal(store.health!().state, 'open');
  disk.before = ({ name }) => {
    if (name === 'write') throw new Error('ENOSPC');
  };
  await t.rejects(
    store.transaction((tx) => tx.in(counters).put({ name: 'a', count: 1 })),
    { name: 'StoreUnavailable' },
  );
  t.equal(store.health!().state, 'failed');
  disk.before = () => {};
  await store.reopen!();
  t.strictSame(states, ['failed', 'open']);
  await store.stop();
  t.equal(store.offHeapBytes!(), 123, 'the memory of documents on disk counts');
  t.notOk(liveOverStore(plainStore(json)).health, 'a store without health');
  t.notOk(liveOverStore(plainStore(json)).offHeapBytes);
});

t.test('a platform on a plain store delivers to webhooks, and the next platform on that store continues', async (t) => {
  const disk = new SimulatedDisk();
  const clock = new ManualClock();
  const start = (answers: Parameters<typeof startWithWebhook>[1] & object) =>
    startWithWebhook(t, { ...answers, secretKey: '0'.repeat(64), ports: { store: plainStore(storeOn(disk)), clock } });
  const first = await start({ seed: 'first', answers: [{ status: 200 }, { status: 503 }] });
  const delivered = await first.post({ conversation: 'x' });
  const retried = await first.post({ conversation: 'x' });
  await clock.advance(0);
  t.equal((await first.delivery(delivered.uuid)).state, 'delivered');
  t.match(await first.delivery(retried.uuid), { state: 'retry_wait', attempts: 1 });
  await first.server.stop();

  const second = await start({ seed: 'second', webhook: first.webhook, answers: [{ status: 200 }] });
  t.match(await second.delivery(delivered.uuid), { state: 'delivered', attempts: 1 });
  await clock.advance(16_999);
  t.equal(second.http.callsTo(ENDPOINT).length, 0);
  await clock.advance(1);
  t.match(await second.delivery(retried.uuid), { state: 'delivered', attempts: 2 });
  t.match(await second.attempts(retried.uuid), [
    { n: 0, status: 503, result: 'retry' },
    { n: 1, status: 200, result: 'delivered' },
  ]);
  t.equal(first.http.callsTo(ENDPOINT)[1]!.text, second.http.callsTo(ENDPOINT)[0]!.text, 'the same bytes');
  t.strictSame(
    (await second.platform.deliveries.list({ limit: 9 })).map(({ uuid }) => uuid),
    [retried.uuid, delivered.uuid],
  );
});
