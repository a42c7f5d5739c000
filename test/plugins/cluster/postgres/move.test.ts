import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import t from 'tap';
import { documentsIn, FolderSource } from '../../../../core/adapters/store/index.js';
import { definePlugin } from '../../../../core/contract/plugin.js';
import { createPlatform } from '../../../../core/platform/platform.js';
import { storedCollections } from '../../../../core/platform/stored-collections.js';
import type { MovedDocument, MoveSource } from '../../../../core/ports/move.js';
import type { Ports } from '../../../../core/ports/ports.js';
import { collection } from '../../../../core/ports/store.js';
import { RecordingLogger } from '../../../../core/testing/recording-logger.js';
import type { Tap } from '../../../../core/testing/tap.js';
import { type DataMove, type MoveProgress, type MoveReport, moveData } from '../../../../plugins/cluster/move/data-move.js';
import { moveAll } from '../../../../plugins/cluster/move/move-data.js';
import { postgresStore } from '../../../../plugins/cluster/postgres/index.js';
import { DatabaseTarget } from '../../../../plugins/cluster/postgres/moved-shards.js';
import { Servers } from '../../../../plugins/cluster/postgres/servers.js';
import { data } from '../../../../sandbox/commands/data.js';
import { everyPlugin } from '../../../../sandbox/server/every-plugin.js';
import { exit } from '../../../../sandbox/terminal/terminal.js';
import { until } from '../../../../scripts/crash/until.js';
import { writeLargeFolder } from '../../../../scripts/move/large-folder.js';
import { onlyLong } from '../../../forms.js';
import { exitCodeOf } from '../../../sandbox/exit-code.js';
import { type TestDatabase, withDatabase } from './with-database.js';

const MESSAGES = 4_000;
const MAIN = fileURLToPath(new URL('../../../../sandbox/main.js', import.meta.url));

let large: Promise<string> | undefined;
const root = mkdtempSync(join(tmpdir(), 'posthorn-move-'));
t.teardown(() => rmSync(root, { recursive: true }));

/** A folder that several tests read. */
function largeFolder(): Promise<string> {
  const folder = join(root, 'large');
  large ??= writeLargeFolder(folder, { messages: MESSAGES }).then(() => folder);
  return large;
}

const mover =
  ({ url, schema }: TestDatabase, folder: string) =>
  (direction: DataMove['direction'], more: Partial<DataMove> = {}): Promise<MoveReport> =>
    moveData({ direction, folder, url, schema, plugins: everyPlugin(), log: new RecordingLogger(), ...more });

/** Interrupts a move in a phase. */
const stopIn = (phase: MoveProgress['phase'], documents = 0) => ({
  onProgress: (progress: MoveProgress) => {
    if (progress.phase === phase && progress.documents >= documents) throw new Error('interrupted');
  },
});

async function connect(t: Tap, { url }: TestDatabase): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  t.teardown(() => client.end());
  return client;
}

/** Runs `posthorn data` in a process of its own and kills it when the condition holds. */
async function killed({ url, schema }: TestDatabase, args: readonly string[], isDue: () => Promise<boolean>): Promise<string | null> {
  const child = spawn(process.execPath, [MAIN, 'data', 'move', ...args, '--schema', schema], {
    env: { ...process.env, POSTHORN_DATABASE_URL: url },
    stdio: 'ignore',
  });
  const ended = once(child, 'exit') as Promise<[number | null, string | null]>;
  while (child.exitCode === null && !(await isDue().catch(() => false)));
  child.kill('SIGKILL');
  return (await ended)[1];
}

