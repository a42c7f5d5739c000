import t from 'tap';
import type { Commit } from '../../../../core/adapters/store/commit.js';
import { Journal } from '../../../../core/adapters/store/journal.js';
import { everything, SimulatedDisk } from './simulated-disk.js';

const FOLDER = '/data';
const append = (journal: Journal, commit: Commit) => journal.append(commit, () => {});
const change = (json: string) => ({ collection: 'test.things', key: 'a', json });

function journalOn(disk: SimulatedDisk, onDurable: (tx: number) => void = () => {}) {
  const durable: number[] = [];
  const failures: { message: string; lastDurable: number }[] = [];
  const sealed: string[] = [];
  const begun: string[] = [];
  const journal = new Journal({
    fs: disk,
    folder: FOLDER,
    onDurable: (tx) => {
      durable.push(tx);
      onDurable(tx);
    },
    onFailure: (error, lastDurable) => failures.push({ message: (error as Error).message, lastDurable }),
    onSealed: ({ name }) => sealed.push(name),
    onSegmentStarted: async (name) => void begun.push(name),
  });
  return { journal, durable, failures, sealed, begun };
}

t.test('commits that arrive during a write form one batch, unless it would be too large', async (t) => {
  const disk = new SimulatedDisk();
  const { journal, durable } = journalOn(disk);
  await journal.open(0);
  const large = JSON.stringify({ text: 'x'.repeat(1 << 20) });
  for (let tx = 1; tx <= 10; tx++) append(journal, { tx, changes: [change(large)] });
  await journal.close();
  t.strictSame(durable, [3, 6, 9, 10]);
});

t.test('commits of the turn in which a write ends share the next write', async (t) => {
  const disk = new SimulatedDisk();
  const { journal, durable } = journalOn(disk, (tx) => {
    if (tx !== 1) return;
    append(journal, { tx: 2, changes: [change('{}')] });
    process.nextTick(() => append(journal, { tx: 3, changes: [change('{}')] }));
  });
  await journal.open(0);
  append(journal, { tx: 1, changes: [change('{}')] });
  await journal.close();
  t.strictSame(durable, [1, 3]);
});

t.test('a write waits for the next turn while turns bring commits, for eight turns at most', async (t) => {
  const disk = new SimulatedDisk();
  const { journal, durable } = journalOn(disk);
  await journal.open(0);
  const last = await new Promise<number>((resolve) => {
    const more = (tx: number): void => {
      if (durable.length > 0) resolve(tx - 1);
      else {
        // Queued first, so that it runs before the journal looks for new commits, as requests do.
        setImmediate(more, tx + 1);
        append(journal, { tx, changes: [change('{}')] });
      }
    };
    more(1);
  });
  t.equal(durable[0], 9);
  const turnsUntil = async (tx: number): Promise<number> => {
    let turns = 0;
    for (; durable.at(-1) !== tx; turns++) await new Promise(setImmediate);
    return turns;
  };
  await turnsUntil(last);
  append(journal, { tx: last + 1, changes: [change('{}')] });
  t.ok((await turnsUntil(last + 1)) <= 4, 'a commit alone waits for one turn');
  await journal.close();
});

t.test('a commit whose batch cannot be queued does not affect another batch', async (t) => {
  const disk = new SimulatedDisk();
  const { journal, durable } = journalOn(disk);
  await journal.open(0);
  append(journal, { tx: 1, changes: [change(JSON.stringify({ text: 'x'.repeat(4 << 20) }))] });
  const { push } = Array.prototype;
  Array.prototype.push = () => {
    throw new RangeError('out of memory');
  };
  let thrown: unknown;
  try {
    append(journal, { tx: 2, changes: [change('{}')] });
  } catch (error) {
    thrown = error;
  } finally {
    Array.prototype.push = push;
  }
  t.match(thrown, { message: 'out of memory' });
  append(journal, { tx: 2, changes: [change('{}')] });
  await journal.close();
  t.strictSame(durable, [1, 2]);
});

t.test('a rotation waits for earlier appends, and an empty segment is not rotated', async (t) => {
  const disk = new SimulatedDisk();
  const { journal, sealed } = journalOn(disk);
  await journal.open(7);
  await journal.rotate();
  t.strictSame(sealed, []);
  append(journal, { tx: 8, changes: [change('{}')] });
  append(journal, { tx: 9, changes: [change('{}')] });
  const rotated = journal.rotate();
  append(journal, { tx: 10, changes: [change('{}')] });
  await rotated;
  await journal.close();
  t.strictSame(sealed.length, 1);
  const all = disk.files.flatMap(
    (file) =>
      disk
        .read(file)
        .toString()
        .match(/"tx":\d+/g) ?? [],
  );
  t.strictSame(all, ['"tx":8', '"tx":9', '"tx":10']);
});

t.test('a segment that cannot be started leaves the journal in the previous one', async (t) => {
  const disk = new SimulatedDisk();
  const { journal, durable, sealed } = journalOn(disk);
  await journal.open(0);
  append(journal, { tx: 1, changes: [change('{}')] });
  let isBroken = true;
  disk.before = ({ name }) => {
    if (isBroken && name === 'syncFolder') throw new Error('EIO');
  };
  await t.rejects(journal.rotate(), /EIO/);
  append(journal, { tx: 2, changes: [change('{}')] });
  isBroken = false;
  await journal.rotate();
  await journal.close();
  t.strictSame(durable, [1, 2]);
  t.strictSame(sealed, ['journal-000000000001.jsonl']);
  t.match(disk.read(`${FOLDER}/journal-000000000001.jsonl`).toString(), /"tx":1,.*\n.*"tx":2,/);
});

t.test('an abandoned journal no longer writes to its files', async (t) => {
  const disk = new SimulatedDisk();
  const { journal, durable, failures } = journalOn(disk);
  await journal.open(0);
  append(journal, { tx: 1, changes: [change('{}')] });
  await journal.rotate();
  const before = disk.afterCrash(everything);
  journal.abandon(new Error('another process'));
  append(journal, { tx: 2, changes: [change('{}')] });
  await t.rejects(journal.rotate(), /another process/);
  await t.rejects(journal.recover(), /another process/);
  await journal.close();
  t.strictSame(durable, [1]);
  t.strictSame(failures, [{ message: 'another process', lastDurable: 1 }]);
  t.strictSame(disk.files, before.files);
  for (const file of disk.files) t.ok(disk.read(file).equals(before.read(file)));
});
