import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { compaction } from '../../../../core/adapters/store/compaction.js';
import { compact } from '../../../../core/adapters/store/compaction.task.js';
import { JsonStore } from '../../../../core/adapters/store/json-store.js';
import { PiscinaPool } from '../../../../core/adapters/workers/piscina-pool.js';
import { collection } from '../../../../core/ports/store.js';
import { RecordingLogger } from '../../../../core/testing/recording-logger.js';
import { everything, SimulatedDisk } from './simulated-disk.js';
import { addEntry, countEntries, FOLDER, left, storeOn } from './store-on-disk.js';

const segments = (disk: SimulatedDisk): string[] => disk.files.filter((file) => file.endsWith('.jsonl'));
const snapshots = (disk: SimulatedDisk): string[] => disk.files.filter((file) => /\w\.\w+\.json$/.test(file));

t.test('compaction moves the journal into one readable file per collection', async (t) => {
  const disk = new SimulatedDisk();
  const store = storeOn(disk);
  await store.start();
  await addEntry(store, 'hello');
  await addEntry(store, 'Grüße "🦔"\n');
  await store.transaction((tx) => tx.in(left).put({ id: '"quoted" \\ key', n: 7, text: '' }));
  await store.transaction((tx) => tx.in(left).delete('e0000'));
  await store.compact();
  t.strictSame(
    snapshots(disk),
    ['counters', 'left', 'right'].map((name) => `${FOLDER}/test.${name}.json`),
  );
  t.strictSame(
    segments(disk).map((file) => disk.read(file).length),
    [0],
  );
  const snapshot = JSON.parse(disk.read(`${FOLDER}/test.left.json`).toString()) as { documents: unknown[] };
  t.match(snapshot, { collection: 'test.left', through: 4, count: 2 });
  t.strictSame(
    snapshot.documents.map((row) => (row as unknown[]).slice(1)),
    [
      ['"quoted" \\ key', { id: '"quoted" \\ key', n: 7, text: '' }],
      ['e0001', { id: 'e0001', n: 1, text: 'Grüße "🦔"\n' }],
    ],
  );
  await store.stop();
  const again = storeOn(disk);
  await again.start();
  t.match(await again.open(left).get('"quoted" \\ key'), { n: 7 });
  t.match(await again.open(left).find('n', { equals: [1] }), [{ text: 'Grüße "🦔"\n' }]);
  await again.stop();
});

t.test('a store merges its journal when it has grown, and keeps writing meanwhile', async (t) => {
  const disk = new SimulatedDisk();
  const store = storeOn(disk, { compactAfterBytes: 20_000 });
  await store.start();
  let largest = 0;
  const size = () => segments(disk).reduce((sum, file) => sum + disk.read(file).length, 0);
  disk.before = async () => {
    largest = Math.max(largest, size());
    await new Promise((resolve) => setImmediate(resolve));
  };
  const writers = Array.from({ length: 8 }, async (_, writer) => {
    for (let i = 0; i < 60; i++)
      await store.transaction((tx) => tx.in(left).put({ id: `${writer}-${i % 10}`, n: i, text: 'x'.repeat(200) }));
  });
  await Promise.all(writers);
  t.ok(largest < 80_000, `at most ${largest} bytes of journal for ${8 * 60 * 280} written`);
  const crashed = storeOn(disk.afterCrash(everything));
  await crashed.start();
  t.equal(await crashed.open(left).count(), 80);
  t.ok((await crashed.open(left).list()).every(({ n }) => n >= 50));
  await crashed.stop();
  await store.stop();
});

