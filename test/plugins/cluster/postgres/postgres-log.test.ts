import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import t from 'tap';
import { patient } from '../../../../core/testing/slowness.js';
import type { Tap } from '../../../../core/testing/tap.js';
import { ownersBy } from '../../../../plugins/cluster/postgres/epochs.js';
import { faultyLink } from '../../../../scripts/crash/faulty-link.js';
import { until } from '../../../../scripts/crash/until.js';
import { contentOf, endOf, linesOf, logContract, marker } from './log-contract.js';
import { freshSchema, logOn, type TestDatabase, withDatabase } from './with-database.js';

const SHARD = 'main';

async function clientOf(t: Tap, { url }: Pick<TestDatabase, 'url'>): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  t.teardown(() => client.end());
  return client;
}

const endLeases = (client: pg.Client, schema: string) => client.query(`update ${schema}.leases set until = '-infinity'`);

async function owner(t: Tap, url: string, schema: string, more: { queryTimeoutMs?: number } = {}) {
  const log = logOn({ url, schema }, more);
  t.teardown(() => log.stop());
  await log.start();
  const lease = (await log.take(SHARD))!;
  await log.begin(lease, { tx: 0 }, marker(1));
  return { log, lease };
}

t.test(
  'a log in PostgreSQL keeps the contract',
  withDatabase(async (t, database) => {
    const client = await clientOf(t, database);
    await logContract(t, () => {
      const schema = freshSchema();
      const open = () => logOn({ url: database.url, schema });
      return {
        open,
        loseOwner: () => endLeases(client, schema).then(() => undefined),
        crash: () => endLeases(client, schema).then(() => undefined),
      };
    });
  }),
);

t.test(
  'an append whose response is lost is sent again, and is in the log once',
  withDatabase(async (t, { url, schema }) => {
    const link = await faultyLink(t, url);
    const { log, lease } = await owner(t, link.url, schema, { queryTimeoutMs: 300 });
    const reasons: (string | undefined)[] = [];
    log.onState((reason) => reasons.push(reason));
    for (let tx = 2; tx <= 4; tx++) {
      link.swallow();
      t.equal(await log.append(lease, linesOf(tx, tx)), 'durable');
    }
    t.equal(await contentOf(log), [marker(1), linesOf(2, 4)].map(({ lines }) => lines.toString()).join(''));
    t.equal(link.swallowed, 3);
    t.match(reasons, [/PostgreSQL does not respond: /, undefined, String, undefined, String, undefined]);
  }),
);

t.test(
  'an append waits while the database is away, and then goes in',
  withDatabase(async (t, { url, schema }) => {
    const link = await faultyLink(t, url);
    const { log, lease } = await owner(t, link.url, schema, { queryTimeoutMs: 300 });
    let isAway = false;
    log.onState((reason) => (isAway = reason !== undefined));
    link.cut();
    let outcome: string | undefined;
    const appended = log.append(lease, linesOf(2, 2)).then((known) => (outcome = known));
    await until(() => isAway);
    t.equal(outcome, undefined);
    link.mend();
    t.equal(await appended, 'durable');
    t.equal(isAway, false);
  }),
);

t.test(
  'a stale owner that appends after an outage is fenced, also if its first append is still in flight',
  withDatabase(async (t, database) => {
    const { url, schema } = database;
    const client = await clientOf(t, database);
    const link = await faultyLink(t, url);
    const stale = await owner(t, link.url, schema, { queryTimeoutMs: 300 });
    link.cut();
    const late = stale.log.append(stale.lease, linesOf(2, 2, 'stale'));
    await endLeases(client, schema);
    const next = logOn({ url, schema });
    t.teardown(() => next.stop());
    await next.start();
    const lease = (await next.take(SHARD))!;
    t.ok(lease.epoch > stale.lease.epoch);
    t.equal(await next.begin(lease, await endOf(next), marker(2)), 'durable');
    link.mend();
    t.equal(await late, 'fenced');
    t.equal(await stale.log.renew(stale.lease), false);
    t.equal(await contentOf(next), [marker(1), marker(2)].map(({ lines }) => lines.toString()).join(''));
  }),
);

