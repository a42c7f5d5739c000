import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import t from 'tap';
import { collection, liveCollection, type Store } from '../../../../core/ports/store.js';
import { RecordingLogger } from '../../../../core/testing/recording-logger.js';
import { patient } from '../../../../core/testing/slowness.js';
import { storeContract } from '../../../../core/testing/store-contract.js';
import type { Tap } from '../../../../core/testing/tap.js';
import { postgresStore } from '../../../../plugins/cluster/postgres/index.js';
import { faultyLink } from '../../../../scripts/crash/faulty-link.js';
import { until } from '../../../../scripts/crash/until.js';
import { freshSchema, type TestDatabase, withDatabase } from './with-database.js';

interface Seat {
  readonly id: string;
  readonly row: string;
  readonly place: number;
}

/** A short lease keeps the tests short. */
const LEASE_MS = 1_000 * patient(1);

type Document = { readonly id: string; readonly state?: string; readonly n?: number };

/** A process with a store of its own, on the same log as the others. */
function processOn(t: Tap, { url, schema }: Pick<TestDatabase, 'url' | 'schema'>, { hasNotes = true, snapshotEveryBytes = 1 << 30 } = {}) {
  const log = new RecordingLogger();
  const store = postgresStore({ url, schema, leaseMs: LEASE_MS, snapshotEveryBytes, log });
  const seats = collection<Seat>({ key: 'id', unique: { seat: ['row', 'place'] }, indexes: { row: ['row', 'id'] } });
  const notes = collection<{ readonly id: string; readonly text: string }>({ key: 'id' });
  if (hasNotes) store.define('test.notes', notes);
  const lives = liveCollection<Document>('id');
  const documents = new Map<string, Document>();
  const change = (key: string, document: Document | undefined) => {
    const before = documents.get(key);
    if (document) documents.set(key, document);
    else documents.delete(key);
    return () => void (before ? documents.set(key, before) : documents.delete(key));
  };
  store.define('test.seats', seats);
  store.defineLive!('test.lives', lives, {
    put: (document) => change(document.id, document),
    patch: (key, patch) => change(key, { ...documents.get(key)!, ...patch }),
    delete: (key) => change(key, undefined),
    documents: () => Array.from(documents.values(), (document) => ({ key: document.id, toJson: () => JSON.stringify(document) })),
  });
  let isStandby = false;
  store.ownership!.onStandby(() => (isStandby = true));
  t.teardown(() => store.stop(0));
  return {
    ...{ store, log, documents, seats, notes, lives },
    isStandby: () => isStandby,
    put: (seat: Seat) => store.transaction((tx) => tx.in(seats).put(seat)),
    list: async () => (await store.open(seats).find('row')).map(({ id, row, place }) => `${id}:${row}${place}`).join(' '),
  };
}

type Process = ReturnType<typeof processOn>;

async function standbyOf(
  t: Tap,
  database: Pick<TestDatabase, 'url' | 'schema'>,
  options?: Parameters<typeof processOn>[2],
): Promise<Process & { started: Promise<void> }> {
  const standby = processOn(t, database, options);
  const started = standby.store.start();
  started.catch(() => undefined);
  await until(standby.isStandby, 'the second process is a standby');
  return { ...standby, started };
}

const isUnavailable = { name: 'StoreUnavailable' };

t.test(
  'a store over PostgreSQL keeps the contract',
  withDatabase(async (t, { url }) => {
    await storeContract(t, () => {
      const schema = freshSchema();
      // Some of these tests keep the thread busy for seconds, and an owner without a renewal refuses calls.
      return { create: () => postgresStore({ url, schema, leaseMs: 30_000, log: new RecordingLogger() }), isPersistent: true };
    });
  }),
);

