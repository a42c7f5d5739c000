import t from 'tap';
import { collection, createPlatform, definePlugin, event, type Transaction } from '#core';
import { InlinePool, ManualClock, RecordingLogger, type Tap } from '#core/testing';
import { sharedTransactions } from '../../../core/delivery/shared-transactions.js';

interface Thing {
  readonly name: string;
  readonly count: number;
}
const things = collection<Thing>({ key: 'name' });
const counted = event<Thing>('thing.counted', 'A thing was counted.');

async function start(t: Tap) {
  const shelf = definePlugin({ name: 'shelf', version: '1.0.0', collections: { things }, register: () => ({}) });
  const platform = createPlatform({
    plugins: [shelf()],
    ports: { clock: new ManualClock(), workers: new InlinePool(), log: new RecordingLogger() },
  });
  await platform.start();
  t.teardown(() => platform.stop());
  const heard: string[] = [];
  platform.listen(({ data }) => void heard.push((data as Thing).name));
  let made = 0;
  const shared = sharedTransactions({
    transaction: (work) => {
      made++;
      return platform.store.transaction(work);
    },
  });
  const put = (name: string) => (tx: Transaction) => {
    tx.in(things).put({ name, count: 1 });
    tx.emit(counted, { name, count: 1 });
    return name.toUpperCase();
  };
  const all = async () => (await platform.store.open(things).list()).map(({ name }) => name);
  return { platform, shared, put, all, heard, made: () => made };
}

t.test('what is asked for in one turn of the event loop is one transaction, and each has its own result', async (t) => {
  const { shared, put, all, heard, made } = await start(t);
  t.strictSame(await Promise.all(['a', 'b', 'c'].map((name) => shared.transaction(put(name)))), ['A', 'B', 'C']);
  t.equal(made(), 1);
  t.strictSame(await all(), ['a', 'b', 'c']);
  t.strictSame(heard, ['a', 'b', 'c'], 'in the order in which they were asked for');
  t.equal(await shared.transaction(put('d')), 'D');
  t.equal(made(), 2, 'what is asked for later is another one');
});

t.test('later ones see what earlier ones of the same turn have written', async (t) => {
  const { platform, shared, put } = await start(t);
  await platform.store.transaction(put('a'));
  const more = async (tx: Transaction) => {
    const { count } = (await tx.in(things).get('a'))!;
    tx.in(things).put({ name: 'a', count: count + 1 });
    return count;
  };
  t.strictSame(await Promise.all([1, 2, 3].map(() => shared.transaction(more))), [1, 2, 3]);
});

t.test('one that fails fails alone: of it nothing is left, of the others everything', async (t) => {
  const { shared, put, all, heard, made } = await start(t);
  const broken = (tx: Transaction) => {
    put('broken')(tx);
    throw new Error('this one cannot be written');
  };
  const outcomes = await Promise.allSettled([shared.transaction(put('a')), shared.transaction(broken), shared.transaction(put('c'))]);
  t.match(outcomes, [
    { status: 'fulfilled', value: 'A' },
    { status: 'rejected', reason: { message: 'this one cannot be written' } },
    { status: 'fulfilled', value: 'C' },
  ]);
  t.equal(made(), 4, 'together, and then each by itself');
  t.strictSame(await all(), ['a', 'c']);
  t.strictSame(heard, ['a', 'c'], 'nothing is heard twice, or of what was not written');
});

t.test('what one writes that the store refuses does not keep the others from theirs', async (t) => {
  const { shared, put, all } = await start(t);
  const unwritable = (tx: Transaction) => tx.in(things).put({ name: 'x', count: Number.NaN });
  const outcomes = await Promise.allSettled([shared.transaction(unwritable), shared.transaction(put('b'))]);
  t.strictSame(
    outcomes.map(({ status }) => status),
    ['rejected', 'fulfilled'],
  );
  t.strictSame(await all(), ['b']);
});

t.test('more than 64 are more than one transaction', async (t) => {
  const { shared, put, all, made } = await start(t);
  const names = Array.from({ length: 130 }, (_, n) => `thing-${String(n).padStart(3, '0')}`);
  await Promise.all(names.map((name) => shared.transaction(put(name))));
  t.equal(made(), 3);
  t.strictSame(await all(), names);
});
