import fc from 'fast-check';
import t from 'tap';
import { PackedTexts, PackedValues } from '../../../../../core/adapters/store/cold/packed-values.js';
import type { IndexValue } from '../../../../../core/ports/store.js';
import { codePoint } from '../../../../../scripts/fuzz/code-point.js';

t.test('packed values are those that were packed, also halves of surrogate pairs', async (t) => {
  const text = fc.oneof(fc.string(), fc.string({ unit: codePoint }), fc.constantFrom('é', '\ud83d', '\ude00x', '👍'));
  const value = fc.oneof<fc.Arbitrary<IndexValue>[]>(text, fc.integer(), fc.boolean(), fc.constant(null));
  const column = fc.oneof<fc.Arbitrary<IndexValue>[]>(text, value, fc.constant('the same'), fc.constant(null));
  fc.assert(
    fc.property(fc.array(text), (texts) => {
      const packed = new PackedTexts(texts);
      t.strictSame(
        texts.map((_, i) => packed.at(i)),
        texts,
      );
      t.equal(packed.length, texts.length);
    }),
  );
  fc.assert(
    fc.property(fc.array(fc.tuple(column, text, fc.constant('the same')), { minLength: 1 }), (lists) => {
      const packed = new PackedValues(lists);
      t.strictSame(
        lists.map((_, i) => packed.at(i)),
        lists,
      );
    }),
  );
  t.equal(new PackedTexts(['ab', 'c']).bytes, 3 + 8);
  t.equal(new PackedTexts(['ab', 'c😀']).bytes, 10 + 8);
});
