import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import t from 'tap';
import { sealed } from '../../../../core/adapters/store/index.js';
import type { Heap } from '../../../../core/ports/heap.js';
import { collection, type StoreTransaction } from '../../../../core/ports/store.js';
import { RecordingLogger } from '../../../../core/testing/recording-logger.js';
import { patient } from '../../../../core/testing/slowness.js';
import type { Tap } from '../../../../core/testing/tap.js';
import { moveData } from '../../../../plugins/cluster/move/data-move.js';
import { logStoreOf } from '../../../../plugins/cluster/postgres/log-store-of.js';
import { Servers } from '../../../../plugins/cluster/postgres/servers.js';
import { faultyLink } from '../../../../scripts/crash/faulty-link.js';
import { until } from '../../../../scripts/crash/until.js';
import { earlierRelease } from './earlier-release.js';
import { marker } from './log-contract.js';
import { type TestDatabase, withDatabase } from './with-database.js';

interface Letter {
  readonly id: string;
  readonly box: string;
  readonly at: number;
  readonly text: string;
}

const LEASE_MS = 1_000 * patient(1);
/** A heap that never fills. */
const heap: Heap = { limitBytes: 2 ** 40, read: () => ({ usedBytes: 0, liveBytes: 0, collectedMsAgo: 0, processShare: 0 }) };

type Place = Pick<TestDatabase, 'url' | 'schema'>;

/** A process whose letters need not be in memory. */
function processOn(t: Tap, { url, schema }: Place, { snapshotEveryBytes = 1 << 30, after = 0, coldCacheBytes = 0 } = {}) {
  const log = new RecordingLogger();
  const store = logStoreOf({
    ...{ schema, leaseMs: LEASE_MS, snapshotEveryBytes, log },
    heap,
    servers: new Servers({ url }),
    cold: { partBytes: 2_000, coldCacheBytes },
  });
  const letters = collection<Letter>({
    key: 'id',
    unique: { at: ['at'] },
    indexes: { box: ['box', 'at'] },
    cold: { after },
  });
  const tags = collection<{ readonly id: string; readonly n: number }>({ key: 'id' });
  store.define('test.letters', letters);
  store.define('test.tags', tags);
  let isStandby = false;
  store.ownership.onStandby(() => (isStandby = true));
  t.teardown(() => store.stop(0));
  const write = (work: (tx: StoreTransaction) => void) => store.transaction(work);
  const put = (n: number, text = 'text') =>
    write((tx) => tx.in(letters).put({ id: idOf(n), box: `box ${n % 5}`, at: n, text: `${text} ${n} ${'x'.repeat(200)}` }));
  return { store, log, letters, tags, write, put, isStandby: () => isStandby, open: () => store.open(letters) };
}

const idOf = (n: number): string => `letter-${String(n).padStart(5, '0')}`;

type Process = ReturnType<typeof processOn>;

async function standbyOf(t: Tap, place: Place, options?: Parameters<typeof processOn>[2]): Promise<Process & { started: Promise<void> }> {
  const standby = processOn(t, place, options);
  const started = standby.store.start();
  started.catch(() => undefined);
  await until(standby.isStandby, 'the second process is a standby');
  return { ...standby, started };
}

async function connected(t: Tap, { url, schema }: Place) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  t.teardown(() => client.end());
  const query = async (text: string, values: readonly unknown[] = []) =>
    (await client.query(text.replaceAll('SCHEMA', schema), [...values])).rows;
  return {
    query,
    through: async () => Number((await query('select max(through) as through from SCHEMA.snapshots'))[0].through),
    parts: async (): Promise<readonly { id: string; name: string; bytes: number }[]> => {
      const [newest] = await query('select files from SCHEMA.snapshots order by through desc limit 1');
      return (newest?.files ?? []).filter(({ name }: { name: string }) => /^test\.letters\.\d+\.json$/.test(name));
    },
  };
}

