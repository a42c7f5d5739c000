import type { OutboxEntry } from '../ports/outbox.js';
import type { StoreTransaction } from '../ports/store.js';
import { outboxAttemptsContract } from './outbox-contract-attempts.js';
import { outboxOrderContract } from './outbox-contract-order.js';
import { outboxReadsContract } from './outbox-contract-reads.js';
import { outboxRestartContract } from './outbox-contract-restart.js';
import { causes, changeIn, type OpenOutbox, recordOf, type StartedOutbox, startOutbox } from './outbox-place.js';
import { latch } from './queue-place.js';
import type { Tap } from './tap.js';

export type { OpenOutbox, OutboxPlace, OutboxUnderTest } from './outbox-place.js';

/** The contract of every outbox, over any store. */
export async function outboxContract(t: Tap, open: OpenOutbox): Promise<void> {
  await t.test('transactions', (t) => outboxTransactionsContract(t, open));
  await t.test('attempts', (t) => outboxAttemptsContract(t, open));
  await t.test('order', (t) => outboxOrderContract(t, open));
  await t.test('reads', (t) => outboxReadsContract(t, open));
  await t.test('restarts', (t) => outboxRestartContract(t, open));
}

/** Deliveries and the transactions that add and change them. */
async function outboxTransactionsContract(t: Tap, open: OpenOutbox): Promise<void> {
  await t.test('a delivery is stored and sent exactly when the transaction that adds it is stored', async (t) => {
    const { store, outbox, sent, pass, now, names } = await startOutbox(t, open(t));
    const failed = store.transaction((tx) => {
      outbox.in(tx).add(recordOf('never', now()), {});
      tx.in(causes).put({ name: 'never' });
      throw new Error('changed my mind');
    });
    await t.rejects(failed, /mind/);
    await store.transaction((tx) => {
      outbox.in(tx).add(recordOf('a', now()), { body: '{"text":"a"}' });
      tx.in(causes).put({ name: 'a' });
    });
    await pass(60_000);
    t.strictSame(sent, ['a']);
    t.strictSame(await store.open(causes).list(), [{ name: 'a' }]);
    t.strictSame(await names((entries) => entries.newest()), ['a']);
    t.equal(outbox.newest.size, 1);
    t.match(await outbox.read((entries) => entries.get('a')), {
      content: { body: '{"text":"a"}' },
      record: { state: 'delivered', attempts: 1 },
    });
  });

  await t.test('a transaction that adds a delivery whose cause conflicts adds it once', async (t) => {
    const { store, outbox, sent, pass, now } = await startOutbox(t, open(t));
    let runs = 0;
    await store.transaction(async (tx) => {
      const known = await tx.in(causes).get('a');
      if (++runs === 1) await store.transaction((other) => other.in(causes).put({ name: 'a' }));
      tx.in(causes).put({ name: known ? 'b' : 'a' });
      outbox.in(tx).add(recordOf('a', now()), {});
    });
    await pass(0);
    t.strictSame([runs, sent, outbox.newest.size], [2, ['a'], 1]);
  });

  await t.test('a delivery is sent after its transaction is durable', async (t) => {
    const place = open(t);
    const { store, outbox, sent, pass, now, add } = await startOutbox(t, place);
    await store.transaction(async (tx) => {
      outbox.in(tx).add(recordOf('a', now()), {});
      await new Promise((resolve) => setImmediate(resolve));
      t.strictSame(sent, []);
    });
    await pass(0);
    t.strictSame(sent, ['a']);
    if (!place.fail) return t.comment('this location has no faults');
    const repair = place.fail();
    await t.rejects(add(['refused']), { name: 'StoreUnavailable' });
    await pass(60_000);
    t.strictSame([sent, outbox.newest.size], [['a'], 1]);
    await repair();
    await add(['b']);
    await pass(60_000);
    t.strictSame(sent, ['a', 'b']);
  });

  await t.test('concurrent transactions that look for an event before they add it add it once', async (t) => {
    const { store, outbox, sent, pass, now } = await startOutbox(t, open(t));
    const { opened, open: openLatch } = latch();
    let looking = 0;
    const post = (uuid: string, webhook = 'hook') =>
      store.transaction(async (tx) => {
        const known = outbox.in(tx).ofEvent(webhook, 'event');
        if (++looking === 3) openLatch();
        await opened;
        const entry = known ?? outbox.in(tx).add(recordOf(uuid, now(), { event: 'event', webhook }), {});
        t.equal(outbox.in(tx).ofEvent(webhook, 'event')?.record.uuid, entry.record.uuid, 'its own addition');
        return entry.record.uuid;
      });
    const [a, b, other] = await Promise.all([post('a'), post('b'), post('other', 'other hook')]);
    t.equal(a, b);
    t.equal(other, 'other');
    await pass(0);
    t.strictSame(sent.toSorted(), [a!, 'other']);
    t.equal(await post('c'), a, 'a delivered event is known');
  });

  await t.test('reads inside a transaction see its own changes', async (t) => {
    const { store, outbox, addTogether, now } = await startOutbox(t, open(t));
    const since = now().toISOString();
    await addTogether(['a', { held_at: since }], ['b', { held_at: since }], ['c', { held_at: since }], ['d']);
    await store.transaction((tx) => hold(tx, outbox, ['c', 'a', 'b']));
    await store.transaction((tx) => {
      const entries = outbox.in(tx);
      const held = (limit: number) => entries.held('hook', limit).map(({ record }) => record.uuid);
      t.strictSame(held(2), ['c', 'a']);
      changeIn(entries, 'c', { held_at: undefined });
      t.strictSame(held(2), ['a', 'b']);
      entries.delete(entries.get('a')!);
      t.strictSame([entries.get('a'), entries.ofEvent('hook', 'a')], [undefined, undefined]);
      const added = entries.add(recordOf('e', now(), { held_at: since }), {});
      entries.change(added, { record: added.record, held: { order: 1.5, since } });
      t.strictSame(held(5), ['e', 'b']);
      t.equal(entries.get('e')?.held?.order, 1.5);
      t.equal(entries.ofEvent('hook', 'e')?.record.uuid, 'e');
    });
    t.strictSame(await outbox.read((entries) => entries.held('hook', 9).map(({ record }) => record.uuid)), ['e', 'b']);
  });

  await t.test('a transaction runs again when deliveries that it has read or changes have changed meanwhile', async (t) => {
    const started = await startOutbox(t, open(t));
    const { store, outbox, addTogether, now, change } = started;
    const since = now().toISOString();
    await addTogether(['a', { held_at: since }], ['b', { held_at: since }]);
    await store.transaction((tx) => hold(tx, outbox, ['a', 'b']));
    const reads: Readonly<Record<string, (tx: StoreTransaction) => unknown>> = {
      get: (tx) => outbox.in(tx).get('a'),
      ofEvent: (tx) => outbox.in(tx).ofEvent('hook', 'a'),
      held: (tx) => outbox.in(tx).held('hook', 1),
    };
    for (const [name, read] of Object.entries(reads)) {
      let runs = 0;
      await store.transaction(async (tx) => {
        read(tx);
        if (++runs === 1) await change('a', { message: name });
        tx.in(causes).put({ name });
      });
      t.equal(runs, 2, name);
    }
    let runs = 0;
    await store.transaction(async (tx) => {
      const stale = outbox.newest.get('a')!;
      if (++runs === 1) await change('a', { message: 'newer' });
      outbox.in(tx).change(stale, { record: { ...stale.record, conversation: 'added' } });
    });
    t.equal(runs, 2);
    t.match((await started.get('a'))?.record, { message: 'newer', conversation: 'added' }, 'no change is overwritten');
    runs = 0;
    await store.transaction(async (tx) => {
      outbox.in(tx).get('a');
      if (++runs === 1) await change('b', { message: 'unrelated' });
      tx.in(causes).put({ name: 'unrelated' });
    });
    t.equal(runs, 1, 'an unrelated change does not conflict');
  });

  await t.test('an error that follows from a delivery that has changed meanwhile runs the transaction again', async (t) => {
    const { store, outbox, add, change } = await startOutbox(t, open(t));
    await add(['a', { held_at: '2026-01-05T08:00:00.000Z' }]);
    let runs = 0;
    await store.transaction(async (tx) => {
      const entry = outbox.in(tx).get('a');
      if (++runs === 1) await change('a', { message: 'm' });
      if (entry?.record.message !== 'm') throw new Error('it has no message');
    });
    t.equal(runs, 2);
  });
}

/** Holds deliveries of a paused destination, in this order. */
function hold(tx: StoreTransaction, outbox: StartedOutbox['outbox'], uuids: readonly string[]): void {
  for (const [i, uuid] of uuids.entries()) {
    const entry: OutboxEntry = outbox.in(tx).get(uuid)!;
    outbox.in(tx).change(entry, { record: entry.record, held: { order: i + 1, since: entry.record.held_at! } });
  }
}
