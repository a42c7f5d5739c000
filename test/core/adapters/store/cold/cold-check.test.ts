import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import t from 'tap';
import { nodeFileSystem } from '../../../../../core/adapters/file-system.js';
import { checkData, repairData } from '../../../../../core/adapters/store/check/repair-data.js';
import { compact } from '../../../../../core/adapters/store/compaction.task.js';
import { writeContents } from '../../../../../core/adapters/store/files/contents-file.js';
import { FORMAT, writeFormat } from '../../../../../core/adapters/store/files/data-folder.js';
import { sealed, unseal } from '../../../../../core/adapters/store/files/sealed.js';
import { JsonStore } from '../../../../../core/adapters/store/json-store.js';
import { SnapshotWriter } from '../../../../../core/adapters/store/snapshot-writer.js';
import { declaredIn } from '../../../../../core/adapters/store/tables/cold-table.js';
import { collection } from '../../../../../core/ports/store.js';
import { RecordingLogger } from '../../../../../core/testing/recording-logger.js';
import { runs } from '../../../../forms.js';
import { freshFolder } from '../folders.js';
import { everything, SimulatedDisk } from '../simulated-disk.js';
import { FOLDER } from '../store-on-disk.js';

interface Note {
  readonly id: string;
  readonly box: string;
  readonly ref: string;
  readonly text: string;
}

const indexes = { unique: { ref: ['ref'] }, indexes: { box: ['box', 'id'] } } as const;
const notes = collection<Note>({ key: 'id', ...indexes, cold: { after: 0 } });
const noteOf = (n: number, text = `text ${n}`): Note => ({ id: `n${String(n).padStart(5, '0')}`, box: `b${n % 3}`, ref: `r${n}`, text });
const HEAD = `${FOLDER}/test.notes.json`;
const options = { hasOwnKey: true };

async function open(disk: SimulatedDisk, partBytes = 800): Promise<JsonStore> {
  const log = new RecordingLogger();
  const store = new JsonStore({ folder: FOLDER, log, fs: disk, partBytes, compact: (input) => compact(input, disk), now: () => 0 });
  store.define('test.notes', notes);
  await store.start();
  return store;
}

const put = (store: JsonStore, ...all: readonly Note[]) =>
  store.transaction((tx) => {
    for (const note of all) tx.in(notes).put(note);
  });

const partsOn = (disk: SimulatedDisk): string[] => disk.files.filter((file) => /test\.notes\.\d+\.json$/.test(file));

/** A folder with 40 documents in parts, and without a journal. */
async function folder(): Promise<SimulatedDisk> {
  const disk = new SimulatedDisk();
  const store = await open(disk);
  await put(store, ...Array.from({ length: 40 }, (_, n) => noteOf(n)));
  await store.compact();
  await store.stop();
  return disk.afterCrash(everything);
}

t.test('a check needs less memory than the documents on disk have', async (t) => {
  const there = freshFolder(t);
  const place = { fs: nodeFileSystem, folder: there, collection: 'test.notes' };
  const fields = ['id', 'ref', 'box'];
  const writer = new SnapshotWriter({ ...place, placing: { key: 'id', fields, lookups: declaredIn(indexes) } }, [], 0);
  const documents = 60_000;
  for (let n = 0; n < documents; n++) {
    const bytes = Buffer.from(JSON.stringify(noteOf(n, 'x'.repeat(1_500))));
    writer.rows.addDocument(noteOf(n).id, { bytes, start: 0, end: bytes.length }, []);
    if (writer.isFull) await writer.split();
  }
  await writer.end(1);
  await writeContents(nodeFileSystem, there, { snapshots: { 'test.notes': 1 }, segments: [] });
  await writeFormat(nodeFileSystem, there, FORMAT);
  const file = `${there}/test.notes.5.json`;
  const run = (what: string): unknown => {
    const module = JSON.stringify(new URL('../../../../../core/index.js', import.meta.url));
    const code = `const core = await import(${module}); console.log(JSON.stringify(await core.${what}(${JSON.stringify(there)}, { hasOwnKey: true })));`;
    // All documents have 90 MB.
    return JSON.parse(execFileSync(process.execPath, ['--max-old-space-size=48', '--input-type=module', '-e', code], { encoding: 'utf8' }));
  };
  t.match(run('checkData'), { is_whole: true, documents });
  const damaged = await nodeFileSystem.open(file, 'append');
  await damaged.truncate(2_000_000);
  await damaged.close();
  const report = run('repairData') as { documents: number };
  t.match(report, { is_whole: false, repaired: true });
  t.ok(report.documents > documents - 2_000 && report.documents < documents, `${report.documents} documents`);
  t.match(run('checkData'), { is_whole: true, documents: report.documents });
});

