import type { OutboxScope } from '../ports/outbox.js';
import type { DeliveryEntry, DeliveryOutbox, DeliveryRecord } from './delivery.js';

/** Deliveries that are read in one turn of the event loop, which takes about a millisecond. */
const SLICE = 1_000;

/** Reads deliveries in slices, each in a turn of its own, so that a search through a long history does not block the process. */
export async function* slicesOf(
  outbox: Pick<DeliveryOutbox, 'read'>,
  order: 'newest' | 'oldest',
  scope: OutboxScope,
  /** The delivery with this seq, and those before it in this order, are left out. */
  after?: number,
): AsyncGenerator<readonly DeliveryEntry[]> {
  for (let last = after; ; ) {
    const slice = await outbox.read((entries) => firstOf(entries[order](scope, last), SLICE));
    yield slice;
    if (slice.length < SLICE) return;
    last = slice.at(-1)!.seq;
    await new Promise(setImmediate);
  }
}

/** The outcomes of deliveries in these states. A retry that is due counts as `queued`, so pending states have one outcome. */
export const outcomesOf = (states: readonly DeliveryRecord['state'][]): OutboxScope['outcomes'] => [
  ...new Set(states.map((state) => (state === 'delivered' || state === 'cancelled' || state === 'dropped' ? state : 'pending'))),
];

export function firstOf<T>(all: Iterable<T>, limit: number): T[] {
  const first: T[] = [];
  for (const one of all) if (first.push(one) === limit) break;
  return first;
}
