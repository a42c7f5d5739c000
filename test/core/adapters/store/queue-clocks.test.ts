import t from 'tap';
import { ManualClock } from '../../../../core/adapters/clock/manual-clock.js';
import { MemoryStore } from '../../../../core/adapters/store/memory-store.js';
import { consume } from '../../../../core/ports/queue.js';
import { RecordingLogger } from '../../../../core/testing/recording-logger.js';
import { queueOver, tasks } from './queue-under-test.js';
import { SimulatedDisk } from './simulated-disk.js';
import { storeOn } from './store-on-disk.js';

t.test('moving the wall clock forward makes jobs due; moving it back changes no wait', async (t) => {
  const { store, queue: jobQueue, clock } = queueOver(new MemoryStore({ log: new RecordingLogger() }));
  await store.start();
  const ran: string[] = [];
  jobQueue.attach(
    'test',
    consume(tasks, async ({ payload }) => void ran.push(payload.name)),
  );
  await jobQueue.start();
  const push = (name: string, ms: number) =>
    store.transaction((tx) => jobQueue.push(tx, tasks, { name }, { notBefore: new Date(clock.now().getTime() + ms) }));
  await push('in an hour', 3_600_000);
  clock.jump(7_200_000);
  await push('now', 0);
  await clock.advance(0);
  t.strictSame(ran.splice(0), ['in an hour', 'now']);

  await push('in a minute', 60_000);
  clock.jump(-3_600_000);
  await push('in half a minute', 30_000);
  await push('now', 0);
  await clock.advance(0);
  t.strictSame(ran.splice(0), ['now']);
  await clock.advance(29_999);
  t.strictSame(ran, []);
  await clock.advance(1);
  t.strictSame(ran.splice(0), ['in half a minute']);
  clock.jump(3_600_000);
  await clock.advance(29_999);
  t.strictSame(ran, [], 'correcting it makes no job due early');
  await clock.advance(1);
  t.strictSame(ran, ['in a minute']);
  await jobQueue.stop();
});

t.test('a clock moved back while the platform was stopped does not lengthen a wait', async (t) => {
  const disk = new SimulatedDisk();
  const first = queueOver(storeOn(disk));
  await first.store.start();
  await first.queue.start();
  const at = (ms: number) => ({ notBefore: new Date(first.clock.now().getTime() + ms) });
  await first.store.transaction((tx) => {
    first.queue.push(tx, tasks, { name: 'in a minute' }, at(60_000));
    first.queue.push(tx, tasks, { name: 'now' });
  });
  await first.queue.stop();
  await first.store.stop();

  const clock = new ManualClock({ start: new Date(first.clock.now().getTime() - 3_600_000) });
  const second = queueOver(storeOn(disk), clock);
  await second.store.start();
  const ran: string[] = [];
  second.queue.attach(
    'test',
    consume(tasks, async ({ payload }) => void ran.push(payload.name)),
  );
  await second.queue.start();
  await clock.advance(59_999);
  t.strictSame(ran, ['now']);
  await clock.advance(1);
  t.strictSame(ran, ['now', 'in a minute']);
  await second.queue.stop();
  await second.store.stop();
});

t.test('depths use the time of the queue, also when the wall clock is moved back', async (t) => {
  const { store, queue: jobQueue, clock } = queueOver(new MemoryStore({ log: new RecordingLogger() }));
  await store.start();
  clock.jump(-3_600_000);
  const at = (ms: number) => ({ notBefore: new Date(clock.now().getTime() + ms) });
  await store.transaction((tx) => {
    for (const placement of [{}, {}, {}, at(1_000)]) jobQueue.push(tx, tasks, { name: 'a' }, placement);
  });
  jobQueue.attach(
    'test',
    consume(tasks, () => new Promise(() => {}), { concurrency: 1 }),
  );
  await jobQueue.start();
  t.match(
    jobQueue.depths().find(({ lane }) => lane === 'default'),
    { running: 1, ready: 2, later: 1 },
  );
});
