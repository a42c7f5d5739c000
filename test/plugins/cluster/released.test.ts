import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import type { Tap } from '../../../core/testing/tap.js';
import { until } from '../../../scripts/crash/until.js';
import { freePort } from '../../../scripts/free-port.js';
import { onlyLong } from '../../forms.js';
import { ADMIN_KEY, type Clustered, callsTo, clustered, folderFor, settled, textChannel } from './clustered.js';
import { withDatabase } from './postgres/with-database.js';

/** The last commit with the version 0.1.0. */
const RELEASED = 'b3249503165d2ad35944347ff8e892a801c5bff9';

/** A process of 0.1.0 with the options in its first argument. */
const PROCESS = `
import Hapi from '@hapi/hapi';
import { createCluster } from '../core/adapters/postgres/index.js';
import { channels } from '../plugins/channels/plugin.js';
import { messages } from '../plugins/messages/plugin.js';
import { webhooks } from '../plugins/webhooks/plugin.js';
const { port, platform, ...options } = JSON.parse(process.argv[2]!);
const server = Hapi.server({ port, host: '127.0.0.1' });
await server.register(createCluster({ ...options, platform: { ...platform, plugins: [channels(), webhooks(), messages()] } }).hapiPlugin);
await server.start();
process.on('SIGTERM', () => void server.stop({ timeout: 100 }).then(() => process.exit()));
console.log('started');
`;

const noCommit = spawnSync('git', ['cat-file', '-e', RELEASED]).status === 0 ? false : 'this clone has no commit of 0.1.0';

/** Compiles the sources of 0.1.0 in a folder. @returns the path of its program */
function released(t: Tap): string {
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-released-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  const archive = execFileSync('git', ['archive', RELEASED], { maxBuffer: 256 * 1024 * 1024 });
  execFileSync('tar', ['-x', '-C', folder], { input: archive });
  symlinkSync(join(process.cwd(), 'node_modules'), join(folder, 'node_modules'));
  mkdirSync(join(folder, 'scripts'), { recursive: true });
  writeFileSync(join(folder, 'scripts', 'none.ts'), '');
  writeFileSync(join(folder, 'scripts', 'process.ts'), PROCESS);
  // In a build folder of its own, whatever that of the tests is.
  execFileSync(process.execPath, ['scripts/run.mjs', 'none'], { cwd: folder, env: { ...process.env, POSTHORN_BUILD: '.build-run' } });
  return join(folder, '.build-run', 'scripts', 'process.js');
}

t.test(
  'beside a process of 0.1.0 itself, with the same options: each serves all numbers, and this release takes over',
  { skip: onlyLong || noCommit },
  withDatabase(async (t, database) => {
    const script = released(t);
    const folder = folderFor(t);
    const port = await freePort();
    const leaseMs = 3_000;
    // As `clustered` starts this release.
    const options = {
      port,
      platform: {
        admin: { key: ADMIN_KEY },
        secretKey: '7'.repeat(64),
        publicUrl: 'http://cluster.test',
        dataDir: folder,
        privateTargets: 'allow',
        logLevel: 'error',
        rateLimits: false,
      },
      database: { url: database.url, schema: database.schema, leaseMs },
      url: `http://127.0.0.1:${port}`,
      shards: 2,
    };
    const earlier: ChildProcess = spawn(process.execPath, [script, JSON.stringify(options)], { stdio: ['ignore', 'pipe', 'inherit'] });
    t.teardown(() => earlier.kill('SIGKILL'));
    await once(earlier.stdout!, 'data');
    const old = { call: callsTo(`http://127.0.0.1:${port}`) } as Clustered;
    await until(async () => (await old.call('GET', '/ready')).status === 200, '0.1.0 is ready');
    const before = await textChannel(old, 'web:1');
    await before.post(old, 'written by 0.1.0');

    const now = await clustered(t, database, {
      folder,
      database: { leaseMs },
      platform: {
        operators: {
          authenticate: ({ headers: { 'x-user': user } }) => (user ? { id: `${user}`, name: `${user}`, roles: [`${user}`] } : undefined),
        },
      },
    });
    await until(async () => now.owned().length === 1 && (await old.call('GET', '/ready')).status === 200, 'each owns a shard');
    const after = await textChannel(now, 'web:2');
    const there = await textChannel(old, 'web:3');
    for (const [n, channel] of [before, after, there].entries())
      for (const [name, member] of Object.entries({ old, now })) {
        await channel.post(member, `${n} by ${name}`);
        t.equal((await channel.texts(member)).at(-1), `${n} by ${name}`, `${name} shows channel ${n}`);
      }
    for (const member of [old, now]) t.equal((await member.call('GET', '/admin/v1/numbers')).body.numbers.length, 3);
    t.match(now.cluster.status().warnings.join(' '), /different releases: 0\.1\.0/);
    const as = async (user: string, path: string) => (await fetch(`${now.url}/admin/v1${path}`, { headers: { 'x-user': user } })).status;
    t.equal((await old.call('GET', '/admin/v1/numbers', undefined, 'not-the-admin-key')).status, 401);
    for (const { uuid } of [before, after, there])
      t.not(await as('stranger', `/numbers/${uuid}`), 200, 'no role, no data, in whatever shard');

    earlier.kill('SIGTERM');
    await once(earlier, 'exit');
    await settled([now]);
    for (const [n, channel] of [before, after, there].entries()) {
      t.strictSame((await channel.texts(now)).slice(-2), [`${n} by old`, `${n} by now`], 'nothing is lost');
      t.equal(await as('owner', `/numbers/${channel.uuid}`), 200);
      t.equal(await as('viewer', `/numbers/${channel.uuid}`), 200);
      await channel.post(now, `${n} later`);
    }
    const key = await now.call('POST', '/admin/v1/keys', { name: 'desk', roles: ['viewer'] });
    t.equal((await now.call('GET', '/admin/v1/numbers', undefined, key.body.text)).status, 200, 'keys with roles work from then on');
  }),
);
