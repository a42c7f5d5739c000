import { type LiveOwner, liveCollection, type MergePatch, type Store } from '../ports/store.js';
import { accounts, defineAll, type OpenPlace, type StorePlace } from './store-place.js';
import type { Tap } from './tap.js';

interface Task {
  readonly id: string;
  readonly state: string;
  readonly tries?: Readonly<Record<string, unknown>>;
}

const tasks = liveCollection<Task>('id');

/** Keeps tasks as plain objects, and the changes that it got. Patches in these tests have no nested objects but `tries`. */
class TaskOwner implements LiveOwner<Task> {
  readonly all = new Map<string, Task>();
  readonly calls: string[] = [];

  put(task: Task): () => void {
    return this.#set('put', task.id, task);
  }

  patch(key: string, { tries, ...patch }: MergePatch): () => void {
    const before = this.all.get(key)!;
    const mergedTries = tries && { ...before.tries, ...tries };
    const merged = { ...before, ...patch, ...(tries !== undefined && { tries: mergedTries }) };
    return this.#set('patch', key, Object.fromEntries(Object.entries(merged).filter(([, value]) => value !== null)) as unknown as Task);
  }

  delete(key: string): () => void {
    return this.#set('delete', key, undefined);
  }

  #set(call: string, key: string, task: Task | undefined): () => void {
    this.calls.push(`${call} ${key}`);
    const before = this.all.get(key);
    if (task) this.all.set(key, task);
    else this.all.delete(key);
    return () => {
      if (before) this.all.set(key, before);
      else this.all.delete(key);
    };
  }

  get sorted(): Task[] {
    return [...this.all.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
  }
}

