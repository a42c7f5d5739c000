import type { Job } from '../ports/queue.js';
import { latch, type OpenQueue, otherTasks, startQueue, tasks } from './queue-place.js';
import type { Tap } from './tap.js';

/** Jobs with ids: replacing, cancelling, reusing an id. */
export async function queueIdsContract(t: Tap, open: OpenQueue): Promise<void> {
  await t.test('pushing an id again replaces the queued job', async (t) => {
    const ran: string[] = [];
    const { push, pass, now } = await startQueue(t, open(t), ({ id, payload }) => void ran.push(`${id} ${payload.name}`));
    const at = (ms: number) => new Date(now().getTime() + ms);
    await push(
      ['first', { id: 'x', notBefore: at(1_000) }],
      ['second', { id: 'x', notBefore: at(3_000) }],
      ['other', { id: 'y', notBefore: at(2_000) }],
    );
    await pass(10_000);
    t.strictSame(ran, ['y other', 'x second']);
    await push(['third', { id: 'x' }]);
    await pass(0);
    t.equal(ran.at(-1), 'x third', 'an id can be reused after its job has completed');
  });

  await t.test('a queue that can find jobs finds them until they are completed, with their failures', async (t) => {
    let isBroken = true;
    const { queue, push, pass, now } = await startQueue(t, open(t), () => {
      if (isBroken) throw new Error('no luck');
    });
    if (!queue.find) {
      t.comment('this queue cannot find jobs');
      return;
    }
    const due = new Date(now().getTime() + 5_000);
    await push(['x', { id: 'x', notBefore: due }]);
    t.match(await queue.find(tasks, 'x'), { at: due, attempts: 0, hasFailed: false });
    t.equal(await queue.find(tasks, 'y'), undefined);
    t.equal(await queue.find(otherTasks, 'x'), undefined);
    await pass(5_000);
    t.match(await queue.find(tasks, 'x'), { at: new Date(due.getTime() + 1_000), attempts: 1, error: 'no luck', hasFailed: false });
    await pass(3_600_000);
    t.match(await queue.find(tasks, 'x'), { attempts: 10, error: 'no luck', hasFailed: true });
    isBroken = false;
    await push(['x', { id: 'x' }]);
    await pass(0);
    t.equal(await queue.find(tasks, 'x'), undefined, 'completed');
  });

  await t.test('pushing the id of a running job queues a new job that runs after it', async (t) => {
    const { opened, open: openLatch } = latch();
    const ran: string[] = [];
    let running = 0;
    const handle = async ({ payload: { name } }: Job<{ name: string }>) => {
      t.equal(++running, 1);
      ran.push(name);
      if (name === 'first') await opened;
      running--;
      if (name === 'first') throw new Error('the first fails and is not retried: the second replaces it');
    };
    const { push, pass } = await startQueue(t, open(t), handle, 4);
    await push(['first', { id: 'x' }]);
    await push(['second', { id: 'x' }]);
    t.strictSame(ran, ['first']);
    openLatch();
    await pass(100_000);
    t.strictSame(ran, ['first', 'second']);
  });

  await t.test('a handler can complete its job and push the same id in one transaction', async (t) => {
    const ran: string[] = [];
    const { push, pass } = await startQueue(t, open(t), async (job, { store, queue, now }) => {
      ran.push(`${job.payload.name} ${job.attempt}`);
      const round = Number(job.payload.name);
      await store.transaction((tx) => {
        job.done(tx);
        if (round < 3) queue.push(tx, tasks, { name: `${round + 1}` }, { id: job.id, notBefore: new Date(now().getTime() + 5_000) });
      });
    });
    await push(['1', { id: 'x', serial: 's' }]);
    await pass(4_999);
    t.strictSame(ran, ['1 1']);
    await pass(60_000);
    t.strictSame(ran, ['1 1', '2 1', '3 1']);
  });

  await t.test('a cancelled job does not run, and cancelling an unknown job does nothing', async (t) => {
    const ran: string[] = [];
    const { store, queue, push, pass, now } = await startQueue(t, open(t), ({ payload }) => void ran.push(payload.name));
    const soon = { notBefore: new Date(now().getTime() + 1_000) };
    await push(['cancelled', { id: 'x', ...soon }], ['kept', { id: 'y', ...soon }], ['of another queue', { id: 'z', ...soon }]);
    await store.transaction((tx) => {
      queue.cancel(tx, tasks, 'x');
      queue.cancel(tx, tasks, 'unknown');
      queue.cancel(tx, otherTasks, 'z');
    });
    await t.rejects(
      store.transaction((tx) => {
        queue.cancel(tx, tasks, 'y');
        throw new Error('not after all');
      }),
      /after all/,
    );
    await store.transaction((tx) => {
      queue.push(tx, tasks, { name: 'pushed and cancelled' }, { id: 'w' });
      queue.cancel(tx, tasks, 'w');
    });
    await pass(10_000);
    t.strictSame(ran, ['kept', 'of another queue']);
  });

  await t.test('a job that is cancelled while it runs finishes and is not retried', async (t) => {
    const { opened, open: openLatch } = latch();
    const ran: string[] = [];
    const { store, queue, push, pass } = await startQueue(t, open(t), async ({ payload }) => {
      await opened;
      ran.push(payload.name);
      throw new Error('failed');
    });
    await push(['a', { id: 'x' }]);
    await store.transaction((tx) => queue.cancel(tx, tasks, 'x'));
    openLatch();
    await pass(100_000);
    t.strictSame(ran, ['a']);
  });

  await t.test('a cancelled job frees its serial key for the next job', async (t) => {
    const { opened, open: openLatch } = latch();
    const ran: string[] = [];
    const { store, queue, push, pass } = await startQueue(t, open(t), async ({ payload }) => {
      if (payload.name === 'plug') await opened;
      ran.push(payload.name);
    });
    await push(['plug'], ['first', { id: 'x', serial: 's' }], ['second', { serial: 's' }]);
    await store.transaction((tx) => queue.cancel(tx, tasks, 'x'));
    openLatch();
    await pass(0);
    t.strictSame(ran, ['plug', 'second']);
  });
}
