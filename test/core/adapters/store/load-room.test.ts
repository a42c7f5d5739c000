import t from 'tap';
import { compact } from '../../../../core/adapters/store/compaction.task.js';
import { JsonStore } from '../../../../core/adapters/store/json-store.js';
import { loadRoom } from '../../../../core/adapters/store/load-room.js';
import type { Heap } from '../../../../core/ports/heap.js';
import { RecordingLogger } from '../../../../core/testing/recording-logger.js';
import { SimulatedDisk } from './simulated-disk.js';
import { addEntry, countEntries, counters, FOLDER, left, right, storeOn } from './store-on-disk.js';

const MIB = 1 << 20;

/** A heap that is fuller each time it is read; a collection frees a given part of it. */
class FillingHeap implements Heap {
  readonly limitBytes: number;
  collections = 0;
  readonly #step: number;
  readonly #garbage: number;
  #used = 10 * MIB;

  constructor({ limit, step, garbage }: { limit: number; step: number; garbage: number }) {
    this.limitBytes = limit * MIB;
    this.#step = step * MIB;
    this.#garbage = garbage;
  }

  read() {
    const usedBytes = this.#used;
    this.#used += this.#step;
    return { usedBytes, liveBytes: usedBytes, collectedMsAgo: 0, processShare: 0 };
  }

  async collect(): Promise<void> {
    this.collections++;
    this.#used *= 1 - this.#garbage;
  }
}

t.test('a load checks the heap every few megabytes, and garbage does not count', async (t) => {
  const files = { totalBytes: 100 * MIB, snapshotBytes: 90 * MIB };
  const tight = new FillingHeap({ limit: 200, step: 30, garbage: 0 });
  const room = loadRoom(tight, '/data', files);
  const took = async (): Promise<void> => {
    for (let loaded = 0; loaded < 100; loaded++) await room.checkAfter(MIB);
  };
  await t.rejects(took(), {
    name: 'HeapTooSmall',
    message:
      /^the data in \/data needs about \d+ MiB of heap, but Node may use 200 MiB\. Nothing has been changed\. .*node --max-old-space-size=\d+ \(MiB\).*deliveries\.keptBytes/,
  });
  t.equal(tight.collections, 1);

  const roomy = new FillingHeap({ limit: 200, step: 30, garbage: 0.9 });
  const other = loadRoom(roomy, '/data', files);
  for (let loaded = 0; loaded < 100; loaded++) await other.checkAfter(MIB);
  t.ok(roomy.collections >= 2);
  await loadRoom(undefined, '/data', files).checkAfter(MIB);
});

t.test('a load does not start with files that are larger than the heap', (t) => {
  const heap = new FillingHeap({ limit: 100, step: 0, garbage: 0 });
  t.throws(() => loadRoom(heap, '/data', { totalBytes: 400 * MIB, snapshotBytes: 300 * MIB }), { name: 'HeapTooSmall' });
  t.end();
});

t.test('a store that does not fit is refused without changes, and opens with enough heap', async (t) => {
  const disk = new SimulatedDisk();
  const store = storeOn(disk);
  await store.start();
  for (let n = 0; n < 20; n++) await addEntry(store, 'x'.repeat(200_000));
  await store.stop();
  const names = async () => JSON.stringify((await disk.list(FOLDER)).map(({ name, size }) => [name, size]));
  const before = await names();

  const log = new RecordingLogger();
  const heap = new FillingHeap({ limit: 60, step: 30, garbage: 0 });
  const small = new JsonStore({ folder: FOLDER, log, fs: disk, heap, compact: (input) => compact(input, disk) });
  for (const [name, type] of Object.entries({ left, right, counters })) small.define(`test.${name}`, type as typeof left);
  await t.rejects(small.start(), { name: 'HeapTooSmall' });
  t.equal(await names(), before);

  const again = storeOn(disk);
  await again.start();
  t.equal(await countEntries(again), 20);
  await again.stop();
});
