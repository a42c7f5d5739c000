import { setTimeout as sleep } from 'node:timers/promises';
import { sealed } from '../../../../core/adapters/store/index.js';
import type { Lease, Log, LogLines, LogPosition } from '../../../../core/ports/log.js';
import type { Tap } from '../../../../core/testing/tap.js';

/** A place where a log keeps its lines, for several processes. */
export interface LogPlace {
  /** A log as a new process opens it, not started. @param afterLoss as the option of `postgresStore` */
  open(afterLoss?: 'continue' | 'stop'): Log;
  /** Lets the lease of the present owner end without its knowledge. */
  loseOwner(): Promise<void>;
  /** Ends all processes and the machine: only what was acknowledged must remain. */
  crash(): Promise<void>;
}

const SHARD = 'main';
const LOOK_MS = 5;

/** Lines of transactions `first` to `last`, with this text in each. */
export function linesOf(first: number, last: number, text = 'x'): LogLines {
  const lines: Buffer[] = [];
  for (let tx = first; tx <= last; tx++) {
    const document = JSON.stringify({ id: 'a', text });
    lines.push(sealed('', Buffer.from(`{"tx":${tx},"changes":[["test.things","a",${document}]]}`)), Buffer.from('\n'));
  }
  return { first, last, lines: Buffer.concat(lines) };
}

export const marker = (tx: number): LogLines => ({
  first: tx,
  last: tx,
  lines: Buffer.concat([sealed('', Buffer.from(`{"tx":${tx},"changes":[]}`)), Buffer.from('\n')]),
});

/** The text of everything after a transaction. */
export async function contentOf(log: Log, after: number | LogPosition = 0): Promise<string> {
  const read: Uint8Array[] = [];
  const position = typeof after === 'number' ? { tx: after } : after;
  let next = position.tx + 1;
  for await (const batch of log.read(SHARD, position)) {
    for (const { first, last, lines } of batch) {
      if (first > next || last < next) throw new Error(`lines ${first} to ${last} follow transaction ${next - 1}`);
      next = last + 1;
      read.push(lines);
    }
  }
  return Buffer.concat(read).toString();
}

const loggedText = (...all: LogLines[]): string => Buffer.concat(all.map(({ lines }) => lines)).toString();

async function opened(t: Tap, place: LogPlace, afterLoss?: 'continue' | 'stop'): Promise<Log> {
  const log = place.open(afterLoss);
  await log.start();
  t.teardown(() => log.stop());
  return log;
}

async function own(t: Tap, place: LogPlace): Promise<{ log: Log; lease: Lease }> {
  const log = await opened(t, place);
  const lease = await log.take(SHARD);
  if (!lease) throw new Error('the shard is in use');
  return { log, lease };
}

/** The end of an empty log, as a process knows it. */
const NOTHING: LogPosition = { tx: 0 };

/** Where a process is after everything that it has read. */
export async function endOf(log: Log, after: LogPosition = NOTHING): Promise<LogPosition> {
  let end = after;
  for await (const batch of log.read(SHARD, after)) for (const { last, epoch } of batch) end = { tx: last, epoch };
  return end;
}

