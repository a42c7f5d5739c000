import { type ConsumerOptions, consume, type Job, lanes } from '../ports/queue.js';
import type { StoreTransaction } from '../ports/store.js';
import { queueIdsContract } from './queue-contract-ids.js';
import { queueOrderContract } from './queue-contract-order.js';
import { effects, latch, type OpenQueue, otherTasks, startQueue, tasks, type Work } from './queue-place.js';
import { patient } from './slowness.js';
import type { Tap } from './tap.js';

export type { OpenQueue, QueuePlace, QueueUnderTest } from './queue-place.js';

/** The contract of every queue, over any store. */
export async function queueContract(t: Tap, open: OpenQueue): Promise<void> {
  await t.test('order', (t) => queueOrderContract(t, open));
  await t.test('ids', (t) => queueIdsContract(t, open));

  await t.test('a job runs once, with its payload, after the transaction that pushed it', async (t) => {
    const seen: unknown[] = [];
    const { store, queue, pass } = await startQueue(t, open(t), ({ payload, attempt }) => void seen.push({ ...payload, attempt }));
    await store.transaction((tx) => {
      queue.push(tx, tasks, { name: 'a' });
      queue.push(tx, tasks, { name: 'b' });
      t.strictSame(seen, []);
    });
    await pass(0);
    await pass(120_000);
    t.strictSame(seen, [
      { name: 'a', attempt: 1 },
      { name: 'b', attempt: 1 },
    ]);
  });

  await t.test('a failed transaction queues no job', async (t) => {
    const seen: string[] = [];
    const { store, queue, pass } = await startQueue(t, open(t), ({ payload }) => void seen.push(payload.name));
    const failed = store.transaction((tx) => {
      queue.push(tx, tasks, { name: 'never' });
      throw new Error('changed my mind');
    });
    await t.rejects(failed, /mind/);
    await pass(1_000);
    t.strictSame(seen, []);
  });

  await t.test('a job whose handler throws is retried after 1, 2, 4 ... at most 60 seconds, ten attempts in all', async (t) => {
    const tries: number[] = [];
    let begin = 0;
    const { push, pass, now } = await startQueue(t, open(t), ({ attempt }) => {
      t.equal(attempt, tries.length + 1);
      tries.push((now().getTime() - begin) / 1000);
      throw new Error('no luck');
    });
    begin = now().getTime();
    await push(['unlucky']);
    await pass(3_600_000);
    t.strictSame(tries, [0, 1, 3, 7, 15, 31, 63, 123, 183, 243]);
  });

  await t.test('done completes a job in the transaction of its effects', async (t) => {
    const ran: number[] = [];
    const { store, push, pass } = await startQueue(t, open(t), async (job, { store }) => {
      ran.push(job.attempt);
      const work = store.transaction((tx) => {
        tx.in(effects).put({ name: `effect ${job.attempt}` });
        job.done(tx);
        if (job.attempt === 1) throw new Error('the transaction fails');
      });
      await work;
      throw new Error('a throw after completion is ignored');
    });
    await push(['a']);
    await pass(3_600_000);
    t.strictSame(ran, [1, 2]);
    t.strictSame(await store.open(effects).list(), [{ name: 'effect 2' }]);
  });

  await t.test('when a job fails permanently, onFailed adds to the record of the failure, once and not before', async (t) => {
    const failures: unknown[] = [];
    const noLuck = new Error('no luck');
    const onFailed: ConsumerOptions<Work>['onFailed'] = (tx, job, error) => {
      tx.in(effects).put({ name: `${job.payload.name} has failed` });
      tx.afterCommit(() => failures.push([job, error]));
    };
    const options = { maxAttempts: 3, onFailed };
    const work = () => {
      throw noLuck;
    };
    const { store, queue, push, pass } = await startQueue(t, open(t), work, options);
    await push(['a', { id: '1' }], ['cancelled', { id: '2' }]);
    await pass(2_999);
    await store.transaction((tx) => queue.cancel(tx, tasks, '2'));
    t.strictSame([failures, await store.open(effects).list()], [[], []]);
    await pass(1);
    await pass(3_600_000);
    t.strictSame(failures, [[{ id: '1', payload: { name: 'a' }, attempt: 3 }, noLuck]]);
    t.strictSame(await store.open(effects).list(), [{ name: 'a has failed' }]);
  });

  await t.test('the writes of onFailed commit completely or not at all, and an onFailed that throws does not stop the queue', async (t) => {
    const ran: string[] = [];
    const no = () => {
      throw new Error('this fails as well');
    };
    const onFailed: ConsumerOptions<Work>['onFailed'] = (tx, { payload: { name } }) => {
      tx.in(effects).put({ name });
      if (name === 'fails immediately') no();
      if (name === 'fails at the end') tx.beforeCommit(no);
    };
    const work = ({ payload: { name } }: Job<Work>) => {
      ran.push(name);
      throw new Error('no luck');
    };
    const { store, push, pass } = await startQueue(t, open(t), work, { maxAttempts: 1, concurrency: 1, onFailed });
    await push(['fails immediately'], ['fails at the end'], ['holds']);
    await pass(3_600_000);
    t.strictSame(ran, ['fails immediately', 'fails at the end', 'holds']);
    t.strictSame(await store.open(effects).list(), [{ name: 'holds' }]);
  });

  await t.test('a job whose last attempt is interrupted by a stop has not failed', async (t) => {
    const place = open(t);
    const failures: number[] = [];
    const options = { maxAttempts: 1, onFailed: (tx: StoreTransaction) => tx.afterCommit(() => failures.push(1)) };
    const { opened, open: openLatch } = latch();
    const failing = async () => {
      await opened;
      throw new Error('no luck');
    };
    const first = await startQueue(t, place, failing, options);
    await first.push(['a']);
    await first.pass(0);
    await first.queue.stop(10);
    openLatch();
    await first.pass(0);
    t.strictSame(failures, []);
    if (!place.isPersistent) return;
    await first.store.stop();
    const ran: string[] = [];
    const second = await startQueue(t, place, ({ payload, attempt }) => void ran.push(`${payload.name} ${attempt}`), options);
    await second.pass(3_600_000);
    t.strictSame([ran, failures], [['a 1'], []]);
  });

  await t.test('each queue has exactly one consumer', async (t) => {
    const ran: string[] = [];
    const { store, queue, pass } = await startQueue(t, open(t), ({ payload }) => void ran.push(`task ${payload.name}`));
    await store.transaction((tx) => {
      queue.push(tx, otherTasks, { name: 'waits for its consumer' });
      queue.push(tx, tasks, { name: 'runs' });
    });
    await pass(1_000);
    t.strictSame(ran, ['task runs']);
    queue.attach(
      'late',
      consume(otherTasks, async ({ payload }) => void ran.push(`other ${payload.name}`)),
    );
    await pass(0);
    t.strictSame(ran, ['task runs', 'other waits for its consumer']);
    t.throws(
      () =>
        queue.attach(
          'rival',
          consume(tasks, async () => {}),
        ),
      /rival.*contract\.tasks/,
    );
  });

  await t.test('a stop waits for running jobs and starts no others', async (t) => {
    const { opened, open: openLatch } = latch();
    const ran: string[] = [];
    const { queue, push } = await startQueue(t, open(t), async ({ payload }) => {
      ran.push(`${payload.name} began`);
      await opened;
      ran.push(`${payload.name} ended`);
    });
    await push(['a'], ['b']);
    const stopped = queue.stop(10_000).then(() => ran.push('stopped'));
    openLatch();
    await stopped;
    await push(['c']);
    t.strictSame(ran, ['a began', 'a ended', 'stopped']);
  });

  await t.test('a stop does not wait longer than its limit', async (t) => {
    const { opened, open: openLatch } = latch();
    const { queue, push } = await startQueue(t, open(t), () => opened);
    await push(['a']);
    const began = performance.now();
    await queue.stop(30);
    t.ok(performance.now() - began < patient(5_000));
    openLatch();
  });

  await t.test('after a restart the remaining jobs run, including those that were running', async (t) => {
    const place = open(t);
    if (!place.isPersistent) return void t.pass('this location is not persistent');
    const { opened, open: openLatch } = latch();
    const first = await startQueue(t, place, async ({ payload: { name }, attempt }) => {
      if (name === 'running') await opened;
      if (name === 'failing' && attempt === 1) throw new Error('once');
    });
    const at = (ms: number) => ({ notBefore: new Date(first.now().getTime() + ms) });
    await first.push(['completed'], ['failing', { id: 'failing' }], ['later', at(5_000)], ['replaced', { id: 'r', ...at(5_000) }]);
    await first.pass(0);
    await first.push(['running', { serial: 's' }], ['behind', { serial: 's' }], ['replacement', { id: 'r', ...at(6_000) }]);
    await first.queue.stop(10);
    // This process has ended: later calls of its handlers must have no effect.
    await first.store.stop();
    openLatch();

    const ran: string[] = [];
    const second = await startQueue(t, place, ({ payload, attempt }) => void ran.push(`${payload.name} ${attempt}`));
    await second.pass(0);
    t.strictSame(ran.splice(0), ['running 1', 'behind 1']);
    await second.pass(1_000);
    t.strictSame(ran.splice(0), ['failing 2']);
    await second.pass(10_000);
    t.strictSame(ran, ['later 1', 'replacement 1']);
  });

  await t.test('a thousand jobs pushed concurrently each run once', async (t) => {
    const ran = new Map<string, number>();
    const { store, queue, pass } = await startQueue(
      t,
      open(t),
      ({ payload: { name } }) => void ran.set(name, (ran.get(name) ?? 0) + 1),
      16,
    );
    const pushes = Array.from({ length: 200 }, (_, i) =>
      store.transaction((tx) => {
        for (let j = 0; j < 5; j++) queue.push(tx, tasks, { name: `${i}-${j}` }, { lane: lanes[(i + j) % 3]!, serial: `${i % 17}` });
      }),
    );
    await Promise.all(pushes);
    await pass(0);
    t.equal(ran.size, 1000);
    t.strictSame(new Set(ran.values()), new Set([1]));
  });
}