t.test(
  'a standby serves nothing, follows every change, and takes over at an orderly stop',
  withDatabase(async (t, database) => {
    const owner = processOn(t, database);
    await owner.store.start();
    t.equal(owner.isStandby(), false);
    t.equal(owner.store.ownership!.refusal(), undefined);
    for (let n = 0; n < 20; n++) await owner.put({ id: `s${n}`, row: 'a', place: n });
    const standby = await standbyOf(t, database);
    t.match(standby.store.health(), { state: 'standby', reason: /another process owns the data/ });
    t.match(standby.store.ownership!.refusal(), /standby/);
    await t.rejects(
      standby.store.transaction(() => 1),
      isUnavailable,
    );
    await t.rejects(standby.list(), isUnavailable);

    // After the indexes were built: exchanged unique values, a changed place, a deletion, and patches.
    await owner.store.transaction((tx) => {
      tx.in(owner.seats).put({ id: 's1', row: 'a', place: 2 });
      tx.in(owner.seats).put({ id: 's2', row: 'a', place: 1 });
      tx.in(owner.seats).put({ id: 's3', row: 'b', place: 3 });
      tx.in(owner.seats).delete('s4');
      tx.live!(owner.lives).put({ id: 'x', state: 'queued' });
    });
    await owner.store.transaction((tx) => tx.live!(owner.lives).patch('x', { state: 'sent', n: 1 }));
    await until(() => standby.documents.get('x')?.n === 1, 'the standby follows');
    t.strictSame(standby.documents.get('x'), { id: 'x', state: 'sent', n: 1 });

    const before = await owner.list();
    const last = owner.put({ id: 'last', row: 'z', place: 1 });
    const began = performance.now();
    await Promise.all([owner.store.stop(), last]);
    await standby.started;
    const ms = performance.now() - began;
    t.ok(ms < patient(1_000), `took over ${Math.round(ms)} ms after the stop began`);
    t.equal(await standby.list(), `${before} last:z1`);
    await standby.put({ id: 's4', row: 'a', place: 4 });
    await t.rejects(standby.put({ id: 'again', row: 'a', place: 2 }), { name: 'UniqueViolation' });
    t.equal(standby.store.health().state, 'open');
  }),
);

t.test(
  'a standby takes over when the owner ends silently; the stale owner then neither writes nor reads',
  withDatabase(async (t, database) => {
    const link = await faultyLink(t, database.url);
    const stale = processOn(t, { ...database, url: link.url });
    await stale.store.start();
    await stale.put({ id: 'a', row: 'a', place: 1 });
    const standby = await standbyOf(t, database);
    const refusals: string[] = [];
    stale.store.ownership!.onRefusal((reason) => refusals.push(reason));
    link.cut();
    // Its callers wait, and readers do not see what is not durable.
    const late = stale.put({ id: 'b', row: 'a', place: 2 });
    late.catch(() => undefined);
    await until(() => stale.store.health().state === 'waiting');
    const began = performance.now();
    await standby.started;
    const ms = performance.now() - began;
    t.ok(ms < LEASE_MS + patient(1_000), `took over after ${Math.round(ms)} ms`);
    t.match(refusals, [/cannot be reached/], 'it stopped responding before the standby took over');
    await t.rejects(stale.list(), isUnavailable);
    await t.rejects(stale.put({ id: 'c', row: 'a', place: 3 }), isUnavailable);
    t.equal(await standby.list(), 'a:a1');
    await standby.put({ id: 'b', row: 'b', place: 7 });

    link.mend();
    await t.rejects(late, isUnavailable);
    await until(() => stale.store.health().state === 'failed');
    t.match(stale.store.health().reason, /another process has taken over the data; restart this process/);
    await t.rejects(stale.list(), isUnavailable);
    await t.rejects(stale.store.reopen!(), /restart this process/);
    t.equal(await standby.list(), 'a:a1 b:b7');
  }),
);

t.test(
  'while the log is away writers wait and the store is not failed; the owner continues after the outage',
  withDatabase(async (t, { url, schema }) => {
    const link = await faultyLink(t, url);
    const owner = processOn(t, { url: link.url, schema });
    await owner.store.start();
    await owner.put({ id: 'a', row: 'a', place: 1 });
    link.cut();
    let isDone = false;
    const waiting = owner.put({ id: 'b', row: 'a', place: 2 }).then(() => (isDone = true));
    await until(() => owner.store.health().state === 'waiting');
    t.match(owner.store.health().reason, /PostgreSQL does not respond/);
    await until(() => owner.store.ownership!.refusal() !== undefined, 'the lease is over');
    await t.rejects(owner.put({ id: 'c', row: 'a', place: 3 }), isUnavailable, 'a new write is refused without effect');
    t.equal(isDone, false);
    link.mend();
    await waiting;
    await until(() => owner.store.ownership!.refusal() === undefined);
    t.equal(owner.store.health().state, 'open');
    t.equal(await owner.list(), 'a:a1 a:a2'.replace('a:a2', 'b:a2'));
    t.match(
      owner.log.lines.map(({ message }) => message).join('\n'),
      /cannot be reached; writes wait for it\n(.*\n)*.*can be reached again/,
    );
  }),
);

