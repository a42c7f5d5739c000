import { execFile, execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { promisify } from 'node:util';
import t from 'tap';
import { type CollectionType, collection, createPlatform, definePlugin, type Platform } from '#core';
import { patient } from '../../../../core/testing/slowness.js';
import type { Tap } from '../../../../core/testing/tap.js';
import { channels } from '../../../../plugins/channels/plugin.js';
import { postgresStore } from '../../../../plugins/cluster/postgres/index.js';
import { until } from '../../../../scripts/crash/until.js';
import { freshSchema, type Skippable, type TestDatabase, withDatabase } from './with-database.js';

interface Note {
  readonly id: string;
  readonly text: string;
  readonly tags?: readonly string[];
}

/** A collection that only the newer release has. */
const notes: CollectionType<Note> = collection<Note>({ key: 'id' });

const newer = definePlugin({
  name: 'notes',
  version: '1.0.0',
  collections: { notes },
  register: () => ({}),
})();

/** A process of a platform, of the older or of the newer release. */
async function process(t: Tap, { url, schema }: Pick<TestDatabase, 'url' | 'schema'>, release: 'older' | 'newer' = 'older') {
  const platform = createPlatform({
    plugins: [channels(), ...(release === 'newer' ? [newer] : [])],
    secretKey: '8'.repeat(64),
    logLevel: 'error',
    ports: { store: postgresStore({ url, schema, leaseMs: 1_000 * patient(1), snapshotEveryBytes: 1 }) },
  });
  await platform.start();
  t.teardown(() => platform.stop());
  return { platform, isOwner: async () => platform.storeHealth().state === 'open' };
}

const add = ({ numbers, store }: Platform, address: string) =>
  store.transaction((tx) => numbers.create(tx, { kind: 'channel', type: 'channel_http_api', address, name: address }));

const addresses = async ({ numbers }: Platform): Promise<string[]> => (await numbers.list()).map(({ address }) => address);

t.test(
  'two releases run side by side: each reads the lines of the other, and keeps what it does not know',
  withDatabase(async (t, database) => {
    const first = await process(t, database, 'older');
    await add(first.platform, 'by older');
    const second = await process(t, database, 'newer');
    await first.platform.stop();
    await until(second.isOwner, 'the newer release takes over');
    t.strictSame(await addresses(second.platform), ['by older']);
    await add(second.platform, 'by newer');
    await second.platform.store.transaction(async (tx) => tx.in(notes).put({ id: 'n', text: 'kept' }));

    // The upgrade is taken back.
    const third = await process(t, database, 'older');
    await second.platform.stop();
    await until(third.isOwner, 'the older release takes over again');
    t.strictSame(await addresses(third.platform), ['by older', 'by newer']);
    await add(third.platform, 'by older again');

    const fourth = await process(t, database, 'newer');
    await third.platform.stop();
    await until(fourth.isOwner, 'and the newer one');
    t.strictSame(await addresses(fourth.platform), ['by older', 'by newer', 'by older again']);
    t.strictSame(await fourth.platform.store.open(notes).get('n'), { id: 'n', text: 'kept' });
  }),
);

const MAX_DUMP_BYTES = 1 << 28;
const DEBIAN = '/usr/lib/postgresql';

function tool(name: string): string | undefined {
  const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN).sort((a, b) => Number(b) - Number(a)) : [];
  return versions.map((version) => `${DEBIAN}/${version}/bin/${name}`).find((path) => existsSync(path));
}

t.test(
  'a backup that pg_dump made while the owner wrote is restored, and a platform starts with it',
  withDatabase(async (t, { server, url, schema }) => {
    const [dump, psql] = [tool('pg_dump'), tool('psql')];
    if (!dump || !psql) return void (t as Skippable).pass('needs pg_dump', { skip: `no pg_dump in ${DEBIAN}` });
    const owner = await process(t, { url, schema });
    for (let i = 0; i < 20; i++) await add(owner.platform, `before ${i}`);
    let isBacked = false;
    const writing = (async () => {
      for (let i = 0; !isBacked; i++) await add(owner.platform, `during ${i}`);
    })();
    const { stdout: sql } = await promisify(execFile)(dump, ['--dbname', url, '--schema', schema, '--no-owner'], {
      maxBuffer: MAX_DUMP_BYTES,
    });
    isBacked = true;
    await writing;
    await owner.platform.stop();

    const restored = freshSchema();
    execFileSync(psql, ['--dbname', server.url, '--quiet', '--set', 'ON_ERROR_STOP=1'], { input: sql.replaceAll(schema, restored) });
    const next = await process(t, { url, schema: restored });
    await until(next.isOwner, 'the lease in the backup ends');
    const found = await addresses(next.platform);
    t.strictSame(found.filter((address) => address.startsWith('before')).length, 20);
    const during = found.filter((address) => address.startsWith('during'));
    t.strictSame(
      during,
      during.map((_, i) => `during ${i}`),
      'without gaps',
    );
    await add(next.platform, 'after');
  }),
);
