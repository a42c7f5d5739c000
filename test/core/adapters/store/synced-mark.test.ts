import { Buffer } from 'node:buffer';
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import t from 'tap';
import { checkData, repairData } from '../../../../core/adapters/store/check/repair-data.js';
import { CONTENTS_FILE, decodeContents, writeContents } from '../../../../core/adapters/store/files/contents-file.js';
import { RecordingLogger } from '../../../../core/testing/recording-logger.js';
import { runs, stride } from '../../../forms.js';
import { everything, nothing, SimulatedDisk } from './simulated-disk.js';
import { addEntry, countEntries, FOLDER, storeOn } from './store-on-disk.js';

const CONTENTS = `${FOLDER}/${CONTENTS_FILE}`;
const contentsOf = (disk: SimulatedDisk) => decodeContents(disk.read(CONTENTS).toString())!;
const endsOf = (bytes: Buffer): number[] => [...bytes.entries()].filter(([, byte]) => byte === 0x0a).map(([at]) => at + 1);

/** Waits for a condition that becomes true soon. */
async function until(isSo: () => boolean): Promise<void> {
  for (let tries = 0; tries < 500 && !isSo(); tries++) await sleep(2);
  if (!isSo()) throw new Error('the condition did not become true');
}

/** A journal of eight entries, of which the first `marked` are known to be synced. */
async function journalWithMark(marked: number): Promise<{ disk: SimulatedDisk; file: string; whole: Buffer; ends: number[] }> {
  const disk = new SimulatedDisk();
  const store = storeOn(disk, { markEveryMs: 1 });
  await store.start();
  for (let n = 0; n < marked; n++) await addEntry(store, 'Grüße');
  await until(() => contentsOf(disk).synced!.through === marked);
  // Failing to write the mark has the same effect as a mark that is not due.
  disk.before = ({ path }) => {
    if (path.startsWith(CONTENTS)) throw new Error('EIO');
  };
  for (let n = marked; n < 8; n++) await addEntry(store, 'Grüße');
  const survivor = disk.afterCrash(everything);
  const file = survivor.files.find((one) => one.endsWith('.jsonl'))!;
  const whole = survivor.read(file);
  return { disk: survivor, file, whole, ends: endsOf(whole) };
}

t.test('the synced position is recorded some time after a write, and transactions do not wait for it', async (t) => {
  const disk = new SimulatedDisk();
  const store = storeOn(disk, { markEveryMs: 20 });
  await store.start();
  const segment = 'journal-000000000001.jsonl';
  t.strictSame(contentsOf(disk).synced, { segment, bytes: 0, through: 0 });
  let release = () => {};
  const blocked = new Promise<void>((resolve) => (release = resolve));
  let writes = 0;
  disk.before = ({ name, path }) => {
    if (name === 'create' && path.startsWith(CONTENTS)) writes++;
    return path.startsWith(CONTENTS) ? blocked : undefined;
  };
  for (let n = 0; n < 50; n++) await addEntry(store);
  await until(() => writes === 1);
  for (let n = 0; n < 50; n++) await addEntry(store);
  t.equal(writes, 1);
  t.equal(contentsOf(disk).synced!.bytes, 0, 'not written while the write is blocked');
  release();
  await until(() => contentsOf(disk).synced!.through === 100);
  t.strictSame(contentsOf(disk).synced, { segment, bytes: disk.read(`${FOLDER}/${segment}`).length, through: 100 });
  await sleep(50);
  t.ok(writes <= 3, `${writes} marks for two bursts of writes, and none without writes`);
  await store.stop();
});

t.test('a journal that is too large to merge on stop has its mark at its end', async (t) => {
  const disk = new SimulatedDisk();
  const store = storeOn(disk, { markEveryMs: 60_000, compactAfterBytes: 1 << 30 });
  await store.start();
  for (let n = 0; n < 17; n++) await addEntry(store, 'x'.repeat(1 << 20));
  t.equal(contentsOf(disk).synced!.bytes, 0);
  await store.stop();
  const segment = 'journal-000000000001.jsonl';
  t.strictSame(contentsOf(disk).synced, { segment, bytes: disk.read(`${FOLDER}/${segment}`).length, through: 17 });
});

