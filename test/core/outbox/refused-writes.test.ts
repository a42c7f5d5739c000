import t from 'tap';
import { StoredOutbox } from '../../../core/adapters/outbox/stored-outbox.js';
import { ManualClock } from '../../../core/testing/manual-clock.js';
import { startOutbox } from '../../../core/testing/outbox-place.js';
import { RecordingLogger } from '../../../core/testing/recording-logger.js';
import { SimulatedDisk } from '../store/simulated-disk.js';
import { storeOn } from '../store/store-on-disk.js';

t.test('a delivery whose newest change the disk refuses is sent in its previous state', async (t) => {
  const disk = new SimulatedDisk();
  const store = storeOn(disk);
  const clock = new ManualClock({ patienceMs: 50 });
  const outbox = new StoredOutbox({ store, clock, log: new RecordingLogger(), transaction: (work) => store.transaction(work) });
  const under = { store, outbox, pass: (ms: number) => clock.advance(ms), jump: (ms: number) => clock.jump(ms), now: () => clock.now() };
  const { add, change, sent, pass, get } = await startOutbox(t, { isPersistent: true, create: () => under });
  await add(['a', { held_at: '2026-01-05T08:00:00.000Z' }]);

  // The release is being written while the delivery is cancelled; the disk refuses the cancellation, which is in the next write.
  let writes = 0;
  let continueWrite = () => {};
  disk.before = async ({ name, path }) => {
    if (name !== 'write' || !path.endsWith('.jsonl')) return;
    if (++writes > 1) throw new Error('ENOSPC: no space left on device');
    await new Promise<void>((resolve) => (continueWrite = resolve));
  };
  const released = change('a', { held_at: undefined });
  while (writes === 0) await new Promise((resolve) => setImmediate(resolve));
  const cancelled = change('a', { state: 'cancelled', settled_at: '2026-01-05T08:00:00.000Z' });
  while (outbox.newest.get('a')?.record.state !== 'cancelled') await new Promise((resolve) => setImmediate(resolve));
  continueWrite();
  await released;
  await t.rejects(cancelled, { name: 'StoreUnavailable' });
  disk.before = () => {};
  await store.reopen();
  await pass(10_000);
  // The disk also refuses the start of the first attempt, so it is repeated.
  t.strictSame([...new Set(sent)], ['a']);
  t.equal((await get('a'))?.record.state, 'delivered');
});
