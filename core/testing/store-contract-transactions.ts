import { setImmediate as breathe } from 'node:timers/promises';
import type { Store, StoreTransaction } from '../ports/store.js';
import { type Account, accounts, type Mail, mails, type OpenPlace, startStore } from './store-place.js';
import type { Tap } from './tap.js';

/** A single transaction: its own view, atomicity, callbacks before and after the commit. */
export async function transactionsContract(t: Tap, open: OpenPlace): Promise<void> {
  const letter = (id: string, at = 0, box = 'in'): Mail => ({ id, box, at });
  const ids = (found: readonly Mail[]) => found.map(({ id }) => id);
  const startWith = async (t: Tap, documents: readonly Mail[]): Promise<Store> => {
    const store = await startStore(t, open);
    await store.transaction((tx) => {
      for (const document of documents) tx.in(mails).put(document);
    });
    return store;
  };

  await t.test('a transaction returns what its work returns', async (t) => {
    const store = await startStore(t, open);
    t.equal(await store.transaction(() => 7), 7);
    t.equal(await store.transaction(async (tx) => (await tx.in(mails).count()) + 1), 1);
  });

  await t.test('reads inside see the transaction’s own writes, and reads outside do not', async (t) => {
    const store = await startWith(t, [letter('a', 1), letter('b', 2), letter('c', 3), letter('d', 4)]);
    await store.transaction(async (tx) => {
      const inside = tx.in(mails);
      inside.put(letter('b', 9));
      inside.delete('c');
      inside.put(letter('e', 0));
      inside.put(letter('f', 5, 'out'));
      t.match(await inside.get('b'), { at: 9 });
      t.equal(await inside.get('c'), undefined);
      t.equal(await inside.count(), 5);
      t.strictSame(ids(await inside.list()), ['a', 'b', 'd', 'e', 'f']);
      t.strictSame(ids(await inside.list({ after: 'a', limit: 2 })), ['b', 'd']);
      t.strictSame(ids(await inside.find('box', { equals: ['in'] })), ['e', 'a', 'd', 'b']);
      t.strictSame(ids(await inside.find('box', { equals: ['in'], limit: 2 })), ['e', 'a']);
      t.strictSame(ids(await inside.find('box', { equals: ['in'], order: 'descending', limit: 2 })), ['b', 'd']);
      inside.delete('e');
      inside.put(letter('c', 7));
      t.strictSame(ids(await tx.in(mails).find('box', { equals: ['in'], limit: 3 })), ['a', 'd', 'c']);
      tx.in(accounts).put({ name: 'x', balance: 0, owner: 'ann' });
      t.match(await tx.in(accounts).getBy('owner', ['ann']), { name: 'x' });

      t.strictSame(ids(await store.open(mails).find('box')), ['a', 'b', 'c', 'd'], 'unchanged outside');
      t.equal(await store.open(accounts).count(), 0);
    });
    t.strictSame(ids(await store.open(mails).find('box')), ['a', 'd', 'c', 'b', 'f']);
  });

  await t.test('onCommit callbacks run once, when no conflict can undo the transaction', async (t) => {
    const store = await startWith(t, [letter('a', 1)]);
    const seen: (number | string)[] = [];
    let runs = 0;
    const work = async (tx: StoreTransaction): Promise<void> => {
      if (!tx.onCommit) return void t.comment('this store has no onCommit');
      const run = ++runs;
      tx.onCommit(() => seen.push(run));
      tx.afterCommit(() => seen.push('durable'));
      const known = (await tx.in(mails).get('a'))!;
      if (run === 1) await store.transaction((other) => other.in(mails).put(letter('a', 2)));
      tx.in(mails).put(letter('a', known.at + 10));
    };
    await store.transaction(work);
    if (runs === 0) return;
    t.strictSame(seen, [2, 'durable'], 'not for the run with the conflict');
    t.match(await store.open(mails).get('a'), { at: 12 });
    const failed = store.transaction((tx) => {
      tx.onCommit?.(() => t.fail('this was not committed'));
      throw new Error('no good');
    });
    await t.rejects(failed, /no good/);
  });

  await t.test('when the work fails, nothing is written and the error is thrown', async (t) => {
    const store = await startWith(t, [letter('a', 1)]);
    const failed = store.transaction(async (tx) => {
      tx.in(mails).put(letter('a', 2));
      tx.in(mails).put(letter('b', 2));
      tx.in(accounts).put({ name: 'x', balance: 0 });
      tx.afterCommit(() => t.fail('this was not committed'));
      await tx.in(mails).get('a');
      throw new RangeError('no good');
    });
    await t.rejects(failed, { name: 'RangeError', message: 'no good' });
    t.strictSame(await store.open(mails).list(), [letter('a', 1)]);
    t.equal(await store.open(accounts).count(), 0);
  });

  await t.test('writes to several collections become visible together', async (t) => {
    const store = await startStore(t, open);
    let ended = false;
    const torn: unknown[] = [];
    const reader = async () => {
      while (!ended) {
        await store
          .transaction(async (tx) => {
            const letterAt = (await tx.in(mails).get('same'))?.at ?? 0;
            const balance = (await tx.in(accounts).get('same'))?.balance ?? 0;
            return [letterAt, balance] as const;
          })
          .then(([one, other]) => one !== other && torn.push([one, other]));
        await new Promise((resolve) => setImmediate(resolve));
      }
    };
    const reading = reader();
    for (let i = 1; i <= 50; i++) {
      await store.transaction((tx) => {
        tx.in(mails).put(letter('same', i));
        tx.in(accounts).put({ name: 'same', balance: i });
      });
    }
    ended = true;
    await reading;
    t.strictSame(torn, []);
  });

  await t.test('callbacks run after the commit, in the order of the commits, before the promise resolves', async (t) => {
    const store = await startStore(t, open);
    const ran: string[] = [];
    const write = (name: string) =>
      store
        .transaction((tx) => {
          tx.in(mails).put(letter(name));
          tx.afterCommit(() => ran.push(`${name} 1`));
          tx.afterCommit(() => {
            ran.push(`${name} 2`);
            throw new Error('a callback that throws affects nothing else');
          });
        })
        .then(() => ran.push(`${name} done`));
    await write('first');
    t.strictSame(ran.splice(0), ['first 1', 'first 2', 'first done']);
    await Promise.all(['a', 'b', 'c'].map(write));
    t.strictSame(
      ran.filter((what) => !what.endsWith('done')),
      ['a 1', 'a 2', 'b 1', 'b 2', 'c 1', 'c 2'],
    );
    for (const name of ['a', 'b', 'c']) t.ok(ran.indexOf(`${name} 2`) < ran.indexOf(`${name} done`));
    await store.transaction((tx) => tx.afterCommit(() => ran.push('nothing written')));
    t.equal(ran.at(-1), 'nothing written');
  });

  await t.test('afterCommit has run before a reader sees what was committed', async (t) => {
    const store = await startStore(t, open);
    for (const name of ['a', 'b', 'c']) {
      let isDone = false;
      const written = store.transaction((tx) => {
        tx.in(mails).put(letter(name));
        tx.afterCommit(() => {
          isDone = true;
        });
      });
      for (let looks = 1; !(await store.open(mails).get(name)); looks++) if (looks % 50 === 0) await breathe();
      t.ok(isDone);
      await written;
    }
  });

  await t.test('a callback reads what was committed', async (t) => {
    const store = await startStore(t, open);
    let found: Promise<Mail | undefined> | undefined;
    await store.transaction((tx) => {
      tx.in(mails).put(letter('a', 3));
      tx.afterCommit(() => {
        found = store.open(mails).get('a');
      });
    });
    t.match(await found, { at: 3 });
  });

  await t.test('beforeCommit callbacks are part of the transaction', async (t) => {
    const store = await startStore(t, open);
    const steps: string[] = [];
    await store.transaction(async (tx) => {
      tx.beforeCommit(async () => {
        steps.push(`first sees ${(await tx.in(mails).get('a'))?.at}`);
        tx.beforeCommit(() => {
          steps.push('added by the first');
          tx.in(mails).put(letter('c'));
        });
      });
      tx.beforeCommit(() => void steps.push('second'));
      tx.in(mails).put(letter('a', 5));
      await tx.in(mails).get('a');
      steps.push('work');
    });
    t.strictSame(steps, ['work', 'first sees 5', 'second', 'added by the first']);
    t.strictSame(ids(await store.open(mails).list()), ['a', 'c']);
    const refused = store.transaction((tx) => {
      tx.in(mails).put(letter('d'));
      tx.beforeCommit(async () => {
        throw new Error('not like this');
      });
    });
    await t.rejects(refused, /not like this/);
    t.equal(await store.open(mails).get('d'), undefined);
  });

  await t.test('a transaction that has ended refuses reads and writes', async (t) => {
    const store = await startStore(t, open);
    let ended: StoreTransaction | undefined;
    await store.transaction((tx) => {
      ended = tx;
      tx.in(mails).put(letter('a'));
    });
    const collection = store.transaction((tx) => tx.in(mails));
    t.throws(() => ended?.in(mails), /ended/);
    t.throws(() => ended?.afterCommit(() => {}), /ended/);
    const late = await collection;
    t.throws(() => late.put(letter('b')), /ended/);
    await t.rejects(late.get('a'), /ended/);
    t.equal(await store.open(mails).count(), 1);
  });

  await t.test('all writes of two hundred concurrent writers are stored', async (t) => {
    const store = await startStore(t, open);
    const writers = Array.from({ length: 200 }, async (_, i) => {
      for (let round = 0; round < 3; round++) {
        await store.transaction((tx) => {
          tx.in(mails).put(letter(`${i}-${round}`, round));
          tx.in(accounts).put({ name: `a${i}`, balance: round } satisfies Account);
        });
        t.match(await store.open(mails).get(`${i}-${round}`), { at: round });
      }
    });
    await Promise.all(writers);
    t.equal(await store.open(mails).count(), 600);
    t.equal(await store.open(accounts).count(), 200);
  });
}
