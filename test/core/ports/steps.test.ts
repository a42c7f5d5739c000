import t from 'tap';
import { promiseOf, runSteps, type Steps, wait } from '../../../core/ports/steps.js';

function* sumOf(...numbers: (Promise<number> | number)[]): Steps<number> {
  let sum = 0;
  for (const number of numbers) sum += yield* wait(number);
  return sum;
}

t.test('steps without a promise run to their end in one go', async (t) => {
  t.equal(runSteps(sumOf(1, 2)), 3);
  t.equal(runSteps(sumOf()), 0);
});

t.test('steps wait for promises, and for other objects with a then method', async (t) => {
  const sum = runSteps(sumOf(1, Promise.resolve(2), 3, Promise.resolve(4)));
  t.ok(sum instanceof Promise);
  t.equal(await sum, 10);
  // biome-ignore lint/suspicious/noThenProperty: what `await` accepts
  const other = { then: (resolve: (value: number) => void) => resolve(5) } as unknown as Promise<number>;
  t.equal(await runSteps(sumOf(other)), 5);
});

t.test('a rejection is thrown where it was waited for', async (t) => {
  const seen: string[] = [];
  function* careful(): Steps<string> {
    try {
      yield* wait(Promise.reject<string>(new Error('no')));
    } catch (error) {
      seen.push((error as Error).message);
    }
    try {
      return yield* wait(Promise.reject<string>(new Error('again')));
    } finally {
      seen.push('finally');
    }
  }
  await t.rejects(Promise.resolve(runSteps(careful())), { message: 'again' });
  t.strictSame(seen, ['no', 'finally']);
});

t.test('a throw before the first wait is one of the call, and with promiseOf one of its promise', async (t) => {
  function* faulty(): Steps<never> {
    yield* wait(1);
    throw new Error('at once');
  }
  t.throws(() => runSteps(faulty()), { message: 'at once' });
  await t.rejects(promiseOf(faulty()), { message: 'at once' });
  t.equal(await promiseOf(sumOf(1, 2)), 3);
});
