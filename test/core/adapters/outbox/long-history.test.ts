import t from 'tap';
import { Entries } from '../../../../core/adapters/outbox/entries.js';
import { Entry } from '../../../../core/adapters/outbox/entry.js';
import { deliveryRecord } from '../../../../core/delivery/delivery-record.js';

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

t.test('a search for pending deliveries reads no others', async (t) => {
  const { entries } = history(5_000, [7, 4_000]);
  t.strictSame([...entries.newest({ webhook: 'w', outcomes: ['pending'] })], []);
});

t.test('deliveries of two shards that were joined may have the same seq, and each is found and changed by its id', async (t) => {
  const entries = new Entries();
  const stored = (number: string, uuid: string) =>
    ({ id: `${number}/000000000007`, uuid, webhook: 'w', event: uuid, created_at: at(0), body_bytes: 2, content: { json: {} } }) as never;
  for (const [number, uuid] of [
    ['+1', 'a'],
    ['+2', 'b'],
    ['+3', 'c'],
  ] as const)
    entries.put(stored(number, uuid));
  const uuids = () => Array.from(entries.oldest(), ({ record }) => record.uuid);
  t.strictSame(uuids(), ['a', 'b', 'c']);
  entries.patch('+2/000000000007', { state: 'sending' });
  t.equal(entries.get('b')!.record.state, 'sending');
  t.equal(entries.get('a')!.record.state, 'queued');
  const undo = entries.delete('+1/000000000007');
  t.strictSame(uuids(), ['b', 'c']);
  entries.put(stored('+3', 'c'));
  t.strictSame(uuids(), ['b', 'c'], 'the same one again');
  undo();
  t.strictSame(uuids(), ['a', 'b', 'c']);
  t.equal(entries.get('c')!.id, '+3/000000000007');
  t.equal(entries.nextSeq(), 8);
});
