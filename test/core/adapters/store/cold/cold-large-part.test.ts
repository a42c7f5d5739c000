import fc from 'fast-check';
import t from 'tap';
import { checkData, repairData } from '../../../../../core/adapters/store/check/repair-data.js';
import { compact } from '../../../../../core/adapters/store/compaction.task.js';
import { JsonStore } from '../../../../../core/adapters/store/json-store.js';
import { collection } from '../../../../../core/ports/store.js';
import { RecordingLogger } from '../../../../../core/testing/recording-logger.js';
import { isLong } from '../../../../forms.js';
import { everything, SimulatedDisk } from '../simulated-disk.js';
import { FOLDER } from '../store-on-disk.js';

interface Note {
  readonly id: string;
  readonly box: string;
  readonly at: number;
  readonly ref: string;
  readonly text: string;
}

const notes = collection<Note>({ key: 'id', unique: { ref: ['ref'] }, indexes: { box: ['box', 'at'] }, cold: { after: 0 } });
const DOCUMENTS = 12_000;
const BOXES = 600;
const noteOf = (n: number): Note => ({
  id: `n${String(n).padStart(6, '0')}`,
  box: `b${(n * 7_919) % BOXES}`,
  at: n,
  ref: `r${n}`,
  text: `Grüße "${n}" ${'abcdefghi '.repeat(40)}`,
});
const FIRST = `${FOLDER}/test.notes.1.json`;

async function open(disk: SimulatedDisk): Promise<JsonStore> {
  const log = new RecordingLogger();
  const store = new JsonStore({ folder: FOLDER, log, fs: disk, markEveryMs: 1e6, compact: (input) => compact(input, disk), now: () => 0 });
  store.define('test.notes', notes);
  await store.start();
  return store;
}

/** Documents of which most are in a part of 4 MiB. */
async function folder(): Promise<SimulatedDisk> {
  const disk = new SimulatedDisk();
  const store = await open(disk);
  for (let n = 0; n < DOCUMENTS; n += 1_000)
    await store.transaction((tx) => {
      for (let i = n; i < n + 1_000; i++) tx.in(notes).put(noteOf(i));
    });
  await store.stop();
  return disk.afterCrash(everything);
}

