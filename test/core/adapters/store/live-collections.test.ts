import fc from 'fast-check';
import t from 'tap';
import type { JsonStore } from '../../../../core/adapters/store/json-store.js';
import { liveCollection } from '../../../../core/ports/store.js';
import { LiveDocuments } from '../../../../scripts/crash/live-documents.js';
import { runs } from '../../../forms.js';
import { everything, nothing, SimulatedDisk } from './simulated-disk.js';
import { addEntry, counters, storeOn } from './store-on-disk.js';

interface Task {
  id: string;
  state: string;
  tries?: Record<string, unknown>;
}

const tasks = liveCollection<Task>('id');

async function startOn(
  disk: SimulatedDisk,
  options: Parameters<typeof storeOn>[1] = {},
): Promise<{ store: JsonStore; owner: LiveDocuments<Task> }> {
  const store = storeOn(disk, options);
  const owner = new LiveDocuments<Task>();
  store.defineLive('test.tasks', tasks, owner);
  await store.start();
  return { store, owner };
}

t.test('documents and live collections of a transaction become durable together, and a restart finds both', async (t) => {
  const disk = new SimulatedDisk();
  const { store } = await startOn(disk);
  await store.transaction((tx) => {
    tx.in(counters).put({ name: 'a', count: 1 });
    tx.live!(tasks).put({ id: 'a', state: 'queued' });
  });
  await store.transaction((tx) => tx.live!(tasks).patch('a', { state: 'done' }));
  // Committed, and not awaited: the crash takes it.
  void store.transaction((tx) => tx.live!(tasks).put({ id: 'lost', state: 'queued' })).catch(() => undefined);
  const after = await startOn(disk.afterCrash(nothing));
  t.strictSame(after.owner.sorted, [{ id: 'a', state: 'done' }]);
  t.equal((await after.store.open(counters).get('a'))?.count, 1);
  await after.store.stop();
});

t.test('the store undoes the changes that the disk refuses, newest first, and waiting for durability fails', async (t) => {
  const disk = new SimulatedDisk();
  const { store, owner } = await startOn(disk);
  await store.transaction((tx) => tx.live!(tasks).put({ id: 'a', state: 'queued' }));
  disk.before = ({ name, path }) => {
    if (name === 'write' && path.endsWith('.jsonl')) throw new Error('ENOSPC: no space left on device');
  };
  const refused = [1, 2].map((n) => store.transaction((tx) => tx.live!(tasks).patch('a', { state: `refused ${n}` })));
  const created = store.transaction((tx) => tx.live!(tasks).put({ id: 'b', state: 'queued' }));
  await new Promise((resolve) => setImmediate(resolve));
  const durable = store.durable();
  for (const one of [...refused, created, durable]) await t.rejects(one, { name: 'StoreUnavailable' });
  t.strictSame(owner.sorted, [{ id: 'a', state: 'queued' }]);
  disk.before = () => {};
  await store.reopen();
  await store.transaction((tx) => tx.live!(tasks).patch('a', { state: 'done' }));
  await store.durable();
  t.strictSame((await startOn(disk.afterCrash(nothing))).owner.sorted, [{ id: 'a', state: 'done' }]);
  await store.stop();
});

t.test('however changes, compactions and restarts follow each other, the owner has what it had', async () => {
  const id = fc.constantFrom('a', 'b', 'c');
  const value = fc.oneof(fc.constant(null), fc.integer(), fc.string({ maxLength: 3 }));
  const patch = fc.dictionary(fc.constantFrom('state', 'tries', 'x'), fc.oneof(value, fc.dictionary(fc.constantFrom('1', '2'), value)), {
    minKeys: 1,
  });
  const change = fc.oneof(
    fc.record({ kind: fc.constant('put' as const), id, state: fc.string({ maxLength: 3 }) }),
    fc.record({ kind: fc.constant('patch' as const), id, patch }),
    fc.record({ kind: fc.constant('delete' as const), id }),
  );
  const step = fc.oneof(
    { weight: 6, arbitrary: fc.array(change, { minLength: 1, maxLength: 3 }) },
    { weight: 1, arbitrary: fc.constantFrom('compact' as const, 'restart' as const, 'crash' as const, 'entry' as const) },
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 20 }), async (steps) => {
      let disk = new SimulatedDisk();
      let { store, owner } = await startOn(disk);
      for (const one of steps) {
        if (typeof one !== 'string') {
          await store.transaction((tx) => {
            const live = tx.live!(tasks);
            for (const change of one) {
              if (change.kind === 'put') live.put({ id: change.id, state: change.state });
              else if (change.kind === 'delete') live.delete(change.id);
              else live.patch(change.id, change.patch);
            }
          });
        } else if (one === 'compact') await store.compact();
        else if (one === 'entry') await addEntry(store);
        else {
          const before = JSON.stringify(owner.sorted);
          if (one === 'restart') await store.stop();
          else disk = disk.afterCrash(everything);
          ({ store, owner } = await startOn(disk));
          if (JSON.stringify(owner.sorted) !== before) throw new Error(`${before} became ${JSON.stringify(owner.sorted)}`);
        }
      }
      const before = JSON.stringify(owner.sorted);
      await store.stop();
      ({ store, owner } = await startOn(disk));
      await store.stop();
      return JSON.stringify(owner.sorted) === before;
    }),
    { numRuns: runs(150) },
  );
});
