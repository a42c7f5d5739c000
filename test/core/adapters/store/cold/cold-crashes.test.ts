import fc from 'fast-check';
import t from 'tap';
import type { Encryption } from '../../../../../core/adapters/encryption/file-cipher.js';
import { checkData } from '../../../../../core/adapters/store/check/repair-data.js';
import { compact } from '../../../../../core/adapters/store/compaction.task.js';
import { JsonStore } from '../../../../../core/adapters/store/json-store.js';
import { collection } from '../../../../../core/ports/store.js';
import { RecordingLogger } from '../../../../../core/testing/recording-logger.js';
import { isLong, stride } from '../../../../forms.js';
import { ENCRYPTIONS, everything, nothing, SECRET_KEYS, SimulatedDisk } from '../simulated-disk.js';
import { FOLDER } from '../store-on-disk.js';

interface Thing {
  readonly id: string;
  readonly group: string;
  readonly n: number;
  readonly place?: number;
  readonly text: string;
}

const types = [0, 1e6].map((after) =>
  collection<Thing>({
    key: 'id',
    unique: { n: ['n'] },
    indexes: { group: ['group'], place: ['group', 'place', 'id'] },
    cold: { after },
  }),
);

const idOf = (n: number): string => ((n * 2_654_435_761) >>> 0).toString(16).padStart(8, '0');
const thingOf = (n: number, version = 0): Thing => ({
  id: idOf(n),
  group: `g${n % 7}`,
  n,
  ...((n + version) % 3 === 0 && { place: (n * 7 + version) % 50 }),
  text: `Grüße ${version} ${'x'.repeat(n % 40)}`,
});

type Model = Map<string, Thing>;

async function open(disk: SimulatedDisk, type: (typeof types)[number], partBytes = 60): Promise<JsonStore> {
  const store = new JsonStore({
    folder: FOLDER,
    log: new RecordingLogger(),
    fs: disk,
    encryption: disk.encryption,
    partBytes,
    coldCacheBytes: 2_000,
    compact: (input) => compact(input, disk),
    now: () => 0,
  });
  store.define('test.things', type);
  await store.start();
  return store;
}

