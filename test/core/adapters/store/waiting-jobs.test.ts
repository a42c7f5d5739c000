import fc from 'fast-check';
import t from 'tap';
import type { WaitingJob } from '../../../../core/adapters/queue/job-order.js';
import { WaitingJobs } from '../../../../core/adapters/queue/waiting-jobs.js';
import type { Lane } from '../../../../core/ports/queue.js';
import { runs } from '../../../forms.js';

const job = (order: number, more: Partial<WaitingJob> = {}): WaitingJob => ({
  key: `k${order}`,
  lane: 'default',
  dueAt: 0,
  delayed: false,
  order,
  serial: undefined,
  group: undefined,
  urgent: false,
  ...more,
});

const takeAll = (waiting: WaitingJobs, count: number, now = 0): number[] =>
  Array.from({ length: count }, () => {
    const taken = waiting.take(now);
    if (taken) waiting.ended(taken);
    return taken?.order ?? -1;
  });

t.test('three full lanes share ten turns six, three and one, in this order', async (t) => {
  const waiting = new WaitingJobs();
  const lanes: Lane[] = ['low', 'default', 'high'];
  for (let order = 0; order < 60; order++) waiting.put(job(order, { lane: lanes[order % 3]! }));
  const taken = takeAll(waiting, 20).map((order) => lanes[order % 3]);
  const ten = [...Array(6).fill('high'), ...Array(3).fill('default'), 'low'];
  t.strictSame(taken, [...ten, ...ten]);
});

t.test('a lane that is alone gets every turn', async (t) => {
  const waiting = new WaitingJobs();
  for (let order = 0; order < 30; order++) waiting.put(job(order, { lane: 'low' }));
  t.strictSame(
    takeAll(waiting, 30),
    Array.from({ length: 30 }, (_, i) => i),
  );
});

t.test('a job that was due earlier but arrives later runs before queued jobs of its serial key', async (t) => {
  const waiting = new WaitingJobs();
  waiting.put(job(2, { serial: 's', dueAt: 5 }));
  waiting.put(job(3, { serial: 's', dueAt: 6 }));
  waiting.put(job(9, { lane: 'high' }));
  t.equal(waiting.take(10)?.order, 9);
  waiting.put(job(1, { serial: 's', dueAt: 4, lane: 'low' }));
  t.strictSame(takeAll(waiting, 3, 10), [1, 2, 3]);
});

t.test('the next due time is that of the first delayed job', async (t) => {
  const waiting = new WaitingJobs();
  waiting.put(job(1, { dueAt: 30 }));
  waiting.put(job(2, { dueAt: 20 }));
  t.equal(waiting.nextDue, 20);
  t.equal(waiting.take(10), undefined);
  t.equal(waiting.take(20)?.order, 2);
  t.equal(waiting.nextDue, 30);
  waiting.remove('k1');
  t.equal(waiting.nextDue, undefined);
  t.equal(waiting.size, 0);
});

t.test('groups of a lane take turns, however many jobs one of them has', async (t) => {
  const waiting = new WaitingJobs();
  for (let order = 0; order < 30; order++) waiting.put(job(order, { group: 'long' }));
  for (let order = 30; order < 33; order++) waiting.put(job(order, { group: 'short' }));
  waiting.put(job(33, { group: 'single' }));
  t.strictSame(takeAll(waiting, 9), [0, 30, 33, 1, 31, 2, 32, 3, 4]);
});

t.test('urgent jobs run before the rest of their group, but not before other groups', async (t) => {
  const waiting = new WaitingJobs();
  waiting.put(job(1, { group: 'a' }));
  waiting.put(job(2, { group: 'a', urgent: true }));
  waiting.put(job(3, { group: 'b' }));
  waiting.put(job(4, { group: 'a', urgent: true }));
  t.strictSame(takeAll(waiting, 4), [2, 3, 4, 1]);
});

const shares = { lane: { high: 4, default: 3, low: 2 }, group: { high: 3, default: 2, low: 1 } };

t.test('a lane at its limit leaves its slots to the others', async (t) => {
  const waiting = new WaitingJobs({ shares });
  for (let order = 0; order < 30; order++) waiting.put(job(order, { lane: 'low', group: `g${order}` }));
  const [first, second] = [waiting.take(0)!, waiting.take(0)!];
  t.equal(waiting.take(0), undefined);
  waiting.put(job(40, { lane: 'high' }));
  t.equal(waiting.take(0)?.order, 40);
  waiting.ended(first);
  t.equal(waiting.take(0)?.order, 2);
  t.equal(waiting.take(0), undefined);
  waiting.ended(second);
  t.equal(waiting.take(0)?.order, 3);
});

