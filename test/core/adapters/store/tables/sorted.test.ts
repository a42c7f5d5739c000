import t from 'tap';
import { Sorted } from '../../../../../core/adapters/store/tables/sorted.js';
import { SortedGroups } from '../../../../../core/adapters/store/tables/sorted-groups.js';
import { boundsOf, compareEntries, type Entry } from '../../../../../core/ports/index-order.js';
import type { Range } from '../../../../../core/ports/store.js';

/** A sequence of numbers that is the same in every run. */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

t.test('a sorted list has the order of a sorted array, through many chunks', (t) => {
  for (const [seed, below] of [
    [1, 100],
    [2, 100_000],
  ] as const) {
    const next = numbers(seed);
    const list = new Sorted<number>((a, b) => a - b);
    const model = new Set<number>();
    const check = (): void => {
      const sorted = [...model].sort((a, b) => a - b);
      const edge = next(below);
      t.strictSame(
        [...list.from((one) => one < edge)],
        sorted.filter((one) => one >= edge),
      );
      t.strictSame([...list.backFrom((one) => one < edge)], sorted.filter((one) => one < edge).reverse());
      t.equal(list.isEmpty, model.size === 0);
    };
    for (let step = 0; step < 6_000; step++) {
      // Grows for most of the run, then shrinks to nothing.
      const item = step % 3 === 0 ? below + step : next(below);
      if (!model.has(item)) list.add(item);
      model.add(item);
      if (step % 4 === 0) {
        const gone = next(below);
        list.remove(gone);
        model.delete(gone);
      }
      if (step % 500 === 0) check();
    }
    check();
    for (const item of [...model]) {
      list.remove(item);
      model.delete(item);
      if (model.size % 500 === 0) check();
    }
    list.fill(Array.from({ length: 2_000 }, (_, n) => 2 * n));
    list.add(1_001);
    t.strictSame([...list.from((one) => one < 999)].slice(0, 3), [1_000, 1_001, 1_002]);
  }
  t.end();
});

interface Item {
  readonly entry: Entry;
}

t.test('groups give the ranges of one sorted list', (t) => {
  const ranges: Range[] = [
    {},
    { equals: ['b'] },
    { equals: ['nothing'] },
    { equals: ['b'], from: [3], before: [7] },
    { from: ['b'] },
    { after: ['b'] },
    { to: ['b'] },
    { from: ['a', 5], before: ['c', 2] },
    { equals: [null] },
    { from: [1], to: [2] },
  ];
  for (const isGrouped of [true, false]) {
    const next = numbers(3);
    const order = {
      compare: (a: Item, b: Item) => compareEntries(a.entry, b.entry),
      compareTo: (item: Item, edge: Entry) => compareEntries(item.entry, edge),
      group: isGrouped ? ({ entry: [first] }: Item) => first as string : undefined,
    };
    const groups = new SortedGroups<Item>(order);
    let model: Item[] = [];
    const check = (of: SortedGroups<Item>): void => {
      const sorted = [...model].sort(order.compare);
      for (const range of ranges) {
        const { low, high } = boundsOf(range, 3);
        const expected = sorted.filter((item) => order.compareTo(item, low) > 0 && order.compareTo(item, high) < 0);
        t.strictSame([...of.ascending(low, high)], expected, JSON.stringify(range));
        t.strictSame([...of.descending(low, high)], expected.reverse(), JSON.stringify(range));
      }
    };
    check(groups);
    for (let step = 0; step < 400; step++) {
      const item = { entry: [['a', 'b', 'c', null, 1, true][next(6)]!, next(10), String(step)] };
      groups.add(item);
      model.push(item);
      if (step % 50 === 0) check(groups);
    }
    const filled = new SortedGroups<Item>(order);
    filled.fill([...model].sort(order.compare), ({ entry: [first] }) => first as string);
    check(filled);
    while (model.length > 0) {
      const gone = model[next(model.length)]!;
      groups.remove(gone);
      model = model.filter((item) => item !== gone);
      if (model.length % 50 < 3) check(groups);
    }
    check(groups);
  }
  t.end();
});