t.test('a journal truncated before its mark is refused at every byte, and left unchanged', async (t) => {
  const { disk, file, whole, ends } = await journalWithMark(5);
  for (let size = 0; size < ends[4]!; size += stride(14)) {
    const cut = disk.afterCrash(everything);
    cut.put(file, whole.subarray(0, size));
    const files = cut.files.map((one) => [one, cut.read(one).toString('base64')]);
    const message = new RegExp(
      `the file has ${size} bytes, but ${ends[4]} were synced: it was truncated\\. Transactions up to 5 were acknowledged; the last of them are missing or incomplete\\. Nothing has been changed`,
    );
    await t.rejects(storeOn(cut).start(), { name: 'DataDamaged', file, message });
    t.strictSame(
      cut.files.map((one) => [one, cut.read(one).toString('base64')]),
      files,
    );
  }
});

t.test('a journal truncated after its mark loses what was cut, and the log says what that may mean', async (t) => {
  const { disk, file, whole, ends } = await journalWithMark(5);
  for (let size = ends[4]!; size < whole.length; size += stride(14)) {
    const cut = disk.afterCrash(everything);
    cut.put(file, whole.subarray(0, size));
    const log = new RecordingLogger();
    const store = storeOn(cut, { log });
    await store.start();
    const kept = ends.filter((end) => end <= size).length;
    t.equal(await countEntries(store), kept);
    const warnings = log.lines.filter(({ level }) => level === 'warn');
    if (ends.includes(size)) t.strictSame(warnings, []);
    else {
      const message =
        /^the journal ended in an incomplete transaction, which was removed\..* All transactions up to 5 are present; later acknowledged ones are missing only if something other/;
      t.match(warnings, [{ message, fields: { file, bytes: size - ends[kept - 1]!, syncedThrough: 5 } }]);
    }
    await store.stop();
  }
});

t.test('a check tells a truncated journal from an interrupted write; a repair keeps the rest and names what is missing', async (t) => {
  const { disk, file, whole, ends } = await journalWithMark(5);
  const name = file.slice(FOLDER.length + 1);
  const torn = disk.afterCrash(everything);
  torn.put(file, whole.subarray(0, ends[5]! + 7));
  t.match(await checkData(FOLDER, torn), { is_whole: true, problems: [], torn_bytes: 7, synced_through: 5 });

  const lost = ['s 1 to 5 are', '', 's 3 to 5 are', 's 4 to 5 are', ' 5 is'];
  for (const size of [0, 10, ends[1]!, ends[2]! + 30, ends[3]!, ends[4]! - 1]) {
    const cut = disk.afterCrash(everything);
    cut.put(file, whole.subarray(0, size));
    // A transaction that lacks only its line end is readable.
    const kept = ends.filter((end) => end - 1 <= size).length;
    const missing = lost[kept] ? `, and the acknowledged transaction${lost[kept]} missing` : '';
    const damage = `it has ${size} bytes, but ${ends[4]} were synced: it was truncated${missing}`;
    const check = await checkData(FOLDER, cut);
    t.match(check, { is_whole: false, torn_bytes: 0, synced_through: 5 });
    t.strictSame(check.problems.at(-1), { file: name, damage }, `cut after ${size} bytes`);
    const report = await repairData(FOLDER, cut);
    t.match(report, { repaired: true, problems: check.problems });
    t.equal(report.set_aside?.pieces, ends.includes(size) || size === 0 || kept === 5 ? undefined : 1);
    const store = storeOn(cut);
    await store.start();
    t.equal(await countEntries(store), kept);
    await addEntry(store);
    await store.stop();
    t.match(await checkData(FOLDER, cut), { is_whole: true });
  }
});

