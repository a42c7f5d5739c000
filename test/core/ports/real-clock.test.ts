import { execFile } from 'node:child_process';
import { setTimeout as realSleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import t from 'tap';
import { RealClock } from '../../../core/adapters/clock/real-clock.js';
import { patient } from '../../../core/testing/slowness.js';

t.test('the real clock reports what timers throw and reject with', async (t) => {
  const received: unknown[] = [];
  const clock = new RealClock({ onError: (error) => received.push((error as Error).message) });
  clock.after(1, () => {
    throw new Error('thrown');
  });
  clock.after(20, async () => {
    throw new Error('rejected');
  });
  await realSleep(50);
  t.same(received, ['thrown', 'rejected']);
});

t.test('the real clock never runs a timer early, not even by a fraction of a millisecond', async (t) => {
  const clock = new RealClock({ onError: (error) => t.fail(String(error)) });
  const early: number[] = [];
  const timers = Array.from({ length: 300 }, (_, i) => {
    const ms = 1 + i / 7;
    const start = clock.monotonic();
    return new Promise<void>((resolve) =>
      clock.after(ms, () => {
        const late = clock.monotonic() - start - ms;
        if (late < 0) early.push(late);
        resolve();
      }),
    );
  });
  await Promise.all([...timers, realSleep(80)]);
  t.same(early, []);
});

t.test('timers of the real clock do not keep the process alive', async (t) => {
  const lines = `
    import { RealClock } from ${JSON.stringify(new URL('../../../core/adapters/clock/real-clock.js', import.meta.url).href)};
    const clock = new RealClock({ onError: console.error });
    clock.after(60_000, () => {});
    void clock.sleep(60_000);
    console.log('done');
  `;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', lines], { timeout: patient(20_000) });
  t.equal(stdout, 'done\n');
});
