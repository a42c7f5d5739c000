import type { OutboxEntry } from '../ports/outbox.js';
import type { Lane } from '../ports/queue.js';
import { type Fields, type OpenOutbox, startOutbox } from './outbox-place.js';
import { latch } from './queue-place.js';
import type { Tap } from './tap.js';

/** Which delivery is next: conversations, lanes, destinations, due times. */
export async function outboxOrderContract(t: Tap, open: OpenOutbox): Promise<void> {
  await t.test(
    'first attempts of one conversation to one destination run one after the other, in order, whatever their lanes',
    async (t) => {
      const running = new Set<string>();
      const { add, pass, sent } = await startOutbox(t, open(t), {
        concurrency: 8,
        async send({ record: { webhook, conversation } }) {
          const serial = `${webhook} ${conversation}`;
          if (running.has(serial)) t.fail(`two deliveries of ${serial} run at the same time`);
          running.add(serial);
          await new Promise((resolve) => setImmediate(resolve));
          running.delete(serial);
        },
      });
      const lanes: Lane[] = ['low', 'high', 'default'];
      const names = Array.from({ length: 36 }, (_, i) => `${'ab'[i % 2]}${'xy'[(i >> 1) % 2]}${String(i).padStart(2, '0')}`);
      for (const [i, name] of names.entries()) await add([name, { webhook: name[0]!, conversation: name[1]!, lane: lanes[i % 3]! }]);
      await pass(0);
      t.equal(sent.length, 36);
      for (const serial of ['ax', 'ay', 'bx', 'by']) {
        const mine = sent.filter((name) => name.startsWith(serial));
        t.strictSame(mine, mine.toSorted());
      }
    },
  );

  await t.test('deliveries of several conversations, destinations or without a conversation run concurrently', async (t) => {
    const { opened, open: openLatch } = latch();
    const { addTogether, pass, sent } = await startOutbox(t, open(t), { concurrency: 8, send: () => opened });
    await addTogether(
      ['a', { conversation: 'x' }],
      ['behind a', { conversation: 'x' }],
      ['b', { conversation: 'y' }],
      ['c', { conversation: 'x', webhook: 'other' }],
      ['d'],
      ['e'],
    );
    await pass(0);
    t.strictSame(sent.toSorted(), ['a', 'b', 'c', 'd', 'e']);
    openLatch();
    await pass(0);
    t.equal(sent.at(-1), 'behind a');
  });

  await t.test('a retry blocks no first attempt, and runs before those of its destination that wait', async (t) => {
    const { opened, open: openLatch } = latch();
    const { add, pass, sent } = await startOutbox(t, open(t), {
      send({ record: { uuid, attempts } }) {
        if (uuid === 'a' && attempts === 0) return { retryInMs: 5_000 };
        return uuid === 'plug' ? opened : undefined;
      },
    });
    await add(['a', { conversation: 'x' }], ['b', { conversation: 'x' }]);
    await pass(0);
    t.strictSame(sent.splice(0), ['a', 'b']);
    await add(['plug', { conversation: 'x' }], ['c', { conversation: 'x' }], ['d']);
    await pass(5_000);
    openLatch();
    await pass(0);
    t.strictSame(sent, ['plug', 'a', 'c', 'd']);
  });

  await t.test('in strict order a retry blocks its conversation until it is settled, also after a restart', async (t) => {
    const place = open(t);
    const strict = (conversation: string): Fields => ({ conversation, order: 'strict' });
    const send = ({ record: { uuid, attempts } }: OutboxEntry) => (uuid === 'a' && attempts < 2 ? { retryInMs: 5_000 } : undefined);
    const first = await startOutbox(t, place, { concurrency: 8, send });
    await first.addTogether(['a', strict('x')], ['b', strict('x')], ['other conversation', strict('y')]);
    await first.pass(0);
    t.strictSame(first.sent.toSorted(), ['a', 'other conversation']);
    t.strictSame(first.outbox.blocked('hook'), { conversations: 1, deliveries: 1 });
    await first.add(['c', strict('x')], ['other destination', { ...strict('x'), webhook: 'other' }]);
    await first.pass(4_999);
    t.strictSame(first.sent.splice(0).toSorted(), ['a', 'other conversation', 'other destination']);
    await first.pass(1);
    t.strictSame(first.sent, ['a']);
    t.strictSame(first.outbox.blocked('hook'), { conversations: 1, deliveries: 2 });
    let [outbox, { pass, sent }] = [first.outbox, first];
    if (place.isPersistent) {
      await first.outbox.stop();
      await first.store.stop();
      const second = await startOutbox(t, place, { concurrency: 8, send });
      [outbox, { pass, sent }] = [second.outbox, second];
      await pass(0);
      t.strictSame(sent, []);
    } else sent.splice(0);
    await pass(5_000);
    t.strictSame(sent, ['a', 'b', 'c']);
    t.strictSame(outbox.blocked('hook'), { conversations: 0, deliveries: 0 });
  });

  await t.test('in strict order, a delivery that is cancelled while it waits lets the next one start', async (t) => {
    const { addTogether, change, pass, sent } = await startOutbox(t, open(t), {
      concurrency: 8,
      send: ({ record: { uuid } }) => (uuid === 'a' ? { retryInMs: 5_000 } : undefined),
    });
    await addTogether(['a', { conversation: 'x', order: 'strict' }], ['b', { conversation: 'x', order: 'strict' }]);
    await pass(0);
    t.strictSame(sent, ['a']);
    await change('a', { state: 'cancelled', settled_at: '2026-01-05T08:00:00.000Z', due_at: undefined });
    await pass(0);
    t.strictSame(sent, ['a', 'b']);
  });

  await t.test('attempts of a destination with a gap start one after the other, retries first, and do not delay others', async (t) => {
    const { addTogether, pass, sent, times } = await startOutbox(t, open(t), {
      concurrency: 8,
      gapOf: (webhook) => (webhook === 'slow' ? 500 : undefined),
      send: ({ record: { uuid, attempts } }) => (uuid === 'a' && attempts === 0 ? { retryInMs: 900 } : undefined),
    });
    await addTogether(...['a', 'b', 'c', 'd'].map((name) => [name, { webhook: 'slow' }] as const), ['other']);
    await pass(0);
    t.strictSame(sent.splice(0).toSorted(), ['a', 'other']);
    await pass(3_000);
    t.strictSame(sent, ['b', 'a', 'c', 'd']);
    for (const [i, at] of times.slice(2).entries()) t.ok(Math.abs(at - 0.5 * (i + 1)) <= 0.021, `${sent[i]} after ${at} s`);
  });

  await t.test('a delivery that the platform could not send blocks no others of its conversation', async (t) => {
    let isFirst = true;
    const { add, pass, sent } = await startOutbox(t, open(t), {
      send() {
        if (!isFirst) return;
        isFirst = false;
        throw new Error('the platform could not send it');
      },
    });
    await add(['a', { conversation: 'x' }]);
    await pass(0);
    await add(['b', { conversation: 'x' }]);
    await pass(999);
    t.strictSame(sent, ['a', 'b']);
    await pass(1);
    t.strictSame(sent, ['a', 'b', 'a']);
  });

  await t.test('lanes share the slots 6:3:1, and every lane gets some', async (t) => {
    const { opened, open: openLatch } = latch();
    const { add, addTogether, pass, sent } = await startOutbox(t, open(t), {
      send: ({ record }) => (record.uuid === 'default plug' ? opened : undefined),
    });
    await add(['default plug']);
    await pass(0);
    const lanes: Lane[] = ['low', 'default', 'high'];
    await addTogether(...Array.from({ length: 90 }, (_, i) => [`${lanes[i % 3]} ${i}`, { lane: lanes[i % 3]! }] as const));
    openLatch();
    await pass(0);
    t.equal(sent.length, 91);
    const early = sent.slice(0, 40);
    const count = (lane: Lane) => early.filter((name) => name.startsWith(lane)).length;
    t.strictSame([count('high'), count('default'), count('low')], [24, 12, 4]);
  });

  await t.test('a lane and a destination run no more concurrent attempts than their shares', async (t) => {
    const { opened, open: openLatch } = latch();
    const shares = { lane: { high: 64, default: 4, low: 3 }, group: { high: 5, default: 3, low: 2 } };
    const { addTogether, pass, sent, outbox } = await startOutbox(t, open(t), { concurrency: 64, shares, send: () => opened });
    const of = (lane: Lane, webhook: string, i: number) => [`${lane} ${webhook} ${i}`, { lane, webhook }] as const;
    await addTogether(
      ...Array.from({ length: 12 }, (_, i) => [
        of('low', 'a', i),
        of('low', 'b', i),
        of('default', 'c', i),
        of('default', 'd', i),
        of('high', 'e', i),
      ]).flat(),
    );
    await pass(0);
    const count = (start: string) => sent.filter((name) => name.startsWith(start)).length;
    t.strictSame([count('low'), count('low a'), count('default'), count('default c'), count('high')], [3, 2, 4, 2, 5]);
    t.match(
      outbox.depths().map(({ lane, running }) => [lane, running]),
      [
        ['high', 5],
        ['default', 4],
        ['low', 3],
      ],
    );
    openLatch();
    await pass(0);
    t.equal(sent.length, 60);
  });

  await t.test('destinations take turns, and a retry joins the current lane of its destination', async (t) => {
    const { opened, open: openLatch } = latch();
    const lanes = new Map<string, Lane>();
    const { add, pass, sent, now } = await startOutbox(t, open(t), {
      laneOf: (webhook) => lanes.get(webhook),
      send: ({ record }) => (record.uuid === 'plug' ? opened : undefined),
    });
    const due = new Date(now().getTime() + 1_000).toISOString();
    await add(['plug'], ['a1', { webhook: 'a' }], ['a2', { webhook: 'a' }], ['b1', { webhook: 'b' }]);
    await add(['c1', { webhook: 'c', lane: 'low', state: 'retry_wait', attempts: 1, due_at: due }]);
    lanes.set('c', 'high');
    await pass(1_000);
    openLatch();
    await pass(0);
    t.strictSame(sent, ['plug', 'c1', 'a1', 'b1', 'a2']);
  });

  await t.test('retries run when they are due, and not before', async (t) => {
    const { addTogether, pass, sent, times, now } = await startOutbox(t, open(t), {
      send: ({ record: { attempts } }) => (attempts < 2 ? { retryInMs: attempts === 0 ? 17_000 : 19_500 } : undefined),
    });
    await addTogether(['a', { created_at: new Date(now().getTime() - 5_000).toISOString() }]);
    await pass(100_000);
    t.strictSame(
      [sent, times],
      [
        ['a', 'a', 'a'],
        [0, 17, 36.5],
      ],
    );
  });

  await t.test('a wall clock that is set forward makes retries due, and one that is set back lengthens no wait', async (t) => {
    const { add, pass, sent, jump, now } = await startOutbox(t, open(t));
    const retry = (ms: number): Fields => ({ state: 'retry_wait', attempts: 1, due_at: new Date(now().getTime() + ms).toISOString() });
    await add(['in an hour', retry(3_600_000)]);
    jump(7_200_000);
    await add(['now']);
    await pass(0);
    t.strictSame(sent.splice(0).toSorted(), ['in an hour', 'now']);
    await add(['in a minute', retry(60_000)]);
    jump(-3_600_000);
    await add(['immediately']);
    await pass(0);
    t.strictSame(sent.splice(0), ['immediately']);
    await pass(59_999);
    t.strictSame(sent, []);
    await pass(1);
    t.strictSame(sent, ['in a minute']);
  });

  await t.test('deliveries of one conversation keep their order when the wall clock is set back between them', async (t) => {
    const { opened, open: openLatch } = latch();
    const { add, pass, sent, jump } = await startOutbox(t, open(t), {
      send: ({ record }) => (record.uuid === 'plug' ? opened : undefined),
    });
    await add(['plug', { conversation: 'x' }], ['a', { conversation: 'x' }]);
    await pass(0);
    jump(-3_600_000);
    await add(['b', { conversation: 'x' }]);
    await pass(1_000);
    openLatch();
    await pass(0);
    t.strictSame(sent, ['plug', 'a', 'b']);
  });

  await t.test('deliveries of a paused destination are not sent, and run in their order after their release', async (t) => {
    const since = '2026-01-05T08:00:00.000Z';
    const { store, outbox, add, pass, sent } = await startOutbox(t, open(t));
    await add(...['a', 'b', 'c'].map((name) => [name, { held_at: since, conversation: 'x' }] as const), ['free', { conversation: 'y' }]);
    await store.transaction((tx) => {
      for (const [i, uuid] of ['a', 'b', 'c'].entries()) {
        const entry = outbox.in(tx).get(uuid)!;
        outbox.in(tx).change(entry, { record: entry.record, held: { order: i, since } });
      }
    });
    await pass(60_000);
    t.strictSame(sent.splice(0), ['free']);
    t.equal(outbox.newest.unsettled().held, 3);
    await add(['behind', { conversation: 'x', held_at: since }]);
    await store.transaction((tx) => {
      const last = outbox.in(tx).get('behind')!;
      outbox.in(tx).change(last, { record: last.record, held: { order: 9, since } });
    });
    await store.transaction((tx) => {
      for (const entry of outbox.in(tx).held('hook', 3)) outbox.in(tx).change(entry, { record: { ...entry.record, held_at: undefined } });
    });
    await pass(0);
    t.strictSame(sent, ['a', 'b', 'c']);
    t.strictSame(await outbox.read((entries) => entries.held('hook', 9).map(({ record }) => record.uuid)), ['behind']);
    t.equal(outbox.newest.unsettled().held, 1);
  });

  await t.test('waitedMs is the time since the delivery was due, without the wait until then', async (t) => {
    const { opened, open: openLatch } = latch();
    const waited: [string, number][] = [];
    const { add, pass, now } = await startOutbox(t, open(t), {
      begin: (_tx, { entry, waitedMs }) => void waited.push([entry.record.uuid, waitedMs]),
      send: ({ record }) => (record.uuid === 'plug' ? opened : undefined),
    });
    await add(['plug'], ['retry', { state: 'retry_wait', attempts: 1, due_at: new Date(now().getTime() + 2_000).toISOString() }]);
    await pass(5_000);
    openLatch();
    await pass(0);
    t.strictSame(waited, [
      ['plug', 0],
      ['retry', 3_000],
    ]);
  });
}
