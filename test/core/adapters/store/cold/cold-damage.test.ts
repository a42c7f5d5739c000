import t from 'tap';
import { checkData, repairData } from '../../../../../core/adapters/store/check/repair-data.js';
import { compact } from '../../../../../core/adapters/store/compaction.task.js';
import { JsonStore } from '../../../../../core/adapters/store/json-store.js';
import { collection } from '../../../../../core/ports/store.js';
import { RecordingLogger } from '../../../../../core/testing/recording-logger.js';
import { stride } from '../../../../forms.js';
import { everything, nothing, SimulatedDisk } from '../simulated-disk.js';
import { FOLDER } from '../store-on-disk.js';

interface Note {
  readonly id: string;
  readonly box: string;
  readonly at: number;
  readonly ref: string;
  readonly text: string;
}

const notes = collection<Note>({ key: 'id', unique: { ref: ['ref'] }, indexes: { box: ['box', 'at'] }, cold: { after: 0 } });
const noteOf = (n: number): Note => ({
  id: `n${String(n).padStart(3, '0')}`,
  box: `b${n % 3}`,
  at: n,
  ref: `r${n}`,
  text: `Grüße "${n}" ${'x'.repeat(2_000)}`,
});
const ALL = Array.from({ length: 60 }, (_, n) => noteOf(n));
const FIRST_PART = `${FOLDER}/test.notes.1.json`;

async function open(disk: SimulatedDisk, log = new RecordingLogger(), partBytes = 48_000): Promise<JsonStore> {
  const store = new JsonStore({ folder: FOLDER, log, fs: disk, partBytes, compact: (input) => compact(input, disk), now: () => 0 });
  store.define('test.notes', notes);
  await store.start();
  return store;
}

/** A folder whose documents are in two parts, except a few. */
async function folder(): Promise<SimulatedDisk> {
  const disk = new SimulatedDisk();
  const store = await open(disk);
  await store.transaction((tx) => {
    for (const note of ALL) tx.in(notes).put(note);
  });
  await store.stop();
  return disk.afterCrash(nothing);
}

function flipped(bytes: Buffer, at: number): Buffer {
  const copy = Buffer.from(bytes);
  copy[at]! ^= 1 << (at % 7);
  return copy;
}

const SMALL = Array.from({ length: 12 }, (_, n) => ({ ...noteOf(n), text: `"${n}" ${'é'.repeat(n % 4)}` }));
/** Changed by a journal that is not merged. */
const CHANGED = { ...SMALL[2]!, at: 77, text: 'changed' };

/** A folder with two small parts, a few documents in memory, and a change of one in the first part. */
async function smallFolder(): Promise<SimulatedDisk> {
  const disk = new SimulatedDisk();
  const store = await open(disk, new RecordingLogger(), 500);
  await store.transaction((tx) => {
    for (const note of SMALL) tx.in(notes).put(note);
  });
  await store.compact();
  await store.transaction((tx) => tx.in(notes).put(CHANGED));
  return disk.afterCrash(everything);
}

