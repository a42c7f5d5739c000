import { AssertionError } from 'node:assert';
import type { TestContext } from 'node:test';
import t from 'tap';
import { nodeTap } from '#core/testing';

const tests: string[] = [];
const context = {
  test: async (name: string, run: (t: TestContext) => Promise<void>) => {
    tests.push(name);
    await run(context);
  },
  after: (run: () => unknown) => void run(),
  diagnostic: () => undefined,
} as unknown as TestContext;
const ours = nodeTap(context);

t.test("assertions that hold pass under Node's runner", async (t) => {
  const passing = [
    ours.ok(1),
    ours.notOk(''),
    ours.equal(1, 1),
    ours.not(1, 2),
    ours.same({ a: [1, { b: null }] }, { a: ['1', { b: null }] }),
    ours.notSame([1], [2]),
    ours.strictSame({ a: 1 }, { a: 1 }),
    ours.match({ a: 'hello', b: 2, c: [{ d: new Date(0) }] }, { a: /ell/, b: Number, c: [{ d: new Date(0) }] }),
    ours.match({ error: new TypeError('no') }, { error: TypeError }),
    ours.notMatch({ a: 1 }, { a: 2 }),
    ours.throws(() => {
      throw new Error('as wanted');
    }, /wanted/),
  ];
  t.ok(passing.every(Boolean));
  await ours.rejects(Promise.reject(new RangeError('far')), { name: 'RangeError', message: /far/ });
});

t.test("assertions that fail throw under Node's runner", async (t) => {
  const failing: [string, () => unknown][] = [
    ['ok', () => ours.ok(0)],
    ['notOk', () => ours.notOk(1)],
    ['equal', () => ours.equal({}, {})],
    ['not', () => ours.not(1, 1)],
    ['same', () => ours.same({ a: 1 }, { a: 1, b: 2 })],
    ['notSame', () => ours.notSame([1], [1])],
    ['strictSame', () => ours.strictSame({ a: 1 }, { a: '1' })],
    ['match', () => ours.match({ a: 'hello' }, { a: /x/ })],
    ['match, of what is not there', () => ours.match({}, { a: { b: 1 } })],
    ['match, of kinds', () => ours.match({ a: 1 }, { a: String })],
    ['notMatch', () => ours.notMatch({ a: 1 }, { a: 1 })],
    ['fail', () => ours.fail('so')],
    ['throws', () => ours.throws(() => 1)],
    ['throws another', () => ours.throws(() => JSON.parse('{'), /nothing like it/)],
  ];
  for (const [name, run] of failing) t.throws(run, AssertionError as never, name);
  await t.rejects(ours.rejects(Promise.resolve(1)), AssertionError as never);
  await t.rejects(ours.rejects(Promise.reject(new Error('other')), { name: 'RangeError' }), AssertionError as never);
});

t.test('nested tests have their own context and teardown', async (t) => {
  let isOver = false;
  await ours.test('a part', async (part) => {
    part.teardown(() => (isOver = true));
  });
  t.strictSame(tests, ['a part']);
  t.ok(isOver);
});