t.test('a repair leaves undamaged parts as they are, and makes a part with damaged look-ups again as it was', async (t) => {
  const whole = await folder();
  const parts = partsOn(whole);
  t.ok(parts.length > 2, `${parts.length} parts`);
  const [first] = parts;
  const bytes = whole.read(first!);
  const { documents, lookups } = JSON.parse(bytes.toString()) as { documents: string[]; lookups: unknown[] };
  const directory = bytes.lastIndexOf('\n', bytes.indexOf('  "index": [') - 8);
  t.ok(lookups.length > 2 && documents.length > 5);
  for (const at of [bytes.indexOf('"rows":['), directory + 30, bytes.indexOf('"sizes"')]) {
    const disk = whole.afterCrash(everything);
    const changed = Buffer.from(bytes);
    changed[at]! ^= 1;
    disk.put(first!, changed);
    t.match(await repairData(FOLDER, disk, options), { repaired: true, documents: 40 });
    t.match(await checkData(FOLDER, disk, options), { is_whole: true, documents: 40 });
    const now = partsOn(disk);
    const made = now.filter((file) => !parts.includes(file));
    t.strictSame([made.length, now.includes(first!)], [1, false]);
    t.equal(disk.read(made[0]!).toString(), bytes.toString(), 'the new part');
    for (const other of parts.slice(1)) t.equal(disk.read(other).toString(), whole.read(other).toString(), other);
    const store = await open(disk);
    t.strictSame(
      await store.open(notes).list(),
      Array.from({ length: 40 }, (_, n) => noteOf(n)),
    );
    t.match(await store.open(notes).getBy('ref', ['r7']), noteOf(7));
    await t.rejects(put(store, { ...noteOf(99), ref: 'r7' }), { name: 'UniqueViolation' });
    await store.stop();
  }
});

t.test('a check names a part with documents that are in a newer file too, and a repair keeps the newer ones', async (t) => {
  const disk = await folder();
  const store = await open(disk);
  await put(store, noteOf(1, 'newer'), noteOf(3, 'newer'));
  await store.stop();
  // The list claims that no row of the first part is superseded.
  const head = disk.read(HEAD).toString();
  const line = head.split('\n').find((one) => one.includes('test.notes.1.json'))!;
  const entry = JSON.parse(unseal(Buffer.from(line.replace(/^ +|,$/g, '')))!.toString());
  t.equal(entry.superseded, '1,3');
  // The checksum at the end covers the lines of the list too.
  const changed = head.replace(
    line,
    `    ${sealed('', Buffer.from(JSON.stringify({ ...entry, superseded: '' })))}${line.endsWith(',') ? ',' : ''}`,
  );
  const { crc32 } = await import('node:zlib');
  const counted = changed.slice(0, changed.indexOf('  ],\n  "count"'));
  let crc = 0;
  for (const one of counted.split('\n').slice(0, -1)) crc = crc32(one, crc);
  disk.put(
    HEAD,
    Buffer.from(changed.replace(/"checksum": "[0-9a-f]{8}"\n\}\n$/, `"checksum": "${crc.toString(16).padStart(8, '0')}"\n}\n`)),
  );
  const damage = '2 documents of it are also in a newer file of the collection; the first is "n00001"';
  t.match(await checkData(FOLDER, disk, options), { is_whole: false, documents: 40, problems: [{ file: 'test.notes.1.json', damage }] });
  t.match(await repairData(FOLDER, disk, options), { repaired: true });
  t.match(await checkData(FOLDER, disk, options), { is_whole: true, documents: 40 });
  const repaired = await open(disk);
  const found = await repaired.open(notes).list();
  t.equal(found.length, 40);
  t.strictSame([found[1]!.text, found[2]!.text, found[3]!.text], ['newer', 'text 2', 'newer']);
  await repaired.stop();
});

t.test('random changes over parts on disk: a check counts the documents, and a repair of another file keeps them all', async (t) => {
  const change = fc.record({ kind: fc.constantFrom('put', 'put', 'put', 'delete', 'merge'), n: fc.nat(30), version: fc.nat(9) });
  let onDisk = 0;
  const property = fc.asyncProperty(fc.array(change, { minLength: 10, maxLength: 60 }), fc.boolean(), async (changes, losesList) => {
    const disk = new SimulatedDisk();
    const store = await open(disk, 200);
    const model = new Map<string, Note>();
    for (const { kind, n, version } of changes) {
      const note = noteOf(n, `text ${version}`);
      if (kind === 'put') {
        await put(store, note);
        model.set(note.id, note);
      } else if (kind === 'delete') {
        await store.transaction((tx) => tx.in(notes).delete(note.id));
        model.delete(note.id);
      } else await store.compact();
    }
    const left = disk.afterCrash(everything);
    const report = await checkData(FOLDER, left, options);
    if (!report.is_whole || report.documents !== model.size) throw new Error(JSON.stringify(report));
    onDisk += partsOn(left).length;
    const damaged = losesList && left.files.includes(HEAD) ? HEAD : `${FOLDER}/contents.json`;
    left.put(damaged, Buffer.from(damaged === HEAD ? left.read(HEAD).toString().replace('"documents": [', '"documents": {') : '{}'));
    const repaired = await repairData(FOLDER, left, options);
    if (!repaired.repaired) throw new Error(JSON.stringify(repaired));
    const again = await open(left, 200);
    const found = await again.open(notes).list();
    const expected = [...model.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
    if (JSON.stringify(found) !== JSON.stringify(expected)) throw new Error(`${JSON.stringify(found)} after ${damaged}`);
    await again.stop();
    await store.stop();
  });
  await fc.assert(property, { numRuns: runs(100) });
  t.ok(onDisk > runs(100), `${onDisk} parts`);
});
