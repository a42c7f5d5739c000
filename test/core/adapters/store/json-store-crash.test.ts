import fc from 'fast-check';
import t from 'tap';
import type { Encryption } from '../../../../core/adapters/encryption/file-cipher.js';
import { checkData } from '../../../../core/adapters/store/check/repair-data.js';
import type { JsonStore } from '../../../../core/adapters/store/json-store.js';
import { runs, sampled, stride } from '../../../forms.js';
import { type Chance, ENCRYPTIONS, everything, nothing, SimulatedDisk } from './simulated-disk.js';
import { addEntry, countEntries, FOLDER, storeOn } from './store-on-disk.js';

/** Runs concurrent writers with two compactions among them. @returns what was acknowledged when the power was cut */
async function livedThrough(disk: SimulatedDisk, operations: number): Promise<{ acknowledged: number; used: number }> {
  let acknowledged = 0;
  let used = 0;
  let powerOff = () => {};
  const off = new Promise<void>((resolve) => (powerOff = resolve));
  disk.before = () => {
    if (used++ < operations) return;
    powerOff();
    return new Promise(() => {});
  };
  const live = async () => {
    const store = storeOn(disk);
    await store.start();
    const write = async (count: number) => {
      for (let i = 0; i < count; i++) {
        await addEntry(store, 'some text');
        acknowledged++;
      }
    };
    await Promise.all([write(3), write(3)]);
    await Promise.all([write(4), store.compact(), write(4)]);
    await write(2);
    await store.compact();
    await write(3);
    await store.stop();
  };
  await Promise.race([live(), off]);
  return { acknowledged, used };
}

async function reopened(disk: SimulatedDisk): Promise<JsonStore> {
  const store = storeOn(disk);
  await store.start();
  return store;
}

for (const [how, encryption] of sampled(Object.entries(ENCRYPTIONS), 2))
  t.test(`${how} files`, async (t) => {
    t.test('after a crash at any operation, everything acknowledged is present and complete, and the store works', async (t) => {
      // An earlier process was killed, so there is a segment to merge in addition to the current one.
      const { disk: left } = await journalOf(3, encryption);
      const { acknowledged: all, used: operations } = await livedThrough(left.afterCrash(everything), Number.POSITIVE_INFINITY);
      t.equal(all, 19);
      t.ok(operations > 60, `${operations} operations`);
      const alternating = (): Chance => {
        let flip = 0;
        return (most) => (flip++ % 3 === 0 ? most : most >> 1);
      };
      for (let stopAt = 0; stopAt < operations; stopAt += stride(8)) {
        const disk = left.afterCrash(everything);
        const { acknowledged } = await livedThrough(disk, stopAt);
        for (const [how, chance] of Object.entries({ nothing, everything, some: alternating() })) {
          const survivor = disk.afterCrash(chance);
          const store = await reopened(survivor);
          const found = await countEntries(store);
          if (found < 3 + acknowledged)
            t.fail(`stopped at ${stopAt}, ${how} of the unsynced survived: 3 + ${acknowledged} acknowledged, ${found} found`);
          t.equal(await addEntry(store), found);
          await store.compact();
          await store.stop();
          const again = await reopened(survivor);
          if ((await countEntries(again)) !== found + 1) t.fail(`stopped at ${stopAt}: the entry added after the crash is missing`);
          await again.stop();
        }
      }
    });

    t.test('any part of the unsynced data may survive, and crashes may repeat', async (t) => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.tuple(fc.nat(120), fc.array(fc.nat(1000), { minLength: 5, maxLength: 20 })), { maxLength: 4 }),
          async (crashes) => {
            let disk = new SimulatedDisk(encryption);
            let before = 0;
            for (const [stopAt, choices] of crashes) {
              const { acknowledged } = await livedThrough(disk, stopAt);
              let at = 0;
              disk = disk.afterCrash((most) => choices[at++ % choices.length]! % (most + 1));
              const store = await reopened(disk);
              const found = await countEntries(store);
              if (found < before + acknowledged) throw new Error(`${before} + ${acknowledged} acknowledged, ${found} found`);
              before = found;
              disk = disk.afterCrash(everything);
            }
          },
        ),
        { numRuns: runs(60) },
      );
      t.pass('no acknowledged write was lost');
    });

    t.test('a journal truncated at any byte of its last three records loses only what was cut', async (t) => {
      const { disk, file, ends } = await journalOf(8, encryption);
      const whole = disk.read(file);
      for (let size = ends.at(-4)!; size <= whole.length; size += stride(14)) {
        const cut = disk.afterCrash(everything);
        cut.put(file, whole.subarray(0, size));
        const store = await reopened(cut);
        const kept = ends.filter((end) => end <= size).length;
        const found = await countEntries(store);
        if (found !== kept) t.fail(`cut after ${size} of ${whole.length} bytes: ${kept} records are complete, ${found} were found`);
        t.equal(await addEntry(store), kept);
        await store.stop();
        const again = await reopened(cut);
        t.equal(await countEntries(again), kept + 1);
        await again.stop();
      }
    });

    t.test('any changed byte of the journal is reported with its file and line, and nothing is changed', async (t) => {
      const { disk, file, ends } = await journalOf(3, encryption);
      const whole = disk.read(file);
      for (let at = 0; at < whole.length; at += stride(14)) {
        const damaged = disk.afterCrash(everything);
        damaged.put(file, flipped(whole, at));
        const line = ends.filter((end) => end <= at).length + 1;
        await assertDamaged(t, damaged, file, [line, line + 1]);
        if (!damaged.read(file).equals(flipped(whole, at))) t.fail('the file was changed');
      }
    });

    t.test('any changed byte of a snapshot is reported with its file', async (t) => {
      const { disk } = await journalOf(3, encryption);
      const store = await reopened(disk);
      await store.stop();
      const file = `${FOLDER}/test.left.json`;
      const whole = disk.read(file);
      for (let at = 0; at < whole.length; at += stride(14)) {
        const damaged = disk.afterCrash(everything);
        damaged.put(file, flipped(whole, at));
        await assertDamaged(t, damaged, file);
      }
      for (let size = 0; size < whole.length - 1; size += stride(14)) {
        const cut = disk.afterCrash(everything);
        cut.put(file, whole.subarray(0, size));
        await assertDamaged(t, cut, file);
      }
    });
  });

