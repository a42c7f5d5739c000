import { Buffer } from 'node:buffer';
import t from 'tap';
import { RecordingLogger } from '../../../../core/testing/recording-logger.js';
import { format1, segment1, snapshot1 } from './format-1.js';
import { everything, nothing, SimulatedDisk } from './simulated-disk.js';
import { addEntry, countEntries, FOLDER, storeOn } from './store-on-disk.js';

const entry = (n: number) => ({ id: `e000${n}`, n, text: 'Grüße "🦔"' });
const both = (n: number, count: number): ['test.left' | 'test.right' | 'test.counters', string, object][] => [
  ['test.left', `e000${n}`, entry(n)],
  ['test.right', `e000${n}`, entry(n)],
  ['test.counters', 'entries', { name: 'entries', count }],
];

/** A folder of format 1: snapshots up to transaction 2, a segment that a crash left unmerged, and the current one. */
function diskOfFormat1(): SimulatedDisk {
  const disk = new SimulatedDisk();
  const files = [
    format1(),
    snapshot1(
      'test.left',
      2,
      [0, 1].map((n) => [`e000${n}`, entry(n)]),
    ),
    snapshot1(
      'test.right',
      2,
      [0, 1].map((n) => [`e000${n}`, entry(n)]),
    ),
    snapshot1('test.counters', 2, [['entries', { name: 'entries', count: 2 }]]),
    segment1(2, [both(1, 2), both(2, 3)]),
    segment1(4, [both(3, 4)]),
    segment1(5, []),
  ];
  for (const [name, text] of files) disk.put(`${FOLDER}/${name}`, Buffer.from(text));
  return disk;
}

t.test('a folder of format 1 is migrated to the current format with all its data', async (t) => {
  const disk = diskOfFormat1();
  const log = new RecordingLogger();
  const store = storeOn(disk, { log });
  await store.start();
  t.match(log.lines, [
    { level: 'info', message: 'the data folder was migrated to a newer format', fields: { from: 1, to: 2 } },
    { level: 'info', message: 'the data folder was migrated to a newer format', fields: { from: 2, to: 3 } },
    { level: 'info', message: 'the data folder was migrated to a newer format', fields: { from: 3, to: 4 } },
    { level: 'info', message: 'the data folder was migrated to a newer format', fields: { from: 4, to: 5 } },
    { level: 'info', message: 'the data folder was migrated to a newer format', fields: { from: 5, to: 6 } },
  ]);
  t.equal(await countEntries(store), 4);
  t.equal(await addEntry(store), 4);
  t.equal(disk.read(`${FOLDER}/format.json`).toString(), '{"format":6}\n');
  await store.stop();
  const again = storeOn(disk);
  await again.start();
  t.equal(await countEntries(again), 5);
  await again.stop();
});

t.test('a migration that is interrupted anywhere runs again, and loses nothing', async (t) => {
  let interrupted = 0;
  for (let stopAt = 0; ; stopAt++) {
    const disk = diskOfFormat1();
    let used = 0;
    let powerOff = () => {};
    const off = new Promise<boolean>((resolve) => (powerOff = () => resolve(false)));
    disk.before = () => {
      if (used++ < stopAt) return;
      powerOff();
      return new Promise(() => {});
    };
    const isDone = await Promise.race([
      storeOn(disk)
        .start()
        .then(() => true),
      off,
    ]);
    for (const chance of [nothing, everything]) {
      const store = storeOn(disk.afterCrash(chance));
      await store.start();
      if ((await countEntries(store)) !== 4) t.fail(`stopped at ${stopAt}`);
      await store.stop();
    }
    if (isDone) break;
    interrupted++;
  }
  t.ok(interrupted > 8, `interrupted in ${interrupted} places`);
});

t.test('a damaged folder of format 1 is refused like a current one, with its data untouched', async (t) => {
  const disk = diskOfFormat1();
  const file = `${FOLDER}/test.left.json`;
  const text = disk.read(file).toString();
  disk.put(file, Buffer.from(text.replace('"n":1', '"n":7')));
  await t.rejects(storeOn(disk).start(), { name: 'DataDamaged', file, line: 6 });
  t.equal(disk.read(file).toString(), text.replace('"n":1', '"n":7'));
});

t.test('a folder of a newer format is refused with advice, and nothing is changed', async (t) => {
  const disk = diskOfFormat1();
  disk.put(`${FOLDER}/format.json`, Buffer.from('{"format":7}\n'));
  const before = disk.files;
  await t.rejects(storeOn(disk).start(), {
    name: 'FormatTooNew',
    message: /format 7 by a newer version; .* up to 6\. Nothing .* that version or a later one, or restore the backup/,
  });
  t.strictSame(disk.files, before);
});

t.test('a wall clock that is set back or stopped does not affect the store', async (t) => {
  const disk = new SimulatedDisk();
  const now = Date.now;
  t.teardown(() => {
    Date.now = now;
  });
  let count = 0;
  for (const time of [4e12, 1e12, 0, 0]) {
    Date.now = () => time;
    const store = storeOn(disk, { compactAfterBytes: 400 });
    await store.start();
    for (let i = 0; i < 5; i++) t.equal(await addEntry(store), count++);
    await store.compact();
    t.equal(await addEntry(store), count++);
    await store.stop();
  }
  const store = storeOn(disk.afterCrash(nothing));
  await store.start();
  t.equal(await countEntries(store), 24);
  await store.stop();
});
