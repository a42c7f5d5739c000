import { changeIn, type OpenOutbox, redelivered, startOutbox } from './outbox-place.js';
import { latch } from './queue-place.js';
import { patient } from './slowness.js';
import type { Tap } from './tap.js';

/** How deliveries are started, sent and settled, and what happens when one of these fails. */
export async function outboxAttemptsContract(t: Tap, open: OpenOutbox): Promise<void> {
  await t.test('deliveries that are due together start in one transaction, and their outcomes are settled in one', async (t) => {
    const { opened, open: openLatch } = latch();
    const begun: object[] = [];
    const settled: object[] = [];
    const { addTogether, pass, sent, outbox } = await startOutbox(t, open(t), {
      concurrency: 8,
      begin: (tx) => void begun.push(tx),
      send: () => opened,
      settle: (tx) => void settled.push(tx),
    });
    await addTogether(['a'], ['b'], ['c']);
    await pass(0);
    t.strictSame(sent, ['a', 'b', 'c']);
    openLatch();
    await pass(0);
    t.strictSame([begun.length, new Set(begun).size], [3, 1]);
    t.strictSame([settled.length, new Set(settled).size], [3, 1]);
    const depth = outbox.depths().find(({ lane }) => lane === 'default');
    t.match(depth, { ready: 0, later: 0, running: 0 });
  });

  await t.test('a start that conflicts with a change runs again, and sends each delivery once', async (t) => {
    let runs = 0;
    const { addTogether, pass, sent, get } = await startOutbox(t, open(t), {
      concurrency: 8,
      async begin(tx, { entry }, { outbox, change, now }) {
        outbox.in(tx).get(entry.record.uuid);
        if (entry.record.uuid === 'b' && ++runs === 1) await change('a', { state: 'cancelled', settled_at: now().toISOString() });
      },
    });
    await addTogether(['a'], ['b']);
    await pass(60_000);
    t.strictSame([runs, sent], [2, ['b']]);
    t.equal((await get('a'))?.record.state, 'cancelled');
  });

  await t.test('a start that fails is repeated after 1, 2 and 4 seconds, and delays none of those that started with it', async (t) => {
    const begun: number[] = [];
    const { addTogether, pass, sent, now, get } = await startOutbox(t, open(t), {
      concurrency: 8,
      begin(_tx, { entry }) {
        if (entry.record.uuid !== 'a') return;
        begun.push(now().getTime());
        if (begun.length < 5) throw new Error('no luck');
      },
    });
    await addTogether(['a'], ['b']);
    await pass(0);
    t.strictSame(sent, ['b']);
    await pass(60_000);
    t.strictSame(
      begun.map((at) => at - begun[0]!),
      [0, 0, 1_000, 3_000, 7_000],
    );
    t.strictSame(sent, ['b', 'a']);
    t.match((await get('a'))?.record, { attempts: 1, state: 'delivered' }, 'a failure of the platform does not count as an attempt');
  });

  await t.test(
    'a delivery that is not started leaves the queue, and one that stays pending is handed out again after a change',
    async (t) => {
      let isWanted = false;
      const { add, pass, sent, outbox, change } = await startOutbox(t, open(t), {
        begin(tx, { entry }, { outbox, now }) {
          if (isWanted) return true;
          const { uuid } = entry.record;
          if (uuid === 'cancelled') changeIn(outbox.in(tx), uuid, { state: 'cancelled', settled_at: now().toISOString() });
          else changeIn(outbox.in(tx), uuid, { held_at: now().toISOString() });
          return false;
        },
      });
      await add(['cancelled'], ['held']);
      await pass(60_000);
      t.strictSame(sent, []);
      for (const depth of outbox.depths()) t.match(depth, { ready: 0, later: 0, running: 0 });
      isWanted = true;
      await change('held', { held_at: undefined });
      await pass(0);
      t.strictSame(sent, ['held']);
    },
  );

  await t.test('an outcome that cannot be recorded is repeated, and does not affect the others of its batch', async (t) => {
    const { opened, open: openLatch } = latch();
    let isHeld = true;
    const failures: string[] = [];
    const { addTogether, pass, sent, times, get } = await startOutbox(t, open(t), {
      concurrency: 8,
      send: () => (isHeld ? opened : undefined),
      settle(_tx, uuid) {
        if (uuid !== 'b' || new Set(failures).size === 2) return;
        failures.push(`${times.length}`);
        if (new Set(failures).size < 3) throw new Error('no luck');
      },
    });
    await addTogether(['a'], ['b'], ['c']);
    await pass(0);
    isHeld = false;
    openLatch();
    await pass(0);
    t.equal((await get('a'))?.record.state, 'delivered');
    t.equal((await get('c'))?.record.state, 'delivered');
    t.equal((await get('b'))?.record.state, 'sending');
    await pass(60_000);
    t.strictSame(sent, ['a', 'b', 'c', 'b', 'b']);
    t.strictSame(times, [0, 0, 0, 1, 3]);
    t.match((await get('b'))?.record, { state: 'delivered', attempts: 1 });
  });

  await t.test('a conflict while outcomes are recorded records them again, and sends nothing again', async (t) => {
    let runs = 0;
    const { addTogether, pass, sent, get } = await startOutbox(t, open(t), {
      concurrency: 8,
      async settle(tx, uuid, { outbox, change }) {
        outbox.in(tx).get(uuid);
        if (uuid === 'a' && ++runs === 1) await change('a', { message: 'm' });
      },
    });
    await addTogether(['a'], ['b']);
    await pass(60_000);
    t.strictSame([sent, runs], [['a', 'b'], 2]);
    for (const uuid of ['a', 'b']) t.match((await get(uuid))?.record, { state: 'delivered', attempts: 1 });
    t.equal((await get('a'))?.record.message, 'm');
  });

  await t.test('a send that rejects is repeated after 1, 2 and 4 seconds, and does not count as an attempt', async (t) => {
    let sends = 0;
    const { add, pass, sent, times, get } = await startOutbox(t, open(t), {
      send() {
        if (++sends < 4) throw new Error('the platform could not send it');
      },
    });
    await add(['a']);
    await pass(60_000);
    t.strictSame(
      [sent, times],
      [
        ['a', 'a', 'a', 'a'],
        [0, 1, 3, 7],
      ],
    );
    t.match(await get('a'), { record: { state: 'delivered', attempts: 1 }, attempts: { '1.0': { started_at: String } } });
  });

  await t.test('while the store accepts no writes nothing is lost: starts and outcomes are repeated', async (t) => {
    const place = open(t);
    if (!place.fail) return t.comment('this location has no faults');
    const { opened, open: openLatch } = latch();
    const { add, pass, sent, get } = await startOutbox(t, place, { concurrency: 2, send: () => opened });
    await add(['a'], ['b', { state: 'retry_wait', attempts: 1, due_at: '2026-01-05T08:00:05.000Z' }]);
    await pass(0);
    t.strictSame(sent, ['a']);
    const repair = place.fail();
    openLatch();
    await pass(30_000);
    await repair();
    await pass(120_000);
    for (const uuid of ['a', 'b']) t.equal((await get(uuid))?.record.state, 'delivered', uuid);
  });

  await t.test('a change or a deletion while a delivery waits takes effect', async (t) => {
    const { add, pass, sent, times, change, delete: remove, now, get } = await startOutbox(t, open(t));
    const at = (ms: number) => ({ state: 'retry_wait', attempts: 1, due_at: new Date(now().getTime() + ms).toISOString() }) as const;
    await add(['later', at(5_000)], ['earlier', at(9_000)], ['cancelled', at(5_000)], ['deleted', at(5_000)], ['held', at(5_000)]);
    await change('later', at(7_000));
    await change('earlier', at(2_000));
    await change('cancelled', { state: 'cancelled', settled_at: now().toISOString() });
    await change('held', { held_at: now().toISOString() });
    await remove('deleted');
    await pass(60_000);
    t.strictSame(
      [sent, times],
      [
        ['earlier', 'later'],
        [2, 7],
      ],
    );
    t.equal(await get('deleted'), undefined);
  });

  await t.test('a delivery that is cancelled, deleted or redelivered while it runs runs again only if it is redelivered', async (t) => {
    const { opened, open: openLatch } = latch();
    let runs = 0;
    const started = await startOutbox(t, open(t), { concurrency: 4, send: () => (++runs <= 3 ? opened : undefined) });
    const { addTogether, pass, sent, change, delete: remove, now, get } = started;
    await addTogether(['cancelled'], ['deleted'], ['again']);
    await pass(0);
    await change('cancelled', { state: 'cancelled', settled_at: now().toISOString() });
    await remove('deleted');
    await change('again', redelivered((await get('again'))!, now()));
    await pass(0);
    t.equal(sent.length, 3, 'nothing runs twice at the same time');
    openLatch();
    await pass(60_000);
    t.strictSame(sent, ['cancelled', 'deleted', 'again', 'again']);
    t.match((await get('again'))?.record, { state: 'delivered', run: 2, attempts: 1 });
    t.equal((await get('cancelled'))?.record.state, 'cancelled');
    t.equal(await get('deleted'), undefined);
  });

  await t.test('a stop waits for running attempts and starts no others', async (t) => {
    const { opened, open: openLatch } = latch();
    const { add, outbox, sent, pass, get } = await startOutbox(t, open(t), { send: () => opened });
    await add(['a'], ['b']);
    await pass(0);
    const stopped = outbox.stop(10_000).then(() => 'stopped');
    t.equal(await Promise.race([stopped, new Promise((resolve) => setTimeout(resolve, 20, 'waits'))]), 'waits');
    openLatch();
    await stopped;
    t.equal((await get('a'))?.record.state, 'delivered');
    await add(['c']);
    await pass(60_000);
    t.strictSame(sent, ['a']);
  });

  await t.test('a stop does not wait longer than its limit', async (t) => {
    const { opened, open: openLatch } = latch();
    const { add, outbox, pass } = await startOutbox(t, open(t), { send: () => opened });
    await add(['a']);
    await pass(0);
    const began = performance.now();
    await outbox.stop(30);
    t.ok(performance.now() - began < patient(5_000));
    openLatch();
  });

  await t.test('an outbox has one consumer', async (t) => {
    const { outbox } = await startOutbox(t, open(t));
    const other = { concurrency: 1, begin: async () => [], send: async () => undefined, settle: () => undefined };
    t.throws(() => outbox.consume(other), /consumer/);
  });
}
