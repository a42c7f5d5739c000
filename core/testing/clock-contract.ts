import type { Clock } from '../ports/clock.js';
import type { Tap } from './tap.js';

/** A clock, and how its time goes by. */
export interface ClockUnderTest {
  readonly clock: Clock;
  /** Lets this much of the clock's time go by. */
  pass(ms: number): Promise<void>;
}

/** What every clock must do. */
export async function clockContract(t: Tap, make: () => ClockUnderTest): Promise<void> {
  await t.test('time goes by, on the wall and on the stopwatch', async (t) => {
    const { clock, pass } = make();
    const wall = clock.now().getTime();
    const stopwatch = clock.monotonic();
    await pass(20);
    t.ok(clock.now().getTime() - wall >= 19);
    t.ok(clock.monotonic() - stopwatch >= 20);
  });

  await t.test('a timer runs once, when its time has come and not before', async (t) => {
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

  await t.test('timers run in the order in which they are due, and those due together in the order of their making', async (t) => {
    const { clock, pass } = make();
    const ran: string[] = [];
    clock.after(40, () => void ran.push('late'));
    clock.after(10, () => void ran.push('early'));
    clock.after(10, () => void ran.push('early too'));
    await pass(60);
    t.same(ran, ['early', 'early too', 'late']);
  });

  await t.test('a timer of no milliseconds runs soon, but not before the caller goes on', async (t) => {
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

  await t.test('a timer more than 24 days away does not run at once', async (t) => {
    const { clock, pass } = make();
    let ran = 0;
    const timer = clock.after(2 ** 31 + 1000, () => void ran++);
    await pass(20);
    t.equal(ran, 0);
    timer.cancel();
  });

  await t.test('what is not a number of milliseconds is refused', async (t) => {
    const { clock } = make();
    t.throws(() => clock.after(Number.NaN, () => {}), { name: 'RangeError' });
  });

  await t.test('a sleep ends when its time is over', async (t) => {
    const { clock, pass } = make();
    const start = clock.monotonic();
    let slept = 0;
    void clock.sleep(20).then(() => {
      slept = clock.monotonic() - start;
    });
    await pass(50);
    t.ok(slept >= 20);
  });

  await t.test('a sleep ends at once when its signal aborts, or has aborted', async (t) => {
    const { clock } = make();
    const signal = new AbortController();
    const sleep = clock.sleep(60_000, signal.signal);
    signal.abort();
    await sleep;
    await clock.sleep(60_000, signal.signal);
    t.pass('both came back');
  });

  await t.test('during gives back what the work returns or throws', async (t) => {
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
