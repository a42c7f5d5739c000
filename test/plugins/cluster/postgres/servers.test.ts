import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import t from 'tap';
import { patient } from '../../../../core/testing/slowness.js';
import type { Tap } from '../../../../core/testing/tap.js';
import { Connection } from '../../../../plugins/cluster/postgres/connection.js';
import { replicationProblem } from '../../../../plugins/cluster/postgres/replication.js';
import { Servers, type ServersOptions } from '../../../../plugins/cluster/postgres/servers.js';
import { freePort } from '../../../../scripts/free-port.js';
import { type Skippable, withDatabase, withReplica } from './with-database.js';

const LIMIT_MS = patient(2_000);

function connectionTo(t: Tap, options: ServersOptions): Connection {
  const connection = new Connection({ servers: new Servers(options), queryTimeoutMs: () => LIMIT_MS });
  t.teardown(() => connection.close());
  return connection;
}

const portOf = async (connection: Connection): Promise<number> =>
  Number((await connection.query<{ port: string }>({ text: `select current_setting('port') as port` }))[0]!.port);

t.test(
  'a connection goes to the host that accepts writes, and says what is wrong with the others',
  withDatabase(async (t, { url, schema }) => {
    const { port } = new URL(url);
    const closed = await freePort();
    t.equal(await portOf(connectionTo(t, { url: `postgres://postgres@127.0.0.1:${closed},127.0.0.1:${port}/postgres` })), Number(port));
    t.equal(await portOf(connectionTo(t, { url: `host=localhost port=${port} user=postgres dbname=postgres` })), Number(port));
    await t.rejects(portOf(connectionTo(t, { url: `postgres://postgres@127.0.0.1:${closed},nowhere.invalid:1/postgres` })), {
      name: 'LogUnreachable',
      message:
        /does not respond: (127\.0\.0\.1:\d+: connect ECONNREFUSED.*; nowhere\.invalid:1: |nowhere\.invalid:1: .*; 127\.0\.0\.1:\d+: connect ECONNREFUSED)/,
    });

    const setup = connectionTo(t, { url });
    const role = `reader_${schema}`;
    await setup.query({ text: `create role ${role} login` });
    await setup.query({ text: `alter role ${role} set default_transaction_read_only = on` });
    await t.rejects(portOf(connectionTo(t, { url: `postgres://${role}@127.0.0.1:${port}/postgres` })), {
      message: /^PostgreSQL accepts no writes: it accepts no writes \(default_transaction_read_only\)$/,
    });
    t.equal(await replicationProblem(setup), undefined, 'a database without a replica needs no synchronous one');
  }),
);

t.test(
  'the password is asked for each connection, and a lost server is looked for again',
  withDatabase(async (t, { url }) => {
    const { port } = new URL(url);
    let asked = 0;
    const connection = connectionTo(t, {
      url: `postgres://postgres@127.0.0.1:${port}/postgres`,
      password: async () => `password-${++asked}`,
    });
    const [row] = await connection.query<{ pid: number }>({ text: 'select pg_backend_pid() as pid' });
    t.equal(asked, 1);
    const other = connectionTo(t, { url });
    await other.query({ text: 'select pg_terminate_backend($1)', values: [row!.pid] });
    while (connection.isConnected) await new Promise((resolve) => setTimeout(resolve, 5));
    t.equal(await portOf(connection), Number(port));
    t.equal(asked, 2);
    t.equal(connection.connections, 2);
    // A server that has become read-only is left as one that has ended is.
    await connection.query({ text: 'set default_transaction_read_only = on' });
    await t.rejects(
      connection.query({ text: 'create table nothing (a int)' }),
      /does not respond: cannot execute CREATE TABLE in a read-only/,
    );
    t.equal(await portOf(connection), Number(port));
    t.equal(asked, 3);
  }),
);

