import { collection, type IndexValue, type Range, type ReadableCollection } from '../ports/store.js';
import { accounts, type Mail, mails, type OpenPlace, startStore } from './store-place.js';
import type { Tap } from './tap.js';

interface Thing {
  key: string;
  a?: IndexValue;
  b?: IndexValue;
}

const things = collection<Thing>({ key: 'key', indexes: { ab: ['a', 'b'] } });

/** Ordered range reads and sparse indexes. */
export async function indexesContract(t: Tap, open: OpenPlace): Promise<void> {
  const startThings = async (t: Tap) => {
    const store = (await open(t)).create();
    store.define('contract.things', things);
    await store.start();
    t.teardown(() => store.stop());
    return store;
  };
  const putMails = async (t: Tap, documents: readonly Mail[]) => {
    const store = await startStore(t, open);
    await store.transaction((tx) => {
      for (const document of documents) tx.in(mails).put(document);
    });
    return store;
  };
  const ids = (found: readonly Mail[]) => found.map(({ id }) => id);

  await t.test('values of different types are ordered null, boolean, number, string', async (t) => {
    const store = await startThings(t);
    const values: IndexValue[] = [null, false, true, -1e300, -1, 0, 0.5, 1, 2, 10, 1e300, '', '0', '10', '9', 'B', 'a', 'b', 'ä', '\uFFFF'];
    await store.transaction((tx) => {
      for (const [i, a] of values.toReversed().entries()) tx.in(things).put({ key: `k${i}`, a, b: 0 });
    });
    const found = await store.open(things).find('ab');
    t.strictSame(
      found.map(({ a }) => a),
      values,
    );
    const numbers = await store.open(things).find('ab', { from: [0], before: [''] });
    t.strictSame(
      numbers.map(({ a }) => a),
      [0, 0.5, 1, 2, 10, 1e300],
    );
  });

  await t.test('every kind of bound, in both directions, with and without a limit, inside a transaction and outside', async (t) => {
    const store = await startThings(t);
    await store.transaction((tx) => {
      for (const thing of boundThings) tx.in(things).put(thing);
    });
    const ranges = rangesOfBounds();
    const check = async (view: ReadableCollection<Thing>) => {
      for (const { range, expected } of ranges) {
        const found = (await view.find('ab', range)).map(({ key }) => key);
        if (JSON.stringify(found) !== JSON.stringify(expected)) t.strictSame(found, expected, JSON.stringify(range));
      }
      t.pass(`${ranges.length} ranges`);
    };
    await check(store.open(things));
    await store.transaction((tx) => check(tx.in(things)));
    // Now half of the rows come from the transaction itself.
    const rollback = new Error('enough');
    const inside = store.transaction(async (tx) => {
      for (const thing of boundThings.filter((_, i) => i % 2 === 0)) {
        tx.in(things).delete(thing.key);
        if (thing.key.endsWith('1')) tx.in(things).put(thing);
      }
      for (const thing of boundThings.filter((_, i) => i % 2 === 0)) tx.in(things).put(thing);
      await check(tx.in(things));
      throw rollback;
    });
    await t.rejects(inside, /enough/);
  });

  await t.test('entries with equal fields are ordered by key, and a page continues after the last key of the previous one', async (t) => {
    const store = await putMails(
      t,
      Array.from({ length: 25 }, (_, i) => ({ id: `k${String((i * 7) % 25).padStart(2, '0')}`, box: 'in', at: i < 20 ? 1 : 2 })),
    );
    for (const order of ['ascending', 'descending'] as const) {
      const complete = await store.open(mails).find('box', { equals: ['in'], order });
      const pages: Mail[] = [];
      for (;;) {
        const last = pages.at(-1);
        const bound = last && [last.at, last.id];
        const page = await store.open(mails).find('box', {
          equals: ['in'],
          order,
          limit: 4,
          ...(bound && (order === 'ascending' ? { after: bound } : { before: bound })),
        });
        if (page.length === 0) break;
        pages.push(...page);
      }
      t.equal(complete.length, 25);
      t.strictSame(ids(pages), ids(complete), order);
    }
  });

  await t.test('a document without one of the fields is not in that index', async (t) => {
    const store = await putMails(t, [
      { id: 'a', box: 'in', at: 1 },
      { id: 'b', box: 'in', at: 2, subject: 'hello' },
    ]);
    t.strictSame(ids(await store.open(mails).find('subject')), ['b']);
    t.strictSame(ids(await store.open(mails).find('box')), ['a', 'b']);
    await store.transaction((tx) => {
      tx.in(mails).put({ id: 'a', box: 'in', at: 1, subject: 'now' });
      tx.in(mails).put({ id: 'b', box: 'in', at: 2 });
    });
    t.strictSame(ids(await store.open(mails).find('subject')), ['a']);
  });

  await t.test('a changed document moves in the indexes, and a deleted one leaves them', async (t) => {
    const store = await putMails(t, [
      { id: 'a', box: 'in', at: 1 },
      { id: 'b', box: 'in', at: 2 },
      { id: 'c', box: 'out', at: 3 },
    ]);
    await store.transaction((tx) => tx.in(mails).put({ id: 'a', box: 'out', at: 9 }));
    await store.transaction((tx) => tx.in(mails).delete('b'));
    t.strictSame(ids(await store.open(mails).find('box', { equals: ['in'] })), []);
    t.strictSame(ids(await store.open(mails).find('box', { equals: ['out'] })), ['c', 'a']);
  });

  await t.test('an unknown index, or a bound that is too long, is named in the error', async (t) => {
    const store = await startStore(t, open);
    const view = store.open(mails);
    await t.rejects(view.find('nothing'), /nothing/);
    await t.rejects(view.getBy('box', ['in', 1]), /not unique/);
    await t.rejects(store.open(accounts).getBy('owner', []), /owner/);
    await t.rejects(view.find('box', { equals: ['in', 1, 'key', 2] }), /bound/);
    await t.rejects(view.find('box', { limit: Number.NaN }), /limit/);
  });

  await t.test('the newest ten are found without reading the others', async (t) => {
    const few = await putMails(t, conversation(200));
    const many = await putMails(t, conversation(20_000));
    const newest = (store: typeof few) => store.open(mails).find('box', { equals: ['in'], order: 'descending', limit: 10 });
    t.strictSame(
      ids(await newest(many)),
      Array.from({ length: 10 }, (_, i) => `in-${19_999 - i}`),
    );
    // A full scan would take a hundred times as long. Compares the fastest of many rounds, because a busy machine delays some rounds.
    const best = async (store: typeof few) => {
      let shortest = Number.POSITIVE_INFINITY;
      for (let round = 0; round < 50; round++) {
        const began = performance.now();
        await newest(store);
        shortest = Math.min(shortest, performance.now() - began);
      }
      return shortest;
    };
    const [amongFew, amongMany] = [await best(few), await best(many)];
    t.ok(amongMany < 20 * amongFew, `${amongMany} ms among 20,000 and ${amongFew} ms among 200`);
  });
}

