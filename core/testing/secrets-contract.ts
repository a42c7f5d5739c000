import type { Secrets } from '../ports/secrets.js';
import type { Store } from '../ports/store.js';
import type { Tap } from './tap.js';

/** A `Secrets` implementation, and the store it writes to. */
export interface SecretsUnderTest {
  readonly secrets: Secrets;
  /** Started, with every collection defined that the secrets need. */
  readonly store: Store;
}

/** The contract of every `Secrets` implementation. */
export async function secretsContract(t: Tap, make: (t: Tap) => Promise<SecretsUnderTest>): Promise<void> {
  await t.test('a secret can be read once its transaction is durable', async (t) => {
    const { secrets, store } = await make(t);
    t.equal(await secrets.get('webhook:1'), undefined);
    await store.transaction(async (tx) => {
      secrets.put(tx, 'webhook:1', 'hush');
      t.equal(await secrets.get('webhook:1'), undefined);
    });
    t.equal(await secrets.get('webhook:1'), 'hush');
    t.equal(await secrets.get('webhook:2'), undefined);
  });

  await t.test('a transaction that fails leaves secrets unchanged', async (t) => {
    const { secrets, store } = await make(t);
    await store.transaction((tx) => {
      secrets.put(tx, 'kept', 'first');
      secrets.put(tx, 'kept too', 'first');
    });
    const failing = store.transaction((tx) => {
      secrets.put(tx, 'kept', 'second');
      secrets.delete(tx, 'kept too');
      secrets.put(tx, 'new', 'value');
      throw new Error('changed its mind');
    });
    await t.rejects(failing, /changed its mind/);
    t.same([await secrets.get('kept'), await secrets.get('kept too'), await secrets.get('new')], ['first', 'first', undefined]);
  });

  await t.test('a secret is replaced and deleted, and the last operation of a transaction wins', async (t) => {
    const { secrets, store } = await make(t);
    await store.transaction((tx) => secrets.put(tx, 'a', 'one'));
    await store.transaction((tx) => {
      secrets.put(tx, 'a', 'two');
      secrets.put(tx, 'a', 'three');
      secrets.delete(tx, 'never there');
    });
    t.equal(await secrets.get('a'), 'three');
    await store.transaction((tx) => {
      secrets.put(tx, 'a', 'four');
      secrets.delete(tx, 'a');
    });
    t.equal(await secrets.get('a'), undefined);
    await store.transaction((tx) => {
      secrets.delete(tx, 'a');
      secrets.put(tx, 'a', 'five');
    });
    t.equal(await secrets.get('a'), 'five');
  });

  await t.test('names and values of every kind are returned unchanged', async (t) => {
    const { secrets, store } = await make(t);
    const values = { plain: 'x', empty: '', long: 'y'.repeat(100_000), 'é/😀 .:\n': 'ü\u0000😀', constructor: 'nor that' };
    const entries = Object.entries({ ...values, ['__proto__']: 'a name like any other' });
    await store.transaction((tx) => {
      for (const [name, value] of entries) secrets.put(tx, name, value);
    });
    for (const [name, value] of entries) t.equal(await secrets.get(name), value, JSON.stringify(name));
  });

  await t.test('concurrent writes keep their own values', async (t) => {
    const { secrets, store } = await make(t);
    await Promise.all(Array.from({ length: 100 }, (_, i) => store.transaction((tx) => secrets.put(tx, `webhook:${i}`, `value ${i}`))));
    const values = await Promise.all(Array.from({ length: 100 }, (_, i) => secrets.get(`webhook:${i}`)));
    t.ok(values.every((value, i) => value === `value ${i}`));
  });
}