t.test(
  'a fail-over is followed without a proxy, and a server that was replaced is not used again',
  withReplica(async (t, server) => {
    await server.setSynchronous(true);
    const primary = server.primary.url;
    const connection = connectionTo(t, { url: server.url });
    const first = await portOf(connection);
    t.equal(String(first), new URL(primary).port);
    t.equal(await replicationProblem(connection), undefined);
    await server.setSynchronous(false);
    t.match(await replicationProblem(connection), /commits do not wait for any \(synchronous_standby_names is empty\)/);
    await server.setSynchronous(true);
    await connection.query({ text: `select set_config('synchronous_commit', 'local', false)` });
    t.match(await replicationProblem(connection), /synchronous_commit is local/);
    const [replicaUrl] = server.url.replace(`127.0.0.1:${first}`, '').match(/127\.0\.0\.1:\d+/)!;
    await t.rejects(portOf(connectionTo(t, { url: `postgres://postgres@${replicaUrl}/postgres` })), {
      message: /^PostgreSQL accepts no writes: it is a standby of the database, and accepts no writes$/,
    });

    server.freezePrimary();
    await server.failOver({ isFrozen: true });
    await t.rejects(portOf(connection), /does not respond/, 'the session is on a frozen server');
    const second = await portOf(connection);
    t.not(second, first, 'the next one is on the new primary');
    server.thawPrevious();
    // Both accept writes now, and the previous one comes first in the URL.
    for (const url of [server.url, server.url.replace(/@([^,]+),([^/]+)/, '@$2,$1')])
      t.equal(await portOf(connectionTo(t, { url })), second, 'a new process chooses the newer timeline');
    const old = new pg.Client({ connectionString: primary });
    await old.connect();
    t.equal((await old.query('select pg_is_in_recovery() as standby')).rows[0].standby, false);
    await old.end();

    const { servers } = { servers: new Servers({ url: server.url }) };
    const both = new Connection({ servers, queryTimeoutMs: () => LIMIT_MS });
    t.teardown(() => both.close());
    t.equal(await portOf(both), second);
    server.freezePrimary();
    await t.rejects(portOf(both));
    await t.rejects(
      portOf(both),
      /accepts no writes: .*it is on timeline 1, and this process has used timeline 2 of the same database, which has replaced it/,
    );
  }),
);

t.test(
  'connections are encrypted as sslmode says',
  withReplica(async (t, server) => {
    const folder = mkdtempSync(join(tmpdir(), 'posthorn-tls-'));
    t.teardown(() => rmSync(folder, { recursive: true }));
    const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
    const flags = [
      'req',
      '-x509',
      '-newkey',
      'rsa:2048',
      '-nodes',
      '-days',
      '1',
      '-subj',
      '/CN=localhost',
      '-addext',
      'subjectAltName=DNS:localhost',
    ];
    const made = spawnSync('openssl', [...flags, '-keyout', key, '-out', cert], { encoding: 'utf8' });
    if (made.status !== 0) return void (t as Skippable).pass('needs openssl', { skip: made.error?.message ?? made.stderr });
    const { uid, gid } = statSync(server.dataFolder);
    chmodSync(folder, 0o755);
    chownSync(key, uid, gid);
    chmodSync(key, 0o600);
    const { port } = new URL(server.primary.url);
    const setup = connectionTo(t, { url: server.primary.url });
    const isEncrypted = async (host: string, mode: string) => {
      const connection = connectionTo(t, { url: `postgres://postgres@${host}:${port}/postgres?sslmode=${mode}` });
      const [row] = await connection.query<{ ssl: boolean }>({ text: 'select ssl from pg_stat_ssl where pid = pg_backend_pid()' });
      return row!.ssl;
    };
    t.equal(await isEncrypted('localhost', 'prefer'), false, 'the server has no certificate yet');
    await t.rejects(isEncrypted('localhost', 'require'), /does not support SSL/);
    await setup.query({ text: `alter system set ssl_cert_file = '${cert}'` });
    await setup.query({ text: `alter system set ssl_key_file = '${key}'` });
    await setup.query({ text: 'alter system set ssl = on' });
    await setup.query({ text: 'select pg_reload_conf()' });
    while ((await setup.query<{ ssl: string }>({ text: 'show ssl' }))[0]!.ssl !== 'on')
      await new Promise((resolve) => setTimeout(resolve, 20));
    for (const [host, mode, expected] of [
      ['localhost', 'disable', false],
      ['localhost', 'allow', false],
      ['localhost', 'prefer', true],
      ['localhost', 'require', true],
      ['127.0.0.1', `require&sslrootcert=${cert}`, true],
      ['127.0.0.1', `verify-ca&sslrootcert=${cert}`, true],
      ['localhost', `verify-full&sslrootcert=${cert}`, true],
    ] as const)
      t.equal(await isEncrypted(host, mode), expected, `${host} ${mode.split('&')[0]}`);
    await t.rejects(isEncrypted('127.0.0.1', `verify-full&sslrootcert=${cert}`), /does not match certificate/);
    await t.rejects(isEncrypted('localhost', 'verify-full'), /self-signed/);
  }),
);
