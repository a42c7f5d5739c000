import t from 'tap';
import { checkData } from '../../../../../core/adapters/store/check/repair-data.js';
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
  readonly ref: string;
  readonly text: string;
}

const types = { cold: { cold: { after: 0 } }, inMemory: {} };
const PART_BYTES = 300;

const noteOf = (n: number, version = 0): Note => ({
  id: `n${100 + n}`,
  box: `b${n % 3}`,
  ref: `r${n}`,
  text: `${version} ${'x'.repeat(n % 30)}`,
});

for (const [name, more] of Object.entries(types)) {
  const notes = collection<Note>({ key: 'id', unique: { ref: ['ref'] }, indexes: { box: ['box', 'id'] }, ...more });

  const open = async (disk: SimulatedDisk): Promise<JsonStore> => {
    const log = new RecordingLogger();
    const store = new JsonStore({
      folder: FOLDER,
      log,
      fs: disk,
      partBytes: PART_BYTES,
      markEveryMs: 1e6,
      coldCacheBytes: 1_000,
      compact: (input) => compact(input, disk),
      now: () => 0,
    });
    store.define('test.notes', notes);
    await store.start();
    return store;
  };

  /** A store whose next merge drops a part, rewrites another, combines small ones and writes new ones. */
  const place = async () => {
    const disk = new SimulatedDisk();
    const store = await open(disk);
    const model = new Map<string, Note>();
    const put = (from: number, to: number, version = 0) =>
      store.transaction((tx) => {
        for (let n = from; n < to; n++) {
          tx.in(notes).put(noteOf(n, version));
          model.set(noteOf(n).id, noteOf(n, version));
        }
      });
    const drop = (from: number, to: number) =>
      store.transaction((tx) => {
        for (let n = from; n < to; n++) {
          tx.in(notes).delete(noteOf(n).id);
          model.delete(noteOf(n).id);
        }
      });
    for (let n = 0; n < 40; n += 5) {
      await put(n, n + 5);
      await store.compact();
    }
    await drop(0, 8);
    await put(8, 40, 1);
    await put(40, 60);
    await drop(50, 52);
    return { disk, store, model };
  };

  const differences = async (store: JsonStore, model: ReadonlyMap<string, Note>): Promise<string | undefined> => {
    const found = store.open(notes);
    const all = [...model.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
    const seen = [
      await found.list(),
      await found.find('box', { equals: ['b1'] }),
      await found.getBy('ref', ['r30']),
      await found.get('n100'),
    ];
    const expected = [all, all.filter(({ box }) => box === 'b1'), noteOf(30, 1), undefined];
    return JSON.stringify(seen) === JSON.stringify(expected) ? undefined : `${JSON.stringify(seen)} instead of ${JSON.stringify(expected)}`;
  };

  const partsOn = (disk: SimulatedDisk): string[] => disk.files.filter((file) => /test\.notes\.\d+\.json$/.test(file));
  const listedOn = (disk: SimulatedDisk): string[] => {
    const { parts } = JSON.parse(disk.read(`${FOLDER}/test.notes.json`).toString()) as { parts: [string, { file: string }][] };
    return parts.map(([, { file }]) => `${FOLDER}/${file}`);
  };

  t.test(`a disk that is full at any write of a merge loses nothing and fills up no further, documents ${name}`, async (t) => {
    let failures = 0;
    for (let at = 0; ; at += stride(6)) {
      const { disk, store, model } = await place();
      const parts = partsOn(disk);
      let used = 0;
      let isFull = false;
      const fill = () => {
        isFull = false;
        used = 0;
        disk.before = ({ name: operation }) => {
          if (!['write', 'create', 'sync', 'rename', 'syncFolder'].includes(operation)) return;
          isFull ||= used++ >= at;
          if (isFull) throw Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC', written: at % 7 });
        };
      };
      let refused = 0;
      // It is tried again while the disk is still full.
      for (let tries = 0; tries < 3; tries++) {
        fill();
        await store.compact().then(
          () => undefined,
          (error) => {
            if (error.code !== 'ENOSPC') t.fail(`at ${at}: ${error}`);
            refused++;
          },
        );
        const wrong = await differences(store, model);
        if (wrong) t.fail(`at ${at}, while the disk is full: ${wrong}`);
      }
      if (refused === 3) {
        failures++;
        // Parts that a merge has replaced go once a merge succeeds.
        const more = partsOn(disk).filter((file) => !parts.includes(file) && !listedOn(disk).includes(file));
        if (more.length > 0) t.fail(`at ${at}: ${more} are left`);
        if (disk.files.some((file) => /notes.*\.tmp$/.test(file))) t.fail(`at ${at}: ${disk.files}`);
        for (const chance of [nothing, everything]) {
          const crashed = disk.afterCrash(chance);
          const again = await open(crashed);
          const wrong = await differences(again, model);
          if (wrong) t.fail(`at ${at}, after a crash: ${wrong}`);
          await again.stop();
        }
      }
      disk.before = () => {};
      await store.reopen();
      await store.transaction((tx) => tx.in(notes).put(noteOf(90)));
      model.set(noteOf(90).id, noteOf(90));
      await store.compact();
      const wrong = await differences(store, model);
      if (wrong) t.fail(`at ${at}, with space again: ${wrong}`);
      await store.stop();
      if (partsOn(disk).join() !== listedOn(disk).sort().join()) t.fail(`at ${at}: ${partsOn(disk)} instead of ${listedOn(disk)}`);
      const report = await checkData(FOLDER, disk, { hasOwnKey: true });
      if (!report.is_whole || report.documents !== model.size) t.fail(`at ${at}: ${JSON.stringify(report)}`);
      if (refused === 0) break;
    }
    t.ok(failures > 20 / stride(6), `${failures} full disks`);
  });

  t.test(`a kill or a power failure at any step of a merge that drops parts loses nothing, documents ${name}`, async (t) => {
    let kills = 0;
    let dropped = 0;
    for (let at = 0; ; at += stride(6)) {
      const { disk, store, model } = await place();
      const parts = partsOn(disk);
      let used = 0;
      let stop = () => {};
      const stopped = new Promise<boolean>((resolve) => (stop = () => resolve(false)));
      disk.before = () => {
        if (used++ < at) return;
        stop();
        return new Promise(() => {});
      };
      const isDone = await Promise.race([store.compact().then(() => true), stopped]);
      for (const chance of [nothing, everything]) {
        const left = disk.afterCrash(chance);
        const again = await open(left);
        const wrong = await differences(again, model);
        if (wrong) t.fail(`killed at ${at}: ${wrong}`);
        await again.compact();
        const merged = await differences(again, model);
        if (merged) t.fail(`killed at ${at}, after the next merge: ${merged}`);
        await again.stop();
        if (partsOn(left).join() !== listedOn(left).sort().join()) t.fail(`killed at ${at}: ${partsOn(left)} are left`);
        dropped = parts.filter((file) => !partsOn(left).includes(file)).length;
        const report = await checkData(FOLDER, left, { hasOwnKey: true });
        if (!report.is_whole || report.documents !== model.size) t.fail(`killed at ${at}: ${JSON.stringify(report)}`);
      }
      if (isDone) break;
      kills++;
    }
    t.ok(kills > 20 / stride(6), `${kills} kills`);
    t.ok(dropped > 1, `${dropped} parts dropped`);
  });
}
