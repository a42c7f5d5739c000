import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { version } from '../../../../core/platform/version.js';
import { collection } from '../../../../core/ports/store.js';
import { RecordingLogger } from '../../../../core/testing/recording-logger.js';
import { patient } from '../../../../core/testing/slowness.js';
import type { Tap } from '../../../../core/testing/tap.js';
import { channels } from '../../../../plugins/channels/plugin.js';
import { moveData } from '../../../../plugins/cluster/move/data-move.js';
import { postgresStore } from '../../../../plugins/cluster/postgres/index.js';
import { messages } from '../../../../plugins/messages/plugin.js';
import { network } from '../../../../plugins/network/plugin.js';
import { webhooks } from '../../../../plugins/webhooks/plugin.js';
import { until } from '../../../../scripts/crash/until.js';
import { clustered, folderFor, settled } from '../clustered.js';
import { earlierRelease } from './earlier-release.js';
import { endOf, linesOf, marker } from './log-contract.js';
import { logOn, withDatabase } from './with-database.js';

const SHARD = 'main';
const LEASE_MS = 1_000 * patient(1);
const things = collection<{ readonly id: string; readonly text: string }>({ key: 'id' });

t.test(
  'members of 0.1.0 and of this release take turns at a shard, each with the lines of the other',
  withDatabase(async (t, database) => {
    const earlier = await earlierRelease(t, database, 60_000);
    await earlier.createTables();
    const first = (await earlier.take(SHARD, 'old'))!;
    t.equal(first, 1);
    t.equal(await earlier.begin(SHARD, first, marker(1)), 1);
    t.equal(await earlier.append(SHARD, first, linesOf(2, 3, 'old')), 1);

    const log = logOn(database);
    t.teardown(() => log.stop());
    await log.start();
    t.equal(await log.take(SHARD), undefined, 'it has the lease');
    t.equal(await earlier.formatOf(), 1, 'it starts with the tables of this release');
    t.equal(await earlier.append(SHARD, first, linesOf(4, 4, 'old')), 1, 'and appends to them');
    t.equal(await earlier.renew(SHARD, 'old', first), true);
    await earlier.release(SHARD, 'old', first);

    const lease = (await log.take(SHARD))!;
    t.equal(await log.begin(lease, await endOf(log), marker(5)), 'durable');
    await t.rejects(earlier.append(SHARD, first, linesOf(5, 5, 'stale')), /duplicate key/, 'the earlier owner is fenced by the key');
    t.equal(await earlier.append(SHARD, first, linesOf(6, 6, 'stale')), 0, 'and by the row before');
    t.equal(await log.append(lease, linesOf(6, 6, 'new')), 'durable');
    t.match(await earlier.read(SHARD), /"tx":4,.*"old".*"tx":5,.*"tx":6,.*"new"/s);
    await log.release(lease);

    const again = (await earlier.take(SHARD, 'old'))!;
    t.ok(again > lease.epoch);
    t.equal(await earlier.begin(SHARD, again, marker(7)), 1);
    t.equal(await log.append(lease, linesOf(7, 7, 'stale')), 'fenced');
    t.equal(await log.renew(lease, 6), false);
    const end = await endOf(log);
    t.equal(end.tx, 7);
    await earlier.release(SHARD, 'old', again);
    const last = (await log.take(SHARD))!;
    t.ok(last.epoch > again);
    t.equal(await log.begin(last, end, marker(8)), 'durable');
  }),
);

t.test(
  'a store opens the tables of 0.1.0, and they move to a folder and back',
  withDatabase(async (t, database) => {
    const earlier = await earlierRelease(t, database, 60_000);
    await earlier.createTables();
    const epoch = (await earlier.take(SHARD, 'old'))!;
    await earlier.begin(SHARD, epoch, marker(1));
    await earlier.append(SHARD, epoch, linesOf(2, 5, 'by 0.1.0'));
    await earlier.release(SHARD, 'old', epoch);
    const root = mkdtempSync(join(tmpdir(), 'posthorn-earlier-'));
    t.teardown(() => rmSync(root, { recursive: true }));
    const move = { ...database, plugins: [], log: new RecordingLogger() };
    await moveData({ ...move, direction: 'to_folder', folder: join(root, 'data') });
    const schema = `${database.schema}_back`;
    await moveData({ ...move, schema, direction: 'to_database', folder: join(root, 'data') });

    for (const place of [database, { ...database, schema }]) {
      const store = postgresStore({ url: place.url, schema: place.schema, leaseMs: LEASE_MS, log: new RecordingLogger() });
      store.define('test.things', things);
      await store.start();
      t.strictSame(await store.open(things).list(), [{ id: 'a', text: 'by 0.1.0' }]);
      await store.transaction((tx) => tx.in(things).put({ id: 'b', text: 'new' }));
      await store.stop();
    }
    t.match(await earlier.read(SHARD), /"by 0.1.0".*"new"/s, 'and 0.1.0 reads what it has written');
  }),
);