t.test('a journal whose synced end is damaged is refused, although it has all its bytes', async (t) => {
  const { disk, file, whole, ends } = await journalWithMark(5);
  const name = file.slice(FOLDER.length + 1);
  for (let from = 0; from < ends[4]!; from += stride(14)) {
    // File systems can leave this when they stored the size of a file but not its last blocks.
    const zeroed = disk.afterCrash(everything);
    zeroed.put(file, Buffer.concat([whole.subarray(0, from), Buffer.alloc(whole.length - from)]));
    const log = new RecordingLogger();
    await t.rejects(storeOn(zeroed, { log }).start(), { name: 'DataDamaged', file });
    t.strictSame(log.lines, [], 'the log does not claim that the transactions are present');
    t.ok(zeroed.read(file).length === whole.length, 'nothing was removed');
    const check = await checkData(FOLDER, zeroed);
    t.match(check, { is_whole: false, torn_bytes: 0, synced_through: 5 });
    const kept = ends.filter((end) => end <= from).length;
    const missing = kept === 4 ? 'the acknowledged transaction 5 is missing' : `the acknowledged transactions ${kept + 1} to 5 are missing`;
    t.match(check.problems.at(-1), { file: name, damage: missing });
  }
  const beyond = disk.afterCrash(everything);
  beyond.put(file, Buffer.concat([whole.subarray(0, ends[4]), Buffer.alloc(whole.length - ends[4]!)]));
  const store = storeOn(beyond);
  await store.start();
  t.equal(await countEntries(store), 5);
  await store.stop();
});

t.test('a segment with a missing end is detected although the next one is still empty', async (t) => {
  const { disk, file, whole, ends } = await journalWithMark(5);
  const store = storeOn(disk);
  await store.start();
  const after = disk.afterCrash(everything);
  for (const size of [ends[6]!, ends[6]! + 9, 0]) {
    const cut = after.afterCrash(everything);
    cut.put(file, whole.subarray(0, size));
    await t.rejects(storeOn(cut).start(), { name: 'DataDamaged' });
    t.match(await checkData(FOLDER, cut), { is_whole: false, torn_bytes: 0 });
  }
});

t.test('after a merge the mark names the new segment, which is refused when truncated', async (t) => {
  const disk = new SimulatedDisk();
  const store = storeOn(disk, { markEveryMs: 1 });
  await store.start();
  for (let n = 0; n < 5; n++) await addEntry(store);
  await store.compact();
  const segment = 'journal-000000000006.jsonl';
  t.match(contentsOf(disk), { segments: [segment], synced: { segment, bytes: 0, through: 5 } });
  for (let n = 0; n < 3; n++) await addEntry(store);
  await until(() => contentsOf(disk).synced!.through === 8);
  const whole = disk.read(`${FOLDER}/${segment}`);
  t.strictSame(contentsOf(disk).synced, { segment, bytes: whole.length, through: 8 });
  const killed = disk.afterCrash(everything);
  await store.stop();
  for (let size = 0; size < whole.length; size += stride(14)) {
    const cut = killed.afterCrash(everything);
    cut.put(`${FOLDER}/${segment}`, whole.subarray(0, size));
    await t.rejects(storeOn(cut).start(), { name: 'DataDamaged', message: /it was truncated/ });
  }
  const again = storeOn(killed);
  await again.start();
  t.equal(await countEntries(again), 8);
  await again.stop();
});

t.test('a mark is never ahead of what a crash leaves, whenever it happens', async (t) => {
  const property = fc.asyncProperty(fc.nat(400), fc.array(fc.nat(1000), { minLength: 5, maxLength: 20 }), async (stopAt, choices) => {
    const disk = new SimulatedDisk();
    let used = 0;
    let acknowledged = 0;
    let powerOff = () => {};
    const off = new Promise<void>((resolve) => (powerOff = resolve));
    disk.before = () => {
      if (used++ < stopAt) return;
      powerOff();
      return new Promise(() => {});
    };
    const live = async () => {
      const store = storeOn(disk, { markEveryMs: 0, compactAfterBytes: 1_500 });
      await store.start();
      for (let n = 0; n < 30; n++) {
        await addEntry(store, 'some text');
        acknowledged++;
        await sleep(1);
      }
      await store.stop();
    };
    await Promise.race([live(), off]);
    let at = 0;
    const survivor = disk.afterCrash((most) => choices[at++ % choices.length]! % (most + 1));
    const store = storeOn(survivor);
    await store.start();
    const found = await countEntries(store);
    if (found < acknowledged) throw new Error(`${acknowledged} acknowledged, ${found} found`);
    await store.stop();
  });
  await fc.assert(property, { numRuns: runs(60) });
  t.pass('every folder opened with everything acknowledged');
});

