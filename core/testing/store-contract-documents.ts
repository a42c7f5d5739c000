import { collection, peek, peekAll, peekBy, type StoreTransaction } from '../ports/store.js';
import { accounts, defineAll, type Mail, mails, type OpenPlace, startAt, startStore } from './store-place.js';
import type { Tap } from './tap.js';

/** Documents by key, and starting and stopping a store. */
export async function documentsContract(t: Tap, open: OpenPlace): Promise<void> {
  const letter = (id: string, more: Partial<Mail> = {}): Mail => ({ id, box: 'in', at: 0, ...more });

  await t.test('a document is returned as it was stored, and an unknown key is undefined', async (t) => {
    const store = await startStore(t, open);
    const document = { id: 'a', box: 'in', at: 1, deep: { list: [1, 'two', null, { three: true }], text: 'Grüße 🦔\u0000"\\' } };
    await store.transaction((tx) => tx.in(mails).put(document));
    t.strictSame(await store.open(mails).get('a'), document);
    t.equal(await store.open(mails).get('b'), undefined);
    await store.transaction(async (tx) => {
      t.strictSame(await tx.in(mails).get('a'), document);
      t.equal(await tx.in(mails).get('b'), undefined);
    });
  });

  await t.test('put and get copy the document', async (t) => {
    const store = await startStore(t, open);
    const document = { id: 'a', box: 'in', at: 1, tags: ['one'] };
    await store.transaction((tx) => {
      tx.in(mails).put(document);
      document.tags.push('changed before the commit');
    });
    document.box = 'changed after the commit';
    const found = (await store.open(mails).get('a')) as typeof document;
    found.tags.push('changed by a reader');
    await store.transaction(async (tx) => {
      const inside = (await tx.in(mails).get('a')) as typeof document;
      inside.tags.push('changed inside');
      t.strictSame(await tx.in(mails).get('a'), { id: 'a', box: 'in', at: 1, tags: ['one'] });
    });
    t.strictSame(await store.open(mails).get('a'), { id: 'a', box: 'in', at: 1, tags: ['one'] });
  });

  await t.test('peek reads what get reads, also when a frozen document was put', async (t) => {
    const store = await startStore(t, open);
    const isSame = async (tx: StoreTransaction, wanted: object, why: string) => {
      const [first] = await peekAll(tx, accounts, 'owner', { equals: ['bob'] });
      for (const found of [await peek(tx, accounts, 'a'), await peekBy(tx, accounts, 'owner', ['bob']), first]) {
        t.strictSame(found, wanted, why);
        // A store without these methods returns copies.
        if (tx.in(accounts).peek) t.ok(Object.isFrozen(found), why);
      }
    };
    for (const put of [{ name: 'a', balance: 1, owner: 'bob' }, Object.freeze({ name: 'a', balance: 2, owner: 'bob' })]) {
      await store.transaction(async (tx) => {
        tx.in(accounts).put(put);
        await isSame(tx, { ...put }, 'in the transaction that wrote it');
      });
      await store.transaction((tx) => isSame(tx, { ...put }, 'in a later transaction'));
    }
    await store.transaction((tx) => tx.in(accounts).put(Object.freeze({ name: 'b', balance: 3, owner: undefined }) as never));
    t.notOk('owner' in (await store.transaction(async (tx) => (await peek(tx, accounts, 'b'))!)), 'undefined is absent');
    const nested = Object.freeze({ id: 'n', box: 'in', at: 1, tags: ['one'] });
    await store.transaction((tx) => tx.in(mails).put(nested));
    nested.tags.push('changed after the commit');
    t.match(await store.transaction(async (tx) => peek(tx, mails, 'n')), { tags: ['one'] }, 'an object that is not frozen is copied');
  });

  await t.test('the revision changes with every change of a collection, and with no other change', async (t) => {
    const store = await startStore(t, open);
    const opened = store.open(mails);
    if (!opened.revision) return t.comment('this store has no revisions');
    const revision = () => opened.revision!();
    const seen = [revision()];
    const change = async (work: (tx: StoreTransaction) => void): Promise<void> => {
      await store.transaction(work);
      t.notOk(seen.includes(revision()));
      seen.push(revision());
    };
    await change((tx) => tx.in(mails).put(letter('a')));
    await change((tx) => tx.in(mails).put(letter('a', { at: 1 })));
    await change((tx) => tx.in(mails).delete('a'));

    await store.transaction((tx) => tx.in(accounts).put({ name: 'x', balance: 1 }));
    await store.transaction((tx) => tx.in(mails).delete('not there'));
    await t.rejects(
      store.transaction((tx) => {
        tx.in(mails).put(letter('b'));
        throw new RangeError('no good');
      }),
    );
    t.equal(revision(), seen.at(-1));
  });

  await t.test('the version of a document differs after every change of it, and is the same in a transaction', async (t) => {
    const store = await startStore(t, open);
    const opened = store.open(mails);
    if (!opened.version) return t.comment('this store has no versions');
    const version = () => opened.version!('a');
    t.equal(version(), undefined, 'there is no document');
    const put = (at: number) =>
      store.transaction((tx) => {
        tx.in(mails).put(letter('a', { at }));
        return tx.in(mails).version!('a');
      });
    const first = await put(1);
    t.ok(first !== undefined && version() === first, 'the version that the transaction saw after its own write');
    await store.transaction((tx) => tx.in(mails).put(letter('b')));
    await store.transaction((tx) => t.equal(tx.in(mails).version!('a'), first, 'a change of another document'));
    t.equal(version(), first);
    const second = await put(1);
    t.ok(second !== first && version() === second, 'the same document again is a change');
    await store.transaction((tx) => tx.in(mails).delete('a'));
    t.equal(version(), undefined);
  });

  await t.test('a transaction that has read a version runs again when the document changes', async (t) => {
    const store = await startStore(t, open);
    if (!store.open(mails).version) return t.comment('this store has no versions');
    await store.transaction((tx) => tx.in(mails).put(letter('a')));
    let runs = 0;
    await store.transaction(async (tx) => {
      runs++;
      tx.in(mails).version!('a');
      if (runs === 1) await store.transaction((other) => other.in(mails).put(letter('a', { at: 5 })));
      tx.in(mails).put(letter('b'));
    });
    t.equal(runs, 2);
  });

  await t.test('put replaces the complete document, and a deleted document is gone', async (t) => {
    const store = await startStore(t, open);
    await store.transaction((tx) => tx.in(mails).put(letter('a', { subject: 'hello' })));
    await store.transaction((tx) => tx.in(mails).put(letter('a', { at: 2 })));
    t.strictSame(await store.open(mails).get('a'), { id: 'a', box: 'in', at: 2 });
    await store.transaction((tx) => {
      tx.in(mails).delete('a');
      tx.in(mails).delete('never there');
    });
    t.equal(await store.open(mails).get('a'), undefined);
    t.equal(await store.open(mails).count(), 0);
  });

  await t.test('a field that is undefined is left out', async (t) => {
    const store = await startStore(t, open);
    await store.transaction((tx) => tx.in(mails).put({ id: 'a', box: 'in', at: 0, subject: undefined } as unknown as Mail));
    t.strictSame(await store.open(mails).get('a'), { id: 'a', box: 'in', at: 0 });
  });

  await t.test(
    'a document that is not plain JSON or has no key is refused with the path of the fault, and the transaction fails',
    async (t) => {
      const store = await startStore(t, open);
      const loop: Record<string, unknown> = { id: 'a', box: 'in', at: 0 };
      loop.self = { loop };
      const refused: [unknown, RegExp][] = [
        [{ id: 'a', box: 'in', at: 0, sent: new Date() }, /sent/],
        [{ id: 'a', box: 'in', at: 0, list: [1, { x: Number.NaN }] }, /list\.1\.x/],
        [{ id: 'a', box: 'in', at: 0, list: [undefined] }, /list\.0/],
        [{ id: 'a', box: 'in', at: 0, map: new Map() }, /map/],
        [{ id: 'a', box: 'in', at: 0, run: () => 1 }, /run/],
        [{ id: 'a', box: 'in', at: 0, big: 1n }, /big/],
        [loop, /self/],
        [['a'], /Array/],
        [{ box: 'in', at: 0 }, /id/],
        [{ id: '', box: 'in', at: 0 }, /id/],
        [{ id: 7, box: 'in', at: 0 }, /id/],
        [{ id: 'a', box: { not: 'a value' }, at: 0 }, /box/],
      ];
      for (const [document, place] of refused) {
        const put = store.transaction((tx) => {
          tx.in(mails).put(letter('before'));
          tx.in(mails).put(document as Mail);
        });
        await t.rejects(put, place);
      }
      t.equal(await store.open(mails).count(), 0);
    },
  );

  await t.test('a document can be put with its JSON, which is what is stored', async (t) => {
    const store = await startStore(t, open);
    await store.transaction((tx) => tx.in(mails).put({ id: 'a', box: 'in', at: 3 } as Mail, '{"id":"a","box":"in","at":3,"text":"whole"}'));
    t.match(await store.open(mails).get('a'), { text: 'whole' });
    t.match(await store.open(mails).find('box', { equals: ['in'] }), [{ id: 'a', text: 'whole' }]);
  });

  await t.test('an index that may have no value tells so, also within the transaction that writes it', async (t) => {
    const store = await startStore(t, open);
    await store.transaction((tx) => tx.in(mails).put(letter('a', { box: 'in' })));
    await store.transaction((tx) => {
      const all = tx.in(mails);
      if (!all.mayHave) return t.comment('this store cannot tell');
      t.equal(all.mayHave('box', 'in'), true);
      all.put(letter('b', { box: 'out' }));
      t.equal(all.mayHave('box', 'out'), true);
    });
  });

  await t.test('documents are listed in the order of their keys, page by page', async (t) => {
    const store = await startStore(t, open);
    const keys = ['b', 'a', 'Z', 'ä', 'a/1', '10', '9', '\u{1F994}', '\uFFFF', '__proto__', 'constructor'];
    await store.transaction((tx) => {
      for (const key of keys) tx.in(mails).put(letter(key));
    });
    const sorted = [...keys].sort();
    const list = store.open(mails);
    const names = async (range?: { after?: string; limit?: number }) => (await list.list(range)).map(({ id }) => id);
    t.strictSame(await names(), sorted, 'strings are ordered by code unit');
    t.strictSame(await names({ limit: 3 }), sorted.slice(0, 3));
    t.strictSame(await names({ after: sorted[2]!, limit: 3 }), sorted.slice(3, 6));
    t.strictSame(
      await names({ after: 'a0' }),
      sorted.filter((key) => key > 'a0'),
      'after an unknown key',
    );
    t.strictSame(await names({ after: sorted.at(-1)! }), []);
    t.strictSame(await names({ limit: 0 }), []);
    t.equal(await list.count(), keys.length);
    await t.rejects(list.list({ limit: -1 }), /limit/);
  });

  await t.test('collections are defined once, before the start, and no others can be opened', async (t) => {
    const place = await open(t);
    const store = place.create();
    defineAll(store);
    t.throws(() => store.define('contract.letters', collection<Mail>({ key: 'id' })), /contract\.letters/);
    t.throws(() => store.define('contract.other', mails), /contract\.letters/);
    for (const name of ['letters', 'a.b.c', '../a.b', 'a.', '.b', 'a b.c']) {
      t.throws(() => store.define(name, collection<Mail>({ key: 'id' })), /<owner>\.<name>/, name);
    }
    await store.start();
    t.teardown(() => store.stop());
    t.throws(() => store.define('contract.late', collection<Mail>({ key: 'id' })), /contract\.late/);
    t.throws(() => store.open(collection<Mail>({ key: 'id' })), /not defined/);
    await t.rejects(
      store.transaction((tx) => tx.in(collection<Mail>({ key: 'id' })).put(letter('a'))),
      /not defined/,
    );
  });

  await t.test('a store that is not started, or stopped, throws StoreUnavailable', async (t) => {
    const place = await open(t);
    const store = place.create();
    defineAll(store);
    const unavailable = { name: 'StoreUnavailable' };
    const put = () => store.transaction((tx) => tx.in(mails).put(letter('a')));
    await t.rejects(put(), unavailable);
    await t.rejects(store.open(mails).get('a'), unavailable);
    await store.start();
    await put();
    await store.stop();
    await t.rejects(put(), unavailable);
    await t.rejects(store.open(mails).get('a'), unavailable);
  });

  await t.test('a stop waits for running transactions and accepts no others', async (t) => {
    const place = await open(t);
    const store = place.create();
    defineAll(store);
    await store.start();
    const ended: string[] = [];
    const work = Array.from({ length: 5 }, (_, i) =>
      store
        .transaction(async (tx) => {
          await tx.in(mails).get('a');
          await new Promise((resolve) => setTimeout(resolve, 5 * i));
          tx.in(mails).put(letter(`k${i}`));
        })
        .then(() => ended.push('transaction')),
    );
    const stopped = store.stop().then(() => ended.push('stop'));
    await t.rejects(
      store.transaction((tx) => tx.in(mails).put(letter('late'))),
      { name: 'StoreUnavailable' },
    );
    await Promise.all([...work, stopped]);
    t.strictSame(ended, [...Array(5).fill('transaction'), 'stop']);
  });

  await t.test('a store that restarts at the same location finds all documents unchanged', async (t) => {
    const place = await open(t);
    if (!place.isPersistent) return void t.pass('this store is not persistent');
    for (let round = 0; round < 3; round++) {
      const store = await startAt(t, place);
      await store.transaction((tx) => {
        for (let i = 0; i < 50; i++) tx.in(mails).put(letter(`${round}-${String(i).padStart(2, '0')}`, { at: i, box: `box ${i % 2}` }));
        tx.in(accounts).put({ name: `account ${round}`, balance: round, owner: `owner ${round}` });
      });
      await store.transaction((tx) => {
        tx.in(mails).delete(`${round}-00`);
        tx.in(mails).put(letter(`${round}-01`, { at: 100, box: 'box 0', subject: 'Grüße' }));
      });
      await store.stop();

      const again = await startAt(t, place);
      t.equal(await again.open(mails).count(), 49 * (round + 1));
      t.equal(await again.open(mails).get(`${round}-00`), undefined);
      const newest = await again.open(mails).find('box', { equals: ['box 0'], order: 'descending', limit: round + 2 });
      t.strictSame(
        newest.map(({ id }) => id),
        [...Array.from({ length: round + 1 }, (_, i) => `${round - i}-01`), `${round}-48`],
      );
      t.strictSame(await again.open(mails).find('subject', { equals: ['Grüße'], limit: 1 }), [
        { id: '0-01', box: 'box 0', at: 100, subject: 'Grüße' },
      ]);
      t.match(await again.open(accounts).getBy('owner', [`owner ${round}`]), { name: `account ${round}` });
      await t.rejects(
        again.transaction((tx) => tx.in(accounts).put({ name: 'another', balance: 0, owner: 'owner 0' })),
        { name: 'UniqueViolation' },
      );
      await again.stop();
    }
  });
}