t.test(
  'a move that is killed in both directions continues, and every document arrives',
  { skip: onlyLong },
  withDatabase(async (t, database) => {
    const folder = await largeFolder();
    const client = await connect(t, database);
    const move = mover(database, folder);
    const parts = async () => Number((await client.query(`select count(*) from ${database.schema}.snapshot_parts`)).rows[0].count);
    t.equal(await killed(database, [folder], async () => (await parts()) > 5), 'SIGKILL');
    const leases = await client.query(`select owner, until::text from ${database.schema}.leases`);
    t.strictSame(leases.rows, [{ owner: 'posthorn data move', until: 'infinity' }], 'a platform that starts now waits as a standby');
    const there = await move('to_database');
    t.ok(there.resumed_parts > 5, `${there.resumed_parts} parts were there`);
    t.match(there, { state: 'moved', collections: { 'core.messages': { documents: MESSAGES }, 'core.outbox': { documents: MESSAGES } } });
    t.match(await move('to_database'), { state: 'already_complete' });

    const copy = join(root, 'copy');
    const bytes = () => readdirSync(copy).reduce((sum, name) => sum + statSync(join(copy, name)).size, 0);
    t.equal(await killed(database, [copy, '--back'], async () => bytes() > 1_000_000), 'SIGKILL');
    t.notOk(existsSync(join(copy, 'format.json')), 'the folder is not one that a platform opens');
    let back: MoveReport | undefined;
    await until(async () => {
      // The killed process owns the shard for the rest of its lease.
      back = await move('to_folder', { folder: copy }).catch((error: Error) => {
        if (error.name !== 'PlaceInUse') throw error;
        return undefined;
      });
      return back !== undefined;
    }, 'the lease of the killed process has ended');
    t.ok(back!.resumed_parts > 0, `${back!.resumed_parts} parts were there`);
    t.strictSame(back!.collections, there.collections);
  }),
);

t.test(
  'tenants are distributed over shards, whole, and the number of shards can be changed',
  withDatabase(async (t, database) => {
    const client = await connect(t, database);
    const move = mover(database, await largeFolder());
    await t.rejects(move('to_database', { shards: 3, ...stopIn('verifying', 100) }), /interrupted/);
    const apart = await move('to_database', { shards: 3 });
    t.match(apart, { tenants: 7, without_tenant: 0 });
    t.ok(apart.resumed_parts > 10);

    const accounts = new Map<string, string>();
    const shardsOf = new Map<string, Set<string>>();
    const { rows } = await client.query<{ shard: string; lines: Buffer }>(`select shard, lines from ${database.schema}.snapshot_parts`);
    const documents = rows.flatMap(({ shard, lines }) => documentsIn(lines).map(({ json, ...place }) => ({ shard, json, ...place })));
    for (const { collection, json, key } of documents)
      if (collection === 'core.numbers') accounts.set(key, (JSON.parse(json) as { account: string | null }).account ?? key);
    for (const { shard, key, json } of documents) {
      const { number = key.split('/')[0]! } = JSON.parse(json) as { number?: string };
      const tenant = accounts.get(number);
      if (tenant) shardsOf.set(tenant, (shardsOf.get(tenant) ?? new Set()).add(shard));
    }
    t.equal(shardsOf.size, 7);
    for (const [tenant, shards] of shardsOf) t.equal(shards.size, 1, `${tenant} is in one shard`);
    const shardOf = (collection: string, has: string) =>
      documents.filter((one) => one.collection === collection && one.json.includes(has)).map(({ shard }) => shard);
    const [message] = documents.filter(({ collection, json }) => collection === 'core.messages' && json.includes('"chunk-3"'));
    t.strictSame(shardOf('core.chunks', '"chunk-3"'), [message!.shard], 'a chunk is where its message is');
    t.strictSame(shardOf('core.chunk-uses', '"chunk-3"'), [message!.shard]);
    const [webhook] = documents.filter(({ collection }) => collection === 'core.webhooks');
    t.strictSame(shardOf('core.jobs', webhook!.key), [webhook!.shard], 'a job is where its webhook is');
    t.strictSame(shardOf('core.secrets', webhook!.key), [webhook!.shard]);
    t.strictSame(shardOf('core.secrets', 'core/media-links').sort(), ['shard-1', 'shard-2', 'shard-3'], 'each shard has what all need');

    await t.rejects(move('shards', { shards: 2, ...stopIn('publishing') }), /interrupted/);
    const names = async () =>
      (await client.query(`select shard from ${database.schema}.snapshots order by shard`)).rows.map(({ shard }) => shard);
    t.strictSame(await names(), ['shard-1', 'shard-2', 'shard-3'], 'an interrupted change leaves the shards as they are');
    const fewer = await move('shards', { shards: 2 });
    t.ok(fewer.resumed_parts > 10);
    t.strictSame(await names(), ['shard-1', 'shard-2']);
    // Deliveries of several shards get new places in one order.
    const unordered = ({ collections: { 'core.outbox': outbox, ...others } }: MoveReport) => ({ ...others, deliveries: outbox?.documents });
    t.strictSame(unordered(fewer), unordered(apart));
    const one = await move('shards', { shards: 1 });
    t.strictSame([await names(), unordered(one)], [['main'], unordered(apart)]);
    t.equal((await client.query(`select 1 from ${database.schema}.log`)).rowCount, 0);
  }),
);

