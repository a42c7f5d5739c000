import t from 'tap';
import { checkData, repairData } from '../../../../core/adapters/store/check/repair-data.js';
import type { JsonStore } from '../../../../core/adapters/store/json-store.js';
import { collection, liveCollection } from '../../../../core/ports/store.js';
import { LiveDocuments } from '../../../../scripts/crash/live-documents.js';
import { nothing, SimulatedDisk } from './simulated-disk.js';
import { FOLDER, storeOn } from './store-on-disk.js';

interface Task {
  readonly id: string;
  readonly state: string;
  readonly tries?: Readonly<Record<string, number>>;
}

const live = liveCollection<Task>('id');
const plain = collection<Task>({ key: 'id', indexes: { state: ['state', 'id'] } });
const SNAPSHOT = `${FOLDER}/test.tasks.json`;
const options = { hasOwnKey: true };

/** A store that merges only when a test asks for it, and when it stops. */
async function startOn(disk: SimulatedDisk, partBytes?: number): Promise<{ store: JsonStore; owner: LiveDocuments<Task> }> {
  const store = storeOn(disk, { ...(partBytes && { partBytes }) });
  const owner = new LiveDocuments<Task>();
  store.defineLive('test.tasks', live, owner);
  await store.start();
  return { store, owner };
}

const put = (store: JsonStore, task: Task) => store.transaction((tx) => tx.live!(live).put(task));
const patch = (store: JsonStore, id: string, changes: object) => store.transaction((tx) => tx.live!(live).patch(id, { ...changes }));

/** The rows of a snapshot or a part: key and what follows it. */
const rowsIn = (disk: SimulatedDisk, file = SNAPSHOT): [string, unknown][] =>
  JSON.parse(disk.read(file).toString()).documents.map(([, key, content]: [string, string, unknown]) => [key, content]);

t.test('a merge stores patches beside their document; with more than eight, or in a later merge, it applies them', async (t) => {
  const disk = new SimulatedDisk();
  const { store } = await startOn(disk);
  await put(store, { id: 'a', state: 'queued', tries: { 1: 1 } });
  await patch(store, 'a', { state: 'sending' });
  await patch(store, 'a', { state: null, tries: { 1: null, 2: 'ü"]' } });
  for (const [id, patches] of [
    ['b', 8],
    ['c', 9],
  ] as const) {
    await put(store, { id, state: 'queued' });
    for (let n = 1; n <= patches; n++) await patch(store, id, { state: `${n}` });
  }
  await put(store, { id: 'd', state: 'queued' });
  await store.compact();
  const patchesOfB = Array.from({ length: 8 }, (_, n) => ({ state: `${n + 1}` }));
  const first = [
    ['a', [{ id: 'a', state: 'queued', tries: { 1: 1 } }, { state: 'sending' }, { state: null, tries: { 1: null, 2: 'ü"]' } }]],
    ['b', [{ id: 'b', state: 'queued' }, ...patchesOfB]],
    ['c', { id: 'c', state: '9' }],
    ['d', { id: 'd', state: 'queued' }],
  ];
  t.strictSame(rowsIn(disk), first);

  const again = await startOn(disk.afterCrash(nothing));
  t.strictSame(again.owner.sorted, [
    { id: 'a', tries: { 2: 'ü"]' } },
    { id: 'b', state: '8' },
    { id: 'c', state: '9' },
    { id: 'd', state: 'queued' },
  ]);
  await again.store.stop();

  await patch(store, 'a', { state: 'sent' });
  await patch(store, 'd', { state: 'sent' });
  await store.compact();
  t.strictSame(rowsIn(disk), [
    ['a', { id: 'a', tries: { 2: 'ü"]' }, state: 'sent' }],
    first[1],
    first[2],
    ['d', [{ id: 'd', state: 'queued' }, { state: 'sent' }]],
  ]);
  await store.stop();
});

t.test('a check and a repair read rows with patches', async (t) => {
  const disk = new SimulatedDisk();
  const { store, owner } = await startOn(disk);
  for (const id of ['a', 'b', 'c']) await put(store, { id, state: 'queued' });
  for (const id of ['a', 'c']) await patch(store, id, { state: 'sent', tries: { 1: 1 } });
  await store.compact();
  await patch(store, 'a', { tries: { 2: 1 } });
  const whole = disk.afterCrash(nothing);
  t.match(await checkData(FOLDER, whole, options), { is_whole: true, documents: 3, problems: [] });

  const lines = whole.read(SNAPSHOT).toString().split('\n');
  const ofC = lines.findIndex((line) => line.includes('"c",[{'));
  t.ok(ofC > 0, 'the row of c has patches');
  whole.put(SNAPSHOT, Buffer.from(lines.with(ofC, lines[ofC]!.replace('sent', 'lost')).join('\n')));
  t.match(await checkData(FOLDER, whole, options), { is_whole: false, problems: [{ file: 'test.tasks.json', line: ofC + 1 }] });
  t.match(await repairData(FOLDER, whole, options), { repaired: true, set_aside: { pieces: 1 } });
  t.match(await checkData(FOLDER, whole, options), { is_whole: true, documents: 2 });
  const repaired = await startOn(whole);
  t.strictSame(
    repaired.owner.sorted,
    owner.sorted.filter(({ id }) => id !== 'c'),
  );
  await repaired.store.stop();
  await store.stop();
});

t.test('rows with patches in parts are found again, also by a store in which the collection is not live', async (t) => {
  const disk = new SimulatedDisk();
  const { store, owner } = await startOn(disk, 600);
  const idOf = (n: number) => `t${String(n).padStart(2, '0')}`;
  for (let n = 0; n < 40; n++) {
    await put(store, { id: idOf(n), state: 'queued' });
    if (n % 3 > 0) await patch(store, idOf(n), { state: 'sending' });
    if (n % 3 > 1) await patch(store, idOf(n), { state: 'sent', tries: { 1: n } });
  }
  await store.compact();
  const parts = () => disk.files.filter((file) => /test\.tasks\.\d+\.json$/.test(file));
  t.ok(parts().length > 2, `${parts().length} parts`);
  t.ok(
    parts().some((file) => rowsIn(disk, file).some(([, content]) => Array.isArray(content))),
    'parts have rows with patches',
  );
  // Patches of documents in parts: single rows, neighbours and rows that have patches.
  for (const n of [1, 4, 5, 6, 20, 38]) await patch(store, idOf(n), { state: 'again', tries: { 2: n } });
  await store.compact();
  t.ok(
    rowsIn(disk).some(([key, content]) => key === idOf(5) && !Array.isArray(content)),
    'patches of two merges are applied',
  );
  const again = await startOn(disk.afterCrash(nothing), 600);
  t.strictSame(again.owner.sorted, owner.sorted);
  await again.store.stop();

  const copy = disk.afterCrash(nothing);
  const reader = storeOn(copy, { partBytes: 600 });
  reader.define('test.tasks', plain);
  await reader.start();
  t.strictSame(await reader.open(plain).list(), owner.sorted);
  for (let n = 0; n < 40; n += 2) await reader.transaction((tx) => tx.in(plain).put({ ...owner.all.get(idOf(n))!, state: 'changed' }));
  await reader.compact();
  const expected = owner.sorted.map((task, n) => (n % 2 === 0 ? { ...task, state: 'changed' } : task));
  t.strictSame(await reader.open(plain).list(), expected);
  await reader.stop();
  const merged = storeOn(copy);
  merged.define('test.tasks', plain);
  await merged.start();
  t.strictSame(await merged.open(plain).list(), expected);
  await merged.stop();
  await store.stop();
});
