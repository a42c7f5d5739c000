import t from 'tap';
import { Table } from '../../../../core/adapters/store/tables/table.js';
import { collection, type StoreTransaction } from '../../../../core/ports/store.js';
import { RecordingLogger } from '../../../../core/testing/recording-logger.js';
import { type DiskOperation, everything, SimulatedDisk } from './simulated-disk.js';
import { addEntry, countEntries, counters, left, storeOn } from './store-on-disk.js';

type Fault = DiskOperation['name'];

/** A store with three entries on a disk whose journal can be made to fail. */
async function startFailing(t: Pick<Tap, 'teardown'>) {
  const disk = new SimulatedDisk();
  const log = new RecordingLogger();
  const store = storeOn(disk, { log });
  await store.start();
  for (let i = 0; i < 3; i++) await addEntry(store);
  t.teardown(() => store.stop());
  let failing: readonly Fault[] = [];
  disk.before = ({ name, path }) => {
    if (failing.includes(name) && path.endsWith('.jsonl'))
      throw Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });
  };
  return {
    disk,
    store,
    log,
    breakDisk: (...faults: Fault[]) => {
      failing = faults;
    },
    repairDisk: () => {
      failing = [];
    },
  };
}

interface Tap {
  teardown(run: () => unknown): unknown;
}

const unavailable = { name: 'StoreUnavailable', message: /accepts no more writes: ENOSPC/ };

for (const fault of ['write', 'sync'] as const) {
  t.test(`when a ${fault} of the journal fails, no acknowledged write is lost and no refused one is kept`, async (t) => {
    const { disk, store, log, breakDisk, repairDisk } = await startFailing(t);
    breakDisk(fault);
    const ran: string[] = [];
    const refused = [1, 2, 3].map((i) =>
      store.transaction(async (tx) => {
        tx.afterCommit(() => ran.push('callback'));
        tx.in(left).put({ id: `refused ${i}`, n: 100 + i, text: '' });
        tx.in(left).delete('e0000');
      }),
    );
    for (const outcome of await Promise.allSettled(refused)) {
      t.match(outcome, { status: 'rejected', reason: unavailable });
    }
    t.strictSame(ran, []);
    t.equal(store.state, 'failed');
    t.match(log.lines.at(-1), { level: 'error', message: /accepts no more writes/ });

    await t.rejects(addEntry(store), unavailable, 'it stays failed');
    t.equal(await countEntries(store), 3, 'reads still work');
    t.equal(await store.transaction(async (tx) => (await tx.in(counters).get('entries'))?.count), 3, 'in transactions too');
    const restarted = storeOn(disk.afterCrash(everything));
    await restarted.start();
    t.equal(await countEntries(restarted), 3, 'the refused write does not appear after a restart');
    t.equal(await restarted.open(left).get('refused 1'), undefined);
    await restarted.stop();

    breakDisk('write', 'sync');
    await t.rejects(store.reopen(), /ENOSPC/, 'it stays failed while the disk is broken');
    t.equal(store.state, 'failed');
    repairDisk();

    await store.reopen();
    t.equal(store.state, 'open');
    t.equal(await addEntry(store), 3);
    const later = storeOn(disk.afterCrash(everything));
    await later.start();
    t.equal(await countEntries(later), 4);
    t.equal(await later.open(left).get('refused 1'), undefined);
    await later.stop();
  });
}

t.test('a refused write that could not be cut off is cut off when the store reopens', async (t) => {
  const { disk, store, breakDisk, repairDisk } = await startFailing(t);
  breakDisk('sync', 'truncate');
  await t.rejects(addEntry(store), unavailable);
  repairDisk();
  await store.reopen();
  await addEntry(store);
  const later = storeOn(disk.afterCrash(everything));
  await later.start();
  t.equal(await countEntries(later), 4);
  await later.stop();
});

t.test('commits queued behind a failed write are refused with it, and do not reappear', async (t) => {
  const { disk, store } = await startFailing(t);
  let fail = (_: Error) => {};
  const syncing = new Promise<void>((begun) => {
    disk.before = ({ name, path }) => {
      if (name !== 'sync' || !path.endsWith('.jsonl')) return undefined;
      begun();
      return new Promise<void>((_, reject) => (fail = reject));
    };
  });
  const first = addEntry(store);
  await syncing;
  const second = addEntry(store);
  await new Promise((resolve) => setImmediate(resolve));
  disk.before = () => {};
  fail(new Error('ENOSPC'));
  for (const outcome of await Promise.allSettled([first, second])) t.match(outcome, { status: 'rejected', reason: unavailable });
  await store.reopen();
  t.equal(await addEntry(store), 3);
  const later = storeOn(disk.afterCrash(everything));
  await later.start();
  t.equal(await countEntries(later), 4);
  await later.stop();
});

