import pg from 'pg';
import t from 'tap';
import type { Claim } from '../../../../core/ports/claims.js';
import type { Lease } from '../../../../core/ports/log.js';
import { RecordingLogger } from '../../../../core/testing/index.js';
import { patient } from '../../../../core/testing/slowness.js';
import type { Tap } from '../../../../core/testing/tap.js';
import { LeaseTerm } from '../../../../plugins/cluster/postgres/lease-term.js';
import { PostgresDirectory } from '../../../../plugins/cluster/postgres/postgres-directory.js';
import { PostgresLog } from '../../../../plugins/cluster/postgres/postgres-log.js';
import { Servers } from '../../../../plugins/cluster/postgres/servers.js';
import { faultyLink } from '../../../../scripts/crash/faulty-link.js';
import { until } from '../../../../scripts/crash/until.js';
import { type TestDatabase, withDatabase } from './with-database.js';

const SHARDS = ['shard-1', 'shard-2'];
const LEASE_MS = 1_000 * patient(1);

function placeOf({ url, schema }: Pick<TestDatabase, 'url' | 'schema'>) {
  const log = new RecordingLogger();
  return { servers: new Servers({ url }), schema, log, term: new LeaseTerm({ baseMs: LEASE_MS, log }) };
}

async function join(t: Tap, { url, schema }: Pick<TestDatabase, 'url' | 'schema'>, address = 'http://127.0.0.1:1') {
  const member = { url: address, version: '1' };
  const directory = new PostgresDirectory({ ...placeOf({ url, schema }), shards: SHARDS.length, member });
  t.teardown(() => directory.stop());
  await directory.start();
  return directory;
}

/** A process with a directory, and a log whose leases have its name. */
async function processOn(t: Tap, { url, schema }: Pick<TestDatabase, 'url' | 'schema'>, own: readonly string[] = []) {
  const directory = await join(t, { url, schema });
  const log = new PostgresLog({ ...placeOf({ url, schema }), owner: directory.self.id });
  t.teardown(() => log.stop());
  await log.start();
  const leases: Lease[] = [];
  for (const shard of own) leases.push((await log.take(shard))!);
  const renewing = setInterval(() => leases.map((lease) => log.renew(lease).catch(() => false)), LEASE_MS / 5);
  const reporting = setInterval(() => directory.report([]).catch(() => undefined), LEASE_MS / 5);
  t.teardown(() => [renewing, reporting].map(clearInterval));
  const release = async () => {
    clearInterval(renewing);
    for (const lease of leases) await log.release(lease);
  };
  return { directory, log, release };
}

const token = (key: string): Claim => ({ kind: 'token', key });
const address = (key: string): Claim => ({ kind: 'address', key });

t.test(
  'a claim and its release are known to every process that catches up, and no key belongs to two shards',
  withDatabase(async (t, database) => {
    const first = await processOn(t, database, ['shard-1']);
    const second = await processOn(t, database, ['shard-2']);
    const [one, two] = [first.directory.claimsOf('shard-1'), second.directory.claimsOf('shard-2')];

    await one.claim([address('a'), { kind: 'number', key: 'n1' }, { kind: 'account', key: 'acme' }, token('t1')]);
    await one.claim([{ kind: 'account', key: 'acme' }, token('t1')]);
    await second.directory.catchUp();
    t.equal(second.directory.shardOf('token', 't1'), 'shard-1');
    t.equal(second.directory.shardOf('number', 'n1'), 'shard-1');
    t.equal(await second.directory.shardFor('acme'), 'shard-1');
    t.equal(await second.directory.shardFor(undefined), 'shard-2', 'the shard with the fewest numbers');
    t.equal(await first.directory.shardFor('new'), 'shard-2', 'which this process does not own');
    await two.claim([
      { kind: 'number', key: 'n2' },
      { kind: 'number', key: 'n3' },
    ]);
    t.equal(await second.directory.shardFor('new'), 'shard-2', 'an account keeps its shard');

    await t.rejects(two.claim([token('t2'), address('a')]), { name: 'ClaimTaken', claim: { kind: 'address', key: 'a' } });
    await first.directory.catchUp();
    t.equal(first.directory.shardOf('token', 't2'), undefined, 'nothing of a refused claim stays');

    await one.release([token('t1'), token('never')]);
    await two.release([address('a')]);
    await second.directory.catchUp();
    t.equal(second.directory.shardOf('token', 't1'), undefined);
    t.strictSame(
      (await one.list()).map(({ kind, key }) => `${kind} ${key}`).sort(),
      ['account acme', 'address a', 'number n1'],
      'another shard cannot release a claim',
    );
    await two.claim([token('t1')]);
    const later = await processOn(t, database);
    t.equal(later.directory.shardOf('token', 't1'), 'shard-2', 'a process that joins later');
  }),
);

