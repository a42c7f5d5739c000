import { appendFileSync, chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import t from 'tap';
import type { Tap } from '../../../core/testing/tap.js';
import { debianServer, debianServerOn, initialize, run } from '../../../scripts/crash/test-database.js';
import { until } from '../../../scripts/crash/until.js';
import { freePort } from '../../../scripts/free-port.js';
import { onlyLong } from '../../forms.js';
import { sample } from '../../pages/samples.js';
import { type Clustered, clustered, folderFor, settled } from '../cluster/clustered.js';

const PAGE = 'core/cluster/database.md';
const SETTINGS = ['fsync=off', 'max_connections=60', 'shared_buffers=16MB', 'jit=off', 'hot_standby=on'];
const bin = debianServer();

/** A folder that the user of PostgreSQL reaches. */
function sharedFolder(t: Tap): string {
  const root = mkdtempSync(join(tmpdir(), 'posthorn-recovery-'));
  chmodSync(root, 0o777);
  t.teardown(() => rmSync(root, { recursive: true, force: true }));
  return root;
}

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

const idsOf = async (member: Clustered, number: string): Promise<string[]> => {
  const { conversations } = (await member.call('GET', `/admin/v1/conversations?number=${number}`)).body;
  const { body } = await member.call('GET', `/admin/v1/conversations/${conversations[0].conversation.uuid}/messages?limit=200`);
  return body.messages.map((one: object) => /"body":"([^"]+)"/.exec(JSON.stringify(one))![1]).reverse();
};

t.test(
  'a server goes back to a point in time as printed, and the processes report what vanished',
  { skip: onlyLong || (!bin && 'needs the package postgresql of Debian, for pg_basebackup') },
  async (t) => {
    const root = sharedFolder(t);
    const [data, replicaData] = [join(root, 'data'), join(root, 'replica')];
    await run('/bin', 'mkdir', [`${root}/archive`, `${root}/backup`]);
    await initialize(bin!, data);
    /** What the page prints, with the folders of this test. */
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
    const channel = { from_addr: 'web:1', name: 'Shop', endpoint: 'http://127.0.0.1:1/' };
    const { uuid } = (await first.call('POST', '/admin/v1/channels', channel)).body.number;
    const token = (await first.call('POST', `/admin/v1/numbers/${uuid}/tokens`, { name: 't' })).body.text as string;
    const post = async (member: Clustered, id: string) => {
      const message = { type: 'text', from: '+27821', id, timestamp: '1767600000', text: { body: id } };
      const body = { contact: { id: '+27821', profile: { name: 'Ann' } }, message };
      await until(async () => (await member.call('POST', `/v1/numbers/${uuid}/messages`, body, token)).status === 200, `${id} is accepted`);
    };
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
    t.strictSame(await idsOf(first, uuid), ['in the base backup', 'in the archive', 'after the recovery']);
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
    t.strictSame(await idsOf(second, uuid), ['in the base backup', 'in the archive', 'after the recovery', 'with the replica']);
  },
);
