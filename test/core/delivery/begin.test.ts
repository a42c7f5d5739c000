import t from 'tap';
import { type Store, type StoreTransaction, StoreUnavailable } from '#core/ports';
import { MemoryStore, RecordingLogger, type Tap } from '#core/testing';
import { MemorySecrets } from '../../../core/adapters/secrets/memory-secrets.js';
import { deliveryRecords } from '../../../core/delivery/delivery.js';
import { ENDPOINT, startWithWebhook } from './webhook-platform.js';

/** Does something between the work of the transaction that begins an attempt and its commit, as a slow commit lets others do. */
async function withSlowCommit(t: Tap, meanwhile: (store: Store, box: Awaited<ReturnType<typeof startWithWebhook>>) => Promise<void>) {
  const store = new MemoryStore({ log: new RecordingLogger() });
  const transaction = store.transaction.bind(store);
  let isArmed = false;
  store.transaction = (work) =>
    transaction(async (tx: StoreTransaction) => {
      const result = await work(tx);
      if (isArmed && (await tx.in(deliveryRecords).list()).some(({ state }) => state === 'sending')) {
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

t.test('a webhook that is switched off before the beginning of an attempt is committed is not called', async (t) => {
  const { calls, delivery, uuid } = await withSlowCommit(t, async (_, { platform, webhook }) => {
    await platform.store.transaction((tx) => platform.webhooks.update(tx, webhook, { enabled: false }));
  });
  t.equal(calls().length, 0);
  t.match(await delivery(uuid), { state: 'cancelled', reason: 'webhook_disabled', attempts: 0 });
});

t.test('nothing is sent of an attempt whose beginning the store refuses; it begins again', async (t) => {
  const { calls, clock, delivery, uuid, http } = await withSlowCommit(t, async () => {
    throw new StoreUnavailable('the disk is full');
  });
  t.equal(calls().length, 0);
  await clock.advance(1_000);
  t.equal(http.callsTo(ENDPOINT).length, 1);
  t.match(await delivery(uuid), { state: 'delivered', attempts: 1 });
});
