import { consume, type Job, type Lane } from '../ports/queue.js';
import { latch, type OpenQueue, startQueue, tasks } from './queue-place.js';
import type { Tap } from './tap.js';

/** Order of jobs: due times, serial keys, lanes, concurrency. */
export async function queueOrderContract(t: Tap, open: OpenQueue): Promise<void> {
  await t.test('jobs run in the order in which they become due', async (t) => {
    const ran: string[] = [];
    const { push, pass, now } = await startQueue(t, open(t), ({ payload }) => void ran.push(payload.name));
    const at = (ms: number) => ({ notBefore: new Date(now().getTime() + ms) });
    await push(
      ['in 3 s', at(3_000)],
      ['in 1 s', at(1_000)],
      ['now'],
      ['in 2 s', at(2_000)],
      ['overdue', at(-5_000)],
      ['in 1 s too', at(1_000)],
    );
    await pass(0);
    t.strictSame(ran.splice(0), ['now', 'overdue']);
    await pass(999);
    t.strictSame(ran, []);
    await pass(1);
    t.strictSame(ran.splice(0), ['in 1 s', 'in 1 s too']);
    await pass(5_000);
    t.strictSame(ran.splice(0), ['in 2 s', 'in 3 s']);
  });

  await t.test('a job pushed before the queue starts runs after the stored jobs', async (t) => {
    const place = open(t);
    if (!place.isPersistent) return void t.comment('this location stores nothing');
    const first = place.create();
    await first.store.start();
    for (const name of ['stored', 'stored too']) await first.store.transaction((tx) => first.queue.push(tx, tasks, { name }, { id: name }));
    await first.store.stop();

    const { store, queue, pass } = place.create();
    await store.start();
    t.teardown(async () => {
      await queue.stop(1_000);
      await store.stop();
    });
    await queue.load?.();
    // Plugins push like this in their `start`.
    await store.transaction((tx) => queue.push(tx, tasks, { name: 'at the start' }, { id: 'a' }));
    const ran: string[] = [];
    const handle = async ({ payload }: Job<{ name: string }>) => void ran.push(payload.name);
    queue.attach('contract', consume(tasks, handle, { concurrency: 1 }));
    t.strictSame(ran, [], 'no job runs before the start');
    await queue.start();
    await pass(0);
    t.strictSame(ran, ['stored', 'stored too', 'at the start']);
  });

  await t.test('a job that releases its slot lets others run, up to a bound, but none with its serial key', async (t) => {
    const { opened, open: openLatch } = latch();
    const ran: string[] = [];
    const work = async ({ payload, release }: Job<{ name: string }>) => {
      ran.push(payload.name);
      release();
      release();
      await opened;
    };
    const { push, pass, queue } = await startQueue(t, open(t), work, 1);
    await push(['a', { serial: 'one' }], ['b', { serial: 'one' }], ...Array.from({ length: 10 }, (_, i): [string] => [`${i}`]));
    t.strictSame(ran, ['a', '0', '1', '2'], 'at most four jobs per slot');
    t.match(
      queue.depths().find(({ lane }) => lane === 'default'),
      { running: 0, ready: 8 },
    );
    openLatch();
    await pass(0);
    t.strictSame(ran.toSorted(), ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'a', 'b']);
    t.match(
      queue.depths().find(({ lane }) => lane === 'default'),
      { running: 0, ready: 0 },
    );
    ran.length = 0;
    await push(['again', { serial: 'one' }], ['and again', { serial: 'one' }]);
    await pass(0);
    t.strictSame(ran, ['again', 'and again']);
  });

  await t.test('waitedMs is the time for which a job could have run, without the wait until it was due', async (t) => {
    const eventOf: [string, number][] = [];
    const holds = latch();
    const { push, pass, now } = await startQueue(t, open(t), async ({ payload, waitedMs }) => {
      eventOf.push([payload.name, waitedMs]);
      if (payload.name === 'long') await holds.opened;
    });
    const at = (ms: number) => ({ notBefore: new Date(now().getTime() + ms) });
    await push(['later', at(2_000)]);
    await pass(2_000);
    await push(['long'], ['behind it', at(1_000)]);
    await pass(4_000);
    holds.open();
    await pass(0);
    t.strictSame(eventOf, [
      ['later', 0],
      ['long', 0],
      ['behind it', 3_000],
    ]);
  });

  await t.test('jobs run concurrently up to the consumer’s limit', async (t) => {
    const { opened, open: openLatch } = latch();
    let running = 0;
    let max = 0;
    const work = async () => {
      max = Math.max(max, ++running);
      await opened;
      running--;
    };
    const { push, pass } = await startQueue(t, open(t), work, 3);
    await push(...Array.from({ length: 10 }, (_, i): [string] => [`${i}`]));
    t.equal(running, 3);
    openLatch();
    await pass(0);
    t.equal(max, 3);
    t.equal(running, 0);
  });

  await t.test('jobs with the same serial key never run concurrently and run in order, whatever their lanes', async (t) => {
    const running = new Map<string, number>();
    const ran: string[] = [];
    const handle = async ({ payload: { name } }: { payload: { name: string } }) => {
      const serial = name[0]!;
      running.set(serial, (running.get(serial) ?? 0) + 1);
      if (running.get(serial) !== 1) t.fail(`${name} runs concurrently with another`);
      await new Promise((resolve) => setImmediate(resolve));
      ran.push(name);
      running.set(serial, running.get(serial)! - 1);
    };
    const { push, pass } = await startQueue(t, open(t), handle, 8);
    const lanes: Lane[] = ['low', 'high', 'default'];
    const names = Array.from({ length: 40 }, (_, i) => `${'abcd'[i % 4]}${String(i).padStart(2, '0')}`);
    await Promise.all(names.map((name, i) => push([name, { serial: name[0]!, lane: lanes[i % 3]! }])));
    await pass(0);
    t.equal(ran.length, 40);
    for (const serial of 'abcd') {
      const mine = ran.filter((name) => name.startsWith(serial));
      t.strictSame(mine, mine.toSorted());
    }
  });

  await t.test('a job that waits for a retry does not block those behind it', async (t) => {
    const ran: string[] = [];
    const { push, pass } = await startQueue(t, open(t), ({ payload: { name }, attempt }) => {
      ran.push(`${name} ${attempt}`);
      if (name === 'first' && attempt === 1) throw new Error('not yet');
    });
    await push(['first', { serial: 's' }], ['second', { serial: 's' }], ['third', { serial: 's' }]);
    await pass(0);
    t.strictSame(ran, ['first 1', 'second 1', 'third 1']);
    await pass(1_000);
    t.strictSame(ran.slice(3), ['first 2']);
  });

  await t.test('lanes share the slots 6:3:1, and every lane gets some', async (t) => {
    const ran: string[] = [];
    const { opened, open: openLatch } = latch();
    const { push, pass } = await startQueue(t, open(t), async ({ payload: { name } }) => {
      if (name === 'plug') await opened;
      else ran.push(name);
    });
    await push(['plug']);
    for (let i = 0; i < 60; i++) await push(['low', { lane: 'low' }], ['default'], ['high', { lane: 'high' }]);
    openLatch();
    await pass(0);
    t.equal(ran.length, 180);
    const count = (lane: string, of: readonly string[]) => of.filter((name) => name === lane).length;
    const early = ran.slice(0, 50);
    t.ok(count('high', early) >= 28, `${count('high', early)} of the high lane among the first 50`);
    t.ok(count('default', early) >= 13, `${count('default', early)} of the default lane`);
    t.ok(count('low', early) >= 4, `${count('low', early)} of the low lane`);
  });

  await t.test('a lane and a group run no more concurrent jobs than their shares', async (t) => {
    const { opened, open: openLatch } = latch();
    const running: string[] = [];
    const work = async ({ payload: { name } }: { payload: { name: string } }) => {
      running.push(name);
      await opened;
    };
    const shares = { lane: { high: 64, default: 4, low: 3 }, group: { high: 5, default: 3, low: 2 } };
    const { push, pass } = await startQueue(t, open(t), work, { concurrency: 64, shares });
    for (let i = 0; i < 12; i++) {
      await push(['low a', { lane: 'low', group: 'a' }], ['low b', { lane: 'low', group: 'b' }]);
      await push(['default c', { group: 'c' }], ['high d', { lane: 'high', group: 'd' }], ['high', { lane: 'high' }]);
    }
    const count = (name: string) => running.filter((one) => one === name).length;
    t.strictSame(
      ['low a', 'low b', 'default c', 'high d', 'high'].map((name) => count(name)),
      [2, 1, 3, 5, 12],
    );
    openLatch();
    await pass(0);
    t.equal(running.length, 60);
  });

  await t.test(
    'groups take turns, urgent jobs run first in their group, and delayed jobs join the current lane of their group',
    async (t) => {
      const { opened, open: openLatch } = latch();
      const ran: string[] = [];
      const lanes = new Map<string, Lane>();
      const work = async ({ payload: { name } }: { payload: { name: string } }) => {
        if (name === 'plug') await opened;
        else ran.push(name);
      };
      const { push, pass, now } = await startQueue(t, open(t), work, { concurrency: 1, laneOf: (group) => lanes.get(group) });
      await push(['plug'], ['a1', { group: 'a' }], ['a2', { group: 'a' }], ['a3', { group: 'a' }], ['b1', { group: 'b' }]);
      await push(['a0', { group: 'a', urgent: true }], ['c1', { group: 'c', notBefore: new Date(now().getTime() + 1) }]);
      lanes.set('c', 'high');
      await pass(1);
      openLatch();
      await pass(0);
      t.strictSame(ran, ['c1', 'a0', 'b1', 'a1', 'a2', 'a3']);
    },
  );

  await t.test('a job gets as many attempts as its consumer allows', async (t) => {
    let tries = 0;
    const fail = async () => {
      tries++;
      throw new Error('no luck');
    };
    const { push, pass } = await startQueue(t, open(t), fail, { maxAttempts: 2 });
    await push(['unlucky']);
    await pass(3_600_000);
    t.equal(tries, 2);
  });
}
