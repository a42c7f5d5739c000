import t from 'tap';
import type { FileSystem } from '../../../../core/adapters/file-system.js';
import { RecordingLogger } from '../../../../core/testing/recording-logger.js';
import { everything, SimulatedDisk } from './simulated-disk.js';
import { addEntry, countEntries, counters, FOLDER, left, storeOn } from './store-on-disk.js';

const ENTRIES = 40;
/** Bytes per read. */
const SLOW_BYTES = 8_000;

/** A folder with snapshots of the first half of the entries and a journal of the second. */
async function folderOfEntries(): Promise<SimulatedDisk> {
  const disk = new SimulatedDisk();
  const store = storeOn(disk);
  await store.start();
  for (let n = 0; n < ENTRIES / 2; n++) await addEntry(store, 'x'.repeat(5_000));
  await store.compact();
  for (let n = 0; n < ENTRIES / 2; n++) await addEntry(store, 'x'.repeat(5_000));
  const killed = disk.afterCrash(everything);
  await store.stop();
  return killed;
}

/** Opens the folder on a disk whose reads take `readMs` each. @returns the log lines */
async function startOn(disk: SimulatedDisk, readMs: number): Promise<RecordingLogger['lines']> {
  let ms = 0;
  const open: FileSystem['open'] = disk.open.bind(disk);
  disk.open = async (path, how) => {
    const file = await open(path, how);
    const read: typeof file.read = (into, position) => {
      if (!path.endsWith('lock')) ms += readMs;
      return file.read(into.subarray(0, SLOW_BYTES), position);
    };
    return { ...file, read };
  };
  const log = new RecordingLogger();
  const store = storeOn(disk, { log, now: () => ms });
  await store.start();
  t.equal(await countEntries(store), ENTRIES);
  const lines = log.lines.slice();
  await store.stop();
  return lines;
}

t.test('a long start logs its file and progress after one second and then every two', async (t) => {
  const lines = await startOn(await folderOfEntries(), 250);
  const reading = lines.filter(({ message }) => message.startsWith('reading the data folder'));
  t.ok(reading.length >= 5, `${reading.length} lines`);
  for (const { level, message, fields } of reading) {
    t.equal(level, 'info');
    t.equal(message, `reading the data folder: ${fields.percent} % of 0.4 MiB`);
    t.equal(fields.folder, FOLDER);
  }
  const files = reading.map(({ fields }) => fields.file);
  t.ok(files.includes('test.left.json') && files.includes('test.right.json'), `${files}`);
  t.equal(files.at(-1), 'journal-000000000021.jsonl');
  const percents = reading.map(({ fields }) => fields.percent as number);
  t.strictSame(
    percents,
    percents.toSorted((a, b) => a - b),
  );
  t.ok(percents[0]! > 0 && percents[0]! < 40 && percents.at(-1)! > 60 && percents.at(-1)! <= 100, `${percents}`);
  const elapsed = lines.map(({ fields }) => fields.elapsedMs as number);
  t.ok(elapsed[0]! >= 1_000 && elapsed[0]! < 2_000, `${elapsed}`);
  for (const [i, ms] of elapsed.slice(1, reading.length).entries()) {
    const since = ms - elapsed[i]!;
    t.ok(since >= 2_000 && since < 3_000, `${since} ms between two lines`);
  }
  t.match(lines.at(-1), { level: 'info', message: 'the data folder was read', fields: { folder: FOLDER, documents: 2 * ENTRIES + 1 } });
});

t.test('a start that builds large indexes logs its progress within a collection too', async (t) => {
  const disk = new SimulatedDisk();
  const store = storeOn(disk);
  await store.start();
  await store.transaction((tx) => {
    for (let n = 0; n < 5_000; n++) tx.in(left).put({ id: `e${n}`, n, text: '' });
    tx.in(counters).put({ name: 'entries', count: 0 });
  });
  await store.stop();
  // File reads take no time; each reading of the clock after that advances it by 400 ms.
  let ms = 0;
  let isRead = false;
  const open = disk.open.bind(disk);
  disk.open = async (path, how) => {
    if (path.endsWith('test.left.json')) isRead = true;
    return open(path, how);
  };
  const log = new RecordingLogger();
  const now = (): number => {
    if (isRead) ms += 400;
    return ms;
  };
  const again = storeOn(disk, { log, now });
  await again.start();
  const building = log.lines.filter(({ message }) => message.startsWith('building indexes'));
  for (const { level, message, fields } of building) {
    t.match({ level, message }, { level: 'info', message: `building indexes: ${fields.percent} % of 5001 documents` });
  }
  const percents = building.map(({ fields }) => fields.percent as number);
  t.match(building[0]?.fields, { folder: FOLDER, collection: 'test.left' });
  t.ok(percents.length >= 2 && percents[0]! > 0 && percents[0]! < 90, `${percents}`);
  t.match(log.lines.at(-1), { message: 'the data folder was read', fields: { documents: 5_001 } });
  t.strictSame(
    percents,
    percents.toSorted((a, b) => a - b),
  );
  await again.stop();
});

t.test('a start of under a second logs no progress', async (t) => {
  t.strictSame(await startOn(await folderOfEntries(), 1), []);
});
