import fc from 'fast-check';
import t from 'tap';
import type { OpenFile } from '../../../../core/adapters/file-system.js';
import { checkData } from '../../../../core/adapters/store/check/repair-data.js';
import { compact } from '../../../../core/adapters/store/compaction.task.js';
import { JsonStore } from '../../../../core/adapters/store/json-store.js';
import { RecordingLogger } from '../../../../core/testing/recording-logger.js';
import { runs, stride } from '../../../forms.js';
import { FOLDER, Model, openPlace, type Place, partsOf, putThing, type Thing, tasks, things } from './parts-place.js';
import { everything, nothing, SimulatedDisk } from './simulated-disk.js';

const idOf = (n: number): string => `${((n * 2_654_435_761) >>> 0).toString(16).padStart(8, '0')}`;
const thingOf = (n: number, version = 0): Thing => ({
  id: idOf(n),
  group: `g${n % 7}`,
  n,
  ...((n + version) % 3 === 0 && { place: (n * 7 + version) % 50 }),
  text: `Grüße ${version} ${'x'.repeat(n % 40)}`,
});

/** A store with merged parts, and further changes of all of them in the journal. */
async function changedPlace(): Promise<{ disk: SimulatedDisk; place: Place; model: Model }> {
  const disk = new SimulatedDisk();
  const place = await openPlace(disk);
  const model = new Model();
  const { store } = place;
  for (let n = 0; n < 60; n++) {
    await putThing(store, model, thingOf(n));
    const task = { id: `1/${n}`, state: 'queued' };
    await store.transaction((tx) => tx.live!(tasks).put(task));
    model.tasks.set(task.id, task);
    if (n % 20 === 19) await store.compact();
  }
  for (let n = 0; n < 60; n += 2) await putThing(store, model, thingOf(n, 1));
  for (let n = 0; n < 12; n++) {
    await store.transaction((tx) => {
      tx.in(things).delete(idOf(n));
      tx.live!(tasks).delete(`1/${n}`);
      tx.live!(tasks).patch(`1/${n + 12}`, { state: 'sent', tries: { [n]: 1 } });
    });
    model.things.delete(idOf(n));
    model.tasks.delete(`1/${n}`);
    model.tasks.set(`1/${n + 12}`, { id: `1/${n + 12}`, state: 'sent', tries: { [n]: 1 } });
  }
  return { disk, place, model };
}

t.test('a merge leaves untouched parts as they are, marks what changed, and rewrites parts that are mostly superseded', async (t) => {
  const { disk, place, model } = await changedPlace();
  const before = new Map(partsOf(disk).map((file) => [file, disk.read(file)]));
  t.ok(before.size > 4, `${before.size} parts`);
  t.strictSame(await model.differences(place), []);
  await place.store.compact();
  t.strictSame(await model.differences(place), []);
  const after = partsOf(disk);
  const kept = after.filter((file) => before.has(file));
  t.ok(kept.length > 0, `${kept.length} parts kept`);
  t.ok(kept.length < before.size, 'a part with mostly superseded rows is gone');
  for (const file of kept) t.ok(disk.read(file).equals(before.get(file)!), `${file} has not changed`);
  const again = await openPlace(disk.afterCrash(nothing));
  t.strictSame(await model.differences(again), []);
  await again.store.stop();

  const { store } = await openPlace(disk.afterCrash(nothing));
  await store.transaction((tx) => {
    for (let n = 0; n < 60; n++) tx.in(things).delete(idOf(n));
  });
  await store.stop();
  const emptied = disk.afterCrash(nothing);
  t.ok(partsOf(emptied).length > 0, 'the copy has parts');
});

t.test('deleting all documents deletes all parts', async (t) => {
  const { disk, place } = await changedPlace();
  await place.store.transaction((tx) => {
    for (let n = 0; n < 60; n++) tx.in(things).delete(idOf(n));
  });
  await place.store.compact();
  t.strictSame(partsOf(disk), []);
  t.notMatch(disk.read(`${FOLDER}/test.things.json`).toString(), /parts/);
  await place.store.stop();
});

