import t from 'tap';
import { ManualClock } from '../../../../core/adapters/clock/manual-clock.js';
import { StoredOutbox } from '../../../../core/adapters/outbox/stored-outbox.js';
import { startOutbox } from '../../../../core/testing/outbox-place.js';
import { RecordingLogger } from '../../../../core/testing/recording-logger.js';
import { patient } from '../../../../core/testing/slowness.js';
import type { Tap } from '../../../../core/testing/tap.js';
import { SimulatedDisk } from '../store/simulated-disk.js';
import { storeOn } from '../store/store-on-disk.js';

t.test('a delivery whose newest change the disk refuses is sent in its previous state', async (t) => {
  const disk = new SimulatedDisk();
  const store = storeOn(disk);
  const clock = new ManualClock({ patienceMs: patient(50) });
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

/** An outbox on a disk whose journal writes wait for `next`, which lets one pass, or refuses it. */
async function startOnSlowDisk(t: Tap, behaviour: Parameters<typeof startOutbox>[2] = {}) {
  const disk = new SimulatedDisk();
  const store = storeOn(disk);
  const clock = new ManualClock({ patienceMs: patient(50) });
  const outbox = new StoredOutbox({ store, clock, log: new RecordingLogger(), transaction: (work) => store.transaction(work) });
  const under = { store, outbox, pass: (ms: number) => clock.advance(ms), jump: (ms: number) => clock.jump(ms), now: () => clock.now() };
  const started = await startOutbox(t, { isPersistent: true, create: () => under }, behaviour);
  const waiting: ((error?: Error) => void)[] = [];
  const slow = () => {
    disk.before = async ({ name, path }) => {
      if (name !== 'write' || !path.endsWith('.jsonl')) return;
      await new Promise<void>((resolve, reject) => waiting.push((error) => (error ? reject(error) : resolve())));
    };
  };
  const next = async (error?: Error) => {
    while (waiting.length === 0) await turn();
    waiting.shift()!(error);
  };
  const fast = () => {
    disk.before = () => {};
    for (const resume of waiting.splice(0)) resume();
  };
  return { ...started, slow, next, fast };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));
const turns = async () => {
  for (let n = 0; n < 20; n++) await turn();
};

t.test('a delivery that is queued again is sent when that is durable, not at its commit', async (t) => {
  const { add, change, sent, pass, slow, next, fast } = await startOnSlowDisk(t);
  await add(['a', { state: 'cancelled', settled_at: '2026-01-05T08:00:00.000Z' }]);
  slow();
  const queued = change('a', { state: 'queued', run: 2, settled_at: undefined });
  await turns();
  t.strictSame(sent, []);
  await next();
  fast();
  await queued;
  await pass(0);
  t.strictSame(sent, ['a']);
});

t.test('a delivery whose send fails before the disk refuses its start gives its slot back once', async (t) => {
  let isAway = true;
  const behaviour = {
    concurrency: 10,
    send: () => {
      if (isAway) throw new Error('the thread died');
    },
  };
  const { add, sent, outbox, store, pass, slow, next, fast } = await startOnSlowDisk(t, behaviour);
  slow();
  const added = add(['a', { conversation: 'c' }]);
  await next();
  await added;
  while (sent.length === 0) await turn();
  await next(new Error('ENOSPC: no space left on device'));
  await turns();
  t.ok(
    outbox.depths().every(({ running }) => running === 0),
    JSON.stringify(outbox.depths()),
  );
  fast();
  isAway = false;
  await store.reopen!();
  await pass(10_000);
  t.strictSame([...new Set(sent)], ['a']);
  t.ok(outbox.depths().every(({ running }) => running === 0));
});