/** Live collections and `durable`, of a store that has them. */
export async function liveContract(t: Tap, open: OpenPlace): Promise<void> {
  if (!(await open(t)).create().defineLive) return t.comment('this store has no live collections');
  const start = async (t: Tap) => startAt(t, await open(t));

  await t.test('the owner gets the changes of a transaction when it commits, in their order', async (t) => {
    const { store, owner } = await start(t);
    let found: Task[] = [];
    await store.transaction((tx) => {
      const live = tx.live!(tasks);
      live.put({ id: 'a', state: 'queued' });
      live.patch('a', { state: 'sending', tries: { '1.0': { ms: 5 } } });
      live.patch('a', { tries: { '1.1': {} } });
      live.put({ id: 'b', state: 'queued' });
      live.delete('b');
      tx.afterCommit(() => (found = owner.sorted));
      t.strictSame(owner.calls, [], 'nothing before the commit');
    });
    t.strictSame(owner.calls, ['put a', 'patch a', 'patch a', 'put b', 'delete b']);
    t.strictSame(owner.sorted, [{ id: 'a', state: 'sending', tries: { '1.0': { ms: 5 }, '1.1': {} } }]);
    t.strictSame(found, owner.sorted, 'callbacks after the commit find them');
    await store.durable!();
  });

  await t.test('changes that beforeCommit callbacks make belong to the transaction', async (t) => {
    const { store, owner } = await start(t);
    await store.transaction((tx) => {
      tx.beforeCommit(() => {
        tx.live!(tasks).put({ id: 'a', state: 'queued' });
        tx.beforeCommit(async () => tx.live!(tasks).patch('a', { state: 'sending' }));
      });
    });
    t.strictSame(owner.sorted, [{ id: 'a', state: 'sending' }]);
  });

  await t.test('a transaction that throws changes no live collection', async (t) => {
    const { store, owner } = await start(t);
    for (const when of ['work', 'beforeCommit'] as const) {
      const work = store.transaction((tx) => {
        tx.live!(tasks).put({ id: 'a', state: 'queued' });
        tx.in(accounts).put({ name: 'x', balance: 1 });
        if (when === 'work') throw new Error('no');
        tx.beforeCommit(() => {
          throw new Error('no');
        });
      });
      await t.rejects(work, { message: 'no' });
    }
    t.strictSame([owner.calls, await store.open(accounts).count()], [[], 0]);
  });

  await t.test('a transaction whose expectation no longer holds runs again, also when it throws because of that', async (t) => {
    const { store, owner } = await start(t);
    await store.transaction((tx) => tx.live!(tasks).put({ id: 'a', state: 'queued' }));
    let runs = 0;
    await store.transaction(async (tx) => {
      runs++;
      const task = owner.all.get('a')!;
      tx.live!(tasks).expect(() => owner.all.get('a') === task);
      tx.live!(tasks).patch('a', { seen: task.state });
      tx.in(accounts).put({ name: task.state, balance: 1 });
      if (runs === 1) await store.transaction((other) => other.live!(tasks).patch('a', { state: 'cancelled' }));
    });
    t.equal(runs, 2);
    t.strictSame(owner.sorted, [{ id: 'a', state: 'cancelled', seen: 'cancelled' }]);
    t.match(await store.open(accounts).list(), [{ name: 'cancelled' }]);
    t.equal(await store.open(accounts).count(), 1, 'documents of the first run are not stored');

    runs = 0;
    await store.transaction(async (tx) => {
      const task = owner.all.get('a')!;
      tx.live!(tasks).expect(() => owner.all.get('a') === task);
      if (++runs === 1) await store.transaction((other) => other.live!(tasks).patch('a', { state: 'done' }));
      if (task.state !== 'done') throw new Error('it is not done');
    });
    t.equal(runs, 2);
  });

  await t.test('concurrent transactions with expectations lose no change, and documents stay consistent with them', async (t) => {
    const place = await open(t);
    const { store, owner } = await startAt(t, place);
    await store.transaction((tx) => tx.live!(tasks).put({ id: 'a', state: '0' }));
    const add = () =>
      store.transaction(async (tx) => {
        const task = owner.all.get('a')!;
        tx.live!(tasks).expect(() => owner.all.get('a') === task);
        const balance = (await tx.in(accounts).get('x'))?.balance ?? 0;
        await new Promise((resolve) => setImmediate(resolve));
        tx.in(accounts).put({ name: 'x', balance: balance + 1 });
        tx.live!(tasks).patch('a', { state: `${Number(task.state) + 1}` });
      });
    await Promise.all(Array.from({ length: 20 }, add));
    t.equal(owner.all.get('a')?.state, '20');
    t.equal((await store.open(accounts).get('x'))?.balance, 20);
    if (!place.isPersistent) return;
    await store.stop();
    t.equal((await startAt(t, place)).owner.all.get('a')?.state, '20');
  });

  await t.test('a transaction whose expectation never holds is refused', async (t) => {
    const { store, owner } = await start(t);
    let runs = 0;
    const work = store.transaction((tx) => {
      runs++;
      tx.live!(tasks).put({ id: 'a', state: 'queued' });
      tx.live!(tasks).expect(() => false);
    });
    await t.rejects(work, { name: 'TransactionConflict' });
    t.ok(runs > 1 && runs < 100, `after ${runs} runs`);
    t.strictSame(owner.calls, []);
    await store.transaction((tx) => tx.live!(tasks).put({ id: 'b', state: 'queued' }));
    t.strictSame(owner.calls, ['put b']);
  });

  await t.test('a document without a key, an unknown collection and changes after the end are refused', async (t) => {
    const { store, owner } = await start(t);
    const put = (id: string) => store.transaction((tx) => tx.live!(tasks).put({ id, state: 'queued' }));
    await t.rejects(put(''), { message: 'a document of contract.tasks has no id' });
    await t.rejects(
      store.transaction((tx) => tx.live!(liveCollection<Task>('id')).delete('a')),
      { message: 'this live collection is not defined in this store' },
    );
    const late = await store.transaction((tx) => tx.live!(tasks));
    t.throws(() => late.put({ id: 'a', state: 'queued' }), /the transaction has ended/);
    t.throws(() => store.defineLive!('contract.late', liveCollection<Task>('id'), owner), /before the store starts/);
    t.strictSame(owner.calls, []);
  });

  await t.test('a restart finds documents and live collections of the acknowledged transactions', async (t) => {
    const place = await open(t);
    if (!place.isPersistent) return t.comment('this location is not persistent');
    const { store } = await startAt(t, place);
    await store.transaction((tx) => {
      tx.in(accounts).put({ name: 'x', balance: 1 });
      for (const id of ['a', 'b', 'c']) tx.live!(tasks).put({ id, state: 'queued', tries: { '1.0': { ms: 1 } } });
    });
    await store.transaction((tx) => {
      tx.live!(tasks).patch('a', { state: 'done', tries: { '1.1': { ms: 2 } } });
      tx.live!(tasks).patch('b', { tries: null });
      tx.live!(tasks).delete('c');
    });
    await store.stop();
    const after = await startAt(t, place);
    t.strictSame(after.owner.sorted, [
      { id: 'a', state: 'done', tries: { '1.0': { ms: 1 }, '1.1': { ms: 2 } } },
      { id: 'b', state: 'queued' },
    ]);
    t.equal((await after.store.open(accounts).get('x'))?.balance, 1);
  });
}

async function startAt(t: Tap, place: StorePlace): Promise<{ readonly store: Store; readonly owner: TaskOwner }> {
  const store = place.create();
  const owner = new TaskOwner();
  defineAll(store);
  store.defineLive!('contract.tasks', tasks, owner);
  await store.start();
  t.teardown(() => store.stop());
  return { store, owner };
}
