import t from 'tap';
import { Entries } from '../../../../core/adapters/outbox/entries.js';
import { Entry } from '../../../../core/adapters/outbox/entry.js';
import type { DeliveryOutbox } from '../../../../core/delivery/delivery.js';
import { deliveryRecord } from '../../../../core/delivery/delivery-record.js';
import { slicesOf } from '../../../../core/delivery/delivery-slices.js';

const START = Date.parse('2026-01-05T08:00:00.000Z');
const at = (n: number): string => new Date(START + n).toISOString();

/** Settled deliveries of one webhook. Each third settles late, like one that is retried, and `dropped` of them are dropped. */
function history(count: number, dropped: readonly number[] = []): { entries: Entries; ids: string[] } {
  const entries = new Entries();
  const ids: string[] = [];
  for (let n = 0; n < count; n++) {
    const record = deliveryRecord({
      ...{ uuid: `uuid-${n}`, number: '+1', webhook: 'w', kind: 'network', subscription: 'msgapp', event: `event-${n}` },
      ...{
        state: dropped.includes(n) ? 'dropped' : 'delivered',
        run: 1,
        attempts: 1,
        created_at: at(n),
        settled_at: at(n % 3 === 0 ? n + 500 : n),
      },
    });
    const entry = Entry.added(entries.nextSeq(), record, { body: '{}' });
    entries.put(entry);
    ids.push(entry.id);
  }
  return { entries, ids };
}

/** Microseconds for each of 500 removals from the middle of a history, each put back, as a refused write does. */
function removal({ entries, ids }: ReturnType<typeof history>): number {
  const middle = ids.slice(ids.length / 2 - 250, ids.length / 2 + 250);
  const began = process.cpuUsage();
  for (const id of middle) entries.delete(id)();
  const { user, system } = process.cpuUsage(began);
  return (user + system) / middle.length;
}

t.test('removal from the middle of a history of 64,000 costs about as much as from one of 1,000', async (t) => {
  const [short, long] = [history(1_000), history(64_000)];
  const ratios = Array.from({ length: 9 }, () => {
    const ofShort = removal(short);
    return removal(long) / ofShort;
  }).sort((a, b) => a - b);
  // Arrays of deliveries needed 30 times as long.
  t.ok(ratios[2]! < 8, `${ratios.map((ratio) => ratio.toFixed(1))}`);
});

t.test('deliveries that settled late are evicted in the order in which they settled', async (t) => {
  const { entries } = history(3_000);
  const settled = Array.from(entries.settled(), ({ record: { settled_at } }) => settled_at!);
  t.strictSame(settled, settled.toSorted());
  t.equal(settled.length, 3_000);
});

t.test('a search for failed or pending deliveries does not read the others, and one for others reads them in turns', async (t) => {
  const { entries } = history(5_000, [7, 4_000]);
  const found = (outcomes: readonly ('pending' | 'delivered' | 'cancelled' | 'dropped')[]): number[] =>
    Array.from(entries.newest({ webhook: 'w', outcomes }), ({ seq }) => seq);
  t.strictSame(found(['dropped']), [4_001, 8]);
  t.strictSame(found(['cancelled', 'dropped']), [4_001, 8]);
  t.strictSame(found(['cancelled']), []);
  t.strictSame(found(['pending']), []);
  t.strictSame(
    Array.from(entries.oldest({ number: '+1', outcomes: ['dropped'] }, 8), ({ seq }) => seq),
    [4_001],
  );

  const outbox = { read: async (work: (read: Entries) => unknown) => work(entries) } as unknown as DeliveryOutbox;
  let turns = 0;
  let isReading = true;
  const count = (): void => {
    turns++;
    if (isReading) setImmediate(count);
  };
  setImmediate(count);
  const sizes: number[] = [];
  for await (const slice of slicesOf(outbox, 'newest', { webhook: 'w' })) sizes.push(slice.length);
  isReading = false;
  t.strictSame(sizes, [1_000, 1_000, 1_000, 1_000, 1_000, 0]);
  t.ok(turns >= 5, `other work ran ${turns} times`);
});
