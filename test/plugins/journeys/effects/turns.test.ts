import t from 'tap';
import { createFairLock } from '../../../../plugins/journeys/effects/turns.js';

/** Work that ends on demand. */
function works() {
  const began: string[] = [];
  const ends: ((error?: Error) => void)[] = [];
  const work = (name: string) => (): Promise<string> => {
    began.push(name);
    return new Promise((resolve, reject) => ends.push((error) => (error ? reject(error) : resolve(name))));
  };
  const end = async (error?: Error): Promise<void> => {
    ends.shift()?.(error);
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { began, work, end };
}

t.test('work runs one at a time, and the first of every owner before the second of any', async (t) => {
  const inTurn = createFairLock();
  const { began, work, end } = works();
  const all = ['a1', 'a2', 'a3', 'b1', 'a4', 'b2', 'c1'].map((name) => inTurn(name.charAt(0), work(name)));
  t.strictSame(began, ['a1']);
  for (const expected of ['b1', 'a2', 'c1', 'b2', 'a3', 'a4']) {
    await end();
    t.equal(began.at(-1), expected);
  }
  await end();
  t.strictSame(await Promise.all(all), ['a1', 'a2', 'a3', 'b1', 'a4', 'b2', 'c1']);
  const late = inTurn('a', work('a5'));
  t.equal(began.at(-1), 'a5', 'without running work the next starts immediately');
  await end();
  t.equal(await late, 'a5');
});

t.test('failing work releases the lock', async (t) => {
  const inTurn = createFairLock();
  const { began, work, end } = works();
  const first = inTurn('a', work('a1'));
  const second = inTurn('b', work('b1'));
  const failed = t.rejects(first, { message: 'no' });
  await end(new Error('no'));
  await failed;
  t.strictSame(began, ['a1', 'b1']);
  await end();
  t.equal(await second, 'b1');
});