const documentOf = (collection: string, document: { readonly id: string; readonly [field: string]: unknown }): MovedDocument => ({
  collection,
  key: document.id,
  json: JSON.stringify(document),
});

t.test(
  'deliveries of several shards, which each count from 1, have different places in one shard',
  withDatabase(async (t, database) => {
    const [servers, log] = [new Servers(database), new RecordingLogger()];
    const documents: MovedDocument[] = ['office', 'shop'].flatMap((number) => [
      ...[1, 2].map((seq) => documentOf('core.outbox', { id: `${number}/00000000000${seq}` })),
      ...[3, 4].map((seq) => documentOf('core.settled-deliveries', { id: `00000000000${seq}/${number}`, number, seq })),
    ]);
    const source: MoveSource = {
      ...{ name: 'test', state: 'test', through: 1, bytes: 1, confirm: async () => {}, close: async () => {} },
      async *documents(collections) {
        yield documents.filter(({ collection }) => !collections || collections.has(collection));
      },
    };
    const target = new DatabaseTarget('the database', { servers, log, schema: database.schema });
    const types = storedCollections(everyPlugin());
    t.match(await moveAll({ source, target, shards: ['shard-1', 'shard-2'], types }), { tenants: 2 });
    await target.close();
    const folder = join(root, 'one-order');
    await mover(database, folder)('to_folder');
    const moved = await FolderSource.open(folder, { log, placing: {} });
    t.teardown(() => moved.close());
    const found: MovedDocument[] = [];
    for await (const batch of moved.documents()) found.push(...batch);
    const placesOf = (number: string) => found.filter(({ key }) => key.includes(number)).map(({ key }) => Number(/\d{12}/.exec(key)![0]));
    t.equal(found.length, documents.length);
    t.equal(new Set([...placesOf('office'), ...placesOf('shop')]).size, documents.length);
    t.strictSame(placesOf('office'), [2, 4, 6, 8]);
    t.strictSame(placesOf('shop'), [3, 5, 7, 9]);
    for (const { collection, key, json } of found) {
      const [first, second] = key.split('/') as [string, string];
      const place = collection === 'core.outbox' ? { id: key } : { id: key, seq: Number(first), number: second };
      t.strictSame(JSON.parse(json), place);
    }
  }),
);

t.test(
  'a move whose result differs fails and keeps nothing',
  withDatabase(async (t, database) => {
    const client = await connect(t, database);
    const move = mover(database, await largeFolder());
    const table = `${database.schema}.snapshot_parts`;
    const damages = [
      [
        `update ${table} set lines = (select lines from ${table} where part = 2) where part = 1`,
        /core\.\S+ has \d+ documents with checksum/,
      ],
      [`update ${table} set lines = set_byte(lines, 200, 0) where part = 1`, /cannot be read back.*checksum does not match/],
      [`delete from ${table} where part = 1`, /part 1 of \d+ of shard main is missing/],
    ] as const;
    for (const [damage, message] of damages) {
      await t.rejects(move('to_database', stopIn('copying', 5_000)), /interrupted/);
      await client.query(damage);
      await t.rejects(move('to_database'), { name: 'MoveNotVerified', message });
      t.equal((await client.query(`select 1 from ${table}`)).rowCount, 0);
    }
    t.match(await move('to_database'), { state: 'moved', resumed_parts: 0 });
  }),
);

t.test(
  'a move waits until the connection of the previous one has ended, and is refused while another runs',
  withDatabase(async (t, database) => {
    const [holder, observer] = [await connect(t, database), await connect(t, database)];
    const move = mover(database, await largeFolder());
    const name = `posthorn data move ${database.schema}`;
    await holder.query('select pg_advisory_lock(hashtext($1))', [name]);
    await t.rejects(move('to_database'), { name: 'PlaceInUse', message: 'another move to this database is running' });
    const moved = move('to_database');
    const tries = `select 1 from pg_stat_activity where application_name = 'posthorn' and query like '%pg_try_advisory_lock%'`;
    await until(async () => (await observer.query(tries)).rowCount === 1, 'the move has asked for the lock');
    await holder.query('select pg_advisory_unlock(hashtext($1))', [name]);
    t.match(await moved, { state: 'moved' });
  }),
);