t.test('a group runs as many jobs as its lane allows, counted over all lanes', async (t) => {
  const waiting = new WaitingJobs({ shares });
  for (let order = 0; order < 6; order++) waiting.put(job(order, { lane: 'high', group: 'a' }));
  for (let order = 6; order < 8; order++) waiting.put(job(order, { lane: 'default', group: 'a' }));
  const running = [waiting.take(0)!, waiting.take(0)!, waiting.take(0)!];
  t.strictSame(
    running.map(({ order }) => order),
    [0, 1, 2],
  );
  t.equal(waiting.take(0), undefined, 'three run, but the default lane allows two');
  waiting.ended(running[0]!);
  t.equal(waiting.take(0)?.order, 3);
  waiting.ended(running[1]!);
  waiting.ended(running[2]!);
  t.strictSame(
    [waiting.take(0)?.order, waiting.take(0)?.order],
    [4, 5],
    'one runs and both lanes have room: the high lane goes first, then the default lane has none',
  );
  t.equal(waiting.take(0), undefined);
});

t.test('a delayed job joins the current lane of its group; other jobs keep their own', async (t) => {
  const lanes = new Map<string, Lane>();
  const waiting = new WaitingJobs({ laneOf: (group) => lanes.get(group) });
  waiting.put(job(1, { group: 'a', delayed: true, dueAt: 10 }));
  waiting.put(job(2, { group: 'b', delayed: true, dueAt: 10 }));
  waiting.put(job(3, { group: 'a', dueAt: 10 }));
  lanes.set('a', 'low');
  t.strictSame(
    [waiting.take(10), waiting.take(10), waiting.take(10)].map((taken) => [taken?.order, taken?.lane]),
    [
      [2, 'default'],
      [3, 'default'],
      [1, 'low'],
    ],
  );
});

t.test('an unknown lane from laneOf is ignored', (t) => {
  const waiting = new WaitingJobs({ laneOf: () => 'urgent' as never });
  waiting.put(job(1, { group: 'a', delayed: true, dueAt: 10 }));
  t.match(waiting.take(10), { order: 1, lane: 'default' });
  t.end();
});

type Step =
  | { kind: 'put'; key: number; lane: Lane; delay: number; serial: string | undefined; group: string | undefined; urgent: boolean }
  | { kind: 'remove'; key: number }
  | { kind: 'take' }
  | { kind: 'end'; which: number }
  | { kind: 'pass'; ms: number };

const isBefore = (a: WaitingJob, b: WaitingJob): boolean => a.dueAt < b.dueAt || (a.dueAt === b.dueAt && a.order < b.order);
const key = fc.nat(12);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('put' as const),
      key,
      lane: fc.constantFrom<Lane>('high', 'default', 'low'),
      delay: fc.constantFrom(0, 0, 3, 7),
      serial: fc.constantFrom('s', 't', undefined),
      group: fc.constantFrom('a', 'b', undefined),
      urgent: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('remove' as const), key }) },
  { weight: 5, arbitrary: fc.constant<Step>({ kind: 'take' }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('end' as const), which: fc.nat(5) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('pass' as const), ms: fc.nat(5) }) },
);