t.test(
  'after an outage of the database the owner keeps its data, although its lease was over',
  withDatabase(async (t, database) => {
    const [near, far] = [await faultyLink(t, database.url), await faultyLink(t, database.url)];
    const owner = processOn(t, { ...database, url: near.url });
    await owner.store.start();
    const standby = await standbyOf(t, { ...database, url: far.url });
    for (const link of [near, far]) link.cut();
    await sleep(1.5 * LEASE_MS);
    for (const link of [near, far]) link.mend();
    await until(() => owner.store.ownership!.refusal() === undefined, 'the owner has renewed its lease');
    await sleep(1.5 * LEASE_MS);
    t.equal(standby.store.health().state, 'standby');
    await owner.put({ id: 'a', row: 'a', place: 1 });
    t.equal(await owner.list(), 'a:a1');
  }),
);

t.test(
  'a stop ends the wait of a standby, also while the log is away',
  withDatabase(async (t, database) => {
    const owner = processOn(t, database);
    await owner.store.start();
    const link = await faultyLink(t, database.url);
    const standby = await standbyOf(t, { ...database, url: link.url });
    link.cut();
    standby.store.ownership!.interrupt();
    await t.rejects(standby.started, isUnavailable);
    await standby.store.stop();
  }),
);

t.test(
  'a standby writes snapshots and removes the log before them; a process starts from the newest one and the log after it',
  withDatabase(async (t, database) => {
    const { url, schema } = database;
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    t.teardown(() => client.end());
    const count = async (table: string) => Number((await client.query(`select count(*) from ${schema}.${table}`)).rows[0].count);
    const owner = processOn(t, database);
    await owner.store.start();
    // The standby does not have the plugin of this collection.
    await owner.store.transaction((tx) => tx.in(owner.notes).put({ id: 'note', text: 'Grüße' }));
    await owner.store.transaction((tx) => {
      tx.live!(owner.lives).put({ id: 'x', state: 'queued' });
      tx.live!(owner.lives).put({ id: 'gone', state: 'queued' });
    });
    const standby = await standbyOf(t, database, { hasNotes: false, snapshotEveryBytes: 20_000 });
    let places = 0;
    for (let snapshots = 0; snapshots < 3; snapshots++) {
      const through = async () => Number((await client.query(`select max(through) from ${schema}.snapshots`)).rows[0].max);
      const before = await through();
      await until(async () => {
        await owner.put({ id: `s${places % 50}`, row: 'x'.repeat(200), place: places++ });
        return (await through()) > before;
      }, 'a snapshot is complete');
    }
    await owner.store.transaction((tx) => {
      tx.live!(owner.lives).patch('x', { state: 'sent' });
      tx.live!(owner.lives).delete('gone');
      tx.in(owner.seats).delete('s7');
    });
    await until(
      async () => (await count('snapshots')) >= 2 && Number((await client.query(`select min(first) from ${schema}.log`)).rows[0].min) > 1,
    );
    const wanted = await owner.list();
    await standby.store.stop();
    await owner.store.stop();

    const next = processOn(t, database);
    await next.store.start();
    t.equal(await next.list(), wanted);
    t.strictSame([...next.documents.values()], [{ id: 'x', state: 'sent' }]);
    t.match(await next.store.open(next.notes).get('note'), { text: 'Grüße' });
    const taken = (places - 1) % 50 === 7 ? places - 2 : places - 1;
    await t.rejects(next.put({ id: 'other', row: 'x'.repeat(200), place: taken }), { name: 'UniqueViolation' });

    // Without the snapshots the log is not enough, and the start says so.
    await next.store.stop();
    await client.query(`delete from ${schema}.snapshots`);
    await t.rejects(processOn(t, database).store.start(), /transactions 1 to \d+ of shard main are missing/);
  }),
);

t.test('a store that cannot reach PostgreSQL at its start says so', async (t) => {
  const store: Store = postgresStore({ url: 'postgres://user@127.0.0.1:1/none', log: new RecordingLogger() });
  await t.rejects(store.start(), /PostgreSQL does not respond: connect ECONNREFUSED/);
});