t.test('parts and snapshots are JSON that people can read', async (t) => {
  const { disk, place, model } = await changedPlace();
  await place.store.compact();
  const snapshot = JSON.parse(disk.read(`${FOLDER}/test.things.json`).toString());
  const ids: string[] = snapshot.documents.map(([, key]: [string, string]) => key);
  for (const [, { file, superseded }] of snapshot.parts) {
    const part = JSON.parse(disk.read(`${FOLDER}/${file}`).toString());
    const flags = new Set<number>();
    for (const range of superseded === '' ? [] : superseded.split(',')) {
      const [from, to = from] = range.split('-').map(Number);
      for (let row = from; row <= to; row++) flags.add(row);
    }
    ids.push(...part.documents.flatMap(([, key]: [string, string], row: number) => (flags.has(row) ? [] : [key])));
  }
  t.strictSame(ids.sort(), [...model.things.keys()].sort());
});

t.test('a crash at any operation of a merge with parts loses nothing and leaves no files behind', async (t) => {
  let crashes = 0;
  for (let stopAt = 0; ; stopAt += stride(10)) {
    const { disk, place, model } = await changedPlace();
    let used = 0;
    let powerOff = () => {};
    const off = new Promise<boolean>((resolve) => (powerOff = () => resolve(false)));
    disk.before = () => {
      if (used++ < stopAt) return;
      powerOff();
      return new Promise(() => {});
    };
    const isDone = await Promise.race([place.store.compact().then(() => true), off]);
    for (const chance of [nothing, everything]) {
      const left = disk.afterCrash(chance);
      const again = await openPlace(left);
      const wrong = await model.differences(again);
      if (wrong.length > 0) t.fail(`stopped at ${stopAt}: ${wrong.join('\n')}`);
      await putThing(again.store, model.copy(), thingOf(1_000));
      await again.store.stop();
      const { parts = [] } = JSON.parse(left.read(`${FOLDER}/test.things.json`).toString());
      const listed = parts.map(([, { file }]: [string, { file: string }]) => `${FOLDER}/${file}`);
      if (JSON.stringify(partsOf(left)) !== JSON.stringify(listed.sort())) t.fail(`stopped at ${stopAt}: files that are not listed`);
      const report = await checkData(FOLDER, left, { hasOwnKey: true });
      if (!report.is_whole) t.fail(`stopped at ${stopAt}: ${JSON.stringify(report.problems)}`);
    }
    if (isDone) break;
    crashes++;
  }
  t.ok(crashes > 40 / stride(10), `${crashes} crashes`);
});

t.test('random changes, merges, restarts and crashes: the store has what it acknowledged', async (t) => {
  const change = fc.oneof(
    { weight: 8, arbitrary: fc.record({ do: fc.constant('put' as const), n: fc.nat(80), version: fc.nat(9) }) },
    { weight: 3, arbitrary: fc.record({ do: fc.constant('delete' as const), n: fc.nat(80), version: fc.nat(9) }) },
    { weight: 4, arbitrary: fc.record({ do: fc.constant('task' as const), n: fc.nat(30), version: fc.nat(9) }) },
    { weight: 5, arbitrary: fc.record({ do: fc.constant('patch' as const), n: fc.nat(30), version: fc.nat(9) }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('forget' as const), n: fc.nat(30), version: fc.nat(9) }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('merge' as const), n: fc.nat(60), version: fc.nat(9) }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('restart' as const), n: fc.nat(60), version: fc.nat(9) }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('crash in a merge' as const), n: fc.nat(60), version: fc.nat(9) }) },
  );
  const run = async (changes: readonly { do: string; n: number; version: number }[]) => {
    let disk = new SimulatedDisk();
    let place = await openPlace(disk, 300);
    const model = new Model();
    for (const { do: what, n, version } of changes) {
      const { store } = place;
      const id = `1/${n}`;
      if (what === 'put') await putThing(store, model, thingOf(n, version));
      else if (what === 'delete') {
        await store.transaction((tx) => tx.in(things).delete(idOf(n)));
        model.things.delete(idOf(n));
      } else if (what === 'task') {
        const task = { id, state: `queued ${version}` };
        await store.transaction((tx) => tx.live!(tasks).put(task));
        model.tasks.set(id, task);
      } else if (what === 'patch') {
        if (!model.tasks.has(id)) continue;
        await store.transaction((tx) => tx.live!(tasks).patch(id, { tries: { [version]: n } }));
        const task = model.tasks.get(id)!;
        model.tasks.set(id, { ...task, tries: { ...task.tries, [version]: n } });
      } else if (what === 'forget') {
        await store.transaction((tx) => tx.live!(tasks).delete(id));
        model.tasks.delete(id);
      } else if (what === 'merge') await store.compact();
      else if (what === 'restart') {
        await store.stop();
        place = await openPlace(disk, 300);
      } else {
        let used = 0;
        let powerOff = () => {};
        const off = new Promise<void>((resolve) => (powerOff = resolve));
        disk.before = () => {
          if (used++ < n) return;
          powerOff();
          return new Promise(() => {});
        };
        await Promise.race([store.compact(), off]);
        disk = disk.afterCrash(version % 2 === 0 ? nothing : everything);
        place = await openPlace(disk, 300);
      }
      if (what === 'restart' || what === 'crash in a merge') {
        const wrong = await model.differences(place);
        if (wrong.length > 0) throw new Error(wrong.join('\n'));
      }
    }
    await place.store.compact();
    const last = await openPlace(disk.afterCrash(nothing), 300);
    const wrong = [...(await model.differences(place)), ...(await model.differences(last))];
    if (wrong.length > 0) throw new Error(wrong.join('\n'));
    await last.store.stop();
    await place.store.stop();
  };
  await fc.assert(fc.asyncProperty(fc.array(change, { minLength: 30, maxLength: 150 }), run), { numRuns: runs(60) });
  t.pass('60 runs');
});

