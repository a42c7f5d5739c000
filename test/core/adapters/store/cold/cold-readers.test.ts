import t from 'tap';
import { compact } from '../../../../../core/adapters/store/compaction.task.js';
import { JsonStore } from '../../../../../core/adapters/store/json-store.js';
import { collection } from '../../../../../core/ports/store.js';
import { RecordingLogger } from '../../../../../core/testing/recording-logger.js';
import { SimulatedDisk } from '../simulated-disk.js';
import { FOLDER } from '../store-on-disk.js';

interface Note {
  readonly id: string;
  readonly box: string;
  readonly text: string;
}

const notes = collection<Note>({ key: 'id', indexes: { box: ['box'] }, cold: { after: 0 } });
const PART = `${FOLDER}/test.notes.1.json`;
const NOTES = 8;

t.test('a part with the name of a replaced one, which was being read then, is read from its own file', async (t) => {
  const disk = new SimulatedDisk();
  /** Runs once, before the next read of the part. */
  let beforeRead: (() => Promise<void>) | undefined;
  const open = disk.open.bind(disk);
  disk.open = async (path, how) => {
    const file = await open(path, how);
    if (path !== PART || how !== 'read') return file;
    const read: typeof file.read = async (into, position) => {
      const before = beforeRead;
      beforeRead = undefined;
      await before?.();
      return file.read(into, position);
    };
    return { ...file, read };
  };
  const log = new RecordingLogger();
  const store = new JsonStore({
    folder: FOLDER,
    log,
    fs: disk,
    partBytes: 300,
    coldCacheBytes: 0,
    compact: (input) => compact(input, disk),
  });
  store.define('test.notes', notes);
  await store.start();
  const merge = async (text?: string) => {
    await store.transaction((tx) => {
      for (let n = 0; n < NOTES; n++)
        if (text) tx.in(notes).put({ id: `note-${n}`, box: 'a', text });
        else tx.in(notes).delete(`note-${n}`);
    });
    await store.compact();
  };
  const texts = async () => (await store.open(notes).find('box', { equals: ['a'] })).map(({ text }) => text);

  await merge('short');
  t.ok(disk.files.includes(PART));
  let go = (): void => undefined;
  const reached = new Promise<void>((resolve) => {
    beforeRead = () => {
      resolve();
      return new Promise((done) => (go = done));
    };
  });
  // It has not read the entries of the index yet, and then reads the documents.
  const reading = texts();
  await reached;
  await merge();
  t.ok(disk.files.includes(PART), 'the read still needs it');
  go();
  t.strictSame(await reading, new Array(NOTES).fill('short'));

  const longer = 'longer than the text before';
  await merge(longer);
  t.ok(disk.files.includes(PART), 'its number is used again');
  t.strictSame(await texts(), new Array(NOTES).fill(longer));
  await store.stop();
  t.equal(disk.openFiles, 0);
  t.strictSame(log.messages('error'), []);
});
