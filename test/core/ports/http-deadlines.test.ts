import t from 'tap';
import { ManualClock } from '../../../core/adapters/clock/manual-clock.js';
import { Deadlines } from '../../../core/adapters/http/deadlines.js';

t.test('deadlines of any length expire at their own times', async (t) => {
  const { clock, deadlines, came } = start();
  for (const ms of [50, 10, 50, 30]) deadlines.set(ms, () => came.push(`${ms} at ${clock.monotonic()}`));
  await clock.advance(20);
  deadlines.set(50, () => came.push(`later 50 at ${clock.monotonic()}`));
  await clock.advance(100);
  t.same(came, ['10 at 10', '30 at 30', '50 at 50', '50 at 50', 'later 50 at 70']);
});

t.test('a cancelled deadline does not expire, whatever its position in the list', async (t) => {
  const { clock, deadlines, came } = start();
  const set = Array.from({ length: 5 }, (_, i) => deadlines.set(10, () => came.push(`${i}`)));
  for (const i of [0, 2, 4]) set[i]?.cancel();
  set[0]?.cancel();
  await clock.advance(20);
  t.same(came, ['1', '3']);
  set[1]?.cancel();
});

t.test('deadlines may be set and cancelled while one expires', async (t) => {
  const { clock, deadlines, came } = start();
  deadlines.set(10, () => {
    came.push('first');
    second.cancel();
    deadlines.set(10, () => came.push(`again at ${clock.monotonic()}`));
  });
  const second = deadlines.set(10, () => came.push('second'));
  await clock.advance(50);
  t.same(came, ['first', 'again at 20']);
});

t.test('no timer of the clock remains without deadlines', async (t) => {
  const { clock, deadlines } = start();
  const set = [10, 20, 10, 30].map((ms) => deadlines.set(ms, () => {}));
  t.equal(clock.pending().length, 3);
  for (const deadline of set) deadline.cancel();
  t.equal(clock.pending().length, 0);
});

t.test('lists of unused lengths are removed, and pending deadlines are kept', async (t) => {
  const { clock, deadlines, came } = start();
  deadlines.set(7, () => came.push('kept'));
  for (let ms = 1000; ms < 2000; ms++) deadlines.set(ms, () => came.push('cancelled')).cancel();
  t.equal(clock.pending().length, 1);
  await clock.advance(3000);
  t.same(came, ['kept']);
});

function start() {
  const clock = new ManualClock();
  return { clock, deadlines: new Deadlines(clock), came: [] as string[] };
}
