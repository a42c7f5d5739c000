import { setImmediate as breathe, setTimeout as sleep } from 'node:timers/promises';
import { peek, peekAll, peekBy, type Store, type StoreTransaction } from '../ports/store.js';
import { type Account, accounts, type Mail, mails, type OpenPlace, startStore } from './store-place.js';
import type { Tap } from './tap.js';

/** Concurrent transactions: the outcome is as if they had run one after the other. */
export async function isolationContract(t: Tap, open: OpenPlace): Promise<void> {
  const turn = () => sleep(1);
  const letter = (id: string, at = 0, box = 'in'): Mail => ({ id, box, at });
  const startWith = async (t: Tap, balances: Record<string, number>): Promise<Store> => {
    const store = await startStore(t, open);
    await store.transaction((tx) => {
      for (const [name, balance] of Object.entries(balances)) tx.in(accounts).put({ name, balance });
    });
    return store;
  };
  const balanceOf = async (store: Store, name: string) => (await store.open(accounts).get(name))?.balance;

  /** Runs transactions so that, on their first run, all have read before any commits. */
  const together = async <T>(store: Store, ...works: ((tx: StoreTransaction) => Promise<T>)[]) => {
    let reading = works.length;
    return Promise.allSettled(
      works.map((work) =>
        store.transaction(async (tx) => {
          const result = await work(tx);
          reading--;
          for (let waited = 0; reading > 0 && waited < 50; waited++) await turn();
          return result;
        }),
      ),
    );
  };

  await t.test('no update is lost', async (t) => {
    const reads: ((tx: StoreTransaction) => Promise<Account | undefined>)[] = [
      (tx) => tx.in(accounts).get('shared'),
      async (tx) => peek(tx, accounts, 'shared'),
      async (tx) => peekBy(tx, accounts, 'owner', ['bob']),
      async (tx) => (await peekAll(tx, accounts, 'owner', { equals: ['bob'] }))[0],
    ];
    const store = await startWith(t, {});
    await store.transaction((tx) => tx.in(accounts).put({ name: 'shared', balance: 0, owner: 'bob' }));
    const increments = Array.from({ length: 40 }, (_, n) =>
      store.transaction(async (tx) => {
        const account = (await reads[n % reads.length]!(tx))!;
        await turn();
        tx.in(accounts).put(Object.freeze({ ...account, balance: account.balance + 1 }));
      }),
    );
    await Promise.all(increments);
    t.equal(await balanceOf(store, 'shared'), 40);
  });

  await t.test('two transactions that each read what the other writes do not both commit (write skew)', async (t) => {
    const store = await startWith(t, { ann: 60, bob: 60 });
    const withdraw = (name: string) => async (tx: StoreTransaction) => {
      const [ann, bob] = [(await tx.in(accounts).get('ann'))!.balance, (await tx.in(accounts).get('bob'))!.balance];
      if (ann + bob < 100) throw new Error('together they must keep what is left');
      tx.in(accounts).put({ name, balance: (name === 'ann' ? ann : bob) - 100 });
    };
    const outcomes = await together(store, withdraw('ann'), withdraw('bob'));
    t.strictSame(outcomes.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
    t.equal((await balanceOf(store, 'ann'))! + (await balanceOf(store, 'bob'))!, 20);
  });

  const phantoms: [string, (tx: StoreTransaction) => Promise<number>][] = [
    ['a range of an index', async (tx) => (await tx.in(mails).find('box', { equals: ['in'] })).length],
    ['the first of an index', async (tx) => (await tx.in(mails).find('box', { equals: ['in'], limit: 1 })).length],
    ['the last of an index', async (tx) => (await tx.in(mails).find('box', { order: 'descending', limit: 1 })).length],
    ['the list of keys', async (tx) => (await tx.in(mails).list()).length],
    ['the count', (tx) => tx.in(mails).count()],
  ];
  for (const [what, look] of phantoms) {
    await t.test(`a document that appears in what another transaction has read is a conflict: ${what}`, async (t) => {
      const store = await startStore(t, open);
      const claim = (id: string) => async (tx: StoreTransaction) => {
        if ((await look(tx)) > 0) throw new Error('taken');
        tx.in(mails).put(letter(id));
      };
      const outcomes = await together(store, claim('one'), claim('two'), claim('three'));
      t.strictSame(outcomes.map(({ status }) => status).sort(), ['fulfilled', 'rejected', 'rejected']);
      t.equal(await store.open(mails).count(), 1);
    });
  }

  await t.test('a document that gains or loses the unique values that another transaction looked up is a conflict', async (t) => {
    const store = await startStore(t, open);
    const changes: [(tx: StoreTransaction) => void, string | undefined][] = [
      [(tx) => tx.in(accounts).put({ name: 'one', balance: 1, owner: 'ann' }), 'one'],
      [(tx) => tx.in(accounts).put({ name: 'one', balance: 2, owner: 'ann' }), 'one'],
      [(tx) => tx.in(accounts).put({ name: 'one', balance: 2, owner: 'bob' }), undefined],
      [(tx) => tx.in(accounts).put({ name: 'two', balance: 2, owner: 'ann' }), 'two'],
      [(tx) => tx.in(accounts).delete('two'), undefined],
    ];
    const readDuring = async (change: (tx: StoreTransaction) => void) => {
      let runs = 0;
      const found = await store.transaction(async (tx) => {
        const found = await tx.in(accounts).getBy('owner', ['ann']);
        if (runs++ === 0) await store.transaction(change);
        tx.in(mails).put(letter(found?.name ?? 'none'));
        return found?.name;
      });
      return { runs, found };
    };
    for (const [change, found] of changes) t.strictSame(await readDuring(change), { runs: 2, found });
    const elsewhere = (tx: StoreTransaction) => tx.in(accounts).put({ name: 'three', balance: 3, owner: 'carl' });
    t.strictSame(await readDuring(elsewhere), { runs: 1, found: undefined }, 'other values do not conflict');
  });

  await t.test('a transaction that reads a key twice does not commit with two different results', async (t) => {
    const store = await startStore(t, open);
    let runs = 0;
    const [first, second] = await store.transaction(async (tx) => {
      const first = await tx.in(mails).get('a');
      if (runs === 0) await store.transaction((other) => other.in(mails).put(letter('a')));
      const second = await tx.in(mails).get('a');
      if (runs++ === 0) await store.transaction((other) => other.in(mails).delete('a'));
      tx.in(accounts).put({ name: 'x', balance: 0 });
      return [first, second];
    });
    t.strictSame(first, second);
  });

  await t.test('a document that moves within, or leaves, a range that another transaction has read is a conflict', async (t) => {
    const store = await startStore(t, open);
    await store.transaction((tx) => {
      for (let at = 0; at < 4; at++) tx.in(mails).put(letter(`l${at}`, at));
    });
    const moves: [(letter: Mail) => Mail | undefined, number][] = [
      [(first) => ({ ...first, at: 2.5 }), 1],
      [() => undefined, 2],
      [(first) => ({ ...first, box: 'out' }), 2.5],
    ];
    for (const [move, wanted] of moves) {
      let runs = 0;
      const first = await store.transaction(async (tx) => {
        const [found] = await tx.in(mails).find('box', { equals: ['in'], limit: 1 });
        if (runs++ === 0) {
          await store.transaction((other) => {
            const moved = move(found!);
            if (moved) other.in(mails).put(moved);
            else other.in(mails).delete(found!.id);
          });
        }
        tx.in(accounts).put({ name: 'seen', balance: found!.at });
        return found;
      });
      t.equal(runs, 2);
      t.equal(first?.at, wanted);
      t.equal(await balanceOf(store, 'seen'), wanted);
    }
  });

  await t.test('a change outside the range that was read does not conflict', async (t) => {
    const store = await startStore(t, open);
    await store.transaction((tx) => {
      for (let at = 0; at < 20; at++) tx.in(mails).put(letter(`l${at}`, at));
    });
    let runs = 0;
    await store.transaction(async (tx) => {
      runs++;
      const newest = await tx.in(mails).find('box', { equals: ['in'], order: 'descending', limit: 3 });
      t.equal(newest.length, 3);
      await store.transaction((other) => {
        other.in(mails).put(letter('old', 0.5));
        other.in(mails).delete('l2');
        other.in(mails).put(letter('elsewhere', 99, 'out'));
      });
      tx.in(accounts).put({ name: 'x', balance: newest[0]!.at });
    });
    t.equal(runs, 1);
  });

  await t.test('an error thrown about an inconsistent state does not count', async (t) => {
    const store = await startWith(t, { ann: 50, bob: 50 });
    let runs = 0;
    const total = await store.transaction(async (tx) => {
      const ann = (await tx.in(accounts).get('ann'))!.balance;
      if (runs++ === 0) {
        await store.transaction((other) => {
          other.in(accounts).put({ name: 'ann', balance: 0 });
          other.in(accounts).put({ name: 'bob', balance: 100 });
        });
      }
      const bob = (await tx.in(accounts).get('bob'))!.balance;
      if (ann + bob !== 100) throw new Error('the books do not balance');
      return ann + bob;
    });
    t.equal(total, 100);
    t.equal(runs, 2);
  });

  await t.test('a transaction that only reads sees one state', async (t) => {
    const store = await startWith(t, { ann: 50, bob: 50 });
    let ended = false;
    const moving = (async () => {
      for (let i = 0; !ended; i++) {
        const amount = i % 2 === 0 ? 10 : -10;
        await store.transaction(async (tx) => {
          const [ann, bob] = [(await tx.in(accounts).get('ann'))!, (await tx.in(accounts).get('bob'))!];
          tx.in(accounts).put({ ...ann, balance: ann.balance - amount });
          tx.in(accounts).put({ ...bob, balance: bob.balance + amount });
        });
        await breathe();
      }
    })();
    for (let i = 0; i < 20; i++) {
      const total = await store.transaction(async (tx) => {
        const ann = (await tx.in(accounts).get('ann'))!.balance;
        await turn();
        return ann + (await tx.in(accounts).get('bob'))!.balance;
      });
      if (total !== 100) t.equal(total, 100);
    }
    ended = true;
    await moving;
    t.pass('always the same total');
  });

  await t.test('a long transaction commits despite many short ones on the same documents', async (t) => {
    const store = await startWith(t, { hot: 0, slow: 0 });
    let ended = false;
    const increment = (name: string, pause: () => Promise<void>) =>
      store.transaction(async (tx) => {
        const account = (await tx.in(accounts).get(name))!;
        await pause();
        const hot = (await tx.in(accounts).get('hot'))!;
        tx.in(accounts).put({ ...account, balance: account.balance + 1 + 0 * hot.balance });
      });
    let short = 0;
    const busy = Array.from({ length: 4 }, async () => {
      while (!ended) {
        await increment('hot', async () => {});
        short++;
        await breathe();
      }
    });
    await increment('slow', () => sleep(20));
    ended = true;
    await Promise.all(busy);
    t.equal(await balanceOf(store, 'slow'), 1);
    t.equal(await balanceOf(store, 'hot'), short);
  });

  await t.test('concurrent transfers by two hundred transactions keep the total', async (t) => {
    const names = Array.from({ length: 10 }, (_, i) => `a${i}`);
    const store = await startWith(t, Object.fromEntries(names.map((name) => [name, 100])));
    const moves = Array.from({ length: 200 }, (_, i) =>
      store.transaction(async (tx) => {
        const from = (await tx.in(accounts).get(names[i % 10]!))!;
        const to = (await tx.in(accounts).get(names[(i * 3 + 1) % 10]!))!;
        if (from.name === to.name) return;
        tx.in(accounts).put({ ...from, balance: from.balance - 7 });
        tx.in(accounts).put({ ...to, balance: to.balance + 7 });
      }),
    );
    await Promise.all(moves);
    const all = await store.open(accounts).list();
    t.equal(
      all.reduce((sum, { balance }) => sum + balance, 0),
      1000,
    );
  });
}
