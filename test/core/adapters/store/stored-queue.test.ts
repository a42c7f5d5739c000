import { AsyncLocalStorage } from 'node:async_hooks';
import t from 'tap';
import { ManualClock } from '../../../../core/adapters/clock/manual-clock.js';
import { jobs } from '../../../../core/adapters/queue/job-record.js';
import { MemoryStore } from '../../../../core/adapters/store/memory-store.js';
import { type ConsumerOptions, consume, type Job } from '../../../../core/ports/queue.js';
import { type Store, StoreUnavailable } from '../../../../core/ports/store.js';
import { queueContract } from '../../../../core/testing/queue-contract.js';
import { RecordingLogger } from '../../../../core/testing/recording-logger.js';
import { queueOver, tasks } from './queue-under-test.js';
import { SimulatedDisk } from './simulated-disk.js';
import { storeOn } from './store-on-disk.js';

t.test('the stored queue over memory keeps the contract', async (t) => {
  await queueContract(t, () => ({
    isPersistent: false,
    create: () => {
      const { store, queue, clock } = queueOver(new MemoryStore({ log: new RecordingLogger() }));
      return { store, queue, pass: (ms) => clock.advance(ms), now: () => clock.now() };
    },
  }));
});

t.test('the stored queue over JSON files keeps the contract', async (t) => {
  await queueContract(t, () => {
    const disk = new SimulatedDisk();
    const clock = new ManualClock();
    return {
      isPersistent: true,
      create: () => {
        const { store, queue } = queueOver(storeOn(disk), clock);
        return { store, queue, pass: (ms) => clock.advance(ms), now: () => clock.now() };
      },
    };
  });
});

t.test('a job that has failed ten times is stored as failed with its payload and error, and does not run after a restart', async (t) => {
  const disk = new SimulatedDisk();
  const clock = new ManualClock();
  let runs = 0;
  const start = async () => {
    const started = queueOver(storeOn(disk), clock);
    await started.store.start();
    started.queue.attach(
      'test',
      consume(tasks, async () => {
        runs++;
        throw new Error('no luck');
      }),
    );
    await started.queue.start();
    return started;
  };
  const first = await start();
  await first.store.transaction((tx) => first.queue.push(tx, tasks, { name: 'a' }, { id: 'x', serial: 's' }));
  await clock.advance(3_600_000);
  t.equal(runs, 10);
  const kept = { id: 'x', queue: 'test.tasks', attempts: 10, payload: { name: 'a' }, error: 'no luck', failedAt: String };
  t.match(await first.store.open(jobs).find('failed'), [kept]);
  t.strictSame(
    first.log.lines
      .filter(({ level }) => level === 'error')
      .map(({ message, fields }) => [message, fields.queue, fields.job, fields.attempt]),
    [['a job has failed permanently', 'test.tasks', 'x', 10]],
  );
  await first.queue.stop();
  await first.store.stop();

  const second = await start();
  await clock.advance(3_600_000);
  t.equal(runs, 10);
  await second.store.transaction((tx) => second.queue.push(tx, tasks, { name: 'again' }, { id: 'x' }));
  await clock.advance(0);
  t.equal(runs, 11, 'its id can be reused');
  await second.queue.stop();
  await second.store.stop();
});

t.test('a job that becomes due while the store is unavailable runs when it is available, and no later than after a stop', async (t) => {
  const store = new MemoryStore({ log: new RecordingLogger() });
  const { clock, queue: jobQueue, log } = queueOver(store);
  let isAway = false;
  const { open } = store;
  store.open = ((type) => {
    if (isAway) throw new StoreUnavailable('the database cannot be reached');
    return open.call(store, type as never);
  }) as Store['open'];
  await store.start();
  const ran: string[] = [];
  jobQueue.attach(
    'test',
    consume(tasks, async ({ payload }) => void ran.push(payload.name)),
  );
  await jobQueue.start();
  const push = (name: string) =>
    store.transaction((tx) => jobQueue.push(tx, tasks, { name }, { serial: 's', notBefore: new Date(clock.now().getTime() + 1_000) }));
  await push('a');
  await push('b');
  isAway = true;
  await clock.advance(40_000);
  t.strictSame(ran, []);
  isAway = false;
  await clock.advance(60_000);
  t.strictSame(ran, ['a', 'b']);
  t.strictSame([log.messages('error'), log.messages('warn')], [[], ['a job waits until the store is available']]);
  isAway = true;
  await push('c');
  await clock.advance(10_000);
  await jobQueue.stop();
  t.strictSame(ran, ['a', 'b'], 'the job remains stored');
});