/** The contract of every log. */
export async function logContract(t: Tap, openPlace: (t: Tap) => LogPlace | Promise<LogPlace>): Promise<void> {
  await t.test('lines are read in order, from any transaction on', async (t) => {
    const { log, lease } = await own(t, await openPlace(t));
    t.equal(await contentOf(log), '');
    t.equal(await log.begin(lease, NOTHING, marker(1)), 'durable');
    const [a, b, c] = [linesOf(2, 2, 'Grüße 🙂'), linesOf(3, 7), linesOf(8, 9)];
    for (const lines of [a, b, c]) t.equal(await log.append(lease, lines), 'durable');
    t.equal(await contentOf(log), loggedText(marker(1), a, b, c));
    t.equal((await contentOf(log, 7)).includes('"tx":8'), true);
    t.notMatch(await contentOf(log, 9), /"tx"/);
    // A reader may start within an append.
    t.match(await contentOf(log, 4), /"tx":5,/);
  });

  await t.test('what was acknowledged survives a crash', async (t) => {
    const place = await openPlace(t);
    const { log, lease } = await own(t, place);
    await log.begin(lease, NOTHING, marker(1));
    const lines = linesOf(2, 200, 'y'.repeat(5_000));
    t.equal(await log.append(lease, lines), 'durable');
    await place.crash();
    const next = await own(t, place);
    t.equal(await contentOf(next.log), loggedText(marker(1), lines));
  });

  await t.test('a reader continues at the end of the older of two snapshots, and not before it', async (t) => {
    const { log, lease } = await own(t, await openPlace(t));
    if (!log.writeSnapshot) return;
    await log.begin(lease, NOTHING, marker(1));
    for (let tx = 2; tx <= 5; tx++) await log.append(lease, linesOf(tx, tx));
    const { epoch } = lease;
    for (const through of [3, 4]) await log.writeSnapshot(SHARD, { through, epoch, parts: partsOf() });
    t.strictSame(await endOf(log, { tx: 3, epoch }), { tx: 5, epoch });
    await t.rejects(endOf(log, { tx: 2, epoch }), { name: 'LogTrimmed' });
    await t.rejects(endOf(log), { name: 'LogTrimmed' });
  });

  await t.test('a shard has one owner, and the next one appends behind it', async (t) => {
    const place = await openPlace(t);
    const first = await own(t, place);
    const other = await opened(t, place);
    t.equal(await other.take(SHARD), undefined);
    t.equal(await first.log.renew(first.lease), true);
    await first.log.begin(first.lease, NOTHING, marker(1));
    await first.log.append(first.lease, linesOf(2, 3));
    await first.log.release(first.lease);
    const lease = (await other.take(SHARD)) as Lease;
    t.ok(lease);
    t.equal(await other.begin(lease, await endOf(other), marker(4)), 'durable');
    t.equal(await other.append(lease, linesOf(5, 5)), 'durable');
    t.equal(await contentOf(other), loggedText(marker(1), linesOf(2, 3), marker(4), linesOf(5, 5)));
  });

  await t.test('an owner that has lost the shard appends nothing more, however often it tries', async (t) => {
    const place = await openPlace(t);
    const stale = await own(t, place);
    await stale.log.begin(stale.lease, NOTHING, marker(1));
    await stale.log.append(stale.lease, linesOf(2, 2));
    await place.loseOwner();
    const owner = await own(t, place);
    t.equal(await owner.log.begin(owner.lease, await endOf(owner.log), marker(3)), 'durable');
    while (await stale.log.renew(stale.lease)) await sleep(LOOK_MS);
    t.equal(await stale.log.append(stale.lease, linesOf(3, 3, 'stale')), 'fenced');
    // Its next append goes to a place that is still free.
    t.equal(await stale.log.append(stale.lease, linesOf(4, 4, 'stale')), 'fenced');
    t.equal(await owner.log.append(owner.lease, linesOf(4, 4)), 'durable');
    t.equal(await stale.log.append(stale.lease, linesOf(5, 6, 'stale')), 'fenced');
    t.equal(await owner.log.append(owner.lease, linesOf(5, 5)), 'durable');
    t.notMatch(await contentOf(owner.log), /stale/);
    await stale.log.release(stale.lease);
    t.equal(await owner.log.renew(owner.lease), true, 'a stale owner releases nothing');
  });
}

/** A place whose database has a replica that can take over. */
export interface ReplicatedLogPlace extends LogPlace {
  /** The replica gets nothing more; resolves when it gets nothing. */
  holdReplica(): Promise<void>;
  /** The replica gets everything again. */
  releaseReplica(): Promise<void>;
  /** Resolves when a commit waits for the replica. */
  waiting(): Promise<void>;
  /** Ends the sessions whose commits wait for the replica: their changes remain in the database. */
  endSessions(): Promise<void>;
  /** The database ends, and its replica takes over with what it has. */
  failOver(): Promise<void>;
}

/** Whether a promise is still pending after what is in progress has had the time to end. */
async function isPending(promise: Promise<unknown>, ms: number): Promise<boolean> {
  return Promise.race([promise.then(() => false), sleep(ms, true)]);
}

/**
 * The contract of logs in a database with a replica. Each test gets a place of its own: the database has failed over at its end.
 * @param patienceMs how long an acknowledgement that must not come is waited for
 */
