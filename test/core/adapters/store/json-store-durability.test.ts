import t from 'tap';
import type { JsonStore } from '../../../../core/adapters/store/json-store.js';
import { collection } from '../../../../core/ports/store.js';
import { everything, SimulatedDisk } from './simulated-disk.js';
import { addEntry, counters, FOLDER, left, storeOn } from './store-on-disk.js';

/** Starts a store whose journal syncs wait until `release` is called. */
async function startBlocked(): Promise<{ store: JsonStore; release: () => void }> {
  const disk = new SimulatedDisk();
  const store = storeOn(disk);
  await store.start();
  for (let i = 0; i < 3; i++) await addEntry(store);
  let release = () => {};
  const blocked = new Promise<void>((resolve) => (release = resolve));
  disk.before = ({ name, path }) => (name === 'sync' && path.endsWith('.jsonl') ? blocked : undefined);
  return { store, release };
}

const isPending = async (promise: Promise<unknown>): Promise<boolean> => {
  const pending = Symbol('pending');
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
  return (await Promise.race([promise, pending])) === pending;
};

t.test('writes are invisible outside transactions until they are durable', async (t) => {
  const { store, release } = await startBlocked();
  const done: string[] = [];
  const write = store.transaction((tx) => {
    tx.in(left).put({ id: 'new', n: 10, text: '' });
    tx.in(left).put({ id: 'e0001', n: 11, text: 'changed' });
    tx.in(left).delete('e0002');
    tx.afterCommit(() => done.push('callback'));
  });
  void write.then(() => done.push('written'));
  t.ok(await isPending(write));
  t.strictSame(done, []);

  const outside = store.open(left);
  const waiting = {
    'a new document': outside.get('new'),
    'a changed one': outside.get('e0001'),
    'a deleted one': outside.get('e0002'),
    'a range it is in': outside.find('n', { from: [10] }),
    'a range it was in': outside.find('n', { equals: [1] }),
    'a range with a limit': outside.find('n', { limit: 2 }),
    'the list': outside.list(),
    'the count': outside.count(),
  };
  for (const [what, read] of Object.entries(waiting)) t.ok(await isPending(read), `${what} waits`);
  t.match(await outside.get('e0000'), { n: 0 }, 'another document does not wait');
  t.match(await outside.find('n', { equals: [0] }), [{ n: 0 }], 'nor does another range');
  t.equal(await store.open(counters).count(), 1, 'nor another collection');

  let seen: unknown;
  const inside = store.transaction(async (tx) => {
    seen = (await tx.in(left).get('new'))?.n;
    return seen;
  });
  t.ok(await isPending(inside), 'a transaction that read it ends only when it is durable');
  t.equal(seen, 10, 'but continues meanwhile');
  t.equal(
    await store.transaction(async (tx) => (await tx.in(counters).get('entries'))?.count),
    3,
    'a transaction that did not read it ends',
  );
  const complaint = store.transaction(async (tx) => {
    if (await tx.in(left).get('new')) throw new Error('it is there already');
  });
  t.ok(await isPending(complaint.catch(() => {})), 'an error about it waits too');

  release();
  await write;
  t.strictSame(done, ['callback', 'written']);
  t.match(await waiting['a new document'], { n: 10 });
  t.match(await waiting['a changed one'], { n: 11 });
  t.equal(await waiting['a deleted one'], undefined);
  t.strictSame(
    (await waiting['a range it is in']).map(({ n }) => n),
    [10, 11],
  );
  t.equal(await inside, 10);
  await t.rejects(complaint, /already/);
  await store.stop();
});

t.test('a transaction that read a unique index ends only when what it saw is durable', async (t) => {
  const disk = new SimulatedDisk();
  const store = storeOn(disk);
  const seats = collection<{ id: string; seat: number }>({ key: 'id', unique: { seat: ['seat'] } });
  store.define('test.seats', seats);
  await store.start();
  t.teardown(() => store.stop());
  let release = () => {};
  const blocked = new Promise<void>((resolve) => (release = resolve));
  disk.before = ({ name, path }) => (name === 'sync' && path.endsWith('.jsonl') ? blocked : undefined);
  const write = store.transaction((tx) => tx.in(seats).put({ id: 'ann', seat: 1 }));
  const found = store.transaction(async (tx) => (await tx.in(seats).getBy('seat', [1]))?.id);
  t.ok(await isPending(found));
  release();
  await write;
  t.equal(await found, 'ann');
});

t.test('commits that arrive during a write share the next write and the next sync', async (t) => {
  const disk = new SimulatedDisk();
  const store = storeOn(disk);
  await store.start();
  const operations: string[] = [];
  disk.before = async ({ name, path }) => {
    if (path.endsWith('.jsonl')) operations.push(name);
    await new Promise((resolve) => setTimeout(resolve, 2));
  };
  await Promise.all(Array.from({ length: 200 }, (_, n) => store.transaction((tx) => tx.in(left).put({ id: `${n}`, n, text: '' }))));
  t.ok(operations.length <= 6, `${operations.join(' ')} for 200 transactions`);
  await store.stop();
});

t.test('a start makes the end of the journal durable before it begins another segment', async (t) => {
  const disk = new SimulatedDisk();
  const store = storeOn(disk);
  await store.start();
  await addEntry(store);
  // The process was killed: what it had written is readable, and not all of it is durable.
  const found = disk.afterCrash(everything);
  const operations: string[] = [];
  found.before = ({ name, path }) => {
    if (path.endsWith('.jsonl')) operations.push(`${name} ${path}`);
  };
  await storeOn(found).start();
  const begins = operations.findIndex((operation) => operation.startsWith('create'));
  const [last] = (await disk.list(FOLDER)).filter(({ name }) => name.endsWith('.jsonl')).reverse();
  t.ok(begins > 0, operations.join(', '));
  t.ok(operations.slice(0, begins).includes(`sync ${FOLDER}/${last!.name}`), operations.join(', '));
  await store.stop();
});
