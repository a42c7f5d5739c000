import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import t from 'tap';
import { InlinePool } from '../../../core/adapters/workers/inline-pool.js';
import { PiscinaPool, type PiscinaPoolOptions } from '../../../core/adapters/workers/piscina-pool.js';
import { type TaskType, task } from '../../../core/ports/workers.js';
import type { Order } from '../../../core/testing/contract.task.js';
import { patient } from '../../../core/testing/slowness.js';
import type { Tap } from '../../../core/testing/tap.js';
import { workersContract } from '../../../core/testing/workers-contract.js';
import { onlyLong } from '../../forms.js';

const obeyModule = new URL('../../../core/testing/contract.task.js', import.meta.url);
const obey = task<Order, unknown>('test.obey', obeyModule);
const companions = task<number, string>('test.companions', new URL('./tasks/companions.task.js', import.meta.url), {
  weigh: (bytes) => bytes,
});
const loads = task<number, string>('test.loads', new URL('./tasks/loads.task.js', import.meta.url));
const broken = task<number, string>('test.broken', new URL('./tasks/broken.task.js', import.meta.url));
const hmac = task<string, string>('test.hmac', new URL('./tasks/hmac.task.js', import.meta.url));

t.test('the inline pool keeps the contract', (t) => workersContract(t, { make: () => new InlinePool(), isIsolated: false }));

t.test('the piscina pool keeps the contract', (t) =>
  workersContract(t, { make: () => new PiscinaPool({ heapMiB: 32 }), isIsolated: true }),
);

t.test('the piscina pool keeps the contract with a single thread', { skip: onlyLong }, (t) =>
  workersContract(t, { make: () => new PiscinaPool({ maxThreads: 1, heapMiB: 32 }), isIsolated: true }),
);

t.test('a pool whose worker file is missing from a bundle rejects its calls with the reason', async (t) => {
  // Below the project, so that piscina is found, as in an application with installed packages.
  const folder = mkdtempSync(fileURLToPath(new URL('./bundled-', import.meta.url)));
  t.teardown(() => rmSync(folder, { recursive: true }));
  const outfile = join(folder, 'pool.js');
  const pool = fileURLToPath(new URL('../../../core/adapters/workers/piscina-pool.js', import.meta.url));
  await build({ entryPoints: [pool], bundle: true, platform: 'node', format: 'esm', outfile });
  const { PiscinaPool: Bundled } = (await import(outfile)) as { PiscinaPool: typeof PiscinaPool };
  const bundled = new Bundled();
  const why = /cannot be loaded: no worker starts: .*worker-entry\.js.*; .*do not bundle posthorn, keep it external/;
  await t.rejects(bundled.check(hmac as never), why);
  await Promise.all(['a', 'b'].map((text) => t.rejects(bundled.run(hmac, text), why)));
  await bundled.stop();
  const leftOut = task('test.left-out', new URL('./no-such.task.js', import.meta.url));
  await t.rejects(poolOf(t).check(leftOut as never), /the file .*no-such\.task\.js does not exist; .*do not bundle posthorn/);
});

t.test('both pools give the same outputs', async (t) => {
  const texts = Array.from({ length: 10_000 }, (_, i) => `payload ${i}`.repeat(1 + (i % 50)));
  const [inline, threads] = await Promise.all(
    [new InlinePool(), poolOf(t)].map((pool) => Promise.all(texts.map((text) => pool.run(hmac, text)))),
  );
  t.equal(threads!.join(), inline!.join());
});

