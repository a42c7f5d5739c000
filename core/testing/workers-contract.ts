import { task, type WorkerPool } from '../ports/workers.js';
import type { Order } from './contract.task.js';
import type { Tap } from './tap.js';

/** Creates the pools under test. */
export interface PoolUnderTest {
  /** The suite stops it. */
  make(): WorkerPool;
  /** Whether tasks run outside this thread, so that one that blocks or exits affects only its own call. */
  readonly isIsolated: boolean;
}

const obey = task<Order, unknown>('contract.obey', new URL('./contract.task.js', import.meta.url));
const hurried = task<Order, unknown>('contract.hurry', new URL('./contract.task.js', import.meta.url), { limitMs: 300 });
const absent = task<unknown, unknown>('contract.absent', new URL('./no-such.task.js', import.meta.url));
const noTask = task<unknown, unknown>('contract.no-task', new URL('./tap.js', import.meta.url));

const value = (value: unknown): Order => ({ kind: 'return', value });

/** The contract of every worker pool. */
export async function workersContract(t: Tap, { make, isIsolated }: PoolUnderTest): Promise<void> {
  const start = (t: Tap): WorkerPool => {
    const pool = make();
    t.teardown(() => pool.stop());
    return pool;
  };

  await t.test('a task returns its output immediately or later', async (t) => {
    const pool = start(t);
    t.equal(await pool.run(obey, value('now')), 'now');
    t.equal(await pool.run(obey, { kind: 'return later', value: 'later', ms: 5 }), 'later');
    t.equal(await pool.run(obey, value(undefined)), undefined);
  });

  await t.test('plain data arrives and returns unchanged', async (t) => {
    const pool = start(t);
    const data = {
      text: 'é\u0000😀',
      list: [1, -0, null, true],
      at: new Date(5),
      map: new Map([['a', new Set([1])]]),
      bytes: new Uint8Array([1, 2]),
    };
    t.strictSame(await pool.run(obey, value(data)), data);
  });

  await t.test('10,000 tasks return each caller its own output', async (t) => {
    const pool = start(t);
    const outputs = await Promise.all(Array.from({ length: 10_000 }, (_, i) => pool.run(obey, value(i))));
    t.ok(outputs.every((output, i) => output === i));
  });

  await t.test('the task works on a copy without its class', async (t) => {
    const pool = start(t);
    const original: { changed?: boolean } = {};
    t.same(await pool.run(obey, { kind: 'change', value: original }), { changed: true });
    t.same(original, {});
    class Contact {
      name = 'Ada';
    }
    t.equal(await pool.run(obey, { kind: 'describe', value: new Contact() }), '[object Object]Object');
  });

  await t.test('bytes of every size arrive, also from the middle of a larger buffer, and stay with the caller', async (t) => {
    const pool = start(t);
    const buffer = Buffer.alloc(400_000, 1);
    for (const size of [0, 10, 1000, 70_000, 300_000]) {
      const bytes = buffer.subarray(100_000 - size / 10, 100_000 - size / 10 + size);
      t.equal(await pool.run(obey, { kind: 'sum', bytes }), size);
      t.equal(bytes.length, size);
    }
    t.equal(buffer.length, 400_000);
  });

  await t.test('a value that cannot be cloned fails only its own call', async (t) => {
    const pool = start(t);
    const [before, sent, returned, after] = await Promise.allSettled([
      pool.run(obey, value('before')),
      pool.run(
        obey,
        value(() => {}),
      ),
      pool.run(obey, { kind: 'return a function' }),
      pool.run(obey, value('after')),
    ]);
    t.match([before, after], [{ value: 'before' }, { value: 'after' }]);
    const expected = { name: 'TaskFailed', task: 'contract.obey', reason: 'threw', message: /could not be cloned/ };
    t.match([sent, returned], [{ reason: expected }, { reason: expected }]);
  });

  await t.test('a task that throws fails only its own call, with the message and the stack', async (t) => {
    const pool = start(t);
    const results = await Promise.allSettled([
      pool.run(obey, value(1)),
      pool.run(obey, { kind: 'throw', message: 'no such block' }),
      pool.run(obey, { kind: 'reject', message: 'later on' }),
      pool.run(obey, { kind: 'throw text', message: 'just text' }),
      pool.run(obey, value(2)),
    ]);
    t.match(results, [
      { value: 1 },
      { reason: { name: 'TaskFailed', reason: 'threw', message: "task 'contract.obey' threw: no such block", cause: /contract\.task/ } },
      { reason: { name: 'TaskFailed', reason: 'threw', message: "task 'contract.obey' threw: later on" } },
      { reason: { name: 'TaskFailed', reason: 'threw', message: "task 'contract.obey' threw: just text" } },
      { value: 2 },
    ]);
  });

  await t.test('a task that never ends times out alone', async (t) => {
    const pool = start(t);
    const results = await Promise.allSettled([
      pool.run(hurried, value(1)),
      pool.run(hurried, { kind: 'never end' }),
      pool.run(hurried, value(2)),
      pool.run(obey, value(3)),
    ]);
    t.match(results, [
      { value: 1 },
      { reason: { name: 'TaskFailed', reason: 'timed out', message: "task 'contract.hurry' timed out: it ran for more than 300 ms" } },
      { value: 2 },
      { value: 3 },
    ]);
  });

  await t.test('a missing module, or one without a task, is reported by check and by every call', async (t) => {
    const pool = start(t);
    await pool.check(obey);
    await t.rejects(pool.check(absent), { name: 'TaskFailed', reason: 'cannot be loaded', message: /no-such\.task\.js/ });
    await t.rejects(pool.check(noTask), { name: 'TaskFailed', reason: 'cannot be loaded', message: /no default export/ });
    const results = await Promise.allSettled([pool.run(absent, 1), pool.run(absent, 2), pool.run(noTask, 1), pool.run(obey, value(1))]);
    const failed = { reason: { name: 'TaskFailed', reason: 'cannot be loaded' } };
    t.match(results, [failed, failed, failed, { value: 1 }]);
  });

  await t.test('a stop waits for the accepted tasks and accepts no more', async (t) => {
    const pool = start(t);
    const ended: string[] = [];
    const slow = pool.run(obey, { kind: 'return later', value: 1, ms: 30 }).then(() => void ended.push('slow'));
    const quick = pool.run(obey, value(1)).then(() => void ended.push('quick'));
    await pool.stop();
    await Promise.all([slow, quick]);
    t.same(ended.sort(), ['quick', 'slow']);
    await t.rejects(pool.run(obey, value(1)), { name: 'TaskFailed', reason: 'pool stopped' });
    await t.rejects(pool.check(obey), { name: 'TaskFailed', reason: 'pool stopped' });
    await pool.stop();
    await start(t).stop();
  });

  if (!isIsolated) return;

  for (const [what, order, reason] of [
    ['ends its process', { kind: 'exit' }, 'worker died'],
    ['never gives the thread back', { kind: 'loop' }, 'timed out'],
    ['eats all memory', { kind: 'eat memory' }, 'worker died'],
  ] as const) {
    await t.test(`a task that ${what} among 64 fails alone, and the pool keeps working`, async (t) => {
      const pool = start(t);
      const patient = task<Order, unknown>('contract.patient', obey.module, { limitMs: order.kind === 'loop' ? 300 : 60_000 });
      const runs = Array.from({ length: 64 }, (_, i) => pool.run(patient, i === 30 ? order : value(i)));
      const results = await Promise.allSettled(runs);
      t.match(results[30], { reason: { name: 'TaskFailed', task: 'contract.patient', reason } });
      t.ok(results.every((result, i) => i === 30 || (result.status === 'fulfilled' && result.value === i)));
      t.equal(await pool.run(obey, value('still here')), 'still here');
    });
  }
}
