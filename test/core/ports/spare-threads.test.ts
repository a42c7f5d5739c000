import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import t from 'tap';
import { signatureOf } from '#core';
import { PiscinaPool } from '../../../core/adapters/workers/piscina-pool.js';
import { task } from '../../../core/ports/workers.js';
import type { Order } from '../../../core/testing/contract.task.js';
import { workersContract } from '../../../core/testing/index.js';
import { onlyLong } from '../../forms.js';
import { until } from './http-under-test.js';
import { receive, respond } from './receiver.js';
import { delivery, startedWorkers, threadSenderOf } from './sender-under-test.js';

const obeyModule = new URL('../../../core/testing/contract.task.js', import.meta.url);
const obey = task<Order, unknown>('spare.obey', obeyModule, { limitMs: 300 });
/** Settings of no other test in this process, whose threads these tests would take. */
const settings = { maxThreads: 1, heapMiB: 31, leavesThreads: true };

t.test('a pool with the threads of a stopped pool keeps the contract', { skip: onlyLong }, async (t) =>
  workersContract(t, { make: () => new PiscinaPool({ ...settings, heapMiB: 32 }), isIsolated: true }),
);

t.test('a pool leaves its threads to the next one with the same settings, and the next one limits and replaces them', async (t) => {
  const workers = startedWorkers(t);
  const first = new PiscinaPool(settings);
  t.equal(await first.run(obey, { kind: 'return', value: 1 }), 1);
  await first.stop();
  await t.rejects(first.run(obey, { kind: 'return', value: 1 }), /stopped/);
  const other = new PiscinaPool({ ...settings, heapMiB: 30 });
  await other.run(obey, { kind: 'return', value: 1 });
  t.equal(workers.length, 2, 'other settings need other threads');
  await other.stop();
  const errors: Error[] = [];
  const second = new PiscinaPool({ ...settings, onError: (error) => errors.push(error) });
  t.teardown(() => second.stop());
  t.equal(await second.run(obey, { kind: 'return', value: 2 }), 2);
  t.equal(workers.length, 2);
  const [looped] = await Promise.allSettled([second.run(obey, { kind: 'loop' })]);
  t.match(looped, { reason: { reason: 'timed out' } });
  const [exited] = await Promise.allSettled([second.run(obey, { kind: 'exit' })]);
  t.match(exited, { reason: { reason: 'worker died' } });
  t.equal(await second.run(obey, { kind: 'return', value: 3 }), 3);
  t.ok(workers.length > 2, 'a thread that died is replaced');
});

t.test('threads that no pool takes end, and do not keep the process alive until then', async (t) => {
  const { stdout } = await promisify(execFile)(process.execPath, [
    '--input-type=module',
    '--eval',
    `import { PiscinaPool } from ${JSON.stringify(new URL('../../../core/adapters/workers/piscina-pool.js', import.meta.url).href)};
    import { task } from ${JSON.stringify(new URL('../../../core/ports/workers.js', import.meta.url).href)};
    const obey = task('obey', new URL(${JSON.stringify(obeyModule.href)}));
    const threads = async (work) => {
      const pool = new PiscinaPool({ maxThreads: 1, leavesThreads: true });
      await pool.run(obey, { kind: 'return', value: 1 });
      const [worker] = started.splice(0);
      await pool.stop();
      return worker;
    };
    const started = [];
    process.on('worker', (worker) => started.push(worker));
    const worker = await threads();
    const ended = new Promise((resolve) => worker.once('exit', resolve));
    const waiting = setInterval(() => undefined, 1_000);
    await ended;
    clearInterval(waiting);
    await threads();
    const stoppedAt = performance.now();
    process.on('exit', () => console.log(performance.now() - stoppedAt < 1_500 ? 'ended' : 'kept alive'));`,
  ]);
  t.equal(stdout, 'ended\n');
});

t.test('a sender leaves its thread without connections and secrets', async (t) => {
  const receiver = await receive(t, (socket) => respond(socket));
  const workers = startedWorkers(t);
  const body = '{"a":1}';
  const signed = (secret: string) =>
    delivery(receiver.url, { body, signatures: [{ header: 'x-hook-signature', key: { id: 'the same key', read: async () => secret } }] });
  const first = threadSenderOf(t, { leavesThread: true, heapMiB: 31 });
  t.match(await first.send(signed('one')), { kind: 'response', status: 200 });
  await first.stop();
  await until(() => receiver.open.size === 0);
  const second = threadSenderOf(t, { leavesThread: true, heapMiB: 31 });
  t.match(await second.send(signed('another')), { kind: 'response', status: 200 });
  t.equal(workers.length, 1);
  t.equal(receiver.connections, 2);
  t.strictSame(
    receiver.received.map(({ headers }) => headers['x-hook-signature']),
    ['one', 'another'].map((secret) => signatureOf(secret, body)),
  );
});