t.test('any byte of a part may be damaged: the start works, merges work, and each read is right or names the file', async (t) => {
  const disk = await smallFolder();
  const whole = disk.read(FIRST_PART);
  const { documents } = JSON.parse(whole.toString()) as { documents: [string, string, Note][] };
  const inPart = new Set(documents.map(([, key]) => key));
  t.ok(inPart.size > 4 && inPart.size < 9, `${inPart.size} documents in the part`);
  const rowsEnd = whole.indexOf('"lookups"');
  const counts = { right: 0, failed: 0, reported: 0 };
  const expected = SMALL.map((note) => (note.id === CHANGED.id ? CHANGED : note));
  const now = { ...SMALL[3]!, at: 78, text: 'changed later' };
  for (let at = 0; at < whole.length; at += stride(10)) {
    const problem = (about: string): undefined => {
      t.fail(`byte ${at} ${JSON.stringify(whole.toString('utf8', at - 9, at + 9))}: ${about}`);
    };
    const damaged = disk.afterCrash(everything);
    damaged.put(FIRST_PART, flipped(whole, at));
    const look = async (read: () => Promise<unknown>, expected: unknown): Promise<number> => {
      try {
        const there = await read();
        if (JSON.stringify(there) !== JSON.stringify(expected)) problem(JSON.stringify(there)?.slice(0, 200) ?? 'undefined');
        counts.right++;
        return 0;
      } catch (error) {
        const { name, file } = error as { name: string; file: string };
        if (name !== 'DocumentDamaged' || file !== FIRST_PART) problem(String(error));
        counts.failed++;
        return 1;
      }
    };
    const lookAll = async (store: JsonStore, all: readonly Note[]) => {
      const found = store.open(notes);
      let failed = 0;
      for (const note of all) {
        const isElsewhere = !inPart.has(note.id) || note.at > 70;
        const here = (await look(() => found.get(note.id), note)) + (await look(() => found.getBy('ref', [note.ref]), note));
        if (here > 0 && isElsewhere) problem(`${note.id} is not in the damaged part`);
        failed += here;
      }
      await look(() => found.list(), all);
      for (const box of ['b0', 'b1'])
        await look(
          () => found.find('box', { equals: [box] }),
          all.filter((note) => note.box === box).sort((a, b) => a.at - b.at),
        );
      const last = all.at(-1)!;
      await look(() => found.list({ after: all.at(-2)!.id }), [last]);
      if (failed > 2) problem(`${failed} reads of single documents fail`);
      if (failed > 0 && at > rowsEnd) problem('all documents can be read');
    };
    const store = await open(damaged, new RecordingLogger(), 500).catch((error) => problem(`the start: ${error}`));
    if (!store) continue;
    await lookAll(store, expected);
    if (store.health().damaged) counts.reported++;
    else if (at < rowsEnd && counts.failed > 0 && store.health().state !== 'open') problem('not open');
    if (at % (4 * stride(10)) !== 0) {
      await store.stop(0);
      continue;
    }
    // A merge with changes of the part, and the next start.
    await store.transaction((tx) => tx.in(notes).put(now)).catch((error) => error.name === 'DocumentDamaged' || problem(String(error)));
    const isChanged =
      (
        await store
          .open(notes)
          .get(now.id)
          .catch(() => undefined)
      )?.text === now.text;
    await store.compact().catch((error) => problem(`the merge: ${error}`));
    await store.stop();
    const again = await open(damaged, new RecordingLogger(), 500).catch((error) => problem(`the second start: ${error}`));
    if (!again) continue;
    if (isChanged)
      await lookAll(
        again,
        expected.map((note) => (note.id === now.id ? now : note)),
      );
    await again.stop();
  }
  const bytes = whole.length / stride(10);
  t.ok(counts.failed > bytes / 20 && counts.right > 2 * bytes && counts.reported > bytes / 2, JSON.stringify({ ...counts, bytes }));
});

t.test('a part whose end is missing: the documents before it can be read, and reads of the others fail', async (t) => {
  const disk = await smallFolder();
  const whole = disk.read(FIRST_PART);
  const log = new RecordingLogger();
  const third = whole.indexOf('"n003"');
  disk.put(FIRST_PART, whole.subarray(0, third));
  const store = await open(disk, log, 500);
  const found = store.open(notes);
  t.strictSame(await Promise.all(['n000', 'n001', 'n002'].map((id) => found.get(id))), [SMALL[0], SMALL[1], CHANGED]);
  await t.rejects(found.get('n003'), { name: 'DocumentDamaged', file: FIRST_PART });
  t.strictSame(await found.get('n011'), SMALL[11]);
  t.equal(await found.get('n100'), undefined);
  const [damaged] = store.health().damaged!;
  t.match(damaged, { file: 'test.notes.1.json', damage: /documents of the file are lost/, fix: /posthorn data repair \/data/ });
  await store.transaction((tx) => tx.in(notes).put({ ...SMALL[3]!, text: 'again' }));
  await store.compact();
  t.match(await found.get('n003'), { text: 'again' });
  await store.stop();
  t.match(await repairData(FOLDER, disk, { hasOwnKey: true }), { repaired: true });
  t.match(await checkData(FOLDER, disk, { hasOwnKey: true }), { is_whole: true });
  const repaired = await open(disk, log, 500);
  t.match(await repaired.open(notes).get('n003'), { text: 'again' });
  t.equal(await repaired.open(notes).get('n004'), undefined, 'it is lost');
  t.equal(repaired.health().damaged, undefined);
  await repaired.stop();
});

