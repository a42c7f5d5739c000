import fc from 'fast-check';
import t from 'tap';
import { inIndexOrder, inKeyOrder, SharedStrings } from '../../../../../core/adapters/store/tables/load-index.js';
import { compareEntries, type Entry } from '../../../../../core/ports/index-order.js';
import { runs } from '../../../../forms.js';

/** Few distinct values, so that many are equal. */
const value = fc.oneof(fc.constantFrom(null, true, false, -0, 0, 1, 10, 9, 'a', 'b', 'ab'), fc.string({ maxLength: 2 }));
const documents = fc.uniqueArray(fc.record({ key: fc.string({ minLength: 1, maxLength: 3 }), a: value, b: value }), {
  selector: ({ key }) => key,
});

t.test('bulk sorting gives the index order of single inserts, whatever the key order', (t) => {
  fc.assert(
    fc.property(documents, (loaded) => {
      const entries = inKeyOrder([...loaded], ({ key }) => key).map(({ key, a, b }): Entry => [a, b, key]);
      const sorted = inIndexOrder(entries, (entry, field) => entry[field]!, 2);
      t.strictSame(sorted, [...entries].sort(compareEntries));
    }),
    { numRuns: runs(300) },
  );
  t.end();
});

t.test('an index that ends with the key does not compare it, because items arrive in key order', (t) => {
  const entries: Entry[] = [
    ['late', 'a', 'a'],
    ['early', 'b', 'b'],
    ['late', 'c', 'c'],
    ['early', 'd', 'd'],
  ];
  t.strictSame(
    inIndexOrder(entries, (entry, field) => entry[field]!, 1).map((entry) => entry[2]),
    ['b', 'd', 'a', 'c'],
  );
  t.end();
});

t.test('repeated values share one string, and unique values are not stored', (t) => {
  const repeated = new SharedStrings();
  const different = new SharedStrings();
  for (let n = 0; n < 3_000; n++) {
    t.equal(repeated.of(`number ${n % 10}`), `number ${n % 10}`);
    t.equal(different.of(`message ${n}`), `message ${n}`);
  }
  t.equal(repeated.size, 10);
  t.equal(different.size, 1_000);
  t.end();
});