t.test('any bits of a large part may flip: no document is ever wrong, and the service continues', async (t) => {
  const whole = await folder();
  const bytes = whole.read(FIRST);
  t.ok(bytes.length > 4 << 20, `${bytes.length} bytes`);
  const { index } = JSON.parse(bytes.toString()) as { index: [string, { keys: string[] }][] };
  const inPart = index[0]![1].keys.length;
  const [lookups, end] = [bytes.indexOf('"lookups"') * 8, bytes.length * 8 - 1];
  const keyAt = (at: number): number => bytes.lastIndexOf('","n', Math.floor(at / 8));
  const counts = { right: 0, refused: 0, lacking: 0 };
  const rowsOfBox = (box: string): Note[] => Array.from({ length: DOCUMENTS }, (_, n) => noteOf(n)).filter((one) => one.box === box);

  /** @param flips where bits flip @param seed of the documents that are read */
  const run = async (flips: readonly number[], seed: number): Promise<void> => {
    const disk = whole.afterCrash(everything);
    const damaged = Buffer.from(bytes);
    for (const at of flips) damaged[Math.floor(at / 8)]! ^= 1 << (at % 8);
    disk.put(FIRST, damaged);
    const store = await open(disk);
    const found = store.open(notes);
    // Without the directory, the keys and values of damaged documents are unknown, so reads of an index do not contain them.
    const lacksSome = store.health().damaged?.some(({ damage }) => damage.includes('of the file are lost')) ?? false;
    const look = async (what: string, read: () => Promise<unknown>, expected: unknown, all?: readonly Note[]): Promise<boolean> => {
      try {
        const one = await read();
        const there = JSON.stringify(one);
        if (lacksSome && what === 'getBy' && one === undefined) counts.lacking++;
        else if (lacksSome && all) {
          let next = 0;
          for (const note of one as Note[])
            next = all.findIndex((right, i) => i >= next && JSON.stringify(right) === JSON.stringify(note)) + 1;
          if (next === 0) throw new Error(`${what}: ${there.slice(0, 300)} with flips at ${flips}`);
        } else if (there !== JSON.stringify(expected)) throw new Error(`${what}: ${there?.slice(0, 300)} with flips at ${flips}`);
        counts.right++;
        return true;
      } catch (error) {
        if ((error as Error).name !== 'DocumentDamaged') throw error;
        counts.refused++;
        return false;
      }
    };
    // Documents near the flips, and others.
    const near = flips.flatMap((at) => (at < lookups ? [Number(bytes.toString('latin1', keyAt(at) + 4, keyAt(at) + 10))] : []));
    for (const n of [...near.flatMap((at) => [at - 1, at, at + 1]), seed % inPart, (seed * 31) % inPart]) {
      if (!(n >= 0 && n < DOCUMENTS)) continue;
      await look('get', () => found.get(noteOf(n).id), noteOf(n));
      await look('getBy', () => found.getBy('ref', [`r${n}`]), noteOf(n));
    }
    const box = `b${seed % BOXES}`;
    await look('find', () => found.find('box', { equals: [box], limit: 5 }), rowsOfBox(box).slice(0, 5), rowsOfBox(box));
    await look(
      'find backwards',
      () => found.find('box', { equals: [box], limit: 5, order: 'descending' }),
      rowsOfBox(box).reverse().slice(0, 5),
      rowsOfBox(box).reverse(),
    );
    const from = seed % (DOCUMENTS - 10);
    await look(
      'list',
      () => found.list({ after: noteOf(from).id, limit: 3 }),
      [1, 2, 3].map((more) => noteOf(from + more)),
      Array.from({ length: DOCUMENTS - from }, (_, n) => noteOf(from + n)),
    );
    // All that is not in the part can be read, and new documents can be written and merged.
    for (const n of [inPart + 1, DOCUMENTS - 1])
      if (!(await look('get', () => found.get(noteOf(n).id), noteOf(n)))) throw new Error(`${n} is in another part; flips at ${flips}`);
    const added = { ...noteOf(DOCUMENTS), text: 'new' };
    await store.transaction((tx) => tx.in(notes).put(added));
    await store.compact();
    if (!(await look('get', () => found.get(added.id), added))) throw new Error('the new document');
    if (store.health().state !== 'open') throw new Error(store.health().state);
    await store.stop();
    const checked = seed % (isLong ? 10 : 20) === 0;
    if (!checked) return;
    const report = await checkData(FOLDER, disk, { hasOwnKey: true });
    if (report.is_whole || !report.problems.every(({ file }) => file === 'test.notes.1.json')) throw new Error(JSON.stringify(report));
    await repairData(FOLDER, disk, { hasOwnKey: true });
    const repaired = await open(disk);
    const all = await repaired.open(notes).list();
    if (all.length < DOCUMENTS + 1 - flips.length * 2) throw new Error(`${all.length} documents after a repair; flips at ${flips}`);
    for (const [i, one] of all.entries()) {
      if (i > 0 && one.id <= all[i - 1]!.id) throw new Error(`the order of ${one.id}`);
      if (one.id !== added.id && JSON.stringify(one) !== JSON.stringify(noteOf(Number(one.id.slice(1)))))
        throw new Error(`${one.id} is wrong`);
    }
    await repaired.stop();
  };
  // As often among the look-ups, which are much shorter than the documents.
  const place = fc.oneof(fc.nat(end), fc.integer({ min: lookups, max: end }));
  const property = fc.asyncProperty(fc.array(place, { minLength: 1, maxLength: 6 }), fc.nat(1e6), run);
  await fc.assert(property, { numRuns: isLong ? 200 : 18, endOnFailure: true });
  t.ok(counts.refused > 10 && counts.right > 200, JSON.stringify(counts));
});
