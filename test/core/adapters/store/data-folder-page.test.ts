import { readFileSync } from 'node:fs';
import t from 'tap';
import { compact } from '../../../../core/adapters/store/compaction.task.js';
import { JsonStore } from '../../../../core/adapters/store/json-store.js';
import { collection } from '../../../../core/ports/store.js';
import { RecordingLogger } from '../../../../core/testing/recording-logger.js';
import { Model, openPlace, putThing, tasks } from './parts-place.js';
import { SimulatedDisk } from './simulated-disk.js';

t.test('the page on the data folder shows the files as they are written', async (t) => {
  const page = readFileSync('core/adapters/store/README.md', 'utf8');
  const shown = [...page.matchAll(/^```json (\S+\.\S+)\n([\s\S]*?)^```$/gm)].map(([, name, text]) => [name!, text!] as const);
  t.equal(shown.length, 3);
  const disk = new SimulatedDisk();
  const people = collection<{ id: string; name: string }>({ key: 'id' });
  const store = new JsonStore({ folder: '/data', log: new RecordingLogger(), fs: disk, compact: (input) => compact(input, disk) });
  store.define('shop.people', people);
  await store.start();
  await store.transaction((tx) => tx.in(people).put({ id: 'ann', name: 'Ann' }));
  await store.transaction((tx) => tx.in(people).put({ id: 'bob', name: 'Bob' }));
  await store.compact();
  await store.transaction((tx) => {
    tx.in(people).delete('bob');
    tx.in(people).put({ id: 'eve', name: 'Eve' });
  });
  for (const [name, text] of shown) t.equal(text, disk.read(`/data/${name}`).toString(), name);
  await store.stop();
});

t.test('the page on the data folder shows a list of parts as snapshots have it', async (t) => {
  const [, shown] = /^```json list of parts\n([\s\S]*?)^```$/m.exec(readFileSync('core/adapters/store/README.md', 'utf8'))!;
  const onPage = JSON.parse(shown!).parts[0][1];
  const disk = new SimulatedDisk();
  const { store } = await openPlace(disk);
  const model = new Model();
  for (let n = 0; n < 60; n++) await putThing(store, model, { id: `t${n}`, group: 'g', n, text: 'x'.repeat(30) });
  await store.compact();
  await putThing(store, model, { id: 't1', group: 'g', n: 1, text: 'changed' });
  await store.compact();
  const snapshot = JSON.parse(disk.read('/data/test.things.json').toString());
  t.ok(snapshot.parts.length > 0);
  const written = snapshot.parts.map(([, part]: [string, object]) => part).find(({ superseded }: { superseded?: string }) => superseded);
  t.strictSame(Object.keys(onPage), Object.keys(written));
  for (const [field, value] of Object.entries(onPage)) t.type(written[field], typeof value, field);
});

t.test('the page on the data folder shows a row with a patch as snapshots have it', async (t) => {
  const [, shown] = /^```json row with a patch\n([\s\S]*?)^```$/m.exec(readFileSync('core/adapters/store/README.md', 'utf8'))!;
  const disk = new SimulatedDisk();
  const { store } = await openPlace(disk);
  await store.transaction((tx) => tx.live!(tasks).put({ id: 'a', state: 'queued' }));
  await store.transaction((tx) => tx.live!(tasks).patch('a', { state: 'sent' }));
  await store.compact();
  t.equal(shown!.trim(), disk.read('/data/test.tasks.json').toString().split('\n')[4]!.trim());
  await store.stop();
});
