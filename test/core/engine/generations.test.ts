import t from 'tap';
import { generations } from '../../../core/engine/generations.js';

t.test('what is asked for stays, and what was not for a whole generation is forgotten', (t) => {
  const kept = generations<string>(10);
  kept.set('often', 'asked for often', 4);
  kept.set('once', 'asked for once', 4);
  kept.set('third', 'the next generation', 4);
  t.equal(kept.get('often'), 'asked for often', 'of the generation before, and of the present one again');
  kept.set('fourth', 'one more generation', 4);
  t.equal(kept.get('often'), 'asked for often');
  t.equal(kept.get('once'), undefined);
  t.equal(kept.get('nobody'), undefined);
  t.end();
});

t.test('however much comes, no more is kept than two generations hold', (t) => {
  const kept = generations<number>(100);
  for (let n = 0; n < 1_000; n++) kept.set(`${n}`, n, 10);
  const left = Array.from({ length: 1_000 }, (_, n) => n).filter((n) => kept.get(`${n}`) === n);
  t.ok(left.length <= 20, `${left.length} are left`);
  t.ok(left.includes(999));
  t.end();
});