/** The differences of a store from a model, also in its indexes. */
async function differences(store: JsonStore, type: (typeof types)[number], model: Model): Promise<string[]> {
  const found = store.open(type);
  const all = [...model.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
  const byGroup = all.toSorted((a, b) => (a.group < b.group ? -1 : a.group > b.group ? 1 : 0));
  const placed = all.filter(({ place }) => place !== undefined);
  const byPlace = placed.toSorted((a, b) => (a.group === b.group ? a.place! - b.place! : a.group < b.group ? -1 : 1));
  const wrong: string[] = [];
  const compare = (what: string, there: unknown, expected: unknown) => {
    const [a, b] = [there, expected].map((value) => JSON.stringify(value));
    if (a !== b) wrong.push(`${what}: ${a!.slice(0, 300)} instead of ${b!.slice(0, 300)}`);
  };
  compare('find by group', await found.find('group'), byGroup);
  compare('find by group, backwards', await found.find('group', { order: 'descending' }), byGroup.toReversed());
  compare('find by place', await found.find('place'), byPlace);
  compare('list', await found.list(), all);
  compare('count', await found.count(), all.length);
  const byN = all.toSorted((a, b) => a.n - b.n);
  compare('find by n', await found.find('n'), byN);
  // Pages in both directions, each after the last document of the previous page.
  for (const order of ['ascending', 'descending'] as const) {
    const pages: Thing[] = [];
    for (;;) {
      const last = pages.at(-1);
      const bound = last && { [order === 'ascending' ? 'after' : 'before']: [last.id] };
      const page = await found.find('group', { equals: ['g1'], limit: 3, order, ...bound });
      pages.push(...page);
      if (page.length < 3) break;
    }
    const group = byGroup.filter(({ group: name }) => name === 'g1');
    compare(`pages, ${order}`, pages, order === 'ascending' ? group : group.toReversed());
  }
  for (const thing of all) compare(`get ${thing.id}`, [await found.get(thing.id), await found.getBy('n', [thing.n])], [thing, thing]);
  return wrong;
}

/** A store with merged parts, and further changes of all of them in the journal. */
async function changedPlace(
  type: (typeof types)[number],
  encryption?: Encryption,
): Promise<{ disk: SimulatedDisk; store: JsonStore; model: Model }> {
  const disk = new SimulatedDisk(encryption);
  const store = await open(disk, type);
  const model: Model = new Map();
  const put = async (thing: Thing) => {
    await store.transaction((tx) => tx.in(type).put(thing));
    model.set(thing.id, thing);
  };
  for (let n = 0; n < 40; n++) {
    await put(thingOf(n));
    if (n % 13 === 12) await store.compact();
  }
  for (let n = 0; n < 40; n += 2) await put(thingOf(n, 1));
  for (let n = 0; n < 12; n++) {
    await store.transaction((tx) => tx.in(type).delete(idOf(n)));
    model.delete(idOf(n));
  }
  return { disk, store, model };
}

for (const type of types) {
  for (const [how, encryption] of Object.entries(ENCRYPTIONS))
    t.test(`a crash at any operation of a merge of ${how} files loses nothing, with cold.after ${type.cold!.after}`, async (t) => {
      let crashes = 0;
      for (let stopAt = 0; ; stopAt += stride(58)) {
        const { disk, store, model } = await changedPlace(type, encryption);
        let used = 0;
        let powerOff = () => {};
        const off = new Promise<boolean>((resolve) => (powerOff = () => resolve(false)));
        disk.before = () => {
          if (used++ < stopAt) return;
          powerOff();
          return new Promise(() => {});
        };
        const isDone = await Promise.race([store.compact().then(() => true), off]);
        // The process still reads everything from where it was before the merge.
        const here = await differences(store, type, model);
        if (here.length > 0) t.fail(`stopped at ${stopAt}, in the process: ${here[0]}`);
        for (const chance of [nothing, everything]) {
          const left = disk.afterCrash(chance);
          const again = await open(left, type);
          const wrong = await differences(again, type, model);
          if (wrong.length > 0) t.fail(`stopped at ${stopAt}: ${wrong[0]}`);
          await again.transaction((tx) => tx.in(type).put(thingOf(1_000)));
          await again.stop();
          const report = await checkData(FOLDER, left, { hasOwnKey: true, secretKeys: SECRET_KEYS });
          if (!report.is_whole) t.fail(`stopped at ${stopAt}: ${JSON.stringify(report.problems)}`);
        }
        if (isDone) break;
        crashes++;
      }
      t.ok(crashes > 40 / stride(58) && crashes > 2, `${crashes} crashes`);
    });

  t.test(`random changes, merges, faults, restarts and crashes, with cold.after ${type.cold!.after}`, async (t) => {
    const kinds = [
      'put',
      'put',
      'put',
      'put',
      'delete',
      'delete',
      'merge',
      'merge in the background',
      'fault',
      'restart',
      'crash in a merge',
    ];
    const change = fc.record({ kind: fc.constantFrom(...kinds), n: fc.nat(60), version: fc.nat(9) });
    let undone = 0;
    const run = async (changes: readonly { kind: string; n: number; version: number }[], partBytes: number, encryption?: Encryption) => {
      let disk = new SimulatedDisk(encryption);
      let store = await open(disk, type, partBytes);
      const model: Model = new Map();
      for (const { kind, n, version } of changes) {
        if (kind === 'put') {
          await store.transaction((tx) => tx.in(type).put(thingOf(n, version)));
          model.set(idOf(n), thingOf(n, version));
        } else if (kind === 'delete') {
          await store.transaction((tx) => tx.in(type).delete(idOf(n)));
          model.delete(idOf(n));
        } else if (kind === 'merge') await store.compact();
        else if (kind === 'merge in the background') void store.compact().catch(() => undefined);
        else if (kind === 'fault') {
          await store.compact();
          // Several transactions change the same documents, and the disk refuses them all.
          disk.before = ({ path }) => {
            if (path.includes('journal')) throw new Error('no space left');
          };
          const refused = [n, n + 1, n].map((one, i) =>
            store.transaction((tx) => (i === 2 ? tx.in(type).delete(idOf(one)) : tx.in(type).put(thingOf(one, version + 1)))),
          );
          for (const one of await Promise.allSettled(refused)) if (one.status === 'rejected') undone++;
          disk.before = () => {};
          await store.reopen();
        } else if (kind === 'restart') {
          await store.stop();
          store = await open(disk, type, partBytes);
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
          store = await open(disk, type, partBytes);
        }
        const looked = [await store.open(type).get(idOf(n)), await store.open(type).getBy('n', [n]), await store.open(type).count()];
        const expected = [model.get(idOf(n)), model.get(idOf(n)), model.size];
        if (JSON.stringify(looked) !== JSON.stringify(expected))
          throw new Error(`after ${kind} ${n}: ${JSON.stringify(looked)} instead of ${JSON.stringify(expected)}`);
      }
      const wrong = await differences(store, type, model);
      await store.compact();
      const last = await open(disk.afterCrash(nothing), type, partBytes);
      wrong.push(...(await differences(store, type, model)), ...(await differences(last, type, model)));
      if (wrong.length > 0) throw new Error(wrong.join('\n'));
      await last.stop();
      await store.stop();
    };
    const property = fc.asyncProperty(
      fc.array(change, { minLength: 20, maxLength: 100 }),
      fc.constantFrom(20, 60, 200),
      fc.constantFrom(...Object.values(ENCRYPTIONS)),
      run,
    );
    await fc.assert(property, { numRuns: isLong ? 60 : 5 });
    t.ok(undone > 0, `${undone} transactions refused`);
  });
}
