import t from 'tap';
import { copyFolder } from '../../../../../core/adapters/store/backup/copy-folder.js';
import { checkData } from '../../../../../core/adapters/store/check/repair-data.js';
import { compact } from '../../../../../core/adapters/store/compaction.task.js';
import { JsonStore } from '../../../../../core/adapters/store/json-store.js';
import { collection } from '../../../../../core/ports/store.js';
import { RecordingLogger } from '../../../../../core/testing/recording-logger.js';
import { stride } from '../../../../forms.js';
import { COPY, copyOn, interrupted } from '../interrupted-copy.js';
import { SimulatedDisk } from '../simulated-disk.js';
import { FOLDER } from '../store-on-disk.js';

interface Note {
  readonly id: string;
  readonly box: string;
  readonly version: number;
  readonly text: string;
}

const notes = collection<Note>({ key: 'id', unique: { id: ['id'] }, indexes: { box: ['box', 'id'] }, cold: { after: 0 } });

const TEXT = 'x'.repeat(150);
const idOf = (n: number) => `n${String(n).padStart(4, '0')}`;

async function open(disk: SimulatedDisk): Promise<JsonStore> {
  const log = new RecordingLogger();
  const store = new JsonStore({ folder: FOLDER, log, fs: disk, partBytes: 2_000, compact: (input) => compact(input, disk), now: () => 0 });
  store.define('test.notes', notes);
  await store.start();
  return store;
}

/** Adds notes, and gives some of the others the next version, in one transaction. */
const write = (store: JsonStore, version: number): Promise<void> =>
  store.transaction((tx) => {
    const count = 10 * (version + 1);
    for (let n = 0; n < count; n++)
      if (n % 9 === version % 9 || n >= count - 10) tx.in(notes).put({ id: idOf(n), box: `b${n % 2}`, version, text: TEXT });
  });

const partsOf = (disk: SimulatedDisk): string[] => disk.files.filter((file) => file.startsWith(`${FOLDER}/test.notes.`));

t.test(
  'a backup has one state of documents on disk, while merges write, combine and remove parts during any of its operations',
  async (t) => {
    let operations = Number.POSITIVE_INFINITY;
    let combined = 0;
    let removed = 0;
    for (let at = 0; at < operations; at += stride(8)) {
      const disk = new SimulatedDisk();
      const store = await open(disk);
      let version = 0;
      for (; version < 6; version++) {
        await write(store, version);
        await store.compact();
      }
      /** The documents of a copy that ends with this version. */
      const states = new Map<number, string>();
      const remember = async () => void states.set(version, JSON.stringify(await store.open(notes).list()));
      await remember();
      const acknowledged = version;
      let used = 0;
      const fs = interrupted(disk, async () => {
        used++;
        if (used < at || used >= at + 2) return;
        const before = partsOf(disk);
        await write(store, ++version);
        await remember();
        await store.compact();
        await write(store, ++version);
        await remember();
        // Removes the files of the parts that the last merge has replaced.
        await store.compact();
        const now = partsOf(disk);
        removed += before.filter((file) => !now.includes(file)).length;
        if (now.some((file) => !before.includes(file) && disk.read(file).length > 6_000)) combined++;
      });
      await copyFolder({ fs, from: FOLDER, to: COPY });
      if (at === 0) operations = used;
      await store.stop();
      const copy = copyOn(disk);
      if (!(await checkData(FOLDER, copy, { hasOwnKey: true })).is_whole) t.fail(`operation ${at}: the copy is damaged`);
      const restored = await open(copy);
      const found = restored.open(notes);
      const list = await found.list();
      const last = Math.max(...list.map((note) => note.version));
      const expected = states.get(last) ?? states.get(acknowledged);
      if (last < acknowledged - 1 || JSON.stringify(list) !== expected)
        t.fail(`operation ${at}: version ${last}, ${list.length} documents`);
      const boxes = [...(await found.find('box', { equals: ['b0'] })), ...(await found.find('box', { equals: ['b1'] }))];
      if (boxes.length !== list.length) t.fail(`operation ${at}: the index has ${boxes.length} of ${list.length}`);
      await restored.stop();
    }
    t.ok(operations > 30 && combined > 5 && removed > 20, `${operations} operations, ${combined} combined, ${removed} removed`);
  },
);