t.test(
  'a platform has the same state in the database, and in a folder again',
  withDatabase(async (t, database) => {
    const [folder, copy] = [join(root, 'platform'), join(root, 'platform-copy')];
    const secretKey = 'ab'.repeat(32);
    const entries = collection<{ readonly id: string }>({ key: 'id' });
    const own = definePlugin({ name: 'own', version: '1.0.0', collections: { entries }, register: () => ({}) });
    const open = (ports: Partial<Ports>, dataDir: string) => {
      const platform = createPlatform({
        plugins: [...everyPlugin(), own()],
        admin: { key: 'admin-key-of-the-tests' },
        privateTargets: 'allow',
        secretKey,
        dataDir,
        ports: { ...ports, log: new RecordingLogger() },
      });
      t.teardown(() => platform.stop());
      return platform;
    };
    const first = open({}, folder);
    await first.start();
    await first.store.transaction(async (tx) => {
      for (const account of ['acme', null]) {
        const number = first.numbers.create(tx, { kind: 'network', type: 'network', address: `+2782${account}`, name: 'A', account });
        first.tokens.issue(tx, number.uuid, 'test');
        await first.webhooks.create(tx, { number: number.uuid, url: 'http://127.0.0.1:9/', name: 'hook', subscriptions: ['network'] });
      }
    });
    await first.store.transaction((tx) => tx.in(entries).put({ id: 'one' }));
    const state = await first.readState();
    await first.stop();
    const move = mover(database, folder);
    await move('to_database');
    await t.rejects(move('shards', { shards: 2 }), { name: 'CannotDistribute', message: /collection own\.entries has documents, but/ });

    const second = open({ store: postgresStore({ ...database, log: new RecordingLogger() }) }, join(root, 'media'));
    await second.start();
    t.strictSame(await second.readState(), state);
    await t.rejects(move('to_folder', { folder: copy }), { name: 'PlaceInUse', message: /a process uses shard main/ });
    await t.rejects(move('to_database'), { name: 'TargetNotEmpty', message: /has data of its own/ });
    await second.stop();

    await t.rejects(move('to_folder'), { name: 'TargetNotEmpty', message: /Choose an empty folder/ });
    await move('to_folder', { folder: copy });
    const third = open({}, copy);
    await third.start();
    t.strictSame(await third.readState(), state);
    await t.rejects(move('to_database', { folder: copy }), { name: 'FolderInUse' });
  }),
);

t.test(
  '`posthorn data move` reports what it did, and refuses what it cannot do',
  withDatabase(async (t, { url, schema }) => {
    const folder = join(root, 'small');
    await writeLargeFolder(folder, { messages: 100 });
    const before = process.env.POSTHORN_DATABASE_URL;
    t.teardown(() => {
      if (before === undefined) delete process.env.POSTHORN_DATABASE_URL;
      else process.env.POSTHORN_DATABASE_URL = before;
    });
    const run = async (...argv: string[]) => {
      const [out, err]: [string[], string[]] = [[], []];
      const terminal = {
        out: (line: string) => void out.push(line),
        err: (line: string) => void err.push(line),
        isColoured: false,
        cwd: root,
      };
      return {
        code: await exitCodeOf(data.run(['move', ...argv, '--schema', schema], terminal), err),
        out: out.join('\n'),
        err: err.join('\n'),
      };
    };
    delete process.env.POSTHORN_DATABASE_URL;
    await t.rejects(run(folder), /set POSTHORN_DATABASE_URL to the database/);
    process.env.POSTHORN_DATABASE_URL = url;
    await t.rejects(run(), /takes a folder/);
    await t.rejects(run(folder, '--back', '--shards', '2'), /a folder has no shards/);
    await t.rejects(run(folder, '--shards', '0'), /takes a number from 1 to 64/);
    t.match(await run('nowhere'), { code: exit.usage, err: /is not a data folder/ });
    const moved = await run('small', '--shards', '2');
    t.match(moved, {
      code: exit.ok,
      out: /Moved 269 documents in 12 collections from .*counts and checksums are equal/,
      err: /^reading the tenants\ncopying/,
    });
    t.match(moved.out, /7 tenants; 0 documents belong to none and are in shard-1\.\n {2}shard-1: \d+ documents/);
    t.notMatch(moved.out + moved.err, 'postgres@', 'the password is not shown');
    t.match(JSON.parse((await run('--shards', '1', '--json')).out), { state: 'moved', shards: { main: { documents: 269 } } });
  }),
);
