import { type OpenOutbox, type OutboxPlace, redelivered, type StartedOutbox, startOutbox } from './outbox-place.js';
import { latch } from './queue-place.js';
import type { Tap } from './tap.js';

/** Restarts, crashes and compactions: the next process finds everything that was durable. */
export async function outboxRestartContract(t: Tap, open: OpenOutbox): Promise<void> {
  await t.test('after a restart pending deliveries are sent in the order of creation, with those that were being sent', async (t) => {
    const place = open(t);
    if (!place.isPersistent) return t.comment('this location is not persistent');
    const { opened, open: openLatch } = latch();
    const first = await startOutbox(t, place, {
      concurrency: 4,
      send({ record: { uuid } }) {
        if (uuid === 'sending') return opened;
        return uuid === 'retry' ? { retryInMs: 5_000 } : undefined;
      },
    });
    await first.add(['delivered'], ['retry', { webhook: 'other' }]);
    await first.pass(0);
    const x = { conversation: 'x' };
    await first.add(['sending', x], ['b', x], ['c', x], ['cancelled', x], ['deleted', x], ['held', { held_at: first.now().toISOString() }]);
    await first.pass(0);
    t.strictSame(first.sent, ['delivered', 'retry', 'sending']);
    await first.change('cancelled', { state: 'cancelled', settled_at: first.now().toISOString() });
    await first.delete('deleted');
    await end(first);
    openLatch();

    const second = await startOutbox(t, place);
    await second.pass(0);
    t.strictSame(second.sent.splice(0), ['sending', 'b', 'c']);
    await second.pass(4_999);
    t.strictSame(second.sent, []);
    await second.pass(1);
    t.strictSame(second.sent, ['retry']);
    await second.add(['new']);
    await second.pass(0);
    t.strictSame(second.sent, ['retry', 'new']);
    t.ok((await second.get('new'))!.seq > (await second.get('held'))!.seq, 'numbers continue');
    t.match(
      second.outbox.depths().map(({ ready, later, running }) => ready + later + running),
      [0, 0, 0],
    );
  });

  await t.test(
    'a wall clock that is set back while the platform is stopped lengthens no wait, and forward makes retries due',
    async (t) => {
      for (const [jump, waitMs] of [
        [-3_600_000, 5_000],
        [3_600_000, 0],
      ] as const) {
        const place = open(t);
        if (!place.isPersistent) return t.comment('this location is not persistent');
        const first = await startOutbox(t, place, { send: () => ({ retryInMs: 5_000 }) });
        await first.add(['a']);
        await first.pass(0);
        await end(first);
        first.jump(jump);
        const second = await startOutbox(t, place);
        if (waitMs > 0) await second.pass(waitMs - 1);
        t.strictSame(second.sent, waitMs > 0 ? [] : second.sent);
        await second.pass(waitMs > 0 ? 1 : 0);
        t.strictSame(second.sent, ['a']);
      }
    },
  );

  for (const [how, leave] of [
    ['a crash', (_: StartedOutbox, place: OutboxPlace) => place.crash?.()],
    ['a compaction and a crash', (_: StartedOutbox, place: OutboxPlace) => place.compact?.().then(place.crash)],
    ['a stop', (started: StartedOutbox) => end(started)],
  ] as const) {
    await t.test(`after ${how} everything that was durable is the same`, async (t) => {
      const place = open(t);
      if (!place.isPersistent) return t.comment('this location is not persistent');
      if (how !== 'a stop' && !place.crash) return t.comment('this location has no crashes');
      const { opened } = latch();
      const first = await startOutbox(t, place, {
        concurrency: 3,
        send({ record: { uuid, attempts } }) {
          if (uuid === 'sending') return opened;
          return uuid === 'retry' && attempts < 2 ? { retryInMs: 1_000 } : undefined;
        },
      });
      const since = first.now().toISOString();
      await first.addTogether(['delivered', { message: 'm' }], ['retry', { number: '+1', message: 'm' }], ['sending', { lane: 'high' }]);
      await first.add(['held', { held_at: since }], ['deleted'], ['no content', { held_at: since, body_bytes: undefined, kept_bytes: 3 }]);
      await first.pass(1_500);
      await first.store.transaction((tx) => {
        const entries = first.outbox.in(tx);
        const held = entries.get('held')!;
        entries.change(held, { record: held.record, held: { order: 4, since } });
        const emptied = entries.get('no content')!;
        entries.change(emptied, { record: emptied.record, content: null });
      });
      await first.delete('deleted');
      await first.change('delivered', redelivered((await first.get('delivered'))!, first.now()));
      await first.pass(0);
      const before = await stateOf(first);
      await leave(first, place);

      const second = await startOutbox(t, place, { begin: () => new Promise(() => undefined) });
      t.strictSame(await stateOf(second), before);
      await second.outbox.stop(1);
    });
  }
}

/** Ends an outbox whose running attempts do not end. */
async function end({ outbox, store }: StartedOutbox): Promise<void> {
  await outbox.stop(1);
  await store.stop();
}

/** Everything that readers see, as JSON. */
async function stateOf({ outbox }: StartedOutbox): Promise<unknown> {
  const state = await outbox.read((entries) => ({
    all: Array.from(entries.oldest(), ({ id, seq, record, content, attempts, held }) => ({ id, seq, record, content, attempts, held })),
    newest: Array.from(entries.newest({ number: '+2711' }), ({ id }) => id),
    ofMessage: Array.from(entries.newest({ message: 'm' }), ({ id }) => id),
    held: entries.held('hook', 9).map(({ id }) => id),
    unsettled: entries.unsettled(),
    size: entries.size,
  }));
  return JSON.parse(JSON.stringify(state, (_, value: unknown) => sorted(value)));
}

/** The order of fields is not part of the state. */
const sorted = (value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
    : value;
