import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import t from 'tap';
import { patient } from '../../../core/testing/slowness.js';
import type { Tap } from '../../../core/testing/tap.js';
import { writeRunFile } from '../../../sandbox/client/run-file.js';
import { cluster as command } from '../../../sandbox/commands/cluster.js';
import { until } from '../../../scripts/crash/until.js';
import { isLong } from '../../forms.js';
import { ADMIN_KEY, clustered, folderFor, settled, textChannel } from './clustered.js';
import { withDatabase } from './postgres/with-database.js';

/** `posthorn cluster` for a process. */
function commandOf(t: Tap, url: string) {
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-losses-'));
  t.teardown(() => rmSync(folder, { recursive: true }));
  writeRunFile(folder, {
    pid: process.pid,
    startedAt: new Date().toISOString(),
    api: url,
    admin: { url: `${url}/admin/v1`, key: ADMIN_KEY },
    phone: undefined,
  });
  return async (...argv: string[]): Promise<string> => {
    const out: string[] = [];
    await command.run(argv, { out: (line: string) => void out.push(line), err: () => undefined, isColoured: false, cwd: folder });
    return out.join('\n');
  };
}

/** The other option has a test without PostgreSQL as well. */
const options = isLong ? (['continue', 'stop'] as const) : (['continue'] as const);

for (const afterLoss of options)
  t.test(
    `a cluster whose log is rewound reports what vanished; afterLoss: ${afterLoss}`,
    withDatabase(async (t, { url, schema }) => {
      const folder = folderFor(t);
      // Load must not lengthen leases here: a rewound shard is served again after a few of them.
      const settings = { folder, shards: 1, database: { afterLoss, leaseMs: 1_000 * patient(1) } };
      const members = [await clustered(t, { url, schema }, settings), await clustered(t, { url, schema }, settings)] as const;
      await settled(members);
      const client = new pg.Client({ connectionString: url });
      await client.connect();
      t.teardown(() => client.end());
      const [first, second] = members;
      const channel = await textChannel(first);
      await channel.post(first, 'kept');
      const end = async () => Number((await client.query(`select max(last) as last from ${schema}.log`)).rows[0].last);
      const [before, events] = [await end(), new AbortController()];
      const stream = await fetch(`${first.url}/admin/v1/events`, {
        headers: { authorization: `Bearer ${ADMIN_KEY}` },
        signal: events.signal,
      });
      let text = '';
      void (async () => {
        for await (const chunk of stream.body!.pipeThrough(new TextDecoderStream())) text += chunk;
      })().catch(() => undefined);
      await channel.post(second, 'lost');
      await until(() => members.every(({ cluster }) => cluster.status().shards[0]!.lag === 0), 'the standby has it');

      // As after a fail-over to a replica that lacks the newest rows, or a restored backup.
      const lost = (await end()) - before;
      await client.query(`delete from ${schema}.log where last > $1`, [before]);
      const run = commandOf(t, second.url);
      await until(
        () => members.every(({ cluster }) => cluster.status().warnings.some((one) => /has lost .* of main/.test(one))),
        'all warn',
      );
      await until(() => text.includes('event: store.rewound'), 'the event stream says so');
      events.abort();
      if (afterLoss === 'stop') {
        await until(() => members.every(({ cluster }) => cluster.status().shards[0]!.owner === null), 'no process owns the shard');
        t.equal(await channel.send(first, 'refused'), 503);
      } else {
        await channel.post(first, 'next');
        t.strictSame(await channel.texts(second), ['kept', 'next']);
        const metrics = (await first.call('GET', '/admin/v1/metrics')).text;
        for (const [name, value] of [
          ['members', '2'],
          ['lease_ms', '\\d+'],
          ['lost_transactions', '[1-9]'],
        ])
          t.match(metrics, new RegExp(`\ncluster_${name}\\{shard="main"\\} ${value}`));
      }
      const { losses } = (await second.call('GET', '/admin/v1/store/losses')).body;
      t.equal(losses.length, 1, 'both processes report the same');
      const [loss] = losses;
      t.match(loss, {
        shard: 'main',
        after: before,
        acknowledged: true,
        complete: true,
        confirmed: false,
        tenants: [`number ${channel.uuid}`],
      });
      t.ok(loss.transactions > 0 && loss.transactions <= lost + 5, `${loss.transactions} transactions, some after the rewind`);
      t.ok(loss.kinds.some(({ collection }: { collection: string }) => collection === 'core.messages'));
      t.ok(loss.documents.some((one: object) => JSON.stringify(one).includes('core.messages')));

      t.match(
        await run('losses'),
        new RegExp(`${loss.id}\\n .* transactions of main after ${before}, some of them acknowledged\\n .*core.messages`),
      );
      t.match(await run('confirm', loss.id), /confirmed/);
      await t.rejects(run('confirm', 'none'), { name: 'UsageError', message: 'loss none not found' });
      t.equal((await first.call('PATCH', '/admin/v1/store/losses/none', { confirmed: true })).status, 404);
      t.equal((await first.call('PATCH', `/admin/v1/store/losses/${loss.id}`, { confirmed: false })).status, 400);
      await until(
        () => members.every(({ cluster }) => cluster.status().warnings.every((one) => !/has lost/.test(one))),
        'the warning ends',
      );
      await channel.post(second, 'last');
      t.strictSame(await channel.texts(first), afterLoss === 'stop' ? ['kept', 'last'] : ['kept', 'next', 'last']);
    }),
  );
