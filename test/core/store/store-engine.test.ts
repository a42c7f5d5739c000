import t from 'tap';
import type { Commit } from '../../../core/adapters/commit.js';
import { Records } from '../../../core/adapters/records.js';
import { Table } from '../../../core/adapters/table.js';
import { collection } from '../../../core/ports/store.js';
import { RecordingLogger } from '../../../core/testing/recording-logger.js';

interface Thing {
  id: string;
  n: number;
}

const things = collection<Thing>({ key: 'id', indexes: { n: ['n'] } });

function recordsThatAreDurableAtOnce(aloneLimitMs?: number): Records {
  const records: Records = new Records({
    log: new RecordingLogger(),
    write: ({ tx }: Commit) => records.durable(tx),
    ...(aloneLimitMs !== undefined && { aloneLimitMs }),
  });
  records.define('test.things', things);
  records.begin(0);
  return records;
}

t.test('a range gives its rows one by one, and the rest is not looked at', async (t) => {
  const table = new Table('test.things', things as never);
  for (let n = 0; n < 1000; n++) table.set(`${n}`, table.rowOf({ id: `${n}`, n }));
  let looked = 0;
  for (const row of table.span('n', { from: [500], order: 'descending' }).rows()) {
    t.equal(row.key, `${999 - looked}`);
    if (++looked === 10) break;
  }
  t.equal(looked, 10);
});

t.test('a transaction that waits for another while all others wait for it is told so, and the others go on', async (t) => {
  const records = recordsThatAreDurableAtOnce(50);
  await records.transaction((tx) => tx.in(things).put({ id: 'a', n: 0 }));
  let runs = 0;
  const greedy = records.transaction(async (tx) => {
    runs++;
    const a = (await tx.in(things).get('a'))!;
    await records.transaction((other) => other.in(things).put({ id: 'a', n: a.n + 1 }));
    tx.in(things).put({ id: 'b', n: a.n });
  });
  await t.rejects(greedy, { name: 'TransactionConflict', message: /does it wait for one of them/ });
  t.equal(runs, 6, 'five times among the others, once alone');
  await records.transaction((tx) => tx.in(things).put({ id: 'c', n: 1 }));
  t.equal(await records.open(things).get('b'), undefined);
  t.match(await records.open(things).get('c'), { n: 1 });
});

t.test('the numbers of the transactions have no gaps, and those that change nothing have none', async (t) => {
  const numbers: number[] = [];
  const records: Records = new Records({
    log: new RecordingLogger(),
    write: ({ tx }) => {
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
