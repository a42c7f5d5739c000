import { setTimeout } from 'node:timers/promises';
import fc from 'fast-check';
import t from 'tap';
import { checkData, repairData } from '../../../../core/adapters/store/check/repair-data.js';
import { sealed } from '../../../../core/adapters/store/files/sealed.js';
import { runs, stride } from '../../../forms.js';
import { everything, nothing, SimulatedDisk } from './simulated-disk.js';
import { addEntry, countEntries, counters, FOLDER, left, right, storeOn } from './store-on-disk.js';

type State = ReadonlyMap<string, string>;

/** A check runs for every byte. A repair takes longer, and every 5th byte still covers every part of every record. */
const REPAIR_EVERY = 5;

/** Snapshots with three entries, a segment that a crash left, and one with two more entries. */
async function diskOfFive({ isMarked = false } = {}): Promise<SimulatedDisk> {
  const first = new SimulatedDisk();
  const store = storeOn(first);
  await store.start();
  for (let i = 0; i < 2; i++) await addEntry(store, 'Grüße');
  await store.compact();
  await addEntry(store, 'x');
  const second = first.afterCrash(everything);
  const again = storeOn(second, { markEveryMs: isMarked ? 0 : 60_000 });
  await again.start();
  for (let i = 0; i < 2; i++) await addEntry(again, '["12345678",{}]');
  if (isMarked) await setTimeout(20);
  return second.afterCrash(everything);
}

/** Every document by collection and key; undefined when the store refuses to open the folder. */
async function stateOf(disk: SimulatedDisk): Promise<State | undefined> {
  const store = storeOn(disk);
  try {
    await store.start();
  } catch (error) {
    if (['DataDamaged', 'FormatTooNew'].includes((error as Error).name)) return undefined;
    throw error;
  }
  const all = new Map<string, string>();
  for (const type of [left, right])
    for (const one of await store.open(type).list()) all.set(`${type === left} ${one.id}`, JSON.stringify(one));
  for (const one of await store.open(counters).list()) all.set(one.name, JSON.stringify(one));
  await store.stop();
  return all;
}

const clone = (disk: SimulatedDisk): SimulatedDisk => disk.afterCrash(everything);

/** Everything that was set aside. */
function setAsideOn(disk: SimulatedDisk): { file: string; line?: number; damage: string; text: string }[] {
  return disk.files
    .filter((file) => file.includes('set-aside'))
    .flatMap((file) => disk.read(file).toString().trim().split('\n'))
    .map((line) => JSON.parse(line) as { file: string; damage: string; text?: string; base64?: string })
    .map(({ text, base64, ...where }) => ({ ...where, text: text ?? Buffer.from(base64!, 'base64').toString() }));
}

/** Repairs a damaged disk. @returns what is wrong with the outcome; undefined if nothing is */
async function wrongAfterRepair(damaged: SimulatedDisk, before: State): Promise<string | undefined> {
  const opens = (await stateOf(clone(damaged))) !== undefined;
  const check = await checkData(FOLDER, damaged);
  if (opens !== check.is_whole) return `the store ${opens ? 'opens' : 'refuses'} it, and check says ${JSON.stringify(check)}`;
  const report = await repairData(FOLDER, damaged);
  if (report.repaired === opens) return `repaired: ${report.repaired}, though the store ${opens ? 'opens' : 'refuses'} it`;
  const after = await stateOf(clone(damaged));
  if (!after) return 'the store does not open the repaired folder';
  const again = await repairData(FOLDER, damaged);
  if (again.repaired) return `repaired twice: ${JSON.stringify(again.problems)}`;
  const aside = setAsideOn(damaged);
  for (const [key, json] of before) {
    const id = key.split(' ').at(-1)!;
    if (after.get(key) !== json && !aside.some(({ text }) => text.includes(id) || text.includes('entries')))
      return `${key} is ${after.get(key)}, was ${json}, and is not set aside: ${JSON.stringify(aside)}`;
  }
  return undefined;
}