export async function replicatedLogContract(
  t: Tap,
  openPlace: (t: Tap, options: { readonly isSynchronous: boolean }) => ReplicatedLogPlace | Promise<ReplicatedLogPlace>,
  patienceMs = 50,
): Promise<void> {
  await t.test('a row that only the database has is not acknowledged, also when a resend finds it', async (t) => {
    const place = await openPlace(t, { isSynchronous: true });
    const { log, lease } = await own(t, place);
    await log.begin(lease, NOTHING, marker(1));
    await place.holdReplica();
    const appended = log.append(lease, linesOf(2, 2, 'first'));
    await place.waiting();
    await place.endSessions();
    await place.waiting();
    t.match(await contentOf(await opened(t, place)), /"tx":2/, 'other sessions see the row');
    t.equal(await isPending(appended, patienceMs), true, 'and its writer waits');
    // The wait of the resend ends in the same way.
    await place.endSessions();
    await place.waiting();
    t.equal(await isPending(appended, patienceMs), true);
    await place.failOver();
    t.equal(await appended, 'durable');
    t.equal(await contentOf(await opened(t, place)), loggedText(marker(1), linesOf(2, 2, 'first')), 'it is there after the fail-over');
  });

  await t.test('a resend is acknowledged when the replica has the row', async (t) => {
    const place = await openPlace(t, { isSynchronous: true });
    const { log, lease } = await own(t, place);
    await log.begin(lease, NOTHING, marker(1));
    await place.holdReplica();
    const appended = log.append(lease, linesOf(2, 4));
    await place.waiting();
    await place.endSessions();
    await place.waiting();
    await place.releaseReplica();
    t.equal(await appended, 'durable');
    await place.failOver();
    t.equal(await contentOf(await opened(t, place)), loggedText(marker(1), linesOf(2, 4)));
  });

  await t.test('the first append of an owner is acknowledged like any other', async (t) => {
    const place = await openPlace(t, { isSynchronous: true });
    const { log, lease } = await own(t, place);
    await place.holdReplica();
    const begun = log.begin(lease, NOTHING, marker(1));
    await place.waiting();
    await place.endSessions();
    await place.waiting();
    t.equal(await isPending(begun, patienceMs), true);
    await place.failOver();
    t.equal(await begun, 'durable');
    t.equal(await contentOf(await opened(t, place)), loggedText(marker(1)));
  });

  await t.test('everyone who has seen what a fail-over lost gets an error, and the others continue', async (t) => {
    const place = await openPlace(t, { isSynchronous: false });
    const { log, lease } = await own(t, place);
    await log.begin(lease, NOTHING, marker(1));
    await log.append(lease, linesOf(2, 3));
    const [ahead, behind] = [await opened(t, place), await opened(t, place)];
    const before = await endOf(behind);
    t.equal(before.tx, 3);
    await place.holdReplica();
    await log.append(lease, linesOf(4, 5, 'lost'));
    const after = await endOf(ahead, before);
    t.equal(after.tx, 5);
    t.equal(await log.renew(lease, 5), true);
    await place.failOver();

    const isRewound = { name: 'LogRewound' };
    await t.rejects(log.renew(lease, 5), isRewound, 'the owner, when it renews its lease');
    t.equal(await log.append(lease, linesOf(6, 6)), 'fenced', 'it appends nothing behind a gap');
    await t.rejects(endOf(ahead, after), isRewound, 'who has read it');
    await place.loseOwner();
    const next = (await behind.take(SHARD)) as Lease;
    t.equal(await behind.begin(next, after, marker(6)), 'behind', 'who would begin after it');
    t.equal(await behind.begin(next, await endOf(behind, before), marker(4)), 'durable');
    t.equal(await behind.append(next, linesOf(5, 9)), 'durable');
    await t.rejects(endOf(ahead, after), isRewound, 'also when the log has grown past it');
    t.equal((await endOf(behind, before)).tx, 9);
    t.equal(await log.append(lease, linesOf(6, 6)), 'fenced');
    await t.rejects(ahead.writeSnapshot!(SHARD, { through: 5, epoch: after.epoch, parts: partsOf() }), isRewound, 'nor a snapshot with it');
    t.equal(await behind.readSnapshot!(SHARD), undefined);
  });

  await t.test('an owner of which the fail-over lost even the lease appends nothing to the log of the next one', async (t) => {
    const place = await openPlace(t, { isSynchronous: false });
    const first = await own(t, place);
    await first.log.begin(first.lease, NOTHING, marker(1));
    await first.log.release(first.lease);
    await place.holdReplica();
    const lost = await own(t, place);
    await lost.log.begin(lost.lease, await endOf(lost.log), marker(2));
    t.equal(await lost.log.append(lost.lease, linesOf(3, 3, 'lost')), 'durable');
    await place.failOver();
    const next = await own(t, place);
    // As many owners before it as before the lost one.
    t.not(next.lease.epoch, lost.lease.epoch);
    await next.log.begin(next.lease, await endOf(next.log), marker(2));
    await next.log.append(next.lease, linesOf(3, 3));
    t.equal(await lost.log.append(lost.lease, linesOf(4, 4, 'lost')), 'fenced');
    t.equal(await lost.log.renew(lost.lease, 3), false);
    t.notMatch(await contentOf(next.log), /lost/);
  });

  await t.test('a loss is reported once, and can keep the shard from an owner until an operator confirms it', async (t) => {
    const place = await openPlace(t, { isSynchronous: true });
    const { log, lease } = await own(t, place);
    await log.begin(lease, NOTHING, marker(1));
    const loss = { id: 'main-2-7', shard: SHARD, kept: 1, last: 2, documents: [], isComplete: true };
    const document = { collection: 'core.messages', key: 'm', tenant: 'number n' };
    await log.reportLoss!({ ...loss, isAcknowledged: true });
    const strict = await opened(t, place, 'stop');
    await strict.reportLoss!({ ...loss, last: 3, documents: [document], isAcknowledged: false });
    t.match(await strict.losses!(), [{ ...loss, last: 3, documents: [document], isAcknowledged: true, isConfirmed: false, at: /^\d{4}-/ }]);
    t.equal(await log.renew(lease, 1), true, 'the option decides');
    await log.release(lease);
    await t.rejects(strict.take(SHARD), { name: 'LogStopped' });
    t.equal(await strict.confirmLoss!('other'), false);
    t.equal(await strict.confirmLoss!(loss.id), true);
    t.match(await strict.losses!(), [{ isConfirmed: true }]);
    const next = (await strict.take(SHARD)) as Lease;
    t.ok(next.epoch > lease.epoch);
    await log.reportLoss!({ ...loss, id: 'main-9-7', isAcknowledged: false });
    t.equal(await strict.renew(next), false, 'an owner ends when another process reports a loss');
  });
}

async function* partsOf(): AsyncGenerator<Uint8Array, void> {
  yield linesOf(5, 5).lines;
}
