import t from 'tap';
import { generations } from '../../../../plugins/journeys/engine/generations.js';

t.test('entries that are read stay; others are evicted after a generation', (t) => {
  const kept = generations<string>(10);
  kept.set('often', 'asked for often', 4);
  kept.set('once', 'asked for once', 4);
  kept.set('third', 'the next generation', 4);
  t.equal(kept.get('often'), 'asked for often', 'moves from the old generation to the young one');
  kept.set('fourth', 'one more generation', 4);
  t.equal(kept.get('often'), 'asked for often');
  t.equal(kept.get('once'), undefined);
  t.equal(kept.get('absent'), undefined);
  t.end();
});

t.test('the cache never exceeds the weight of two generations', (t) => {
  const kept = generations<number>(100);
  for (let n = 0; n < 1_000; n++) kept.set(`${n}`, n, 10);
  const left = Array.from({ length: 1_000 }, (_, n) => n).filter((n) => kept.get(`${n}`) === n);
  t.ok(left.length <= 20, `${left.length} are left`);
  t.ok(left.includes(999));
  t.end();
});