t.test('a failing mark is logged once and retried', async (t) => {
  const disk = new SimulatedDisk();
  const log = new RecordingLogger();
  const store = storeOn(disk, { log, markEveryMs: 2 });
  await store.start();
  let failures = 0;
  disk.before = ({ path }) => {
    if (failures >= 3 || !path.startsWith(CONTENTS)) return;
    failures++;
    throw new Error('ENOSPC');
  };
  await addEntry(store);
  await until(() => contentsOf(disk).synced!.through === 1);
  t.equal(failures, 3);
  t.match(log.lines.slice(-1), [{ level: 'warn', message: /recording how far the journal is synced failed/ }]);
  t.equal(log.messages('warn').length, 1);
  await store.stop();
});

t.test('a mark with any damaged byte is refused, and a repair keeps everything', async (t) => {
  const { disk } = await journalWithMark(5);
  const contents = disk.read(CONTENTS);
  for (let at = contents.indexOf('"synced"'); at < contents.length; at += stride(14)) {
    const damaged = disk.afterCrash(everything);
    const flipped = Buffer.from(contents);
    flipped[at]! ^= 1;
    damaged.put(CONTENTS, flipped);
    const message = /the checksum does not match the contents\. Nothing has been changed\. Restore the folder from a backup. Or copy it/;
    await t.rejects(storeOn(damaged).start(), { name: 'DataDamaged', file: CONTENTS, message });
    const check = await checkData(FOLDER, damaged);
    t.match(check, { is_whole: false, problems: [{ file: CONTENTS_FILE }] });
    t.notOk('synced_through' in check, 'the synced position is unknown');
    await repairData(FOLDER, damaged);
    const store = storeOn(damaged);
    await store.start();
    t.equal(await countEntries(store), 8);
    await store.stop();
  }
});

t.test('a store that stops after a disk fault does not write to the folder from then on', async (t) => {
  const disk = new SimulatedDisk();
  const store = storeOn(disk, { markEveryMs: 30 });
  await store.start();
  await addEntry(store);
  disk.before = ({ path }) => {
    if (path.endsWith('.jsonl')) throw new Error('EIO');
  };
  await t.rejects(addEntry(store), { name: 'StoreUnavailable' });
  await store.stop();
  // Another process may use the folder now, so this one's view of the files is outdated.
  const operations: string[] = [];
  disk.before = ({ name, path }) => void operations.push(`${name} ${path}`);
  await sleep(90);
  t.strictSame(operations, []);
  t.equal(contentsOf(disk).synced!.through, 1);
});

t.test('a folder of format 2 has no mark: it opens, and an incomplete end is reported as far as known', async (t) => {
  const { disk, file, whole, ends } = await journalWithMark(5);
  const { snapshots, segments } = contentsOf(disk);
  await writeContents(disk, FOLDER, { snapshots, segments });
  disk.put(`${FOLDER}/format.json`, Buffer.from('{"format":2}\n'));
  disk.put(file, whole.subarray(0, ends[2]! + 5));
  const check = await checkData(FOLDER, disk);
  t.match(check, { format: 2, is_whole: true, torn_bytes: 5 });
  t.notOk('synced_through' in check);
  const log = new RecordingLogger();
  const store = storeOn(disk.afterCrash(nothing), { log });
  await store.start();
  t.equal(await countEntries(store), 3);
  t.match(log.lines, [
    { message: /newer format/, fields: { from: 2, to: 3 } },
    { message: /newer format/, fields: { from: 3, to: 4 } },
    { message: /newer format/, fields: { from: 4, to: 5 } },
    { message: /newer format/, fields: { from: 5, to: 6 } },
    { level: 'warn', message: /an older release did not record how far/ },
  ]);
  await store.stop();
});
