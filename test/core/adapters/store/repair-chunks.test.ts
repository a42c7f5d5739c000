import t from 'tap';
import { checkData, repairData } from '../../../../core/adapters/store/check/repair-data.js';
import { type ChunkedText, chunks, chunkUses, createChunks } from '../../../../core/memory/chunks.js';
import { collection } from '../../../../core/ports/store.js';
import type { Database, Transaction } from '../../../../core/ports/transaction.js';
import { everything, SimulatedDisk } from './simulated-disk.js';
import { FOLDER, storeOn } from './store-on-disk.js';

const notes = collection<{ id: string; text: ChunkedText }>({ key: 'id' });
const LONG = JSON.stringify('A long text. '.repeat(200));
const NOTES_FILE = 'test.notes.json';

/** Notes whose long texts are chunks of one scope. */
async function notesOn(disk: SimulatedDisk) {
  const store = storeOn(disk);
  store.define('core.chunks', chunks);
  store.define('core.chunk-uses', chunkUses);
  store.define('test.notes', notes);
  await store.start();
  const kept = createChunks({ store: store as unknown as Database });
  const within = (work: (tx: Transaction) => Promise<void> | void): Promise<void> =>
    store.transaction((tx) => work(tx as unknown as Transaction));
  return {
    store,
    add: (id: string) => within((tx) => tx.in(notes).put({ id, text: kept.pack(tx, LONG, { scope: 'all' }).text })),
    remove: (id: string) =>
      within(async (tx) => {
        kept.release(tx, (await tx.in(notes).get(id))?.text);
        tx.in(notes).delete(id);
      }),
    read: async (id: string) => kept.expand((await store.open(notes).get(id))!.text),
    uses: async () => (await store.open(chunkUses).list()).map(({ uses }) => uses),
  };
}

/** Changes a byte of the first line that contains a text. */
function damage(disk: SimulatedDisk, isFile: (file: string) => boolean, text: string): void {
  const file = disk.files.find(isFile)!;
  const bytes = Buffer.from(disk.read(file));
  bytes[bytes.indexOf(text)]! ^= 1;
  disk.put(file, bytes);
}

t.test('a chunk with a damaged count stays as long as a document uses it', async (t) => {
  const first = new SimulatedDisk();
  const before = await notesOn(first);
  for (const id of ['a', 'b', 'c']) await before.add(id);
  await before.store.compact();
  const disk = first.afterCrash(everything);
  damage(disk, (file) => file.endsWith('core.chunk-uses.json'), '"uses"');
  t.match(await repairData(FOLDER, disk), { repaired: true, beyond_repair: [] });
  t.match(await checkData(FOLDER, disk), { is_whole: true });
  const after = await notesOn(disk);
  t.strictSame(await after.uses(), [3]);
  await after.remove('a');
  await after.remove('b');
  t.equal(await after.read('c'), LONG);
  await after.remove('c');
  t.equal(await after.store.open(chunks).count(), 0);
});

t.test('a check says which documents have lost a chunk, and storing the value again restores it', async (t) => {
  const first = new SimulatedDisk();
  const before = await notesOn(first);
  for (const id of ['a', 'b']) await before.add(id);
  const disk = first.afterCrash(everything);
  damage(disk, (file) => file.endsWith('.jsonl'), 'A long text');
  const lost = { file: NOTES_FILE, damage: 'a document has lost a long value; the first is "b"' };
  t.match(await repairData(FOLDER, disk), { repaired: true, beyond_repair: [lost] });
  t.match(await checkData(FOLDER, disk), { is_whole: false, problems: [lost], beyond_repair: [lost] });
  const after = await notesOn(disk);
  await t.rejects(after.read('b'), { name: 'ChunkMissing' });
  await after.add('c');
  t.equal(await after.read('c'), LONG);
  t.equal(await after.read('b'), LONG);
});