t.test('with a small heap, a store merges a smaller journal, because a merge takes memory', async (t) => {
  const limitBytes = 160 << 20;
  const heap = { limitBytes, read: () => ({ usedBytes: 0, liveBytes: 0, collectedMsAgo: 0, processShare: 0 }) };
  const store = storeOn(new SimulatedDisk(), { heap });
  let merges = 0;
  await store.start();
  const text = 'x'.repeat(1 << 20);
  const compact = store.compact.bind(store);
  store.compact = () => {
    merges++;
    return compact();
  };
  for (let n = 0; n < 9; n++) await store.transaction((tx) => tx.in(left).put({ id: 'one', n, text }));
  t.equal(merges, 0, 'at 9 MiB');
  for (let n = 0; n < 2; n++) await store.transaction((tx) => tx.in(left).put({ id: 'one', n, text }));
  t.equal(merges, 1, 'at a sixteenth of 160 MiB');
  await store.stop();
});

t.test('writers that are far ahead of a compaction wait for it, which bounds the journal', async (t) => {
  const disk = new SimulatedDisk();
  let [runs, release] = [0, () => {}];
  const store = new JsonStore({
    folder: FOLDER,
    log: new RecordingLogger(),
    fs: disk,
    compactAfterBytes: 2_000,
    maxJournalBytes: 6_000,
    compact: async (input) => {
      runs++;
      await new Promise<void>((resolve) => (release = resolve));
      if (runs === 2) throw new Error('the worker died');
      return compact(input, disk);
    },
  });
  store.define('test.left', left);
  await store.start();
  let written = 0;
  const write = async (count: number) => {
    for (let n = 0; n < count; n++) {
      await store.transaction((tx) => tx.in(left).put({ id: `k${n}`, n, text: 'x'.repeat(200) }));
      written++;
    }
  };
  const turns = async () => {
    for (let turn = 0; turn < 500; turn++) await new Promise((resolve) => setImmediate(resolve));
  };
  const all = write(100);
  await turns();
  t.equal(runs, 1);
  const ahead = written;
  t.ok(ahead > 15 && ahead < 30, `${ahead} writes of about 250 bytes before the compaction ended`);
  t.match(await store.open(left).get('k1'), { n: 1 }, 'durable data can still be read');
  release();
  await turns();
  t.equal(runs, 2);
  t.ok(written > ahead && written < 60, `${written} before the next one ended`);
  const stopped = written;
  release();
  await turns();
  t.ok(written > stopped, 'a failed compaction blocks no writer');
  const timer = setInterval(() => release(), 0);
  await all;
  await store.stop();
  clearInterval(timer);
});

t.test('a compaction that fails loses nothing, is logged, and is retried later', async (t) => {
  const disk = new SimulatedDisk();
  const log = new RecordingLogger();
  let broken = true;
  let runs = 0;
  const store = new JsonStore({
    folder: FOLDER,
    log,
    fs: disk,
    compactAfterBytes: 2_000,
    compact: async (input) => {
      runs++;
      if (broken) throw new Error('the worker died');
      return compact(input, disk);
    },
  });
  store.define('test.left', left);
  await store.start();
  const write = (n: number) => store.transaction((tx) => tx.in(left).put({ id: `k${n}`, n, text: 'x'.repeat(100) }));
  for (let n = 0; n < 100; n++) await write(n);
  t.ok(runs > 1 && runs < 20, `${runs} runs for 20 times the limit`);
  t.match(log.lines[0], { level: 'error', message: /no data is lost/ });
  await t.rejects(store.compact(), /worker died/);
  broken = false;
  await store.compact();
  t.strictSame(
    segments(disk).map((file) => disk.read(file).length),
    [0],
  );
  t.equal(await store.open(left).count(), 100);
  await store.stop();
});

t.test('a collection that is no longer defined is kept, through compactions too', async (t) => {
  const disk = new SimulatedDisk();
  const first = storeOn(disk);
  await first.start();
  await addEntry(first);
  await first.compact();
  await addEntry(first);
  const crashed = disk.afterCrash(everything);

  const other = collection<{ id: string }>({ key: 'id' });
  const without = new JsonStore({ folder: FOLDER, log: new RecordingLogger(), fs: crashed, compact: (input) => compact(input, crashed) });
  without.define('test.other', other);
  await without.start();
  await without.transaction((tx) => tx.in(other).put({ id: 'a' }));
  await without.compact();
  await without.transaction((tx) => tx.in(other).put({ id: 'b' }));
  await without.stop();

  const again = storeOn(crashed);
  await again.start();
  t.equal(await countEntries(again), 2);
  await again.stop();
});

