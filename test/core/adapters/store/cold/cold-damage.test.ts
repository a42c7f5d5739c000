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

async function open(disk: SimulatedDisk, log = new RecordingLogger()): Promise<JsonStore> {
  const store = new JsonStore({ folder: FOLDER, log, fs: disk, partBytes: 48_000, compact: (input) => compact(input, disk), now: () => 0 });
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

t.test('damage anywhere in a part: a start names the file, or each read is right or says which bytes are damaged', async (t) => {
  const disk = await folder();
  const whole = disk.read(FIRST_PART);
  const { documents } = JSON.parse(whole.toString()) as { documents: [string, string, Note][] };
  t.ok(documents.length > 20, `${documents.length} documents in the part`);
  const counts = { refused: 0, right: 0, failed: 0 };
  const text = whole.toString('latin1');
  const rows = text.indexOf('"lookups"');
  // Rows are long and alike; the rest is not.
  const positions = Array.from({ length: whole.length }, (_, at) => at).filter((at) => at % (at < rows ? 401 : stride(7)) === 0);
  for (const at of positions) {
    const damaged = disk.afterCrash(everything);
    damaged.put(FIRST_PART, flipped(whole, at));
    const store = await open(damaged).catch((error: { name: string; file: string }) => {
      if (error.name !== 'DataDamaged' || error.file !== FIRST_PART) t.fail(`byte ${at}: ${error}`);
      counts.refused++;
    });
    if (!store) continue;
    const found = store.open(notes);
    let failed = 0;
    const look = async (read: () => Promise<unknown>, expected: unknown) => {
      try {
        const there = await read();
        if (JSON.stringify(there) !== JSON.stringify(expected)) t.fail(`byte ${at}: ${JSON.stringify(there)?.slice(0, 200)}`);
        counts.right++;
      } catch (error) {
        const { name, message, file } = error as { name: string; message: string; file: string };
        const [, from, to] = /bytes (\d+) to (\d+)/.exec(message) ?? [];
        if (name !== 'DocumentDamaged' || file !== FIRST_PART || at < Number(from) || at > Number(to) + 6)
          t.fail(`byte ${at}: ${name} ${message}`);
        failed++;
      }
    };
    for (const note of ALL.filter((_, n) => n % 7 === at % 7)) {
      await look(() => found.get(note.id), note);
      await look(() => found.getBy('ref', [note.ref]), note);
    }
    const second = ALL.slice(documents.length);
    await look(() => found.list({ after: ALL[documents.length - 1]!.id }), second);
    await look(
      () => found.find('box', { equals: ['b1'], after: [documents.length], limit: 5 }),
      second.filter(({ box, at }) => box === 'b1' && at > documents.length).slice(0, 5),
    );
    await store.transaction((tx) => tx.in(notes).put(noteOf(1_000)));
    counts.failed += failed;
    await store.stop();
  }
  t.ok(counts.failed > 10 && counts.right > 10 && counts.refused > 10, JSON.stringify(counts));
});

t.test('a missing part, or one that was cut: reads of its documents fail, and the others are right', async (t) => {
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