t.test('a part that is missing at the start: reads of its documents fail, and all else works', async (t) => {
  const disk = await smallFolder();
  const untouched = disk.afterCrash(everything);
  const whole = disk.read(FIRST_PART);
  const { documents } = JSON.parse(whole.toString()) as { documents: [string, string, Note][] };
  const lost = documents.map(([, key]) => key).filter((key) => key !== CHANGED.id);
  const others = SMALL.map((note) => (note.id === CHANGED.id ? CHANGED : note)).filter(({ id }) => !lost.includes(id));
  await disk.remove(FIRST_PART);
  const look = async (store: JsonStore, present: readonly Note[]) => {
    const found = store.open(notes);
    for (const id of lost)
      await t.rejects(found.get(id), { name: 'DocumentDamaged', file: FIRST_PART, message: /the file is missing/ }, id);
    t.strictSame(await Promise.all(present.map(({ id }) => found.get(id))), present);
    t.strictSame(await Promise.all(present.map(({ ref }) => found.getBy('ref', [ref]))), present);
    t.strictSame(await found.list(), present);
    t.equal(await found.get('n999'), undefined, 'no part may have had this key');
    const [damaged, ...more] = store.health().damaged ?? [];
    t.strictSame(more, []);
    const damage = `the file is missing, but the snapshot of its collection lists it. ${documents.length} of ${documents.length} documents of the file are lost`;
    t.match(damaged, { file: 'test.notes.1.json', damage });
    t.equal(store.health().state, 'open');
  };
  const store = await open(disk, new RecordingLogger(), 500);
  await look(store, others);
  const more = [...SMALL.keys()].map((n) => noteOf(n + 100));
  await store.transaction((tx) => {
    for (const note of more) tx.in(notes).put(note);
    tx.in(notes).delete(others.at(-1)!.id);
  });
  const present = [...others.slice(0, -1), ...more].sort((a, b) => (a.id < b.id ? -1 : 1));
  for (let merges = 0; merges < 2; merges++) await store.compact();
  await look(store, present);
  await store.stop();
  const again = await open(disk, new RecordingLogger(), 500);
  await look(again, present);
  await again.stop();

  // It is put back after the platform has run without it.
  const back = disk.afterCrash(everything);
  back.put(FIRST_PART, whole);
  const refused = await open(back, new RecordingLogger(), 500);
  await t.rejects(refused.open(notes).get(lost[0]!), { name: 'DocumentDamaged', file: FIRST_PART, message: /has run without this file/ });
  t.strictSame(await refused.open(notes).list(), present);
  t.match(refused.health().damaged, [{ file: 'test.notes.1.json', damage: /^the platform has run without this file/ }]);
  await refused.transaction((tx) => tx.in(notes).put({ ...noteOf(500), id: 'n0005' }));
  await refused.compact();
  t.strictSame((await refused.open(notes).list()).length, present.length + 1);
  await refused.stop();
  t.ok(back.read(FIRST_PART).equals(whole), 'the file stays for a repair');
  const report = await repairData(FOLDER, back, { hasOwnKey: true });
  t.match(report, { repaired: true, set_aside: { pieces: 1 }, problems: [{ file: 'test.notes.1.json', damage: /has run without/ }] });
  t.notOk(back.files.includes(FIRST_PART));
  const [aside] = back.read(report.set_aside!.file).toString().trim().split('\n');
  t.equal((JSON.parse(aside!) as { text: string }).text, whole.toString(), 'its documents are set aside');
  t.match(await checkData(FOLDER, back, { hasOwnKey: true }), { is_whole: true, documents: present.length + 1 });

  // It is put back before a merge.
  await (await open(untouched, new RecordingLogger(), 500)).stop();
  const early = untouched.afterCrash(everything);
  await early.remove(FIRST_PART);
  await (await open(early, new RecordingLogger(), 500)).stop(0);
  early.put(FIRST_PART, whole);
  const whole2 = await open(early, new RecordingLogger(), 500);
  t.equal((await whole2.open(notes).list()).length, SMALL.length);
  await whole2.stop();

  t.match(await checkData(FOLDER, disk, { hasOwnKey: true }), {
    problems: [{ file: 'test.notes.1.json', damage: /the file is missing/ }],
  });
  t.match(await repairData(FOLDER, disk, { hasOwnKey: true }), { repaired: true });
  const repaired = await open(disk);
  t.strictSame([await repaired.open(notes).list(), await repaired.open(notes).get(lost[0]!)], [present, undefined]);
  await repaired.stop();

  await disk.remove(`${FOLDER}/test.notes.json`);
  await t.rejects(open(disk), /test\.notes\.json.*the file is missing/, 'a missing snapshot prevents the start');
});

