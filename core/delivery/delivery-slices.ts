import type { OutboxScope } from '../ports/outbox.js';
import type { DeliveryRecord } from './delivery.js';
import type { SettledDeliveries } from './settled-deliveries.js';
import type { AnyDelivery } from './settled-delivery.js';

/** Deliveries that are read together. */
const SLICE = 1_000;

/** Reads deliveries in slices, the first of them small, so that a search through a long history does not block the process. */
export async function* slicesOf(
  settled: Pick<SettledDeliveries, 'find'>,
  order: 'newest' | 'oldest',
  scope: OutboxScope,
  /** `after`: the delivery with this seq, and those before it in this order, are left out. `first`: how many the caller needs at least. */
  { after, first = SLICE }: { readonly after?: number | undefined; readonly first?: number } = {},
): AsyncGenerator<readonly AnyDelivery[]> {
  let last = after;
  for (let size = Math.min(first, SLICE); ; size = Math.min(2 * size, SLICE)) {
    const slice = await settled.find(order, scope, size, last);
    yield slice;
    if (slice.length < size) return;
    last = slice.at(-1)!.seq;
    await new Promise(setImmediate);
  }
}

/** The outcomes of deliveries in these states. A retry that is due counts as `queued`, so pending states have one outcome. */
export const outcomesOf = (states: readonly DeliveryRecord['state'][]): OutboxScope['outcomes'] => [
  ...new Set(states.map((state) => (state === 'delivered' || state === 'cancelled' || state === 'dropped' ? state : 'pending'))),
];
