import type { Clock } from '../ports/clock.js';
import type { Tap } from './tap.js';

/** A clock, and how a test advances it. */
export interface ClockUnderTest {
  readonly clock: Clock;
  /** Advances the clock by `ms`, or waits that long. */
  pass(ms: number): Promise<void>;
}

/** The contract of every clock. */
export async function clockContract(t: Tap, make: () => ClockUnderTest): Promise<void> {
  await t.test('the wall clock and the monotonic clock advance', async (t) => {
    const { clock, pass } = make();
    const wall = clock.now().getTime();
    const stopwatch = clock.monotonic();
    await pass(20);
    t.ok(clock.now().getTime() - wall >= 19);
    t.ok(clock.monotonic() - stopwatch >= 20);
  });

  await t.test('a timer runs once, when it is due and not earlier', async (t) => {
    const { clock, pass } = make();
    const start = clock.monotonic();
    const at: number[] = [];
    clock.after(200, () => void at.push(clock.monotonic() - start));
    t.same(at, []);
    await pass(10);
    t.same(at, []);
    await pass(240);
    await pass(10);
    t.equal(at.length, 1);
    t.ok((at[0] as number) >= 200);
  });

  await t.test('timers run in the order of their due times; timers due together run in the order in which they were set', async (t) => {
    const { clock, pass } = make();
    const ran: string[] = [];
    clock.after(40, () => void ran.push('late'));
    clock.after(10, () => void ran.push('early'));
    clock.after(10, () => void ran.push('early too'));
    await pass(60);
    t.same(ran, ['early', 'early too', 'late']);
  });

  await t.test('a timer with a delay of 0 or less runs soon, but only after the caller has continued', async (t) => {
    const { clock, pass } = make();
    const ran: string[] = [];
    clock.after(0, () => void ran.push('timer'));
    clock.after(-5, () => void ran.push('overdue'));
    ran.push('caller');
    await pass(10);
    t.same(ran, ['caller', 'timer', 'overdue']);
  });

  await t.test('a cancelled timer does not run', async (t) => {
    const { clock, pass } = make();
    let ran = 0;
    const timer = clock.after(10, () => void ran++);
    timer.cancel();
    await pass(30);
    t.equal(ran, 0);
    timer.cancel();
  });

  await t.test('a timer more than 24 days away does not run immediately', async (t) => {
    const { clock, pass } = make();
    let ran = 0;
    const timer = clock.after(2 ** 31 + 1000, () => void ran++);
    await pass(20);
    t.equal(ran, 0);
    timer.cancel();
  });

  await t.test('a delay that is not a number is refused', async (t) => {
    const { clock } = make();
    t.throws(() => clock.after(Number.NaN, () => {}), { name: 'RangeError' });
  });

  await t.test('a sleep ends after its time', async (t) => {
    const { clock, pass } = make();
    const start = clock.monotonic();
    let slept = 0;
    void clock.sleep(20).then(() => {
      slept = clock.monotonic() - start;
    });
    await pass(50);
    t.ok(slept >= 20);
  });

  await t.test('a sleep ends immediately when its signal aborts, or has already aborted', async (t) => {
    const { clock } = make();
    const signal = new AbortController();
    const sleep = clock.sleep(60_000, signal.signal);
    signal.abort();
    await sleep;
    await clock.sleep(60_000, signal.signal);
    t.pass('both returned');
  });

  await t.test('during returns what the work returns and throws what it throws', async (t) => {
    const { clock } = make();
    t.equal(await clock.during(async () => 'done'), 'done');
    await t.rejects(
      clock.during(async () => {
        throw new Error('broke');
      }),
      /broke/,
    );
  });
}
