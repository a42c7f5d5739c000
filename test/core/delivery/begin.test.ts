import t from 'tap';
import { type Store, type StoreTransaction, StoreUnavailable } from '#core/ports';
import { MemoryStore, RecordingLogger, type Tap } from '#core/testing';
import { MemorySecrets } from '../../../core/adapters/secrets/memory-secrets.js';
import { ENDPOINT, startWithWebhook } from './webhook-platform.js';

const bound = (of: StoreTransaction, name: string | symbol): unknown => {
  const value = of[name as keyof StoreTransaction] as unknown;
  return typeof value === 'function' ? value.bind(of) : value;
};

/** Runs `meanwhile` between the work of the transaction that starts an attempt and its commit, as concurrent work can during a slow commit. */
async function withSlowCommit(t: Tap, meanwhile: (store: Store, box: Awaited<ReturnType<typeof startWithWebhook>>) => Promise<void>) {
  const store = new MemoryStore({ log: new RecordingLogger() });
  const transaction = store.transaction.bind(store);
  let isArmed = false;
  store.transaction = (work) =>
    transaction(async (tx: StoreTransaction) => {
      let hasStarted = false;
      const live: NonNullable<StoreTransaction['live']> = (type) => {
        const writes = tx.live!(type);
        const patch: typeof writes.patch = (key, fields) => {
          hasStarted ||= JSON.stringify(fields).includes('"state":"sending"');
          writes.patch(key, fields);
        };
        return { put: (one) => writes.put(one), patch, delete: (key) => writes.delete(key), expect: (holds) => writes.expect(holds) };
      };
      const result = await work(new Proxy(tx, { get: (of, name) => (name === 'live' ? live : bound(of, name)) }));
      if (isArmed && hasStarted) {
        isArmed = false;
        await meanwhile(store, box);
      }
      return result;
    });
  const box = await startWithWebhook(t, { ports: { store, secrets: new MemorySecrets() }, answers: [{}] });
  isArmed = true;
  const { uuid } = await box.post();
  await box.clock.advance(0);
  return { ...box, uuid };
}

t.test('a webhook disabled before the start of an attempt is committed is not called', async (t) => {
  const { calls, delivery, uuid } = await withSlowCommit(t, async (_, { platform, webhook }) => {
    await platform.store.transaction((tx) => platform.webhooks.update(tx, webhook, { enabled: false }));
  });
  t.equal(calls().length, 0);
  t.match(await delivery(uuid), { state: 'cancelled', reason: 'webhook_disabled', attempts: 0 });
});

t.test('an attempt whose start the store refuses sends nothing, and starts again', async (t) => {
  const { calls, clock, delivery, uuid, http } = await withSlowCommit(t, async () => {
    throw new StoreUnavailable('the disk is full');
  });
  t.equal(calls().length, 0);
  await clock.advance(1_000);
  t.equal(http.callsTo(ENDPOINT).length, 1);
  t.match(await delivery(uuid), { state: 'delivered', attempts: 1 });
});