const conversation = (count: number): Mail[] => Array.from({ length: count }, (_, at) => ({ id: `in-${at}`, box: 'in', at }));

const boundValues: readonly (IndexValue | undefined)[] = [undefined, null, 0, 1, 2, 'x'];
const boundThings: readonly Thing[] = boundValues.flatMap((a) =>
  boundValues.flatMap((b) =>
    ['1', '2'].map((copy) => ({
      key: `${String(a)}:${String(b)}:${copy}`,
      ...(a !== undefined && { a }),
      ...(b !== undefined && { b }),
    })),
  ),
);

let withBounds: readonly { readonly range: Range; readonly expected: readonly string[] }[] | undefined;

/** Ranges and the keys that they find among `boundThings`. Computed once: checking every document takes longer than what it checks. */
const rangesOfBounds = () =>
  (withBounds ??= [...someRanges()].map((range) => ({ range, expected: naively(boundThings, range).map(({ key }) => key) })));

/** Ranges of every shape over small values. */
function* someRanges(): Generator<Range> {
  const bounds: (IndexValue[] | undefined)[] = [undefined, [], [1], [2], [1, 1], [2, 0], [null], ['x', 'x'], [1, 1, '1:1:1']];
  const orders = [undefined, 'ascending', 'descending'] as const;
  const compact = (range: { [name in keyof Range]: Range[name] | undefined }) =>
    Object.fromEntries(Object.entries(range).filter(([, value]) => value !== undefined)) as Range;
  for (const low of bounds) {
    for (const high of bounds) {
      for (const order of orders) {
        for (const limit of [undefined, 0, 1, 3]) {
          yield compact({ from: low, to: high, order, limit });
          yield compact({ after: low, before: high, order, limit });
          yield compact({ from: low, before: high, order, limit });
          yield compact({ after: low, to: high, order, limit });
        }
      }
    }
  }
  yield { from: [1], after: [1, 0], to: [2], before: [2, 1] };
  for (const equals of [[1], [1, 1], ['x'], [null, null]]) {
    for (const order of orders) {
      yield compact({ equals, order });
      if (equals.length === 1) yield compact({ equals, from: [0], before: [2], order, limit: 3 });
      if (equals.length === 1) yield compact({ equals, after: [0], to: ['x'], order });
    }
  }
}

/** The same result by checking every document. */
function naively(all: readonly Thing[], { equals = [], from, after, to, before, order, limit }: Range): Thing[] {
  const rank = (value: IndexValue) => (value === null ? 0 : typeof value === 'boolean' ? 1 : typeof value === 'number' ? 2 : 3);
  const compare = (x: readonly IndexValue[], y: readonly IndexValue[]): number => {
    for (let i = 0; i < Math.min(x.length, y.length); i++) {
      const [one, other] = [x[i]!, y[i]!];
      if (one === other) continue;
      return rank(one) !== rank(other) ? rank(one) - rank(other) : one! < other! ? -1 : 1;
    }
    return 0;
  };
  const entry = ({ a, b, key }: Thing) => [a, b, key] as IndexValue[];
  const found = all
    .filter(({ a, b }) => a !== undefined && b !== undefined)
    .filter((thing) => compare(entry(thing), equals) === 0)
    .filter((thing) => !from || compare(entry(thing), [...equals, ...from]) >= 0)
    .filter((thing) => !after || compare(entry(thing), [...equals, ...after]) > 0)
    .filter((thing) => !to || compare(entry(thing), [...equals, ...to]) <= 0)
    .filter((thing) => !before || compare(entry(thing), [...equals, ...before]) < 0)
    .sort((x, y) => compare(entry(x), entry(y)));
  return (order === 'descending' ? found.reverse() : found).slice(0, limit);
}
