import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import t from 'tap';
import type { Tap } from '../../../../core/testing/tap.js';
import { debianServer, debianServerOn, initialize, run, startServer, type TestServer } from '../../../../scripts/crash/test-database.js';
import { freePort } from '../../../../scripts/free-port.js';
import { onlyLong } from '../../../forms.js';
import { sample } from '../../../pages/samples.js';
import { type Clustered, clustered, folderFor, settled, textChannel } from '../clustered.js';
import { sharedFolder } from './managed-fail-over.js';
import type { Skippable } from './with-database.js';

const PAGE = 'plugins/cluster/database.md';
const SETTINGS = ['fsync=off', 'shared_buffers=16MB', 'jit=off'];
const bin = debianServer();

const versionOf = async ({ url }: Pick<TestServer, 'url'>): Promise<number> => {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query('show server_version_num');
  await client.end();
  return Math.floor(Number(rows[0].server_version_num) / 10_000);
};

/** Posts through a cluster on one server, stops it, moves, and compares through a cluster on the other one. */
async function moved(t: Tap, from: TestServer, to: Pick<TestServer, 'url'>, move: () => Promise<unknown>): Promise<void> {
  const folder = folderFor(t);
  const start = async ({ url }: Pick<TestServer, 'url'>): Promise<readonly [Clustered, Clustered]> => {
    const members = [
      await clustered(t, { url, schema: 'posthorn' }, { folder }),
      await clustered(t, { url, schema: 'posthorn' }, { folder }),
    ];
    await settled(members);
    return members as [Clustered, Clustered];
  };
  const before = await start(from);
  const old = await versionOf(from);
  const channel = await textChannel(before[0]);
  const ids = Array.from({ length: 20 }, (_, n) => `message ${n}`);
  for (const [n, id] of ids.entries()) await channel.post(before[n % 2]!, id);
  for (const { stop } of before) await stop();
  await move();
  const after = await start(to);
  t.ok((await versionOf(to)) > old, `from PostgreSQL ${old} to ${await versionOf(to)}`);
  await channel.post(after[0], 'next');
  t.strictSame(await channel.texts(after[1]), [...ids, 'next']);
  t.strictSame((await after[0].call('GET', '/admin/v1/store/losses')).body.losses, []);
}

const printed = (name: string, variables: Readonly<Record<string, string>>): Promise<void> => {
  const values = Object.entries(variables).map(([variable, value]) => `export ${variable}='${value}'`);
  return run('/bin', 'bash', ['-c', ['set -e', ...values, sample(PAGE, 'bash', name)].join('\n')]);
};

t.test(
  'a cluster moves to a server of a newer major version with the printed dump',
  { skip: onlyLong || (!bin && 'needs the package postgresql of Debian, for pg_dump') },
  async (t) => {
    const old = (await startServer()) as TestServer;
    t.teardown(() => old.stop());
    const next = await startServer({ embedded: true });
    if (typeof next === 'string') return void (t as Skippable).pass('needs a newer server', { skip: next });
    t.teardown(() => next.stop());
    const variables = { PATH: `${bin}:${process.env.PATH}`, OLD_DATABASE_URL: old.url, NEW_DATABASE_URL: next.url };
    await moved(t, old, next, () => printed('dump to another server', variables));
  },
);

/** The programs of a newer major version: those of Debian, or those in the folder that POSTHORN_NEWER_POSTGRES names. */
function newerPrograms(): string | undefined {
  const { POSTHORN_NEWER_POSTGRES: given } = process.env;
  const versions = existsSync('/usr/lib/postgresql') ? readdirSync('/usr/lib/postgresql').sort((a, b) => Number(a) - Number(b)) : [];
  return given ?? (versions.length > 1 ? `/usr/lib/postgresql/${versions.at(-1)}/bin` : undefined);
}

const newer = newerPrograms();
const older = newer === bin && newer ? join(newer, '../..', readdirSync(join(newer, '../..')).sort()[0]!, 'bin') : bin;

t.test(
  'pg_upgrade as printed makes a newer server of that of a cluster',
  {
    skip:
      onlyLong ||
      (!older && 'needs the package postgresql of Debian') ||
      (!newer && 'needs a second major version of PostgreSQL; POSTHORN_NEWER_POSTGRES may name the folder of its programs'),
  },
  async (t) => {
    const root = sharedFolder(t);
    const [data, newData] = [join(root, 'old'), join(root, 'new')];
    await initialize(older!, data);
    const port = await freePort();
    const old = debianServerOn({ bin: older!, data, port }, SETTINGS);
    await old.start();
    t.teardown(() => old.stop());
    const next = debianServerOn({ bin: newer!, data: newData, port }, SETTINGS);
    let isNext = false;
    t.teardown(() => isNext && next.stop());
    await moved(t, old, next, async () => {
      await old.stop();
      await printed('pg_upgrade', { PGDATA: data, NEW_PGDATA: newData, OLD_BIN: older!, NEW_BIN: newer! });
      isNext = true;
      await next.start();
    });
  },
);