t.test('merged segments whose removal a crash has partially undone leave no gap, however often the store starts', async (t) => {
  let disk = new SimulatedDisk();
  for (let i = 0; i < 3; i++) {
    await addEntry(await reopened(disk));
    disk = disk.afterCrash(everything);
  }
  const [first, , third] = disk.files.filter((file) => file.endsWith('.jsonl'));
  const [left, right] = [disk.read(first!), disk.read(third!)];
  await (await reopened(disk)).compact();
  disk = disk.afterCrash(everything);
  disk.put(first!, left);
  disk.put(third!, right);
  for (let starts = 0; starts < 3; starts++) {
    t.strictSame((await checkData(FOLDER, disk.afterCrash(everything))).problems, []);
    const store = await reopened(disk);
    t.equal(await addEntry(store), 3 + starts);
    disk = disk.afterCrash(everything);
  }
  const store = await reopened(disk);
  await store.compact();
  t.equal(await countEntries(store), 6);
  t.notOk(disk.files.includes(first!), 'the merged segments are removed');
  await store.stop();
});

t.test('any missing file is reported: a snapshot, a segment of the journal, the list of both', async (t) => {
  const { disk } = await journalOf(3);
  const store = await reopened(disk);
  await store.compact();
  await addEntry(store);
  const whole = await reopenedTwice(disk.afterCrash(everything));
  const files = whole.files.filter((file) => !file.endsWith('lock'));
  t.equal(files.filter((file) => file.endsWith('.jsonl')).length, 2);
  t.equal(files.length, 7);
  for (const file of files) {
    const gap = whole.afterCrash(everything);
    await gap.remove(file);
    await t.rejects(reopened(gap), { name: 'DataDamaged', file, message: /the file is missing/ }, file);
    t.strictSame(
      gap.files,
      whole.files.filter((one) => one !== file),
      'nothing has been changed',
    );
  }
});

t.test('an outdated snapshot or segment in place of the newest is detected', async (t) => {
  const { disk, file } = await journalOf(3);
  const store = await reopened(disk);
  await store.compact();
  const before = disk.afterCrash(everything);
  await addEntry(store);
  await store.compact();
  const snapshot = `${FOLDER}/test.left.json`;
  const mixed = disk.afterCrash(everything);
  mixed.put(snapshot, before.read(snapshot));
  await t.rejects(reopened(mixed), { name: 'DataDamaged', file: snapshot, line: 3, message: /transaction 3, but should reach at least 4/ });
  const harmless = disk.afterCrash(everything);
  harmless.put(file, (await journalOf(3)).disk.read(file));
  const again = await reopened(harmless);
  t.equal(await countEntries(again), 4, 'a segment that was merged long ago is harmless');
  await again.stop();
});

/** The disk after two processes were killed: two segments with transactions. */
async function reopenedTwice(disk: SimulatedDisk): Promise<SimulatedDisk> {
  const store = await reopened(disk);
  await addEntry(store);
  return disk.afterCrash(everything);
}

/** A disk whose journal has `entries` entries, the journal's file, and where each entry ends in it. */
async function journalOf(entries: number, encryption?: Encryption): Promise<{ disk: SimulatedDisk; file: string; ends: number[] }> {
  const disk = new SimulatedDisk(encryption);
  const store = await reopened(disk);
  const file = disk.files.find((one) => one.endsWith('.jsonl'))!;
  const ends: number[] = [];
  for (let i = 0; i < entries; i++) {
    await addEntry(store, 'Grüße');
    ends.push(disk.read(file).length);
  }
  return { disk: disk.afterCrash(everything), file, ends };
}

function flipped(bytes: Buffer, at: number): Buffer {
  const copy = Buffer.from(bytes);
  copy[at]! ^= 1 << (at % 7);
  return copy;
}

async function assertDamaged(
  t: Pick<typeof import('tap').t, 'fail' | 'error'>,
  disk: SimulatedDisk,
  file: string,
  lines?: number[],
): Promise<void> {
  try {
    await reopened(disk);
    t.fail(`the damage in ${file} was not noticed`);
  } catch (error) {
    const { name, file: where, line } = error as { name: string; file: string; line: number };
    if (name !== 'DataDamaged' || where !== file || (lines && !lines.includes(line))) t.error(error, `damage in ${file}, line ${lines}`);
  }
}