/** Writes until a snapshot has parts. */
async function filled(owner: Process, database: Awaited<ReturnType<typeof connected>>, from: number): Promise<number> {
  const before = await database.through();
  let n = from;
  await until(async () => {
    for (let i = 0; i < 10; i++) await owner.put(n++);
    return (await database.through()) > before && (await database.parts()).length > 0;
  }, 'a snapshot with parts');
  return n;
}

/** How many of the first documents a process has in memory: reads of the others are promises. */
async function inMemory({ store, letters }: Process, n: number): Promise<number> {
  return store.transaction(async (tx) => {
    const found = Array.from({ length: n }, (_, i) => tx.in(letters).peek!(idOf(i)));
    await Promise.all(found);
    return found.filter((one) => !(one instanceof Promise)).length;
  });
}

t.test(
  'older documents leave the memory of owner and standby, and all uses of them work before and after a take-over',
  withDatabase(async (t, place) => {
    const database = await connected(t, place);
    const owner = processOn(t, place, { snapshotEveryBytes: 20_000 });
    await owner.store.start();
    const standby = await standbyOf(t, place, { snapshotEveryBytes: 20_000 });
    let n = await filled(owner, database, 0);
    n = await filled(owner, database, n);
    await until(async () => (await inMemory(owner, n)) < n / 2, 'the owner has forgotten the older documents');

    const check = async (process: Process, of: (i: number) => string | undefined) => {
      const wanted = Array.from({ length: n }, (_, i) => of(i)).filter((text) => text !== undefined);
      const found = await process.open().list();
      t.strictSame(
        found.map(({ text }) => text.split(' x')[0]),
        wanted,
      );
      t.equal(await process.open().count(), wanted.length);
      t.match(await process.open().getBy('at', [3]), { text: new RegExp(`^${of(3)} `) });
      const page = await process.open().find('box', { equals: ['box 1'], order: 'descending', limit: 1_000 });
      t.strictSame(
        page.map(({ at }) => at),
        Array.from({ length: n }, (_, i) => n - 1 - i).filter((i) => i % 5 === 1 && of(i) !== undefined),
      );
    };
    await check(owner, (i) => `text ${i}`);
    // Changes of documents on disk reach the standby, which masks their rows.
    await owner.put(3, 'changed');
    await owner.write((tx) => tx.in(owner.letters).delete(idOf(4)));
    await owner.write((tx) => tx.in(owner.letters).delete(idOf(n - 1)));
    const later = (i: number) => (i === 4 || i === n - 1 ? undefined : `${i === 3 ? 'changed' : 'text'} ${i}`);
    await check(owner, later);
    await t.rejects(
      owner.write((tx) => tx.in(owner.letters).put({ id: 'twin', box: 'box 1', at: 7, text: '' })),
      { name: 'UniqueViolation' },
    );
    await owner.store.stop();
    await standby.started;
    const there = await inMemory(standby, n);
    t.ok(there < n / 2, `the take-over loaded no history: ${there} of ${n} are in memory`);
    await check(standby, later);
    await t.rejects(
      standby.write((tx) => tx.in(standby.letters).put({ id: 'twin', box: 'box 1', at: 7, text: '' })),
      { name: 'UniqueViolation' },
    );
    await standby.write((tx) => tx.in(standby.letters).put({ id: 'new', box: 'box 9', at: 4, text: '' }));
    await standby.write((tx) => tx.in(standby.letters).delete('new'));
    await standby.store.stop();

    const next = processOn(t, place);
    await next.store.start();
    await check(next, later);
    const started = await inMemory(next, n);
    t.ok(started < n / 2, `${started} of ${n} in memory after a start`);
    for (const { log } of [owner, standby, next])
      t.strictSame(
        log.lines.filter(({ level }) => level === 'error'),
        [],
      );
  }),
);

