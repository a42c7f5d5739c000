import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { ADMIN_KEY as KEY_OF_A_PLATFORM } from '../../../core/testing/index.js';
import type { Tap } from '../../../core/testing/tap.js';
import { writeRunFile } from '../../../sandbox/client/run-file.js';
import { cluster } from '../../../sandbox/commands/cluster.js';
import { until } from '../../../scripts/crash/until.js';
import { startWithWebhook } from '../../core/delivery/webhook-platform.js';
import { ADMIN_KEY, clustered, folderFor, settled } from './clustered.js';
import { withDatabase } from './postgres/with-database.js';

/** The command as a user runs it in a folder whose run file names this server. */
function commandFor(t: Tap, api: string, key: string) {
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-cluster-command-'));
  t.teardown(() => rmSync(folder, { recursive: true }));
  const admin = { url: `${api}/admin/v1`, key };
  writeRunFile(folder, { pid: process.pid, startedAt: new Date().toISOString(), api, admin, phone: undefined });
  return async (...argv: string[]) => {
    const out: string[] = [];
    const terminal = { out: (line: string) => void out.push(line), err: () => undefined, isColoured: false, cwd: folder };
    return { code: await cluster.run(argv, terminal), out };
  };
}

t.test(
  'the state of a cluster is printed, a shard is moved, and a process is drained and gets its shards back',
  withDatabase(async (t, database) => {
    const folder = folderFor(t);
    const members = [await clustered(t, database, { folder }), await clustered(t, database, { folder })] as const;
    const [first, second] = members;
    await settled(members);
    await until(async () => first.owned().length === 1 && second.owned().length === 1, 'the shards are balanced');
    await settled(members);
    const run = commandFor(t, first.url, ADMIN_KEY);
    const [one, two] = members.map((member) => member.cluster.status().process);

    const { code, out } = await run();
    t.equal(code, 0);
    t.match(out.join('\n'), new RegExp(`${one!.slice(0, 8)}  ${first.url}  \\S+  owns 1, standby of 1  responded`));
    t.match(out.join('\n'), /\n {2}shard-1 {2}owner [0-9a-f]{8} {2}standby [0-9a-f]{8} \(\d+ behind\) {2}epoch \d+ {2}0 numbers/);
    t.match(JSON.parse((await run('status', '--json')).out[0]!), {
      v: 1,
      cluster: { process: one, processes: [{ id: one }, { id: two }] },
    });

    const moved = JSON.parse((await run('move', 'shard-1', two!.slice(0, 8), '--json')).out[0]!);
    t.equal(moved.cluster.shards[0].pinned, two);
    await run('move', 'shard-2', `${second.url}/`);
    await until(async () => second.owned().length === 2, 'the second process owns both');
    t.match((await run('move', 'shard-2')).out.join('\n'), /shard-1 .*moved to/);
    t.equal(first.cluster.status().shards[1]!.pinned, null, 'may move by itself again');

    t.match((await run('drain', two!)).out.join('\n'), /draining/);
    await until(async () => first.owned().length === 2, 'the first process owns both');
    t.equal((await second.call('GET', '/admin/v1/numbers')).status, 200, 'a drained process responds');
    const causeOf = async (path: string, payload: object) =>
      (await second.call('POST', `/admin/v1/cluster/${path}`, payload)).body.errors[0].cause;
    t.equal(await causeOf('moves', { shard: 'shard-9' }), 'shard_not_found');
    t.equal(await causeOf('moves', { shard: 'shard-1', process: 'unknown' }), 'process_not_found');
    t.equal(await causeOf('drains', { process: one }), 'no_other_process', 'the other one is drained');
    t.equal((await second.call('GET', '/admin/v1/clock')).status, 404, 'no sandbox, no clock');
    await t.rejects(run('drain', one!), /No other process could take the shards/);
    t.notMatch((await run('drain', two!, '--back')).out.join('\n'), /draining/);
    await until(async () => second.owned().length > 0, 'it has shards again');

    await t.rejects(run('move', 'shard-9', two!), { name: 'UsageError', message: 'shard shard-9 not found' });
    await t.rejects(run('drain', 'unknown'), { name: 'UsageError', message: 'process unknown not found' });
    await t.rejects(run('drain', ''), /several processes/);
  }),
);

t.test('unclear commands are refused, and so is a platform that is no cluster', async (t) => {
  const { server } = await startWithWebhook(t, {});
  await new Promise<void>((resolve) => server.listener.listen(0, '127.0.0.1', resolve));
  t.teardown(() => server.listener.close());
  const run = commandFor(t, `http://127.0.0.1:${(server.listener.address() as { port: number }).port}`, KEY_OF_A_PLATFORM);
  await t.rejects(run(), { name: 'UsageError', message: /is not a process of a cluster/ });
  const unclear: [string[], RegExp][] = [
    [['start'], /cluster takes status, move, drain, losses, confirm, not 'start'/],
    [['losses', 'x'], /flags only/],
    [['confirm'], /confirm takes one loss/],
    [['status', 'shard-1'], /flags only/],
    [['move'], /move takes a shard and a process/],
    [['drain'], /drain takes one process/],
    [['drain', 'a', 'b'], /drain takes one process/],
    [['move', 'shard-1', 'a', '--back'], /--back belongs to cluster drain/],
  ];
  for (const [argv, message] of unclear) await t.rejects(run(...argv), { name: 'UsageError', message }, argv.join(' '));
});
