// Opens a data folder in its own process, and prints the time and memory: node --expose-gc start-child.js <folder>
import { JsonStore } from '../../../core/adapters/store/index.js';
import { RecordingLogger } from '../../../core/testing/recording-logger.js';
import { records } from './engines.js';

const store = new JsonStore({
  folder: process.argv[2]!,
  log: new RecordingLogger(),
  compact: () => Promise.reject(new Error('not here')),
});
store.define('bench.records', records);
globalThis.gc!();
const before = process.memoryUsage();
const began = performance.now();
await store.start();
const ms = performance.now() - began;
globalThis.gc!();
const after = process.memoryUsage();
const count = await store.open(records).count();
console.log(JSON.stringify({ ms, heap: after.heapUsed - before.heapUsed, rss: after.rss - before.rss, count }));
await store.stop();