t.test('a check finds no problem in an undamaged folder, and a repair leaves it unchanged', async (t) => {
  const disk = await diskOfFive();
  const files = disk.files.map((file) => [file, disk.read(file).toString()]);
  const report = {
    folder: FOLDER,
    format: 6,
    is_whole: true,
    collections: 3,
    documents: 11,
    transactions: 3,
    problems: [],
    beyond_repair: [],
    torn_bytes: 0,
    synced_through: 3,
  };
  t.strictSame(await checkData(FOLDER, disk), report);
  t.strictSame(await repairData(FOLDER, disk), { ...report, repaired: false });
  t.strictSame(
    disk.files.map((file) => [file, disk.read(file).toString()]),
    files,
  );
});

t.test('a change of any byte of any file is found, and the repair loses at most that record', async (t) => {
  const whole = await diskOfFive();
  const before = (await stateOf(clone(whole)))!;
  let flips = 0;
  for (const file of whole.files) {
    const bytes = whole.read(file);
    for (let at = 0; at < bytes.length; at += stride(14)) {
      const damaged = clone(whole);
      const flipped = Buffer.from(bytes);
      flipped[at]! ^= 1 << (at % 7);
      damaged.put(file, flipped);
      flips++;
      const name = file.slice(FOLDER.length + 1);
      const where = `byte ${at} of ${name}`;
      try {
        const { problems } = await checkData(FOLDER, damaged);
        const line = bytes.subarray(0, at).filter((byte) => byte === 0x0a).length + 1;
        const first = problems.find((problem) => problem.file === name);
        if (!first) t.fail(`${where}: ${JSON.stringify(problems)}`);
        else if (name.endsWith('.jsonl') && ![line, line + 1].includes(first.line!))
          t.fail(`${where}: ${JSON.stringify(first)}, not line ${line}`);
        if (at % REPAIR_EVERY !== 0) continue;
        const wrong = await wrongAfterRepair(damaged, before);
        if (wrong) t.fail(`${where}: ${wrong}`);
        if (setAsideOn(damaged).length > 2) t.fail(`${where}: more than the two halves of one record are set aside`);
      } catch (error) {
        // One digit has become another.
        if (name !== 'format.json' || (error as Error).name !== 'FormatTooNew') throw error;
      }
    }
  }
  t.ok(flips > 1_500 / stride(14), `${flips} bytes`);
});

t.test('a damaged line end loses nothing', async (t) => {
  const whole = await diskOfFive();
  const before = await stateOf(clone(whole));
  for (const file of whole.files.filter((one) => /jsonl$|\.left\.json$/.test(one))) {
    const bytes = whole.read(file);
    for (const [at, byte] of bytes.entries()) {
      if (byte !== 0x0a) continue;
      const damaged = clone(whole);
      damaged.put(file, Buffer.concat([bytes.subarray(0, at), Buffer.from('?'), bytes.subarray(at + 1)]));
      t.match(await repairData(FOLDER, damaged), { repaired: true, is_whole: false });
      t.strictSame(await stateOf(damaged), before);
    }
  }
});

t.test('a missing, empty or foreign file is reported, and the repair keeps the other files', async (t) => {
  const whole = await diskOfFive();
  const before = (await stateOf(clone(whole)))!;
  const last = whole.files.filter((file) => file.endsWith('.jsonl')).at(-1);
  for (const file of whole.files) {
    const name = file.slice(FOLDER.length + 1);
    for (const content of [undefined, 'garbage', '["00000000",\n'.repeat(3), '\u0000'.repeat(5_000), '["12345678",'.repeat(9_000)]) {
      // A crash leaves this at the end of the journal.
      if (file === last && content !== undefined && !content.endsWith('\n')) continue;
      const damaged = clone(whole);
      if (content === undefined) await damaged.remove(file);
      else damaged.put(file, Buffer.from(content));
      t.match(await checkData(FOLDER, damaged), { is_whole: false });
      const { problems } = await checkData(FOLDER, damaged);
      t.ok(
        problems.some((problem) => problem.file === name),
        `${name}: ${JSON.stringify(problems)}`,
      );
      t.match(await repairData(FOLDER, damaged), { repaired: true });
      const after = (await stateOf(damaged))!;
      for (const [key, json] of before) {
        const isThere = name.startsWith('test.') || name.startsWith('journal') || after.get(key) === json;
        if (!isThere) t.fail(`${name} gone: ${key} is ${after.get(key)}`);
      }
      if (name === 'test.left.json') t.equal(after.get('false e0001'), before.get('false e0001'), 'the other collection is unchanged');
      if (content !== undefined) t.ok(setAsideOn(damaged).some((piece) => piece.file === name && content.includes(piece.text)));
    }
  }
});