t.test(
  'a new owner that is behind reads on; one that was overtaken is fenced',
  withDatabase(async (t, database) => {
    const { url, schema } = database;
    const client = await clientOf(t, database);
    const first = await owner(t, url, schema);
    await endLeases(client, schema);
    const second = logOn({ url, schema });
    const third = logOn({ url, schema });
    t.teardown(() => Promise.all([second.stop(), third.stop()]));
    const secondLease = (await second.take(SHARD))!;
    const before = await endOf(second);
    t.equal(await first.log.append(first.lease, linesOf(2, 3)), 'durable', 'until the new owner has appended, the previous one may');
    t.equal(await second.begin(secondLease, before, marker(2)), 'behind');
    t.match(await contentOf(second, 1), /"tx":3/);
    await endLeases(client, schema);
    const thirdLease = (await third.take(SHARD))!;
    t.equal(await third.begin(thirdLease, await endOf(third), marker(4)), 'durable');
    t.equal(await second.begin(secondLease, await endOf(second), marker(4)), 'fenced');
    t.equal(await second.begin(secondLease, await endOf(second), marker(5)), 'fenced');
    t.equal(await third.append(thirdLease, linesOf(5, 5)), 'durable');
  }),
);

t.test(
  'rows that are missing are an error that names them',
  withDatabase(async (t, database) => {
    const client = await clientOf(t, database);
    const { log, lease } = await owner(t, database.url, database.schema);
    for (let tx = 2; tx <= 6; tx += 2) await log.append(lease, linesOf(tx, tx + 1));
    await client.query(`delete from ${database.schema}.log where first = 4`);
    await t.rejects(contentOf(log), /transactions 4 to 5 of shard main are missing in "test_.*"\."log"/);
  }),
);

t.test(
  'other processes are woken by appends and releases',
  withDatabase(async (t, { url, schema }) => {
    const { log, lease } = await owner(t, url, schema);
    const other = logOn({ url, schema });
    t.teardown(() => other.stop());
    let woken = 0;
    await other.listen(SHARD, () => woken++);
    await log.append(lease, linesOf(2, 2));
    await until(() => woken === 1);
    await log.release(lease);
    await until(() => woken === 2);
    t.ok(await other.take(SHARD));
  }),
);

t.test(
  'the tables of a newer release are refused, and a role without rights to create tables uses those that exist',
  withDatabase(async (t, database) => {
    const { url, schema } = database;
    const client = await clientOf(t, database);
    await owner(t, url, schema);
    const role = `role_${schema}`;
    await client.query(`create role ${role} login; grant usage on schema ${schema} to ${role};
    grant select, insert, update, delete on all tables in schema ${schema} to ${role}`);
    await client.query(`alter role ${role} password 'secret'`);
    const limited = new URL(url);
    [limited.username, limited.password] = [role, 'secret'];
    const log = logOn({ url: String(limited), schema });
    t.teardown(() => log.stop());
    await log.start();
    t.equal(await log.take(SHARD), undefined);
    await client.query(`update ${schema}.format set version = 99`);
    await t.rejects(log.start(), /have format 99, and this release knows formats up to 2: use the newer release/);
    t.throws(() => logOn({ url, schema: 'a"b' }), { name: 'TypeError' });
  }),
);

t.test(
  'a lease ends by the clock of the database unless it is renewed',
  withDatabase(async (t, { url, schema }) => {
    const leaseMs = 300 * patient(1);
    const log = logOn({ url, schema }, { leaseMs });
    const other = logOn({ url, schema }, { leaseMs });
    t.teardown(() => Promise.all([log.stop(), other.stop()]));
    await log.start();
    const lease = (await log.take(SHARD))!;
    t.equal(await other.take(SHARD), undefined);
    await sleep(leaseMs + 100);
    t.equal(await other.take(SHARD, true), undefined, 'it is over, but not released');
    const next = (await other.take(SHARD))!;
    t.equal(ownersBy(next.epoch), ownersBy(lease.epoch) + 1);
    t.equal(await log.renew(lease), false);
    await other.release(next);
    t.equal(ownersBy((await log.take(SHARD, true))!.epoch), ownersBy(next.epoch) + 1);
  }),
);