t.test('random operations lose no job and run none twice, keep serial keys in order, respect shares, and delay no ready job', async (t) => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 80, size: 'max' }), (steps) => {
      const waiting = new WaitingJobs({ shares });
      const model = new Map<string, WaitingJob>();
      const running: WaitingJob[] = [];
      let now = 0;
      let order = 0;
      const take = () => {
        const isFree = ({ serial }: WaitingJob) => serial === undefined || running.every((other) => other.serial !== serial);
        const hasRoom = ({ lane, group }: WaitingJob) =>
          running.filter((other) => other.lane === lane).length < shares.lane[lane] &&
          (group === undefined || running.filter((other) => other.group === group).length < shares.group[lane]);
        const due = [...model.values()].filter(({ dueAt }) => dueAt <= now);
        // The turn of a serial key belongs to its first job, even if that has no room.
        const hasTurn = (one: WaitingJob) =>
          one.serial === undefined || due.every((other) => other.serial !== one.serial || other === one || !isBefore(other, one));
        const taken = waiting.take(now);
        if (!taken) {
          const ready = due.find((one) => isFree(one) && hasRoom(one) && hasTurn(one));
          if (ready) throw new Error(`${ready.key} could run, but was not taken`);
          return;
        }
        if (model.get(taken.key) !== taken) throw new Error(`${taken.key} is not queued`);
        if (taken.dueAt > now) throw new Error(`${taken.key} is not due`);
        if (!isFree(taken)) throw new Error(`${taken.serial} already runs`);
        if (!hasRoom(taken)) throw new Error(`${taken.key} exceeds a share`);
        const passedOver = due.find((other) => taken.serial !== undefined && other.serial === taken.serial && isBefore(other, taken));
        if (passedOver) throw new Error(`${passedOver.key} comes before ${taken.key}`);
        model.delete(taken.key);
        running.push(taken);
      };
      for (const one of steps) {
        if (one.kind === 'put') {
          const { key, delay, lane, serial, group, urgent } = one;
          const added = job(++order, { key: `k${key}`, lane, dueAt: now + delay, serial, group, urgent });
          waiting.put(added);
          model.set(added.key, added);
        } else if (one.kind === 'remove') {
          waiting.remove(`k${one.key}`);
          model.delete(`k${one.key}`);
        } else if (one.kind === 'end') {
          const [ended] = running.splice(one.which % Math.max(running.length, 1), 1);
          if (ended) waiting.ended(ended);
        } else if (one.kind === 'pass') {
          now += one.ms;
        } else {
          take();
        }
        if (waiting.size !== model.size) throw new Error(`${waiting.size} queued instead of ${model.size}`);
      }
      now += 100;
      while (model.size > 0 || running.length > 0) {
        take();
        const ended = running.shift();
        if (ended) waiting.ended(ended);
      }
    }),
    { numRuns: runs(1000) },
  );
  t.pass('1000 runs');
});

t.test('strict jobs run in the order of their pushes, whatever their delays, and none is lost', async (t) => {
  const put = fc.record({
    kind: fc.constant('put' as const),
    order: fc.nat(12),
    delay: fc.constantFrom(0, 0, 3, 7),
    serial: fc.constantFrom('s', 't'),
  });
  const step = fc.oneof(
    { weight: 5, arbitrary: put },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('remove' as const), order: fc.nat(12) }) },
    { weight: 5, arbitrary: fc.record({ kind: fc.constant('take' as const) }) },
    { weight: 3, arbitrary: fc.record({ kind: fc.constant('end' as const), retryMs: fc.constantFrom(undefined, 0, 4) }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('pass' as const), ms: fc.nat(5) }) },
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 80, size: 'max' }), (steps) => {
      const waiting = new WaitingJobs();
      const queued = new Map<string, WaitingJob>();
      const running: WaitingJob[] = [];
      let now = 0;
      const put = (one: WaitingJob): void => {
        queued.set(one.key, one);
        if (one.dueAt <= now) waiting.putDue(one, now);
        else waiting.put(one);
      };
      const take = (): WaitingJob | undefined => {
        const taken = waiting.take(now);
        if (!taken) return undefined;
        if (taken.dueAt > now || !queued.delete(taken.key)) throw new Error(`${taken.key} is not due, or not queued`);
        const before = [...queued.values()].find(({ serial, order }) => serial === taken.serial && order < taken.order);
        if (before) throw new Error(`${taken.key} runs before ${before.key}`);
        if (running.some(({ serial }) => serial === taken.serial)) throw new Error(`${taken.serial} already runs`);
        running.push(taken);
        return taken;
      };
      const end = (retryMs?: number): void => {
        const ended = running.shift();
        if (!ended) return;
        waiting.ended(ended);
        if (retryMs !== undefined && !queued.has(ended.key))
          put({ ...job(ended.order), serial: ended.serial, strict: true, dueAt: now + retryMs });
      };
      for (const one of steps) {
        if (one.kind === 'put') {
          const isRunning = running.some(({ order }) => order === one.order);
          if (!isRunning) put({ ...job(one.order), serial: one.serial, strict: true, dueAt: now + one.delay });
        } else if (one.kind === 'remove') {
          queued.delete(`k${one.order}`);
          waiting.remove(`k${one.order}`);
        } else if (one.kind === 'take') take();
        else if (one.kind === 'end') end(one.retryMs);
        else now += one.ms;
      }
      while (running.length > 0) end();
      now += 100;
      while (take()) end();
      if (queued.size > 0 || waiting.size > 0) throw new Error(`${[...queued.keys()]} are left`);
    }),
    { numRuns: runs(3_000) },
  );
  t.end();
});
