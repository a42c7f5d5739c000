import t from 'tap';
import { collection, createPlatform, definePlugin, type Transaction } from '#core';
import { MemoryStore, RecordingLogger, startPlatform } from '#core/testing';
import { liveOverStore, tenantChecked } from '../../../../core/adapters/store/index.js';
import { liveCollection, type Store } from '../../../../core/ports/store.js';

interface Owned {
  readonly id: string;
  readonly number?: string;
  readonly parent?: string;
  readonly mentions?: string;
  readonly account?: string | null;
}

const numbers = collection<Owned>({ key: 'id', tenant: { number: 'id', account: 'account' } });
const notes = collection<Owned>({ key: 'id', tenant: { number: 'number' } });
const replies = collection<Owned>({ key: 'id', tenant: { by: ['parent', notes] } });
const jobs = collection<Owned>({ key: 'id', tenant: { mentions: 'mentions' } });
const settings = collection<Owned>({ key: 'id', tenant: { global: true } });
const others = collection<Owned>({ key: 'id' });
const lives = liveCollection<Owned>('id', { number: ({ id }) => id.split('/')[0] });
const nothing = () => () => undefined;

async function checkedStore(inner: Store = new MemoryStore({ log: new RecordingLogger() })): Promise<Store> {
  const store = tenantChecked(inner);
  for (const [name, type] of Object.entries({ numbers, notes, replies, jobs, settings, others })) store.define(`test.${name}`, type);
  store.defineLive!('test.lives', lives, { put: nothing, patch: nothing, delete: nothing });
  await store.start();
  for (const id of ['a', 'b', 'c']) {
    const account = id === 'a' ? null : 'acme';
    await store.transaction((tx) => tx.in(numbers).put({ id, account }));
    await store.transaction((tx) => tx.in(notes).put({ id: `note ${id}`, number: id }));
    await store.transaction((tx) => tx.in(replies).put({ id: `reply ${id}`, parent: `note ${id}` }));
  }
  return store;
}

for (const [name, inner] of [
  ['a memory store', () => new MemoryStore({ log: new RecordingLogger() })],
  ['a store without live collections', () => liveOverStore(new MemoryStore({ log: new RecordingLogger() }))],
] as const)
  t.test(`writes to two tenants are refused in ${name}`, async (t) => {
    const store = await checkedStore(inner());
    t.teardown(() => store.stop());
    const refused = (work: Parameters<Store['transaction']>[0], message: RegExp) =>
      t.rejects(store.transaction(work), { name: 'TenantsMixed', message });
    await refused((tx) => {
      tx.in(notes).put({ id: 'new', number: 'a' });
      tx.in(replies).put({ id: 'reply b', parent: 'note b' });
    }, /writes test\.notes new of number a and test\.replies reply b of account acme: in a cluster they may be in two shards/);
    t.equal(await store.open(notes).get('new'), undefined, 'nothing of it is stored');
    await refused((tx) => {
      tx.in(notes).delete('note a');
      tx.in(jobs).put({ id: 'job', mentions: 'reply b' });
    }, /test\.notes note a of number a and test\.jobs job of account acme/);
    await refused((tx) => {
      tx.in(notes).put({ id: 'new', number: 'a' });
      tx.in(settings).put({ id: 's' });
    }, /test\.notes new of number a and test\.settings s of the whole installation/);
    await refused((tx) => {
      tx.live!(lives).put({ id: 'a/1' });
      tx.beforeCommit(() => tx.beforeCommit(() => tx.in(notes).put({ id: 'late', number: 'b' })));
    }, /test\.lives a\/1 of number a and test\.notes late of account acme/);

    await store.transaction((tx) => {
      tx.in(notes).put({ id: 'of b', number: 'b' });
      tx.in(notes).put({ id: 'of c', number: 'c' });
      tx.in(replies).put({ id: 'new reply', parent: 'of c' });
      tx.in(others).put({ id: 'undeclared' });
      tx.in(jobs).put({ id: 'stale', mentions: 'a document that was deleted' });
    });
    t.pass('numbers of one account are one tenant, and documents without a tenant may be written with any');
    await store.transaction((tx) => {
      tx.acrossTenants!();
      tx.in(notes).put({ id: 'x', number: 'a' });
      tx.in(notes).put({ id: 'y', number: 'b' });
    });
    t.pass('a transaction may be allowed to write to several tenants');
  });

t.test('documents that the store had before its start are known', async (t) => {
  const folder = t.testdir({});
  const open = async () => {
    const platform = createPlatform({ plugins: [], dataDir: folder, checkTenants: true, ports: { log: new RecordingLogger() } });
    await platform.start();
    t.teardown(() => platform.stop());
    return platform;
  };
  const first = await open();
  const create = (address: string) =>
    first.store.transaction((tx) =>
      first.numbers.create(tx, { kind: 'network', type: 'network', address, name: address, account: address }),
    );
  const [a, b] = [await create('+1'), await create('+2')];
  await first.stop();
  const second = await open();
  const update = async (tx: Transaction) => {
    for (const { uuid } of [a, b]) second.tokens.issue(tx, uuid, 'test');
  };
  await t.rejects(second.store.transaction(update), { name: 'TenantsMixed', message: /of account \+1 and .* of account \+2/ });
});

t.test('a test platform refuses a plugin that writes to two tenants', async (t) => {
  const records = collection<{ readonly id: string; readonly number: string }>({ key: 'id', tenant: { number: 'number' } });
  const plugin = definePlugin({ name: 'mixed', version: '1.0.0', collections: { records }, register: () => ({}) });
  const test = await startPlatform(t, { plugins: [plugin()] });
  const [a, b] = [await test.number('network'), await test.number('network')];
  const both = (tx: { in(type: typeof records): { put(document: object): void } }) => {
    for (const { uuid } of [a, b]) tx.in(records).put({ id: uuid, number: uuid });
  };
  await t.rejects(test.platform.store.transaction(both as never), { name: 'TenantsMixed' });
  const platform = createPlatform({ plugins: [plugin()], ports: { log: new RecordingLogger() } });
  await platform.start();
  t.teardown(() => platform.stop());
  await platform.store.transaction(both as never);
  t.pass('a platform that is not under test does not check');
});
