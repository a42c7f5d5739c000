import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { keyFrom } from '../../../core/adapters/secrets/key-file.js';
import { MemorySecrets } from '../../../core/adapters/secrets/memory-secrets.js';
import { SealedSecrets, sealedSecrets } from '../../../core/adapters/secrets/sealed-secrets.js';
import { MemoryStore } from '../../../core/adapters/store/memory-store.js';
import type { Store } from '../../../core/ports/store.js';
import { RecordingLogger } from '../../../core/testing/recording-logger.js';
import { secretsContract } from '../../../core/testing/secrets-contract.js';
import type { Tap } from '../../../core/testing/tap.js';

const key = randomBytes(32);

t.test('encrypted secrets keep the contract', (t) =>
  secretsContract(t, async (t) => {
    const store = await storeOf(t);
    return { store, secrets: new SealedSecrets({ store, key }) };
  }),
);

t.test('secrets in memory keep the contract', (t) =>
  secretsContract(t, async (t) => ({ store: await storeOf(t), secrets: new MemorySecrets() })),
);

t.test('an encrypted secret', async (t) => {
  const sealed = async (t: Tap, values: Record<string, string>) => {
    const store = await storeOf(t);
    const secrets = new SealedSecrets({ store, key });
    await store.transaction((tx) => {
      for (const [name, value] of Object.entries(values)) secrets.put(tx, name, value);
    });
    return { store, secrets, records: store.open(sealedSecrets) };
  };

  await t.test('cannot be read in the store, and is never encrypted the same way twice', async (t) => {
    const { records } = await sealed(t, { one: 'open sesame', two: 'open sesame' });
    const [one, two] = await records.list();
    const all = JSON.stringify([one, two]);
    t.notMatch(all, /sesame/);
    t.notMatch(all, Buffer.from('open sesame').toString('base64').slice(0, 12));
    t.notMatch(all, key.toString('hex'));
    t.not(one?.sealed.slice(0, 16), two?.sealed.slice(0, 16));
    t.not(one?.sealed, two?.sealed);
    t.equal(one?.key_id, two?.key_id);
  });

  await t.test('cannot be moved to another name', async (t) => {
    const { store, secrets, records } = await sealed(t, { mine: 'hush', theirs: 'other' });
    const mine = await records.get('mine');
    await store.transaction((tx) => tx.in(sealedSecrets).put({ ...mine, name: 'theirs' } as never));
    await t.rejects(secrets.get('theirs'), { name: 'SecretUnreadable', message: /'theirs' is damaged/ });
    t.equal(await secrets.get('mine'), 'hush');
  });

  await t.test('cannot be changed, not by a single bit', async (t) => {
    const { store, secrets, records } = await sealed(t, { a: 'hush' });
    const record = await records.get('a');
    const bytes = Buffer.from(record?.sealed ?? '', 'base64');
    for (const bad of [...Array.from(bytes, (_, i) => flipped(bytes, i)), bytes.subarray(0, -1), bytes.subarray(0, 20), Buffer.alloc(0)]) {
      await store.transaction((tx) => tx.in(sealedSecrets).put({ ...record, sealed: bad.toString('base64') } as never));
      await t.rejects(secrets.get('a'), { name: 'SecretUnreadable' });
    }
  });

  await t.test('cannot be decrypted with another key, and the error names the keys without revealing them', async (t) => {
    const { store } = await sealed(t, { a: 'hush' });
    const other = randomBytes(32);
    const error = await new SealedSecrets({ store, key: other }).get('a').catch((error: Error) => error);
    t.match(error, {
      name: 'SecretUnreadable',
      message: /^the secret 'a' was encrypted with key [0-9a-f]{8}, but this is key [0-9a-f]{8}\. Start with the key that belongs/,
    });
    t.notMatch(String(error), /hush/);
    t.notMatch(String(error), other.toString('hex').slice(0, 8));
  });

  await t.test('needs a key of 32 bytes, which may be given as a function', async (t) => {
    const store = await storeOf(t);
    t.throws(() => new SealedSecrets({ store, key: randomBytes(16) }), /has 16 bytes instead of 32/);
    let asked = 0;
    const secrets = new SealedSecrets({
      store,
      key: () => {
        asked++;
        return key;
      },
    });
    t.equal(asked, 0);
    await store.transaction((tx) => secrets.put(tx, 'a', 'hush'));
    t.equal(await secrets.get('a'), 'hush');
    t.equal(asked, 1);
    t.equal(await new SealedSecrets({ store, key }).get('a'), 'hush');
  });
});

t.test('a key file', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'posthorn-key-'));
  t.teardown(() => rm(folder, { recursive: true }));
  const file = join(folder, 'made', 'secrets.key');

  await t.test('is created on first use, for its owner only, and then never changes', async (t) => {
    const first = keyFrom(file);
    t.equal(first.length, 32);
    t.equal((await stat(file)).mode & 0o777, 0o600);
    t.same(keyFrom(file), first);
    t.equal((await readFile(file, 'utf8')).trim(), Buffer.from(first).toString('hex'));
  });

  await t.test('without a valid key is refused, not replaced', async (t) => {
    const bad = join(folder, 'bad.key');
    for (const text of ['', 'abc', `${'z'.repeat(64)}`, `${'a'.repeat(63)}`, `${'a'.repeat(66)}`]) {
      await writeFile(bad, text);
      t.throws(() => keyFrom(bad), /bad\.key does not contain a key/);
      t.equal(await readFile(bad, 'utf8'), text);
    }
  });
});

async function storeOf(t: Tap): Promise<Store> {
  const store = new MemoryStore({ log: new RecordingLogger() });
  store.define('core.secrets', sealedSecrets);
  await store.start();
  t.teardown(() => store.stop());
  return store;
}

function flipped(bytes: Buffer, at: number): Buffer {
  const copy = Buffer.from(bytes);
  copy.writeUInt8(copy.readUInt8(at) ^ 1, at);
  return copy;
}
