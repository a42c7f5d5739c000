// Writes entries until it is killed, and prints each acknowledged one: `node store-writer.js <folder>`
import compact from '../../core/adapters/store/compaction.task.js';
import { JsonStore } from '../../core/adapters/store/json-store.js';
import { RecordingLogger } from '../../core/testing/recording-logger.js';
import { addEntry, counters, left, right } from '../core/adapters/store/store-on-disk.js';

const WRITERS = 16;

const store = new JsonStore({ folder: process.argv[2]!, log: new RecordingLogger(), compact, compactAfterBytes: 50_000 });
store.define('test.left', left);
store.define('test.right', right);
store.define('test.counters', counters);
await store.start();
await Promise.all(
  Array.from({ length: WRITERS }, async () => {
    for (;;) process.stdout.write(`${await addEntry(store, 'x'.repeat(200))}\n`);
  }),
);
