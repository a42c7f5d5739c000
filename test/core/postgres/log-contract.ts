import { sealed } from '../../../core/adapters/store/files/sealed.js';
import type { Lease, Log, LogLines } from '../../../core/ports/log.js';
import type { Tap } from '../../../core/testing/tap.js';
import { until } from '../../../scripts/crash/until.js';

/** A place where a log keeps its lines, for several processes. */
export interface LogPlace {
  /** A log as a new process opens it, not started. */
  open(): Log;
  /** Lets the lease of the present owner end without its knowledge. */
  loseOwner(): Promise<void>;
  /** Ends all processes and the machine: only what was acknowledged must remain. */
  crash(): Promise<void>;
}

const SHARD = 'main';

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
export async function contentOf(log: Log, after = 0): Promise<string> {
  const read: Uint8Array[] = [];
  let next = after + 1;
  for await (const batch of log.read(SHARD, after)) {
    for (const { first, last, lines } of batch) {
      if (first > next || last < next) throw new Error(`lines ${first} to ${last} follow transaction ${next - 1}`);
      next = last + 1;
      read.push(lines);
    }
  }
  return Buffer.concat(read).toString();
}

const textOf = (...all: LogLines[]): string => Buffer.concat(all.map(({ lines }) => lines)).toString();

async function opened(t: Tap, place: LogPlace): Promise<Log> {
  const log = place.open();
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

/** The contract of every log. */
export async function logContract(t: Tap, openPlace: (t: Tap) => LogPlace | Promise<LogPlace>): Promise<void> {
  await t.test('lines are read in order, from any transaction on', async (t) => {
    const { log, lease } = await own(t, await openPlace(t));
    t.equal(await contentOf(log), '');
    t.equal(await log.begin(lease, marker(1)), 'durable');
    const [a, b, c] = [linesOf(2, 2, 'Grüße 🙂'), linesOf(3, 7), linesOf(8, 9)];
    for (const lines of [a, b, c]) t.equal(await log.append(lease, lines), 'durable');
    t.equal(await contentOf(log), textOf(marker(1), a, b, c));
    t.equal((await contentOf(log, 7)).includes('"tx":8'), true);
    t.notMatch(await contentOf(log, 9), /"tx"/);
    // A reader may start within an append.
    t.match(await contentOf(log, 4), /"tx":5,/);
  });

  await t.test('what was acknowledged survives a crash', async (t) => {
    const place = await openPlace(t);
    const { log, lease } = await own(t, place);
    await log.begin(lease, marker(1));
    const lines = linesOf(2, 200, 'y'.repeat(5_000));
    t.equal(await log.append(lease, lines), 'durable');
    await place.crash();
    const next = await own(t, place);
    t.equal(await contentOf(next.log), textOf(marker(1), lines));
  });

  await t.test('a shard has one owner, and the next one appends behind it', async (t) => {
    const place = await openPlace(t);
    const first = await own(t, place);
    const other = await opened(t, place);
    t.equal(await other.take(SHARD), undefined);
    t.equal(await first.log.renew(first.lease), true);
    await first.log.begin(first.lease, marker(1));
    await first.log.append(first.lease, linesOf(2, 3));
    await first.log.release(first.lease);
    const lease = await other.take(SHARD);
    t.ok(lease);
    t.equal(await other.begin(lease!, marker(4)), 'durable');
    t.equal(await other.append(lease!, linesOf(5, 5)), 'durable');
    t.equal(await contentOf(other), textOf(marker(1), linesOf(2, 3), marker(4), linesOf(5, 5)));
  });

  await t.test('an owner that has lost the shard appends nothing more, however often it tries', async (t) => {
    const place = await openPlace(t);
    const stale = await own(t, place);
    await stale.log.begin(stale.lease, marker(1));
    await stale.log.append(stale.lease, linesOf(2, 2));
    await place.loseOwner();
    const owner = await own(t, place);
    t.equal(await owner.log.begin(owner.lease, marker(3)), 'durable');
    await until(async () => !(await stale.log.renew(stale.lease)));
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