t.test('an interrupted write at the end is not damage, and after any other damage the repaired folder opens', async (t) => {
  const whole = await diskOfFive();
  const before = (await stateOf(clone(whole)))!;
  const last = whole.files.filter((file) => file.endsWith('.jsonl')).at(-1)!;
  const torn = clone(whole);
  torn.put(last, whole.read(last).subarray(0, -20));
  t.match(await checkData(FOLDER, torn), { is_whole: true, problems: [], torn_bytes: /^[1-9]/ });
  t.match(await repairData(FOLDER, torn), { repaired: false });

  const marked = await diskOfFive({ isMarked: true });
  t.match(await checkData(FOLDER, marked), { is_whole: true, synced_through: 5 });
  const files = whole.files.filter((file) => !file.endsWith('format.json'));
  const harm = fc.record({
    file: fc.nat(files.length - 1),
    kind: fc.constantFrom('flip', 'cut', 'insert', 'remove', 'repeat line', 'swap lines'),
    at: fc.double({ min: 0, max: 0.999, noNaN: true }),
    bytes: fc.uint8Array({ minLength: 1, maxLength: 30 }),
  });
  const property = fc.asyncProperty(fc.boolean(), fc.array(harm, { minLength: 1, maxLength: 4 }), async (isMarked, harms) => {
    const damaged = clone(isMarked ? marked : whole);
    for (const { file, kind, at, bytes } of harms) {
      const path = files[file]!;
      if (!damaged.files.includes(path)) continue;
      const now = Buffer.from(damaged.read(path));
      const place = Math.floor(at * now.length);
      const lines = now.toString('latin1').split('\n');
      const line = Math.floor(at * lines.length);
      if (kind === 'remove') await damaged.remove(path);
      else if (kind === 'cut') damaged.put(path, now.subarray(0, place));
      else if (kind === 'insert') damaged.put(path, Buffer.concat([now.subarray(0, place), bytes, now.subarray(place)]));
      else if (kind === 'flip')
        damaged.put(
          path,
          now.map((byte, i) => (i === place ? byte ^ (bytes[0]! || 1) : byte)),
        );
      else {
        if (kind === 'repeat line') lines.splice(line, 0, lines[line]!);
        else lines.splice(line, 2, ...lines.slice(line, line + 2).reverse());
        damaged.put(path, Buffer.from(lines.join('\n'), 'latin1'));
      }
    }
    const wrong = await wrongAfterRepair(damaged, new Map());
    if (wrong) throw new Error(wrong);
  });
  await fc.assert(property, { numRuns: runs(400) });
  t.ok(before.size > 0);
});

t.test('two different transactions with one number are found and the later one is set aside; identical ones are harmless', async (t) => {
  const written = new SimulatedDisk();
  const store = storeOn(written);
  await store.start();
  for (let i = 0; i < 2; i++) await addEntry(store);
  const again = `${FOLDER}/journal-000000000002.jsonl`;
  const first = `${FOLDER}/journal-000000000001.jsonl`;
  const [, second = ''] = written.read(first).toString().split('\n');
  const other = sealed(second.slice('["00000000",'.length, -1).replaceAll('e0001', 'e0009'), Buffer.alloc(0)).toString();
  t.not(other, second);

  const twice = written.afterCrash(everything);
  twice.put(again, Buffer.from(`${second}\n`));
  t.match(await checkData(FOLDER, twice), { is_whole: true, problems: [] });

  const rivals = written.afterCrash(everything);
  rivals.put(again, Buffer.from(`${other}\n`));
  const problem = {
    file: again.slice(FOLDER.length + 1),
    line: 1,
    damage: 'another line contains different changes under the same transaction number 2',
  };
  t.match(await checkData(FOLDER, rivals), { is_whole: false, problems: [problem] });
  t.match(await repairData(FOLDER, rivals), { repaired: true, problems: [problem] });
  t.match(setAsideOn(rivals), [{ ...problem, text: other }]);
  const kept = storeOn(rivals);
  await kept.start();
  t.equal(await countEntries(kept), 2, 'the first one counts');
});