t.test(
  'snapshots are files from the time on when no member of an earlier release runs, and then it cannot start any more',
  withDatabase(async (t, database) => {
    const earlier = await earlierRelease(t, database, LEASE_MS);
    await earlier.createTables();
    let isMixed = true;
    const log = logOn(database, { mayUseFiles: () => !isMixed });
    t.teardown(() => log.stop());
    await log.start();
    t.equal(await log.files.mayBeUsed(SHARD), false);
    t.equal(await earlier.formatOf(), 1);
    isMixed = false;
    t.equal(await log.files.mayBeUsed(SHARD), true);
    t.equal(await earlier.formatOf(), 2);
    isMixed = true;
    const other = logOn(database, { mayUseFiles: () => false });
    t.teardown(() => other.stop());
    await other.start();
    for (const one of [log, other]) t.equal(await one.files.mayBeUsed(SHARD), true, 'it stays so');
  }),
);

/** A member of 0.1.0 that reports until it leaves. */
async function joined(t: Tap, earlier: Awaited<ReturnType<typeof earlierRelease>>): Promise<() => void> {
  await earlier.report('old');
  const reporting = setInterval(() => void earlier.report('old').catch(() => undefined), LEASE_MS / 5);
  const leave = () => clearInterval(reporting);
  t.teardown(leave);
  return leave;
}

t.test(
  'a cluster of this release has a member of 0.1.0',
  withDatabase(async (t, database) => {
    const earlier = await earlierRelease(t, database, LEASE_MS);
    await earlier.createTables();
    const leave = await joined(t, earlier);
    const member = await clustered(t, database, { folder: folderFor(t), shards: 1 });
    await until(() => member.cluster.status().processes.length === 2, 'each sees the other');
    t.match(member.cluster.status(), { processes: [{ id: 'old', version: '0.1.0' }, { version }] });
    t.match(member.cluster.status().warnings.join('\n'), /Processes run different releases: 0\.1\.0, /);
    t.strictSame(
      member.cluster.status().shards.map(({ owner }) => owner),
      [null],
      'that member joined first, so it assigns the shards',
    );
    leave();
    await until(() => member.cluster.status().processes.length === 1, 'it has ended');
    await settled([member]);
    t.equal(
      (await member.call('POST', '/admin/v1/channels', { from_addr: 'web:1', name: 'Shop', endpoint: 'http://127.0.0.1:1/' })).status,
      201,
    );
  }),
);

t.test(
  'beside a member of 0.1.0 an owner writes what that member can read, and the new forms once it has left',
  withDatabase(async (t, database) => {
    const earlier = await earlierRelease(t, database, LEASE_MS);
    const plugins = [channels(), webhooks(), messages({ claims: true }), network()];
    const member = await clustered(t, database, { folder: folderFor(t), shards: 1, platform: { plugins } });
    await settled([member]);
    const admin = async (method: string, path: string, payload: object) => {
      const { status, text, body } = await member.call(method, `/admin/v1${path}`, payload);
      t.ok(status < 300, `${method} ${path}: ${status} ${text}`);
      return body;
    };
    const number = (await admin('POST', '/numbers', { kind: 'network', address: '+27600000009', name: 'Shop' })).number.uuid;
    const leave = await joined(t, earlier);
    await until(() => member.cluster.status().processes.length === 2, 'they see each other');

    const about = { number, url: 'http://127.0.0.1:1/', subscriptions: ['msgapp'], headers: { 'x-desk': 'plain words' }, claims: true };
    const { webhook } = await admin('POST', '/webhooks', about);
    const phone = (id: string) =>
      admin('POST', `/network/numbers/${number}/messages`, { from: '27820001001', id, type: 'text', text: { body: 'hi' } });
    await phone('beside');
    const read = () => earlier.read(member.owned()[0]!);
    const written = await read();
    t.match(written, `"${webhook.uuid}"`);
    t.match(written, '"x-desk":"plain words"', 'the value that 0.1.0 sends');
    t.match(written, '"beside"');
    for (const form of ['sealed_headers', 'messages.claims']) t.notMatch(written, form, form);

    leave();
    await until(async () => (await read()).includes('"sealed_headers":'), 'the value is sealed, without another start');
    await phone('alone');
    t.match(await read(), '"messages.claims"', 'and webhooks claim contacts');
    t.match(await admin('PATCH', `/webhooks/${webhook.uuid}`, { headers: { 'x-desk': 'sealed at once' } }), {
      webhook: { uuid: webhook.uuid },
    });
    t.notMatch(await read(), 'sealed at once');
  }),
);