t.test(
  'of two shards that claim one key at the same time, exactly one gets it, and every follower sees every change',
  withDatabase(async (t, database) => {
    const first = await processOn(t, database, ['shard-1']);
    const second = await processOn(t, database, ['shard-2']);
    const watcher = await processOn(t, database);
    const claims = [first.directory.claimsOf('shard-1'), second.directory.claimsOf('shard-2')];
    const keys = Array.from({ length: 40 }, (_, n) => `key ${n}`);
    const winners = new Map<string, string>();
    await Promise.all(
      keys.map(async (key) => {
        const outcomes = await Promise.allSettled(claims.map((one) => one.claim([address(key), token(key)])));
        const won = SHARDS.filter((_, at) => outcomes[at]!.status === 'fulfilled');
        t.equal(won.length, 1, `${key}: ${won}`);
        winners.set(key, won[0]!);
      }),
    );
    await watcher.directory.catchUp();
    for (const [key, shard] of winners) t.equal(watcher.directory.shardOf('token', key), shard);
  }),
);

t.test(
  'owners follow the leases, and a process that does not own a shard claims nothing for it',
  withDatabase(async (t, database) => {
    const first = await processOn(t, database, ['shard-1']);
    const second = await processOn(t, database);
    await second.directory.catchUp();
    t.equal(second.directory.ownerOf('shard-1')?.id, first.directory.self.id);
    t.equal(second.directory.ownerOf('shard-2'), undefined);
    await t.rejects(second.directory.claimsOf('shard-1').claim([token('x')]), { name: 'LogUnreachable' });

    const changed = second.directory.ownerChanged(20_000);
    await first.release();
    await changed;
    t.equal(second.directory.ownerOf('shard-1'), undefined);
    await t.rejects(first.directory.claimsOf('shard-1').claim([token('x')]), { name: 'LogUnreachable' });
    await second.log.take('shard-1');
    await first.directory.catchUp();
    t.equal(first.directory.ownerOf('shard-1')?.id, second.directory.self.id);
    t.equal(first.directory.epochOf('shard-1'), 2);
  }),
);

t.test(
  'reports, assignments, moves and drains reach the others',
  withDatabase(async (t, database) => {
    const [first, second] = [await join(t, database), await join(t, database, 'http://127.0.0.1:2')];
    const reports = [{ shard: 'shard-1', role: 'owner', transaction: 3, rate: 1 }] as const;
    await first.report(reports);
    await second.catchUp();
    t.match(second.members(), [
      { id: first.self.id, isFresh: true, reports },
      { id: second.self.id, url: 'http://127.0.0.1:2' },
    ]);

    await first.lead();
    await first.catchUp();
    t.equal(await first.assign(new Map([['shard-1', { owner: first.self.id, standby: second.self.id, pinned: undefined }]])), true);
    await second.pin('shard-1', second.self.id);
    await second.drain(first.self.id, true);
    await first.catchUp();
    t.strictSame(first.assignments().get('shard-1'), { owner: first.self.id, standby: second.self.id, pinned: second.self.id });
    t.equal(first.members().find(({ id }) => id === first.self.id)?.isDraining, true);
    await first.report([]);
    await first.catchUp();
    t.equal(first.members().find(({ id }) => id === first.self.id)?.isDraining, true, 'a report does not end a drain');

    await first.stop();
    await second.report([]);
    await second.catchUp();
    t.strictSame(
      second.members().map(({ id }) => id),
      [second.self.id],
    );
  }),
);