t.test('a repair that is interrupted anywhere can run again, and loses nothing more', async (t) => {
  const whole = await diskOfFive();
  const damaged = clone(whole);
  for (const file of [`${FOLDER}/test.left.json`, damaged.files.find((one) => one.endsWith('.jsonl'))!]) {
    const bytes = Buffer.from(damaged.read(file));
    bytes[bytes.length - 120]! ^= 1;
    damaged.put(file, bytes);
  }
  const reference = clone(damaged);
  await repairData(FOLDER, reference);
  const wanted = await stateOf(reference);
  const texts = (disk: SimulatedDisk) => [...new Set(setAsideOn(disk).map(({ text }) => text))].sort();
  t.equal(texts(reference).length, 2);
  for (let stopAt = 0; ; stopAt += stride(8)) {
    const disk = clone(damaged);
    let used = 0;
    let powerOff = () => {};
    const off = new Promise<boolean>((resolve) => (powerOff = () => resolve(false)));
    disk.before = () => {
      if (used++ < stopAt) return;
      powerOff();
      return new Promise(() => {});
    };
    const isDone = await Promise.race([repairData(FOLDER, disk).then(() => true), off]);
    for (const chance of [nothing, everything]) {
      const survivor = disk.afterCrash(chance);
      await repairData(FOLDER, survivor);
      const [found, expected] = [await stateOf(clone(survivor)), wanted].map((state) => JSON.stringify([...state!]));
      if (found !== expected) t.fail(`stopped at ${stopAt}: ${found} instead of ${expected}`);
      if (texts(survivor).join() !== texts(reference).join()) t.fail(`stopped at ${stopAt}: ${texts(survivor)}`);
    }
    if (isDone) break;
  }
});

t.test('a folder that is in use, has no data, or has a newer format is refused', async (t) => {
  const disk = new SimulatedDisk();
  const store = storeOn(disk);
  await store.start();
  await addEntry(store);
  for (const run of [checkData, repairData]) {
    await t.rejects(run(FOLDER, disk), { name: 'FolderInUse' });
    await t.rejects(run('/elsewhere', disk), { name: 'NoData', message: 'no data found in /elsewhere' });
  }
  t.equal(await countEntries(store), 1);
  await store.stop();
  disk.put(`${FOLDER}/format.json`, Buffer.from('{"format":7}\n'));
  for (const run of [checkData, repairData]) await t.rejects(run(FOLDER, disk), { name: 'FormatTooNew' });
});

t.test('files of other programs with the same names are left alone', async (t) => {
  const disk = new SimulatedDisk();
  const foreign = {
    'tsconfig.types.json': '{}',
    'format.json': '{"format":"esm"}',
    'journal-000000000001.jsonl': 'dear diary\n',
    'contents.json': '[]',
  };
  for (const [name, text] of Object.entries(foreign)) disk.put(`${FOLDER}/${name}`, Buffer.from(text));
  for (const run of [checkData, repairData]) await t.rejects(run(FOLDER, disk), { name: 'NoData' });
  await t.rejects(storeOn(disk).start(), { name: 'DataDamaged' });
  t.strictSame(
    disk.files,
    Object.keys(foreign)
      .map((name) => `${FOLDER}/${name}`)
      .sort(),
  );
  for (const [name, text] of Object.entries(foreign)) t.equal(disk.read(`${FOLDER}/${name}`).toString(), text);
});