t.test('a part that becomes missing, or is cut, while it is in use: reads of its documents fail, and the others are right', async (t) => {
  const disk = await folder();
  const log = new RecordingLogger();
  const store = await open(disk, log);
  const whole = disk.read(FIRST_PART);
  disk.put(FIRST_PART, whole.subarray(0, 5_000));
  await t.rejects(store.open(notes).get('n010'), { name: 'DocumentDamaged', file: FIRST_PART, message: /the rest of the file is missing/ });
  await store.stop();
  const gone = disk.afterCrash(everything);
  gone.put(FIRST_PART, whole);
  const again = await open(gone, log);
  await gone.remove(FIRST_PART);
  await t.rejects(again.open(notes).get('n020'), { name: 'DocumentDamaged', message: /the file is missing/ });
  await t.rejects(
    again.transaction((tx) => tx.in(notes).put({ ...noteOf(20), text: '' })),
    { name: 'DocumentDamaged' },
  );
  t.strictSame(await again.open(notes).get('n059'), noteOf(59));
  await again.transaction((tx) => tx.in(notes).put(noteOf(1_000)));
  t.strictSame(await again.open(notes).get('n1000'), noteOf(1_000));
  const reported = log.lines.filter(({ level }) => level === 'error').map(({ fields }) => String(fields.error));
  t.equal(new Set(reported).size, reported.length, 'each damage is logged once');
  await again.stop();
});

t.test('a check names damaged look-ups, and a repair keeps all documents', async (t) => {
  const disk = await folder();
  const whole = disk.read(FIRST_PART);
  const at = whole.indexOf('"rows":[', whole.indexOf('"lookups"'));
  disk.put(FIRST_PART, flipped(whole, at + 9));
  const options = { hasOwnKey: true };
  t.match(await checkData(FOLDER, disk, options), {
    is_whole: false,
    documents: 60,
    problems: [{ file: 'test.notes.1.json', damage: 'the checksum does not match the look-ups' }],
  });
  t.match(await repairData(FOLDER, disk, options), { repaired: true });
  t.match(await checkData(FOLDER, disk, options), { is_whole: true, documents: 60 });
  const store = await open(disk);
  t.strictSame(await store.open(notes).list(), ALL);
  await store.stop();
});