t.test('while the store cannot record the outcome of a job, the job does not run again', async (t) => {
  const disk = new SimulatedDisk();
  const store = storeOn(disk);
  const { clock, queue: jobQueue, log } = queueOver(store);
  await store.start();
  const ran: string[] = [];
  let isBroken = false;
  disk.before = ({ name, path }) => {
    if (isBroken && name === 'sync' && path.endsWith('.jsonl')) throw new Error('EIO');
  };
  jobQueue.attach(
    'test',
    consume(tasks, async ({ payload }) => {
      ran.push(payload.name);
      isBroken = payload.name === 'a';
    }),
  );
  await jobQueue.start();
  await store.transaction((tx) => jobQueue.push(tx, tasks, { name: 'a' }, { serial: 's' }));
  await clock.advance(600_000);
  t.strictSame(ran, ['a']);
  t.match(log.lines.at(-1), { level: 'error', message: 'the outcome of a job could not be recorded' });
  isBroken = false;
  await store.reopen();
  await store.transaction((tx) => jobQueue.push(tx, tasks, { name: 'b' }, { serial: 's' }));
  t.strictSame(ran, ['a'], 'its serial key stays busy until the outcome is recorded');
  await clock.advance(60_000);
  t.strictSame(ran, ['a', 'b']);
  t.equal(await store.open(jobs).count(), 0);
  await jobQueue.stop();
  await store.stop();
});

t.test('the writes of onFailed wait for the store; an onFailed that throws is logged and left out', async (t) => {
  const disk = new SimulatedDisk();
  const store = storeOn(disk);
  const { clock, queue: jobQueue, log } = queueOver(store);
  await store.start();
  let isBroken = false;
  let isFaulty = false;
  disk.before = ({ name, path }) => {
    if (isBroken && name === 'sync' && path.endsWith('.jsonl')) throw new Error('EIO');
  };
  const received: string[] = [];
  const fail = async ({ payload }: Job<{ name: string }>) => {
    isBroken = payload.name === 'a';
    throw new Error('no luck');
  };
  const onFailed: ConsumerOptions<{ name: string }>['onFailed'] = (tx, { payload }) => {
    if (isFaulty) throw new Error('and no luck here');
    tx.afterCommit(() => received.push(payload.name));
  };
  jobQueue.attach('test', consume(tasks, fail, { maxAttempts: 1, onFailed }));
  await jobQueue.start();
  await store.transaction((tx) => jobQueue.push(tx, tasks, { name: 'a' }));
  await clock.advance(10_000);
  t.strictSame([received, [...new Set(log.messages('error'))]], [[], ['the outcome of a job could not be recorded']]);
  isBroken = false;
  await store.reopen();
  await clock.advance(60_000);
  t.strictSame(received, ['a']);

  isFaulty = true;
  await store.transaction((tx) => jobQueue.push(tx, tasks, { name: 'b' }, { id: 'b' }));
  await clock.advance(60_000);
  t.strictSame(received, ['a']);
  t.match(log.lines.slice(-2), [
    {
      level: 'error',
      message: "a consumer's onFailed handler failed; the job is recorded as failed, and the handler's writes are discarded",
      fields: { queue: 'test.tasks', job: 'b', error: { message: 'and no luck here' } },
    },
    { level: 'error', message: 'a job has failed permanently', fields: { job: 'b', error: { message: 'no luck' } } },
  ]);
  t.equal((await store.open(jobs).find('failed')).length, 2);
  await jobQueue.stop();
  await store.stop();
});

t.test('a job runs in the async context of the queue, not in that of its pusher', async (t) => {
  const { store, queue: jobQueue, clock } = queueOver(new MemoryStore({ log: new RecordingLogger() }));
  await store.start();
  const context = new AsyncLocalStorage<string>();
  const seen: unknown[] = [];
  jobQueue.attach(
    'test',
    consume(tasks, async () => void seen.push(context.getStore())),
  );
  await jobQueue.start();
  await context.run('a request', () =>
    store.transaction((tx) => {
      jobQueue.push(tx, tasks, { name: 'a' });
      tx.afterCommit(() => seen.push(context.getStore()));
    }),
  );
  await clock.advance(0);
  t.strictSame(seen, ['a request', undefined], 'afterCommit stays in the context of its transaction');
  await jobQueue.stop();
});

t.test('one timer serves all delayed jobs', async (t) => {
  const { store, queue: jobQueue, clock } = queueOver(new MemoryStore({ log: new RecordingLogger() }));
  await store.start();
  jobQueue.attach(
    'test',
    consume(tasks, async () => {}),
  );
  await jobQueue.start();
  const soon = (ms: number) => ({ notBefore: new Date(clock.now().getTime() + ms) });
  for (const ms of [5_000, 9_000, 3_000, 7_000]) await store.transaction((tx) => jobQueue.push(tx, tasks, { name: 'a' }, soon(ms)));
  t.strictSame(clock.pending(), [soon(3_000).notBefore]);
  const due = soon(5_000).notBefore;
  await clock.advance(3_000);
  t.strictSame(clock.pending(), [due]);
  await jobQueue.stop();
  t.strictSame(clock.pending(), []);
});