t.test(
  'a process without a standby writes snapshots itself',
  withDatabase(async (t, place) => {
    const database = await connected(t, place);
    const owner = processOn(t, place, { snapshotEveryBytes: 5_000 });
    await owner.store.start();
    const n = await filled(owner, database, 0);
    await until(async () => (await inMemory(owner, n)) < n, 'documents leave its memory');
    t.equal((await owner.open().list()).length, n);
  }),
);

t.test(
  'a read of a document in a database that does not respond fails like all others, and does not hang',
  withDatabase(async (t, place) => {
    const database = await connected(t, place);
    const link = await faultyLink(t, place.url);
    const owner = processOn(t, { ...place, url: link.url }, { snapshotEveryBytes: 5_000 });
    await owner.store.start();
    const n = await filled(owner, database, 0);
    await until(async () => (await inMemory(owner, n)) < n, 'documents leave its memory');
    const texts = async () => (await owner.open().list()).length;
    t.equal(await texts(), n);
    link.cut();
    const began = performance.now();
    await t.rejects(texts(), { name: 'StoreUnavailable' });
    t.ok(performance.now() - began < 2 * LEASE_MS);
    link.mend();
    await until(() => owner.store.ownership.refusal() === undefined);
    t.equal(await texts(), n, 'it continues');
    t.equal(owner.store.health().damaged, undefined);
  }),
);

t.test(
  'a damaged or missing block makes the reads of its documents fail, and no others',
  withDatabase(async (t, place) => {
    const database = await connected(t, place);
    const owner = processOn(t, place, { snapshotEveryBytes: 5_000 });
    await owner.store.start();
    const n = await filled(owner, database, 0);
    await owner.store.stop();
    const [damaged, missing] = await database.parts();
    t.ok(missing, 'two parts');
    await database.query('update SCHEMA.snapshot_files set bytes = set_byte(bytes, 300, get_byte(bytes, 300) # 1) where file = $1', [
      damaged!.id,
    ]);
    await database.query('delete from SCHEMA.snapshot_files where file = $1', [missing!.id]);

    const next = processOn(t, place);
    await next.store.start();
    let failed = 0;
    for (let i = 0; i < n; i++) {
      const read = await next
        .open()
        .get(idOf(i))
        .catch((error: Error) => error);
      if (read instanceof Error) t.equal(read.name, 'DocumentDamaged');
      if (read instanceof Error) failed++;
      else t.match(read, { text: new RegExp(`^text ${i} `) });
    }
    t.ok(failed > 1 && failed < n, `${failed} of ${n} fail`);
    const files = next.store.health().damaged ?? [];
    t.strictSame(files.map(({ file }) => file).sort(), [damaged!.name, missing!.name].sort());
    t.match(files[0]!.fix, /Restore the database from a backup/);
    // The part stays where it is, and snapshots continue.
    const before = await database.through();
    await next.put(n + 1);
    await next.store.compact();
    t.ok((await database.through()) > before);
  }),
);

t.test(
  'a database with documents in files moves to a folder, and back',
  withDatabase(async (t, place) => {
    const database = await connected(t, place);
    const owner = processOn(t, place, { snapshotEveryBytes: 5_000 });
    await owner.store.start();
    const n = await filled(owner, database, 0);
    await owner.put(2, 'changed');
    await owner.store.stop();
    const root = mkdtempSync(join(tmpdir(), 'posthorn-cold-move-'));
    t.teardown(() => rmSync(root, { recursive: true }));
    const move = { ...place, plugins: [], log: new RecordingLogger(), folder: join(root, 'data') };
    await moveData({ ...move, direction: 'to_folder' });
    const schema = `${place.schema}_back`;
    await moveData({ ...move, schema, direction: 'to_database' });
    const next = processOn(t, { ...place, schema });
    await next.store.start();
    const texts = (await next.open().list()).map(({ text }) => text.split(' x')[0]);
    t.strictSame(
      texts,
      Array.from({ length: n }, (_, i) => `${i === 2 ? 'changed' : 'text'} ${i}`),
    );
  }),
);

