import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { type SandboxOptions, type Seed, startSandbox } from '../../sandbox/compose.js';
import { withDatabase } from '../plugins/cluster/postgres/with-database.js';

const seed: Seed = { numbers: [{ kind: 'network', address: '+27600000001', name: 'Shop' }] };

t.test(
  'a sandbox keeps its state in PostgreSQL, and its keys in the folder',
  withDatabase(async (t, { url }) => {
    const data = mkdtempSync(join(tmpdir(), 'posthorn-sandbox-'));
    t.teardown(() => rmSync(data, { recursive: true, force: true }));
    const options: SandboxOptions = { data, store: url, seed, logLevel: 'error' };
    const first = await startSandbox(options);
    const [number] = first.numbers;
    await first.platform.store.transaction((tx) => first.platform.numbers.update(tx, number!.uuid, { name: 'Changed' }));
    await t.rejects(startSandbox(options), /another process owns the data in this database/);
    await first.stop();

    t.notOk(
      readdirSync(data).some((name) => name.startsWith('journal')),
      'the folder has no journal',
    );
    const second = await startSandbox(options);
    t.teardown(() => second.stop());
    t.equal(second.isResumed, true);
    t.strictSame(second.numbers, first.numbers);
    t.equal((await second.platform.numbers.require(number!.uuid)).name, 'Changed');
    await second.reset();
    t.equal((await second.platform.numbers.require(number!.uuid)).name, 'Shop', 'a reset applies the seed again');
  }),
);

t.test('an incomplete configuration is refused before anything starts', async (t) => {
  delete process.env.POSTHORN_DATABASE_URL;
  const refused = (options: SandboxOptions, why: RegExp) => t.rejects(startSandbox({ seed: 'empty', ...options }), why);
  await refused({ store: 'postgres', data: '/nowhere' }, /POSTHORN_DATABASE_URL/);
  await refused({ store: 'postgres://localhost/db' }, /also needs a data folder/);
  await refused({ store: 'mysql://localhost/db', data: '/nowhere' }, /URL of a database/);
});
