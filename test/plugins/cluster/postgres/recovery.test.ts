import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import t from 'tap';
import type { Tap } from '../../../../core/testing/tap.js';
import { debianServer, debianServerOn, initialize, run } from '../../../../scripts/crash/test-database.js';
import { until } from '../../../../scripts/crash/until.js';
import { freePort } from '../../../../scripts/free-port.js';
import { onlyLong } from '../../../forms.js';
import { sample } from '../../../pages/samples.js';
import { clustered, folderFor, settled, textChannel } from '../clustered.js';
import { sharedFolder } from './managed-fail-over.js';

const PAGE = 'plugins/cluster/database.md';
const SETTINGS = ['fsync=off', 'max_connections=60', 'shared_buffers=16MB', 'jit=off', 'hot_standby=on'];
const bin = debianServer();

/** A server on a data folder, stopped at the end. */
function serverOn(t: Tap, bin: string, data: string, port: number) {
  const server = debianServerOn({ bin, data, port }, SETTINGS);
  const ask = async (sql: string): Promise<string> => {
    const client = new pg.Client({ connectionString: server.url });
    await client.connect();
    try {
      return String((await client.query({ text: sql, rowMode: 'array' })).rows[0]?.[0]);
    } finally {
      await client.end();
    }
  };
  let isStarted = false;
  t.teardown(() => isStarted && server.stop());
  const start = async () => {
    isStarted = true;
    await server.start();
  };
  return { url: server.url, start, stop: () => server.stop(), ask };
}

t.test(
  'a server goes back to a point in time as printed, and the processes report what vanished',
  { skip: onlyLong || (!bin && 'needs the package postgresql of Debian, for pg_basebackup') },
  async (t) => {
    const root = sharedFolder(t);
    const [data, replicaData] = [join(root, 'data'), join(root, 'replica')];
    await run('/bin', 'mkdir', [`${root}/archive`, `${root}/backup`]);
    await initialize(bin!, data);
    /** A block of the page, with the folders of this test. */
    const printed = (language: string, name: string) =>
      sample(PAGE, language, name).replaceAll('/archive', `${root}/archive`).replaceAll('/backup', `${root}/backup`);
    const server = serverOn(t, bin!, data, await freePort());
    const command = (name: string, change = (text: string) => text) => {
      const variables = `set -e; PATH=${bin}:$PATH PGDATA=${data} REPLICA_PGDATA=${replicaData} DATABASE_URL=${server.url}`;
      return run('/bin', 'bash', ['-c', `${variables}\n${change(printed('bash', name))}`]);
    };
    appendFileSync(join(data, 'postgresql.conf'), printed('ini', 'archive settings'));
    await server.start();

    const [folder, database] = [folderFor(t), { url: server.url, schema: 'posthorn' }];
    const members = [await clustered(t, database, { folder, shards: 1 }), await clustered(t, database, { folder, shards: 1 })] as const;
    await settled(members);
    const [first, second] = members;
    const { uuid, post, texts } = await textChannel(first);
    await post(first, 'in the base backup');
    await command('base backup');
    await post(second, 'in the archive');
    const time = await server.ask('select clock_timestamp()::text');
    for (const id of ['lost 1', 'lost 2']) await post(first, id);
    await until(() => members.every(({ cluster }) => cluster.status().shards[0]!.lag === 0), 'the standby has it');

    await server.stop();
    await command('go back', (text) => text.replace('2026-11-28 12:00:00+00', time));
    await server.start();
    await until(async () => (await server.ask('select pg_is_in_recovery()')) === 'false', 'the recovery ends');
    await post(second, 'after the recovery');
    t.strictSame(await texts(first), ['in the base backup', 'in the archive', 'after the recovery']);
    const { losses } = (await first.call('GET', '/admin/v1/store/losses')).body;
    t.equal(losses.length, 1, 'both processes report the same');
    t.match(losses[0], { shard: 'main', acknowledged: true, complete: true, tenants: [`number ${uuid}`] });
    const lost = JSON.stringify(losses[0].documents);
    for (const id of ['lost 1', 'lost 2']) t.ok(lost.includes(`"${id}"`), `${id} is reported`);
    for (const id of ['in the base backup', 'in the archive']) t.notOk(lost.includes(`"${id}"`), `${id} is not`);

    await command('replica after a recovery');
    const replica = serverOn(t, bin!, replicaData, await freePort());
    await replica.start();
    await post(first, 'with the replica');
    const followed = await server.ask('select pg_current_wal_lsn()::text');
    await until(async () => (await replica.ask(`select pg_last_wal_replay_lsn() >= '${followed}'`)) === 'true', 'the replica follows');
    t.equal(await replica.ask('select pg_is_in_recovery()'), 'true', 'it is no second primary');
    t.strictSame(await texts(second), ['in the base backup', 'in the archive', 'after the recovery', 'with the replica']);
  },
);