t.test(
  'a process that another one has replaced as the leader assigns nothing, until it leads again',
  withDatabase(async (t, database) => {
    await (await join(t, database)).stop();
    // It is not started, so it knows only what it reads on request: as a process that is paused.
    const { url, schema } = database;
    const member = { url: 'http://127.0.0.1:1', version: '1' };
    const first = new PostgresDirectory({ ...placeOf(database), member });
    t.teardown(() => first.stop());
    await first.report([]);
    await first.catchUp();
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    t.teardown(() => client.end());
    await client.query(`select pg_terminate_backend(pid) from pg_stat_activity where query like 'listen "${schema}_directory"'`);

    const second = await join(t, database, 'http://127.0.0.1:2');
    const reporting = setInterval(() => second.report([]).catch(() => undefined), LEASE_MS / 5);
    t.teardown(() => clearInterval(reporting));
    const assignmentTo = (owner: string) => new Map([['shard-1', { owner, standby: undefined, pinned: undefined }]]);
    const stored = async () => (await client.query(`select owner from ${schema}.placement`)).rows.map(({ owner }) => owner);

    t.equal(await second.assign(assignmentTo('second')), false, 'it does not lead');
    await second.lead();
    await second.catchUp();
    t.equal(second.isLeader, false, 'another process joined before it');
    await first.report([]);
    await first.lead();
    await first.catchUp();
    t.equal(first.isLeader, true);
    t.equal(await first.assign(assignmentTo('by first')), true);

    await until(async () => {
      await second.lead();
      await second.catchUp();
      return second.isLeader;
    }, 'the second process leads, because the first one counts as ended');
    t.equal(await second.assign(assignmentTo('by second')), true);
    t.equal(first.isLeader, true, 'the first one does not know yet');
    t.equal(await first.assign(assignmentTo('by first again')), false);
    t.strictSame(await stored(), ['by second']);

    await first.report([]);
    await first.lead();
    t.equal(await first.assign(assignmentTo('by first again')), false, 'it leads again, and decided before it did');
    await first.catchUp();
    t.equal(first.assignments().get('shard-1')?.owner, 'by second');
    t.equal(await first.assign(assignmentTo('by first at last')), true);
    t.equal(await second.assign(assignmentTo('by second again')), false);
    t.strictSame(await stored(), ['by first at last']);
  }),
);

t.test(
  'a process that joins reads more entries than one query returns, and the changes after them',
  withDatabase(async (t, database) => {
    const first = await processOn(t, database, ['shard-1']);
    const claims = first.directory.claimsOf('shard-1');
    const keys = Array.from({ length: 25_000 }, (_, n) => `n${n}`);
    await claims.claim(keys.map((key) => ({ kind: 'number', key })));
    await claims.release([{ kind: 'number', key: 'n7' }]);
    const later = await join(t, database);
    t.equal(later.tenants().get('shard-1'), keys.length - 1);
    for (const key of ['n0', 'n9999', 'n10000', 'n24999']) t.equal(later.shardOf('number', key), 'shard-1', key);
    t.equal(later.shardOf('number', 'n7'), undefined);
    await claims.release([{ kind: 'number', key: 'n10000' }]);
    await later.catchUp();
    t.equal(later.tenants().get('shard-1'), keys.length - 2);
  }),
);

t.test(
  'a process that is cut off from the database knows no owner after the lease, and catches up when it is back',
  withDatabase(async (t, database) => {
    const owner = await processOn(t, database, ['shard-1']);
    const link = await faultyLink(t, database.url);
    const cut = await processOn(t, { ...database, url: link.url });
    await cut.directory.catchUp();
    t.equal(cut.directory.ownerOf('shard-1')?.id, owner.directory.self.id);
    link.cut();
    await t.rejects(cut.directory.catchUp(), { name: 'LogUnreachable' });
    await until(async () => cut.directory.ownerOf('shard-1') === undefined, 'the lease that it knows ends');
    await owner.directory.claimsOf('shard-1').claim([token('meanwhile')]);
    link.mend();
    await until(
      async () => cut.directory.shardOf('token', 'meanwhile') === 'shard-1' && cut.directory.ownerOf('shard-1') !== undefined,
      'it follows again',
    );
  }),
);
