import pg from 'pg';
import t from 'tap';
import type { Heap } from '../../../../core/ports/heap.js';
import { collection, type StoreTransaction } from '../../../../core/ports/store.js';
import { RecordingLogger } from '../../../../core/testing/recording-logger.js';
import { patient } from '../../../../core/testing/slowness.js';
import type { Tap } from '../../../../core/testing/tap.js';
import { logStoreOf } from '../../../../plugins/cluster/postgres/log-store-of.js';
import { Servers } from '../../../../plugins/cluster/postgres/servers.js';
import { until } from '../../../../scripts/crash/until.js';
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