t.test('unique values that two documents exchanged are restored when the disk fails', async (t) => {
  const disk = new SimulatedDisk();
  const store = storeOn(disk);
  const seats = collection<{ id: string; row: string; seat: number }>({ key: 'id', unique: { seat: ['row', 'seat'] } });
  store.define('test.seats', seats);
  await store.start();
  t.teardown(() => store.stop());
  const seat = (id: string, at: number) => (tx: StoreTransaction) => tx.in(seats).put({ id, row: 'a', seat: at });
  await store.transaction((tx) => [seat('ann', 1), seat('bob', 2)].map((put) => put(tx)));
  disk.before = ({ name, path }) => {
    if (name === 'sync' && path.endsWith('.jsonl')) throw new Error('ENOSPC');
  };
  const before = store.open(seats).revision!();
  const exchanged = store.transaction((tx) => [seat('ann', 2), seat('bob', 1), seat('carl', 3)].map((put) => put(tx)));
  const moved = store.transaction((tx) => seat('carl', 4)(tx));
  await t.rejects(exchanged, unavailable);
  await t.rejects(moved, unavailable);
  t.not(store.open(seats).revision!(), before, 'a rollback is a change, too');
  const at = async (number: number) => (await store.open(seats).getBy('seat', ['a', number]))?.id;
  t.strictSame([await at(1), await at(2), await at(3), await at(4)], ['ann', 'bob', undefined, undefined]);
  disk.before = () => {};
  await store.reopen();
  await store.transaction((tx) => [seat('ann', 3), seat('dan', 1)].map((put) => put(tx)));
  t.strictSame([await at(1), await at(2), await at(3)], ['dan', 'bob', 'ann']);
  await t.rejects(
    store.transaction((tx) => seat('eve', 2)(tx)),
    { name: 'UniqueViolation' },
  );
});

t.test('a disk that writes part of a transaction and then fails, even to truncate it, leaves no partial transaction', async (t) => {
  for (let written = 0; written < 400; written += 7) {
    const { disk, store, repairDisk } = await startFailing(t);
    disk.before = ({ name, path }) => {
      if (path.endsWith('.jsonl') && name !== 'create') throw Object.assign(new Error('ENOSPC'), { code: 'ENOSPC', written });
    };
    await t.rejects(addEntry(store, 'some text'), { name: 'StoreUnavailable' });
    const killed = storeOn(disk.afterCrash(everything));
    await killed.start();
    const found = await countEntries(killed);
    if (found !== 3 && found !== 4) t.fail(`${found} entries after ${written} bytes`);
    await killed.stop();
    repairDisk();
    disk.before = () => {};
    await store.reopen();
    t.equal(await addEntry(store), 3);
    const later = storeOn(disk.afterCrash(everything));
    await later.start();
    t.equal(await countEntries(later), 4);
    await later.stop();
  }
});

t.test('a compaction that meets a fault at any operation fails, writes continue, and the next one succeeds', async (t) => {
  const faults: string[] = [];
  for (let failAt = 0; ; failAt++) {
    const disk = new SimulatedDisk();
    const store = storeOn(disk);
    await store.start();
    for (let i = 0; i < 3; i++) await addEntry(store);
    let used = 0;
    let fault: string | undefined;
    disk.before = ({ name, path }) => {
      if (used++ < failAt || fault) return;
      fault = `${name} ${path}`;
      throw Object.assign(new Error('EIO'), { code: 'EIO' });
    };
    const outcome = await store.compact().then(
      () => 'merged',
      () => 'given up',
    );
    disk.before = () => {};
    if (!fault) break;
    faults.push(fault);
    t.equal(outcome, 'given up', fault);
    t.equal(store.state, 'open');
    t.equal(await addEntry(store), 3);
    const killed = storeOn(disk.afterCrash(everything));
    await killed.start();
    t.equal(await countEntries(killed), 4, fault);
    await killed.stop();
    await store.compact();
    t.equal(disk.files.filter((file) => file.endsWith('.jsonl') && disk.read(file).length > 0).length, 0, fault);
    await store.stop();
  }
  t.ok(faults.length > 15, `${faults.length} operations`);
});

