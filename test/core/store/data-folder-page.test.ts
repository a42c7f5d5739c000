import { readFileSync } from 'node:fs';
import t from 'tap';
import { compact } from '../../../core/adapters/store/compaction.task.js';
import { JsonStore } from '../../../core/adapters/store/json-store.js';
import { collection } from '../../../core/ports/store.js';
import { RecordingLogger } from '../../../core/testing/recording-logger.js';
import { SimulatedDisk } from './simulated-disk.js';

t.test('the page on the data folder shows the files as they are written', async (t) => {
  const page = readFileSync('core/adapters/store/README.md', 'utf8');
  const shown = [...page.matchAll(/^```json (\S+)\n([\s\S]*?)^```$/gm)].map(([, name, text]) => [name!, text!] as const);
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
