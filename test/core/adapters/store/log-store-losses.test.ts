import t from 'tap';
import { LogStore } from '../../../../core/adapters/store/index.js';
import type { LogLoss } from '../../../../core/ports/log.js';
import { collection, liveCollection } from '../../../../core/ports/store.js';
import { RecordingLogger } from '../../../../core/testing/recording-logger.js';
import { patient } from '../../../../core/testing/slowness.js';
import type { Tap } from '../../../../core/testing/tap.js';
import { until } from '../../../../scripts/crash/until.js';
import { ReplicatedDatabase } from '../../../plugins/cluster/postgres/replicated-log.js';

interface Note {
  readonly id: string;
  readonly number: string;
  readonly text: string;
}

/** An owner that is slower than this loses its lease, which most of these tests do not want before they have struck. */
const LEASE_MS = patient(400);
/** For tests in which no lease ends by itself. */
const LONG_LEASE_MS = 600_000;
let processes = 0;

/** A process with a store of its own on the database. */
function processOn(
  t: Tap,
  database: ReplicatedDatabase,
  { afterLoss = 'continue' as 'continue' | 'stop', snapshotEveryBytes = 1 << 30 } = {},
) {
  const log = new RecordingLogger();
  const lines = database.open(`process-${++processes}`, afterLoss);
  const store = new LogStore({ lines, log, name: 'the log', snapshotEveryBytes });
  const notes = collection<Note>({ key: 'id', tenant: { number: 'number' }, unique: { text: ['text'] } });
  store.define('test.notes', notes);
  const lives = liveCollection<{ readonly id: string }>('id');
  const living = new Set<string>();
  const change = (id: string, isThere: boolean) => {
    if (isThere) living.add(id);
    else living.delete(id);
    return () => undefined;
  };
  store.defineLive('test.lives', lives, {
    put: ({ id }) => change(id, true),
    patch: (id) => change(id, true),
    delete: (id) => change(id, false),
    documents: () => Array.from(living, (id) => ({ key: id, toJson: () => JSON.stringify({ id }) })),
  });
  const losses: LogLoss[] = [];
  store.losses.onLoss((loss) => losses.push(loss));
  let isStandby = false;
  store.ownership.onStandby(() => (isStandby = true));
  t.teardown(() => store.stop(0));
  const started = store.start();
  started.catch(() => undefined);
  return {
    ...{ store, lines, log, notes, losses, started, living },
    standby: () => until(() => isStandby, 'it is a standby'),
    write: (id: string, number = 'n') =>
      store.transaction((tx) => {
        tx.in(notes).put({ id, number, text: id });
        tx.live!(lives).put({ id });
      }),
    ids: async () => (await store.open(notes).list()).map(({ id }) => id),
    follows: (tx: number) => until(() => store.position().transaction >= tx, `it has applied transaction ${tx}`),
  };
}

const asynchronous = () => new ReplicatedDatabase({ isSynchronous: false, leaseMs: LEASE_MS });

/** The errors in a log. */
const errorsOf = ({ lines }: RecordingLogger) => lines.filter(({ level }) => level === 'error');

t.test('a standby that is ahead of the log after a fail-over says so, starts again from the log, and takes over', async (t) => {
  const database = asynchronous();
  const owner = processOn(t, database);
  await owner.started;
  await owner.write('a');
  const standby = processOn(t, database);
  await standby.standby();
  await standby.follows(2);
  database.holdReplica();
  await owner.write('lost', 'm');
  await owner.write('a', 'other');
  await standby.follows(4);
  database.failOver();

  await standby.started;
  t.strictSame(await standby.ids(), ['a']);
  t.match(await standby.store.open(standby.notes).get('a'), { number: 'n' });
  await standby.write('lost');
  t.strictSame(await standby.ids(), ['a', 'lost'], 'the indexes are those of the log');
  t.strictSame([...standby.living], ['a', 'lost']);
  const expected = {
    ...{ shard: 'main', kept: 2, last: 4, isComplete: true },
    documents: [
      { collection: 'test.notes', key: 'lost', tenant: 'number m', unique: { text: ['lost'] } },
      { collection: 'test.lives', key: 'lost' },
      { collection: 'test.notes', key: 'a', tenant: 'number other' },
      { collection: 'test.lives', key: 'a' },
    ],
  };
  t.match(standby.losses, [{ ...expected, isAcknowledged: false }]);
  t.match(errorsOf(standby.log), [
    { message: 'the database has lost transactions', fields: { transactions: 2, after: 2, tenants: ['number m', 'number other'] } },
  ]);
  await until(() => owner.losses.length > 0, 'the previous owner knows it as well');
  t.match(owner.losses, [{ ...expected, isAcknowledged: true, id: standby.losses[0]!.id }]);
  t.equal(owner.store.health().state, 'failed');
  t.match(await standby.store.losses.list(), [{ ...expected, isAcknowledged: true, isConfirmed: false }], 'one report');
});

