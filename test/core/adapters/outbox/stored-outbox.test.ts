import t from 'tap';
import { ManualClock } from '../../../../core/adapters/clock/manual-clock.js';
import { StoredOutbox } from '../../../../core/adapters/outbox/stored-outbox.js';
import { liveOverStore } from '../../../../core/adapters/store/live-over-store.js';
import { MemoryStore } from '../../../../core/adapters/store/memory-store.js';
import type { Store } from '../../../../core/ports/store.js';
import { type OutboxPlace, type OutboxUnderTest, outboxContract } from '../../../../core/testing/outbox-contract.js';
import { RecordingLogger } from '../../../../core/testing/recording-logger.js';
import { patient } from '../../../../core/testing/slowness.js';
import { plainStore } from '../store/plain-store.js';
import { nothing, SimulatedDisk } from '../store/simulated-disk.js';
import { storeOn } from '../store/store-on-disk.js';

function outboxOver(store: Store, clock = new ManualClock({ patienceMs: patient(50) })): OutboxUnderTest {
  const outbox = new StoredOutbox({ store, clock, log: new RecordingLogger(), transaction: (work) => store.transaction(work) });
  return { store, outbox, pass: (ms) => clock.advance(ms), jump: (ms) => clock.jump(ms), now: () => clock.now() };
}

/** JSON files on a simulated disk. `seenAs` is the store that the outbox gets. */
function placeOnDisk(seenAs: (store: Store) => Store = (store) => store): OutboxPlace & { readonly disk: () => SimulatedDisk } {
  let disk = new SimulatedDisk();
  const clock = new ManualClock({ patienceMs: patient(50) });
  let store = storeOn(disk);
  return {
    disk: () => disk,
    isPersistent: true,
    create() {
      store = storeOn(disk);
      return outboxOver(seenAs(store), clock);
    },
    crash() {
      disk = disk.afterCrash(nothing);
    },
    compact: () => store.compact(),
    fail() {
      const failing = store;
      const broken = disk;
      broken.before = ({ name, path }) => {
        if (name === 'write' && path.endsWith('.jsonl')) throw new Error('ENOSPC: no space left on device');
      };
      return async () => {
        broken.before = () => {};
        await failing.reopen();
      };
    },
  };
}

t.test('the stored outbox over memory keeps the contract', async (t) => {
  await outboxContract(t, () => ({ isPersistent: false, create: () => outboxOver(new MemoryStore({ log: new RecordingLogger() })) }));
});

t.test('the stored outbox over JSON files keeps the contract', async (t) => {
  await outboxContract(t, () => placeOnDisk());
});

t.test('the stored outbox over a store without live collections keeps the contract', async (t) => {
  await t.test('in memory', (t) =>
    outboxContract(t, () => ({
      isPersistent: false,
      create: () => outboxOver(liveOverStore(plainStore(new MemoryStore({ log: new RecordingLogger() })))),
    })),
  );
  await t.test('on disk', (t) => outboxContract(t, () => placeOnDisk((store) => liveOverStore(plainStore(store)))));
});