t.test('a batch', async (t) => {
  const groups = async (weights: number[], pool: PiscinaPool, type: TaskType<number, string> = companions) => {
    const names = await Promise.all(weights.map((weight) => pool.run(type, weight)));
    const sizes = new Map<string, number>();
    for (const name of names) sizes.set(name, (sizes.get(name) ?? 0) + 1);
    return [...sizes.values()].sort((a, b) => b - a);
  };

  await t.test('has at most 64 calls of one turn', async (t) => {
    const pool = poolOf(t);
    t.same(await groups(new Array(150).fill(10), pool), [64, 64, 22]);
    t.same(await groups([10], pool), [1]);
  });

  await t.test('has at most 256 KiB', async (t) => {
    t.same(await groups(new Array(10).fill(60 * 1024), poolOf(t)), [4, 4, 2]);
  });

  await t.test('never has more than one input over 64 KiB, and light inputs do not wait for it', async (t) => {
    const weights = [10, 65 * 1024, 10, 65 * 1024, 10];
    t.same(await groups(weights, poolOf(t)), [3, 1, 1]);
  });

  await t.test('has calls of one task only', async (t) => {
    const pool = poolOf(t);
    const other = task<number, string>('test.companions again', companions.module, { weigh: () => 10 });
    const names = await Promise.all([pool.run(companions, 1), pool.run(other, 1), pool.run(companions, 1), pool.run(other, 1)]);
    t.equal(names[0], names[2]);
    t.equal(names[1], names[3]);
    t.not(names[0], names[1]);
  });

  await t.test('also has the calls that arrive while all threads are busy', async (t) => {
    const pool = poolOf(t, { maxThreads: 1 });
    const busy = pool.run(obey, { kind: 'return later', value: 1, ms: 50 });
    await sleep(5);
    const names: Promise<string>[] = [];
    for (let turn = 0; turn < 5; turn++) {
      names.push(pool.run(companions, 1));
      await sleep(1);
    }
    await busy;
    t.equal(new Set(await Promise.all(names)).size, 1);
  });

  await t.test('of a quick task also has the calls that arrive while others are away, up to 64', async (t) => {
    const batches: number[] = [];
    const pool = poolOf(t, { maxThreads: 2, onBatch: ({ calls }) => void batches.push(calls) });
    const quick = task<Order, unknown>('test.quick', obeyModule, { quick: true });
    const turns = async (calls: number) => {
      const returned: Promise<unknown>[] = [];
      for (let call = 0; call < calls; call++) {
        returned.push(pool.run(quick, { kind: 'return', value: call }));
        await new Promise(setImmediate);
      }
      return returned;
    };
    const first = pool.run(quick, { kind: 'return later', value: 'first', ms: 200 });
    await new Promise(setImmediate);
    const few = await turns(5);
    t.strictSame(batches, [], 'they are not sent to a free thread');
    t.strictSame(await Promise.all([first, ...few]), ['first', 0, 1, 2, 3, 4]);
    t.strictSame(batches, [1, 5]);

    const second = pool.run(quick, { kind: 'return later', value: 'second', ms: 500 });
    await new Promise(setImmediate);
    const many = await turns(70);
    await many[63];
    t.strictSame(batches, [1, 5, 64], 'at 64 calls they are sent');
    await Promise.all([second, ...many]);
    t.strictSame(batches, [1, 5, 64, 1, 6]);
  });
});

t.test('calls of a task with gatherMs wait for its current batch, but no longer than that', async (t) => {
  const batches: number[] = [];
  const pool = poolOf(t, { maxThreads: 2, onBatch: ({ calls }) => void batches.push(calls) });
  const turns = async (gathered: TaskType<Order, unknown>, ms: number) => {
    const first = pool.run(gathered, { kind: 'return later', value: 'first', ms });
    const returned: Promise<unknown>[] = [];
    for (let call = 0; call < 5; call++) {
      await new Promise(setImmediate);
      returned.push(pool.run(gathered, { kind: 'return', value: call }));
    }
    return { first, returned };
  };
  const patientTask = task<Order, unknown>('test.gather', obeyModule, { gatherMs: 60_000 });
  const together = await turns(patientTask, 200);
  t.strictSame(batches, [], 'they are not sent to a free thread');
  t.strictSame(await Promise.all([together.first, ...together.returned]), ['first', 0, 1, 2, 3, 4]);
  t.strictSame(batches, [1, 5]);

  const hasty = task<Order, unknown>('test.gather', obeyModule, { gatherMs: 50 });
  const apart = await turns(hasty, 3_000);
  t.strictSame(await Promise.all(apart.returned), [0, 1, 2, 3, 4]);
  t.strictSame(batches, [1, 5, 5], 'the first batch has not returned');
  const stopped = pool.stop();
  t.equal(await apart.first, 'first');
  await stopped;
});

t.test('a module is imported once per thread', async (t) => {
  const pool = poolOf(t, { maxThreads: 1 });
  const first = await pool.run(loads, 1);
  t.equal(await pool.run(loads, 2), first);
  await pool.check(loads);
  t.equal(await pool.run(loads, 3), first);
});

t.test('a module that throws while it is imported rejects the call, and its worker survives', async (t) => {
  const pool = poolOf(t, { maxThreads: 1 });
  const thread = await pool.run(loads, 1);
  await t.rejects(pool.check(broken), { name: 'TaskFailed', reason: 'cannot be loaded', message: /threw while it was imported/ });
  await t.rejects(pool.run(broken, 1), { name: 'TaskFailed', reason: 'cannot be loaded' });
  t.equal(await pool.run(loads, 1), thread);
});

