import { accounts, mails, type OpenPlace, startStore } from './store-place.js';
import type { Tap } from './tap.js';

/** Unique indexes. */
export async function uniqueContract(t: Tap, open: OpenPlace): Promise<void> {
  await t.test('a unique index finds the document with its values', async (t) => {
    const store = await startStore(t, open);
    await store.transaction((tx) => {
      tx.in(accounts).put({ name: 'a', balance: 1, owner: 'ann' });
      tx.in(accounts).put({ name: 'b', balance: 2 });
      tx.in(accounts).put({ name: 'c', balance: 3 });
    });
    t.match(await store.open(accounts).getBy('owner', ['ann']), { name: 'a' });
    t.equal(await store.open(accounts).getBy('owner', ['bob']), undefined);
    t.equal((await store.open(accounts).find('owner')).length, 1, 'documents without an owner do not conflict');
  });

  await t.test('a second document with the values of a unique index is refused, and its transaction writes nothing', async (t) => {
    const store = await startStore(t, open);
    await store.transaction((tx) => tx.in(accounts).put({ name: 'a', balance: 1, owner: 'ann' }));
    const second = store.transaction((tx) => {
      tx.in(mails).put({ id: 'lost', box: 'in', at: 1 });
      tx.in(accounts).put({ name: 'b', balance: 2, owner: 'ann' });
    });
    await t.rejects(second, { name: 'UniqueViolation', collection: 'contract.accounts', index: 'owner' });
    const twins = store.transaction((tx) => {
      tx.in(accounts).put({ name: 'c', balance: 1, owner: 'carl' });
      tx.in(accounts).put({ name: 'd', balance: 1, owner: 'carl' });
    });
    await t.rejects(twins, { name: 'UniqueViolation' });
    t.equal(await store.open(mails).count(), 0);
    t.strictSame(
      (await store.open(accounts).list()).map(({ name }) => name),
      ['a'],
    );
    const at = [store, store].map((same, i) => same.transaction((tx) => tx.in(accounts).put({ name: `e${i}`, balance: 0, owner: 'eve' })));
    const outcomes = await Promise.allSettled(at);
    t.strictSame(outcomes.map(({ status }) => status).sort(), ['fulfilled', 'rejected'], 'one of two concurrent writes');
  });

  await t.test('a unique value can move from one document to another within a transaction', async (t) => {
    const store = await startStore(t, open);
    await store.transaction((tx) => {
      tx.in(accounts).put({ name: 'a', balance: 1, owner: 'ann' });
      tx.in(accounts).put({ name: 'b', balance: 2, owner: 'bob' });
    });
    await store.transaction((tx) => {
      tx.in(accounts).put({ name: 'a', balance: 1, owner: 'bob' });
      tx.in(accounts).put({ name: 'b', balance: 2, owner: 'ann' });
    });
    t.match(await store.open(accounts).getBy('owner', ['ann']), { name: 'b' });
    t.match(await store.open(accounts).getBy('owner', ['bob']), { name: 'a' });
    await store.transaction((tx) => {
      tx.in(accounts).put({ name: 'c', balance: 3, owner: 'ann' });
      tx.in(accounts).delete('b');
    });
    await store.transaction(async (tx) => {
      tx.in(accounts).put({ name: 'a', balance: 1 });
      t.equal(await tx.in(accounts).getBy('owner', ['bob']), undefined);
    });
    await store.transaction((tx) => tx.in(accounts).put({ name: 'd', balance: 4, owner: 'bob' }));
    t.match(await store.open(accounts).getBy('owner', ['ann']), { name: 'c' });
    t.match(await store.open(accounts).getBy('owner', ['bob']), { name: 'd' });
  });

  await t.test('a unique index returns ranges in order, including documents added, changed and deleted after its first use', async (t) => {
    const store = await startStore(t, open);
    const owners = async () => (await store.open(accounts).find('owner')).map(({ owner }) => owner);
    await store.transaction((tx) => {
      for (const owner of ['dan', 'ann', 'carl']) tx.in(accounts).put({ name: `of ${owner}`, balance: 1, owner });
    });
    t.match(await store.open(accounts).getBy('owner', ['ann']), { name: 'of ann' });
    t.strictSame(await owners(), ['ann', 'carl', 'dan']);
    await store.transaction((tx) => {
      tx.in(accounts).put({ name: 'of bob', balance: 1, owner: 'bob' });
      tx.in(accounts).put({ name: 'of ann', balance: 1, owner: 'eve' });
      tx.in(accounts).delete('of carl');
    });
    t.strictSame(await owners(), ['bob', 'dan', 'eve']);
    const later = await store.open(accounts).find('owner', { after: ['bob'], order: 'descending', limit: 1 });
    t.match(later, [{ name: 'of ann', owner: 'eve' }]);
    t.equal(await store.open(accounts).getBy('owner', ['carl']), undefined);
    t.match(await store.open(accounts).getBy('owner', ['eve']), { name: 'of ann' });
  });
}