t.test('two stored jobs with the same order both run', async (t) => {
  const disk = new SimulatedDisk();
  const clock = new ManualClock();
  const first = queueOver(storeOn(disk), clock);
  await first.store.start();
  await first.store.transaction((tx) => first.queue.push(tx, tasks, { name: 'a' }));
  await first.store.stop();
  // Pushed by a queue that has not read the stored jobs, so its counter starts again.
  const second = queueOver(storeOn(disk), clock);
  await second.store.start();
  await second.store.transaction((tx) => second.queue.push(tx, tasks, { name: 'b' }, { id: 'b' }));
  const orders = (await second.store.open(jobs).list()).map(({ dueAt, order }) => [dueAt, order]);
  t.strictSame(orders[0], orders[1]);
  const ran: string[] = [];
  second.queue.attach(
    'test',
    consume(tasks, async ({ payload }) => void ran.push(payload.name)),
  );
  await second.queue.start();
  await clock.advance(0);
  t.strictSame(ran.toSorted(), ['a', 'b']);
  t.equal(await second.store.open(jobs).count(), 0);
  await second.queue.stop();
  await second.store.stop();
});

t.test('jobs without a consumer are reported on start, and stay queued', async (t) => {
  const disk = new SimulatedDisk();
  const first = queueOver(storeOn(disk));
  await first.store.start();
  await first.store.transaction((tx) => first.queue.push(tx, tasks, { name: 'a' }));
  await first.store.stop();
  const second = queueOver(storeOn(disk));
  await second.store.start();
  await second.queue.start();
  t.match(second.log.lines, [{ level: 'warn', message: /no plugin consumes this queue/, fields: { queue: 'test.tasks', jobs: 1 } }]);
  t.equal(await second.store.open(jobs).count(), 1);
  await second.queue.stop();
  await second.store.stop();
});

t.test('a job with an invalid placement is refused, and its transaction writes nothing', async (t) => {
  const { store, queue } = queueOver(new MemoryStore({ log: new RecordingLogger() }));
  await store.start();
  const places: [object, RegExp][] = [
    [{ lane: 'urgent' }, /cannot enqueue a job on queue test\.tasks: lane must be one of high, default, low/],
    [{ lane: null }, /lane/],
    [{ notBefore: new Date('soon') }, /notBefore must be a valid Date/],
    [{ notBefore: '2027-03-01T08:00:00Z' }, /notBefore/],
    [{ serial: 7 }, /serial must be a string/],
    [{ group: {} }, /group must be a string/],
    [{ id: null }, /id must be a string/],
    [{ trace: 1 }, /trace must be a string/],
    [{ urgent: 'yes' }, /urgent must be true or false/],
  ];
  for (const [placement, message] of places) {
    await t.rejects(
      store.transaction((tx) => queue.push(tx, tasks, { name: 'a' }, placement)),
      { name: 'TypeError', message },
    );
  }
  await t.rejects(
    store.transaction((tx) => queue.push(tx, 'test.tasks' as never, { name: 'a' })),
    /push needs a queue/,
  );
  t.equal(await store.open(jobs).count(), 0);
  t.strictSame(queue.depths(), []);
  await store.stop();
});

t.test('a stored job with an unknown lane runs in the default lane, and the log names it', async (t) => {
  const disk = new SimulatedDisk();
  const first = queueOver(storeOn(disk));
  await first.store.start();
  await first.store.transaction(async (tx) => {
    first.queue.push(tx, tasks, { name: 'a' }, { id: 'x' });
    tx.in(jobs).put({ ...(await tx.in(jobs).get('test.tasks/x'))!, lane: 'urgent' as never });
  });
  await first.store.stop();

  const second = queueOver(storeOn(disk));
  await second.store.start();
  const ran: number[] = [];
  second.queue.attach(
    'test',
    consume(tasks, async ({ attempt }) => {
      ran.push(attempt);
      if (attempt === 1) throw new Error('again');
    }),
  );
  await second.queue.start();
  await second.clock.advance(2_000);
  t.strictSame(ran, [1, 2]);
  t.match(second.log.lines, [
    { level: 'warn', message: /queued in the default lane/, fields: { queue: 'test.tasks', job: 'x', lane: 'urgent' } },
    { level: 'warn', message: /will be retried/ },
  ]);
  await second.queue.stop();
  await second.store.stop();
});