t.test('merges write at most twice the bytes of the journal when the data are many times larger', async (t) => {
  const disk = new SimulatedDisk();
  let merged = 0;
  const counting = Object.create(disk, {
    open: {
      value: async (path: string, how: Parameters<SimulatedDisk['open']>[1]): Promise<OpenFile> => {
        const file = await disk.open(path, how);
        const write = async (bytes: Uint8Array) => {
          merged += bytes.length;
          await file.write(bytes);
        };
        return { ...file, write };
      },
    },
  }) as SimulatedDisk;
  const options = { folder: FOLDER, log: new RecordingLogger(), partBytes: 8_000, markEveryMs: 1e9 };
  const bound = {
    rename: disk.rename.bind(disk),
    remove: disk.remove.bind(disk),
    syncFolder: disk.syncFolder.bind(disk),
    list: disk.list.bind(disk),
  };
  Object.assign(counting, bound);
  let journal = 0;
  let snapshots = 0;
  const store = new JsonStore({
    ...options,
    fs: disk,
    compact: async (input) => {
      for (const segment of input.segments) journal += disk.read(`${FOLDER}/${segment}`).length;
      const output = await compact(input, counting);
      snapshots += disk.files.filter((file) => /\.json$/.test(file)).reduce((sum, file) => sum + disk.read(file).length, 0);
      return output;
    },
  });
  const owner = { put: () => () => undefined, patch: () => () => undefined, delete: () => () => undefined };
  store.define('test.things', things);
  store.defineLive('test.tasks', tasks, owner);
  await store.start();
  const text = 'x'.repeat(400);
  const KEPT = 1_500;
  for (let from = 0; from < 12_000; from += 50) {
    await store.transaction((tx) => {
      for (let n = from; n < from + 50; n++) {
        tx.in(things).put({ ...thingOf(n), text });
        // An older document with an unrelated key changes now and then.
        if (n % 10 === 9) tx.in(things).put({ ...thingOf((n * 7_919) % n, 1), text });
        tx.live!(tasks).put({ id: `1/${n}`, state: text });
        if (n >= KEPT) tx.live!(tasks).delete(`1/${n - KEPT}`);
      }
    });
    await store.transaction((tx) => {
      for (let n = from; n < from + 50; n++) tx.live!(tasks).patch(`1/${n}`, { tries: { 1: n } });
    });
    await store.transaction((tx) => {
      for (let n = from; n < from + 50; n++) tx.live!(tasks).patch(`1/${n}`, { state: 'delivered' });
    });
    if (from % 1_000 === 950) await store.compact();
  }
  const share = merged / journal;
  t.ok(share <= 2, `merges wrote ${share.toFixed(2)} bytes per byte of the journal`);
  t.ok(snapshots / journal > 2.5, `replacing all snapshots would have written ${(snapshots / journal).toFixed(1)}`);
  t.comment(`${share.toFixed(2)} instead of ${(snapshots / journal).toFixed(2)}`);
  await store.stop();
});
