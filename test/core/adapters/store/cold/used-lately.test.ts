import t from 'tap';
import { UsedLately } from '../../../../../core/adapters/store/cold/used-lately.js';

t.test('keeps the items that were used last, up to a total size', async (t) => {
  const removed: string[] = [];
  const kept = new UsedLately<string>(10, (item) => removed.push(item));
  for (const name of ['a', 'b', 'c']) t.equal(kept.set(name, name, 3), true);
  t.equal(kept.get('a'), 'a');
  kept.set('d', 'd', 3);
  t.strictSame(removed, ['b'], 'a was used later');
  kept.set('c', 'longer c', 5);
  t.strictSame(removed, ['b', 'c', 'a'], 'the item that is replaced, then the oldest');
  t.equal(kept.set('e', 'too large', 11), false);
  t.equal(kept.get('e'), undefined);
  t.equal(removed.length, 3, 'nothing gives way to an item that is not kept');
  kept.set('d', 'too large', 11);
  t.equal(kept.get('d'), undefined, 'it replaces its predecessor, though');
  kept.clear();
  t.strictSame(removed.slice(3), ['d', 'longer c']);
  t.equal(kept.get('c'), undefined);
});
