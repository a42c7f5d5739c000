import t from 'tap';
import type { Commit } from '../../../../core/adapters/store/commit.js';
import { Records } from '../../../../core/adapters/store/tables/records.js';
import { Table } from '../../../../core/adapters/store/tables/table.js';
import { collection } from '../../../../core/ports/store.js';
import { RecordingLogger } from '../../../../core/testing/recording-logger.js';

interface Thing {
  id: string;
  n: number;
}

const things = collection<Thing>({ key: 'id', indexes: { n: ['n'] } });

function recordsThatAreDurableAtOnce(exclusiveLimitMs?: number): Records {
  const records: Records = new Records({
    log: new RecordingLogger(),
    write: ({ tx }: Commit, apply) => {
      apply();
      records.durable(tx);
    },
    ...(exclusiveLimitMs !== undefined && { exclusiveLimitMs }),
  });
  records.define('test.things', things);
  records.begin(0);
  return records;
}

t.test('a range returns its rows lazily, without reading the rest', async (t) => {
  const table = new Table('test.things', things as never);
  for (let n = 0; n < 1000; n++) table.set(`${n}`, table.rowOf({ id: `${n}`, n }));
  let looked = 0;
  for (const row of table.span('n', { from: [500], order: 'descending' }).rows()) {
    t.equal(row.key, `${999 - looked}`);
    if (++looked === 10) break;
  }
  t.equal(looked, 10);
});

t.test('a transaction that waits for another while all others wait for it fails with an error, and the others continue', async (t) => {
  const records = recordsThatAreDurableAtOnce(50);
  await records.transaction((tx) => tx.in(things).put({ id: 'a', n: 0 }));
  let runs = 0;
  const greedy = records.transaction(async (tx) => {
    runs++;
    const a = (await tx.in(things).get('a'))!;
    await records.transaction((other) => other.in(things).put({ id: 'a', n: a.n + 1 }));
    tx.in(things).put({ id: 'b', n: a.n });
  });
  await t.rejects(greedy, { name: 'TransactionConflict', message: /must not await another transaction/ });
  t.equal(runs, 6, 'five times concurrently, once exclusively');
  await records.transaction((tx) => tx.in(things).put({ id: 'c', n: 1 }));
  t.equal(await records.open(things).get('b'), undefined);
  t.match(await records.open(things).get('c'), { n: 1 });
});

t.test('transaction numbers have no gaps, and a transaction without changes has none', async (t) => {
  const numbers: number[] = [];
  const records: Records = new Records({
    log: new RecordingLogger(),
    write: ({ tx }, apply) => {
      apply();
      numbers.push(tx);
      records.durable(tx);
    },
  });
  records.define('test.things', things);
  records.begin(41);
  await records.transaction((tx) => tx.in(things).put({ id: 'a', n: 0 }));
  await records.transaction((tx) => tx.in(things).delete('not there'));
  await records.transaction((tx) => tx.in(things).list());
  await records.transaction((tx) => tx.in(things).put({ id: 'b', n: 0 }));
  t.strictSame(numbers, [42, 43]);
});

t.test(
  'a slow read-only transaction that saw writes that are then rolled back is refused once, without unhandled rejections',
  async (t) => {
    const unheard: unknown[] = [];
    const hear = (reason: unknown) => void unheard.push(reason);
    process.on('unhandledRejection', hear);
    t.teardown(() => process.off('unhandledRejection', hear));
    const things = collection<{ id: string; n: number }>({ key: 'id' });
    const records = new Records({ log: new RecordingLogger(), exclusiveLimitMs: 20, write: (_, apply) => apply() });
    records.define('test.things', things);
    records.begin(0);
    const writes: Promise<unknown>[] = [];
    let runs = 0;
    let isOver = false;
    const reading = records.transaction(async (tx) => {
      await tx.in(things).get('x');
      if (++runs <= 5) writes.push(records.transaction((other) => other.in(things).put({ id: 'x', n: runs })));
      else await new Promise((resolve) => setTimeout(resolve, 60));
      await new Promise(setImmediate);
      isOver = runs > 5;
    });
    await t.rejects(reading, { name: 'TransactionConflict' });
    const failed = Promise.allSettled(writes);
    while (!isOver) await new Promise(setImmediate);
    await new Promise(setImmediate);
    records.fail(new Error('ENOSPC'), 0);
    t.strictSame(new Set((await failed).map(({ status }) => status)), new Set(['rejected']));
    await new Promise(setImmediate);
    t.strictSame(unheard, []);
  },
);
