import fc from 'fast-check';
import t from 'tap';
import { mergePatch } from '../../../../../core/adapters/store/files/merge-patch.js';

t.test('the examples of RFC 7396 give what it says', async (t) => {
  const cases: [document: unknown, patch: unknown, result: unknown][] = [
    [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
    [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
    [{ a: 'b' }, { a: null }, {}],
    [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
    [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
    [{ a: 'c' }, { a: ['b'] }, { a: ['b'] }],
    [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
    [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
    [
      ['a', 'b'],
      ['c', 'd'],
      ['c', 'd'],
    ],
    [{ a: 'b' }, ['c'], ['c']],
    [{ a: 'foo' }, null, null],
    [{ a: 'foo' }, 'bar', 'bar'],
    [{ e: null }, { a: 1 }, { e: null, a: 1 }],
    [[1, 2], { a: 'b', c: null }, { a: 'b' }],
    [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
  ];
  for (const [document, patch, result] of cases) t.strictSame(mergePatch(document, patch), result, JSON.stringify([document, patch]));
});

t.test('neither the document nor the patch is changed, and a field called __proto__ is a field', async (t) => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (document, patch) => {
      const before = JSON.stringify([document, patch]);
      mergePatch(document, patch);
      return JSON.stringify([document, patch]) === before;
    }),
  );
  const merged = mergePatch({}, JSON.parse('{"__proto__":{"a":1}}')) as object;
  t.equal(Object.getPrototypeOf(merged), Object.prototype);
  t.equal(JSON.stringify(merged), '{"__proto__":{"a":1}}');
});