t.test('a transaction that only read writes that are then rolled back is refused', async (t) => {
  const { store, breakDisk } = await startFailing(t);
  breakDisk('sync');
  const write = addEntry(store);
  const read = store.transaction(async (tx) => {
    for (;;) {
      const count = (await tx.in(counters).get('entries'))?.count;
      if (count === 4) return count;
      await new Promise((resolve) => setImmediate(resolve));
    }
  });
  const plain = store.open(counters).get('entries');
  await t.rejects(write, unavailable);
  await t.rejects(read, unavailable);
  t.match(await plain, { count: 3 });
});

t.test('when memory runs out while a transaction is encoded, only that one is refused', async (t) => {
  const { disk, store } = await startFailing(t);
  const allocate = Buffer.allocUnsafeSlow;
  t.teardown(() => Object.assign(Buffer, { allocUnsafeSlow: allocate }));
  Buffer.allocUnsafeSlow = () => {
    throw new RangeError('Array buffer allocation failed');
  };
  await t.rejects(addEntry(store, 'x'.repeat(200_000)), { message: 'Array buffer allocation failed' });
  t.equal(await countEntries(store), 3, 'readers do not see it');
  t.strictSame(store.health(), { state: 'open' });
  Buffer.allocUnsafeSlow = allocate;
  t.equal(await addEntry(store), 3);
  const later = storeOn(disk.afterCrash(everything));
  await later.start();
  t.equal(await countEntries(later), 4);
  await later.stop();
});

t.test('when a transaction cannot be applied, the store accepts no more writes until a restart', async (t) => {
  const { disk, store } = await startFailing(t);
  const received: unknown[] = [];
  store.onHealth((health) => received.push(health));
  const { set } = Table.prototype;
  t.teardown(() => Object.assign(Table.prototype, { set }));
  let release = () => {};
  const syncing = new Promise<void>((begun) => {
    disk.before = ({ name, path }) => {
      if (name !== 'sync' || !path.endsWith('.jsonl')) return undefined;
      begun();
      return new Promise<void>((resolve) => (release = resolve));
    };
  });
  const accepted = addEntry(store);
  await syncing;
  Table.prototype.set = function (key, row) {
    set.call(this, key, row);
    Table.prototype.set = set;
    throw new RangeError('out of memory');
  };
  const restart =
    /accepts no more writes: out of memory while a transaction was applied; restart the process\. Acknowledged writes are safe/;
  const refused = t.rejects(addEntry(store), { name: 'StoreUnavailable', message: restart });
  disk.before = () => {};
  release();
  await refused;
  t.equal(await accepted, 3, 'a transaction applied earlier is acknowledged');
  t.equal(await countEntries(store), 4, 'reads still work');
  t.match(received, [{ state: 'failed', reason: /^out of memory/ }]);
  await t.rejects(addEntry(store), { name: 'StoreUnavailable', message: restart });
  await t.rejects(store.reopen(), { name: 'StoreUnavailable', message: restart });
  const later = storeOn(disk.afterCrash(everything));
  await later.start();
  t.equal(await addEntry(later), 4);
  await later.stop();
});

t.test('a start that meets a fault at any operation leaves no open file and no lock', async (t) => {
  const first = new SimulatedDisk();
  const filled = storeOn(first);
  await filled.start();
  for (let i = 0; i < 3; i++) await addEntry(filled);
  let faults = 0;
  for (let failAt = 0; ; failAt++) {
    const disk = first.afterCrash(everything);
    disk.put('/data/left-over.tmp', Buffer.from('x'));
    let used = 0;
    disk.before = ({ path }) => {
      if (!path.endsWith('/lock') && used++ === failAt) throw Object.assign(new Error('EIO'), { code: 'EIO' });
    };
    const outcome = await storeOn(disk)
      .start()
      .then(
        () => 'started',
        (error: Error) => error.message,
      );
    if (outcome === 'started') break;
    faults++;
    t.equal(disk.openFiles, 0, `open files after fault ${failAt}: ${outcome}`);
    t.notOk(disk.files.includes('/data/lock'));
  }
  t.ok(faults > 4, `${faults} faults`);
});

t.test('a store whose disk has failed can be stopped, and releases its lock', async (t) => {
  const { disk, store, breakDisk } = await startFailing(t);
  breakDisk('sync');
  await t.rejects(addEntry(store), unavailable);
  await store.stop();
  t.notOk(disk.files.some((file) => file.endsWith('lock')));
});