t.test('a batch whose inputs are slow only together is not timed out', async (t) => {
  const slow = task<Order, unknown>('test.slow', obeyModule, { limitMs: 150 });
  const pool = poolOf(t, { maxThreads: 1 });
  const outputs = await Promise.all([1, 2, 3, 4].map((value) => pool.run(slow, { kind: 'return later', value, ms: 60 })));
  t.same(outputs, [1, 2, 3, 4]);
});

t.test('the time limit does not run while a batch waits for a thread', async (t) => {
  const pool = poolOf(t, { maxThreads: 1 });
  const hurried = task<Order, unknown>('test.hurried', obeyModule, { limitMs: 100 });
  const busy = pool.run(obey, { kind: 'return later', value: 'busy', ms: 400 });
  await sleep(1);
  t.equal(await pool.run(hurried, { kind: 'return', value: 'in time' }), 'in time');
  t.equal(await busy, 'busy');
});

t.test('a task whose worker is killed by a leftover of another task runs again in a new worker', async (t) => {
  const pool = poolOf(t, { maxThreads: 1 });
  t.equal(await pool.run(obey, { kind: 'crash later' }), 'for now all is well');
  t.equal(await pool.run(obey, { kind: 'return later', value: 'unharmed', ms: 50 }), 'unharmed');
});

t.test('concurrent calls that kill their workers do not affect other calls', async (t) => {
  const pool = poolOf(t, { maxThreads: 2 });
  const results = await Promise.allSettled(
    Array.from({ length: 300 }, (_, i) => pool.run(obey, i % 50 === 7 ? { kind: 'exit' } : { kind: 'return', value: i })),
  );
  for (const [i, result] of results.entries()) {
    if (i % 50 === 7) t.match(result, { reason: { reason: 'worker died' } });
    else if (result.status !== 'fulfilled' || result.value !== i) t.fail(`${i} was affected`);
  }
});

t.test('a process', async (t) => {
  const run = (lines: string) =>
    promisify(execFile)(process.execPath, ['--input-type=module', '--eval', lines], { timeout: patient(20_000) }).then(
      ({ stdout }) => stdout,
    );
  const setUp = `
    import { PiscinaPool } from ${JSON.stringify(new URL('../../../core/adapters/workers/piscina-pool.js', import.meta.url).href)};
    import { task } from ${JSON.stringify(new URL('../../../core/ports/workers.js', import.meta.url).href)};
    const obey = task('obey', new URL(${JSON.stringify(obeyModule.href)}), { limitMs: 300 });
    const pool = new PiscinaPool();
  `;

  await t.test('is not kept alive by an idle pool', async (t) => {
    const before = performance.now();
    const output = await run(`${setUp} console.log(await pool.run(obey, { kind: 'return', value: 'done' }));`);
    t.equal(output, 'done\n');
    t.ok(performance.now() - before < patient(4000));
  });

  await t.test('stays alive until its calls have settled, even while their worker is being replaced', async (t) => {
    const output = await run(`${setUp}
      const [killed, looped, harmless] = await Promise.allSettled(['exit', 'loop', 'return'].map((kind) => pool.run(obey, { kind, value: 1 })));
      console.log(killed.reason.reason, looped.reason.reason, harmless.value);
      await pool.stop();
    `);
    t.equal(output, 'worker died timed out 1\n');
  });
});

function poolOf(t: Tap, options: PiscinaPoolOptions = {}): PiscinaPool {
  const pool = new PiscinaPool(options);
  t.teardown(() => pool.stop());
  return pool;
}

t.test('queued calls of a quick task settle when the batch they wait for dies, never ends, or was the last before a stop', async (t) => {
  const quick = task<Order, unknown>('test.quick', obeyModule, { quick: true, limitMs: 750 });
  const pool = poolOf(t, { maxThreads: 2 });
  const waiting = async (order: Order) => {
    const away = pool.run(quick, order);
    away.catch(() => undefined);
    await new Promise(setImmediate);
    return { away, waits: pool.run(quick, { kind: 'return', value: 'waited' }) };
  };
  for (const [kind, reason] of [
    ['exit', 'worker died'],
    ['loop', 'timed out'],
    ['never end', 'timed out'],
  ] as const) {
    const { away, waits } = await waiting({ kind });
    t.match(await away.catch((error: unknown) => error), { name: 'TaskFailed', reason }, kind);
    t.equal(await waits, 'waited', kind);
  }
  const { away, waits } = await waiting({ kind: 'return later', value: 'first', ms: 50 });
  const stopped = pool.stop();
  t.strictSame(await Promise.all([away, waits]), ['first', 'waited']);
  await stopped;
});