t.test('an owner that is idle finds out with its next renewal; another process that lacked nothing has nothing to report', async (t) => {
  const database = asynchronous();
  const owner = processOn(t, database);
  await owner.started;
  await owner.write('a');
  const backup = database.backup();
  const behind = processOn(t, database);
  await behind.standby();
  await behind.follows(2);
  database.restore(backup);
  await owner.write('b');
  t.equal(owner.losses.length, 0, 'a restore of what everybody has is none');

  const second = database.backup();
  await owner.write('lost');
  database.restore(second);
  await until(() => owner.losses.length === 1, 'the renewal tells');
  t.match(owner.losses, [{ kept: 3, last: 4, isAcknowledged: true }]);
  await behind.started;
  t.strictSame(await behind.ids(), ['a', 'b']);
});

t.test('a log in which another owner has written other transactions at the same place is not applied to what was lost', async (t) => {
  const database = asynchronous();
  const first = processOn(t, database);
  await first.started;
  await first.write('a');
  const backup = database.backup();
  for (const id of ['x', 'y', 'z']) await first.write(id);
  const ahead = processOn(t, database);
  await ahead.standby();
  await ahead.follows(5);
  // It sees nothing of what follows until the log is longer than it was.
  const seen = ahead.store.position().transaction;
  database.restore(backup);
  database.endLeases();
  const other = processOn(t, database);
  await Promise.race([other.started, ahead.started]);
  const next = other.store.position().role === 'owner' ? other : ahead;
  for (let n = 0; n < 10; n++) await next.write(`n${n}`);
  const follower = next === other ? ahead : other;
  await follower.follows(seen + 5);
  await next.store.stop();
  await follower.started;
  t.strictSame(await follower.ids(), ['a', ...Array.from({ length: 10 }, (_, n) => `n${n}`)]);
  t.match(ahead.losses, [{ kept: 2, last: 5 }]);
});

t.test('with afterLoss: stop no process serves until an operator has confirmed the loss', async (t) => {
  const database = asynchronous();
  const owner = processOn(t, database, { afterLoss: 'stop' });
  await owner.started;
  await owner.write('a');
  const standby = processOn(t, database, { afterLoss: 'stop' });
  await standby.standby();
  database.holdReplica();
  await owner.write('lost');
  await standby.follows(3);
  database.failOver();
  await until(() => /until an operator confirms it/.test(standby.store.health().reason ?? ''), 'it says what it waits for');
  t.equal(standby.store.health().state, 'standby');
  const [loss] = await standby.store.losses.list();
  t.equal(await standby.store.losses.confirm(loss!.id), true);
  await standby.started;
  t.strictSame(await standby.ids(), ['a']);
});

t.test('a fail-over that loses nothing changes nothing', async (t) => {
  const database = new ReplicatedDatabase({ leaseMs: LONG_LEASE_MS });
  const owner = processOn(t, database);
  await owner.started;
  const standby = processOn(t, database);
  await standby.standby();
  await owner.write('a');
  database.holdReplica();
  const late = owner.write('b');
  await until(() => database.isWaiting);
  database.endSessions();
  await until(() => database.isWaiting, 'the resend waits as well');
  await standby.follows(3);
  database.failOver();
  await late;
  t.strictSame(await owner.ids(), ['a', 'b']);
  await owner.store.stop();
  await standby.started;
  t.strictSame(await standby.ids(), ['a', 'b']);
  t.strictSame([...owner.losses, ...standby.losses], []);
});

t.test('a standby that continues where the log was removed loads the snapshot that has replaced it', async (t) => {
  const database = new ReplicatedDatabase({ leaseMs: LONG_LEASE_MS });
  const owner = processOn(t, database);
  await owner.started;
  const behind = processOn(t, database);
  await behind.standby();
  await behind.follows(1);
  const read = behind.lines.read.bind(behind.lines);
  let release = () => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  behind.lines.read = async function* (...place) {
    await held;
    yield* read(...place);
  };
  const writer = processOn(t, database, { snapshotEveryBytes: 1 });
  await writer.standby();
  for (let tx = 2; tx <= 20; tx++) {
    await owner.write(`n${tx}`);
    await writer.follows(tx);
  }
  await until(() => database.stateOf('main').rows[0]!.first > 2, 'the log was removed');
  release();
  await behind.follows(20);
  t.match(
    behind.log.lines.filter(({ level }) => level === 'warn'),
    [{ message: /a snapshot has replaced/ }],
  );
  const ids = await owner.ids();
  await writer.store.stop();
  await owner.store.stop();
  await behind.started;
  t.strictSame(await behind.ids(), ids);
  t.strictSame(behind.losses, []);
});