t.test('merging the same segments twice makes no difference', async (t) => {
  const disk = new SimulatedDisk();
  const store = storeOn(disk);
  await store.start();
  for (let i = 0; i < 5; i++) await addEntry(store);
  await store.transaction((tx) => tx.in(left).delete('e0003'));
  const [segment] = segments(disk);
  const input = { folder: FOLDER, segments: [segment!.slice(FOLDER.length + 1)] };
  t.match(await compact(input, disk), { collections: ['test.counters', 'test.left', 'test.right'], through: 6 });
  const once = snapshots(disk).map((file) => disk.read(file).toString());
  await compact(input, disk);
  t.strictSame(
    snapshots(disk).map((file) => disk.read(file).toString()),
    once,
  );
  await store.stop();
});

t.test('a segment is removed only when all snapshots with its data, and the list of the files, are durable', async (t) => {
  const disk = new SimulatedDisk();
  const store = storeOn(disk);
  await store.start();
  for (let i = 0; i < 3; i++) await addEntry(store);
  const done: string[] = [];
  disk.before = ({ name, path }) => void done.push(`${name} ${path.slice(FOLDER.length + 1)}`.trim());
  await store.compact();
  const durable = (file: string) => {
    const renamed = done.lastIndexOf(`rename ${file}`);
    t.ok(done.lastIndexOf(`sync ${file}.tmp`, renamed) >= 0, `${file} is synced before it is renamed`);
    return done.indexOf('syncFolder', renamed);
  };
  const removed = done.indexOf('remove journal-000000000001.jsonl');
  const listed = durable('contents.json');
  for (const name of ['counters', 'left', 'right']) {
    t.ok(durable(`test.${name}.json`) < done.lastIndexOf('rename contents.json'), `${name} is durable before it is listed`);
  }
  t.ok(listed >= 0 && listed < removed, `the list is durable before the segment goes: ${done.join(', ')}`);
  await store.stop();
});

t.test('a damaged segment or snapshot stops the compaction, and stays unchanged', async (t) => {
  const disk = new SimulatedDisk();
  const store = storeOn(disk);
  await store.start();
  for (let i = 0; i < 5; i++) await addEntry(store);
  await store.compact();
  await addEntry(store);
  await addEntry(store);
  const [segment] = segments(disk);
  const input = { folder: FOLDER, segments: [segment!.slice(FOLDER.length + 1)] };
  for (const file of [segment!, `${FOLDER}/test.left.json`]) {
    const damaged = disk.afterCrash(everything);
    const bytes = Buffer.from(damaged.read(file));
    bytes[bytes.length >> 1]! ^= 1;
    damaged.put(file, bytes);
    await t.rejects(compact(input, damaged), { name: 'DataDamaged', file });
    t.ok(damaged.read(file).equals(bytes));
  }
  await store.stop();
});

t.test('compaction runs in a worker thread', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-compaction-'));
  const workers = new PiscinaPool({ maxThreads: 1 });
  t.teardown(async () => {
    await workers.stop();
    rmSync(folder, { recursive: true, force: true });
  });
  const open = async () => {
    const store = new JsonStore({ folder, log: new RecordingLogger(), compact: (input) => workers.run(compaction, input) });
    store.define('test.left', left);
    await store.start();
    return store;
  };
  const store = await open();
  for (let n = 0; n < 20; n++) await store.transaction((tx) => tx.in(left).put({ id: `k${n}`, n, text: '' }));
  await store.compact();
  t.ok(readdirSync(folder).includes('test.left.json'));
  await store.transaction((tx) => tx.in(left).delete('k0'));
  await store.stop();
  const again = await open();
  t.equal(await again.open(left).count(), 19);
  await again.stop();
});