t.test(
  'beside an owner of 0.1.0 a standby writes snapshots that 0.1.0 reads, and files when it has taken over',
  withDatabase(async (t, place) => {
    const earlier = await earlierRelease(t, place, 60_000);
    await earlier.createTables();
    const epoch = (await earlier.take('main', 'old'))!;
    await earlier.begin('main', epoch, marker(1));
    const letter = (n: number) => ({ id: idOf(n), box: 'box 1', at: n, text: `by 0.1.0 ${n} ${'x'.repeat(100)}` });
    const lines = (tx: number) => {
      const change = ['test.letters', idOf(tx), letter(tx)];
      return {
        first: tx,
        last: tx,
        lines: Buffer.concat([sealed('', Buffer.from(JSON.stringify({ tx, changes: [change] }))), Buffer.from('\n')]),
      };
    };
    for (let tx = 2; tx <= 40; tx++) await earlier.append('main', epoch, lines(tx));
    await earlier.writeSnapshot(
      'main',
      20,
      Array.from({ length: 19 }, (_, i) => lines(i + 2).lines),
    );

    const database = await connected(t, place);
    const standby = await standbyOf(t, place, { snapshotEveryBytes: 1_000 });
    await until(async () => (await database.through()) === 40, 'the standby writes a snapshot');
    t.match(await earlier.readSnapshot('main'), `"${idOf(40)}"`);
    t.equal(await earlier.formatOf(), 1, 'processes of 0.1.0 may start');

    await earlier.release('main', 'old', epoch);
    await standby.started;
    await standby.put(100);
    await standby.store.compact();
    t.equal(await earlier.formatOf(), 2, 'a process of 0.1.0 refuses this format');
    await t.rejects(
      earlier.readSnapshot('main'),
      /part 1 of 1 is missing/,
      'and one that runs already does not take the snapshot for an empty one',
    );
    t.equal((await standby.open().list()).length, 40);
    t.ok((await inMemory(standby, 41)) < 40, 'documents of 0.1.0 leave memory');
    await standby.store.stop();
    const next = processOn(t, place);
    await next.store.start();
    t.equal((await next.open().list()).length, 40);
    t.match(await next.open().get(idOf(7)), letter(7));
  }),
);

t.test(
  'a purge removes deleted documents, and earlier versions, from the files and the lines of the database',
  withDatabase(async (t, place) => {
    const owner = processOn(t, place);
    await owner.store.start();
    const database = await connected(t, place);
    for (let n = 0; n < 60; n++) await owner.put(n, n % 20 === 0 ? 'SECRET' : 'text');
    await owner.store.compact();
    for (let n = 60; n < 80; n++) await owner.put(n);
    await owner.put(21, 'SECRET');
    await owner.store.compact();
    const tables = (await database.query("select tablename from pg_tables where schemaname = 'SCHEMA'")).map(({ tablename }) => tablename);
    const withSecret = async (): Promise<string[]> => {
      const found: string[] = [];
      for (const table of tables) {
        const rows = await database.query(`select * from SCHEMA.${table}`);
        const isIn = (value: unknown) =>
          Buffer.isBuffer(value) ? value.includes('SECRET') : JSON.stringify(value ?? null).includes('SECRET');
        if (rows.some((row: object) => Object.values(row).some(isIn))) found.push(table);
      }
      return found;
    };
    t.ok((await withSecret()).length > 0);
    for (const n of [0, 20, 40]) await owner.write((tx) => tx.in(owner.letters).delete(idOf(n)));
    await owner.put(21);
    await owner.store.purge();
    // Long ago enough that no process reads the previous snapshots.
    await database.query("update SCHEMA.snapshots set at = at - interval '1 day'");
    await owner.put(81);
    await owner.store.purge();
    t.strictSame(await withSecret(), [], 'no table has the text');
    t.equal(await owner.open().count(), 78);
    t.match(await owner.open().get(idOf(21)), { text: /^text 21/ });
    t.equal(await owner.open().get(idOf(20)), undefined);
  }),
);
