import { NotFound } from '../errors.js';
import { withoutUndefined } from '../shape.js';
import { newestAttempt } from './attempt-record.js';
import { type DeliveryEntry, type DeliveryRecord, hasState, type ShownDelivery } from './delivery.js';
import { outcomesOf, slicesOf } from './delivery-slices.js';
import type { SettledDeliveries } from './settled-deliveries.js';
import type { AnyDelivery } from './settled-delivery.js';

/** A page ends after so many deliveries that are too old: the clock may have been set back before one. */
const MAX_EARLY = 100;

/** Which deliveries to list: those that match all. */
interface ListedDeliveries {
  readonly webhook?: string;
  readonly number?: string;
  readonly message?: string;
  /** A due retry is `queued`. */
  readonly state?: DeliveryRecord['state'];
  readonly reason?: string;
  /** Queued at or after this time. */
  readonly from?: string;
  /** Queued before this time. */
  readonly before?: string;
  /** After the delivery with this id in the list; if it is unknown, those at or before the time. */
  readonly place?: { readonly at: string; readonly id: string };
  /** Those after the delivery with this uuid. */
  readonly after?: string;
  readonly limit: number;
  /** How many to look at. All if not given. */
  readonly most?: number;
  readonly accepts?: (entry: AnyDelivery) => Promise<boolean>;
}

/**
 * The newest deliveries that match. `rest`: the last one that was looked at; undefined after the oldest.
 * @throws NotFound when `after` is unknown
 */
export async function deliveryPage(
  settled: Pick<SettledDeliveries, 'find' | 'read' | 'afterTime'>,
  by: ListedDeliveries,
  now: Date,
): Promise<{ readonly found: AnyDelivery[]; readonly rest?: AnyDelivery }> {
  const { webhook, number, message, state, reason, from = '', before, place, after, limit, most, accepts } = by;
  const id = after ?? place?.id;
  const last = id === undefined ? undefined : await settled.read(id);
  if (after !== undefined && !last) throw new NotFound('delivery', after);
  const start = last?.seq ?? (place && (await settled.afterTime(place.at)));
  const one = webhook !== undefined ? { webhook } : message !== undefined ? { message } : { number };
  const scope = { ...one, outcomes: state && outcomesOf([state]) };
  const isMatch = ({ index, record }: AnyDelivery): boolean =>
    (number === undefined || index.number === number) &&
    (message === undefined || index.message === message) &&
    (before === undefined || index.created_at < before) &&
    (reason === undefined || record.reason === reason);
  const found: AnyDelivery[] = [];
  let [looked, early] = [0, 0];
  for await (const slice of slicesOf(settled, 'newest', scope, { after: start, first: limit })) {
    for (const entry of slice) {
      if (entry.index.created_at < from) {
        if (++early === MAX_EARLY) return { found };
      } else if (isMatch(entry) && (state === undefined || hasState(entry, [state], now)) && (!accepts || (await accepts(entry))))
        found.push(entry);
      if (found.length === limit || ++looked === most) return { found, rest: entry };
    }
  }
  return { found };
}

/** A delivery as the admin API and plugins see it. */
export const shownDelivery = (entry: DeliveryEntry): ShownDelivery =>
  withoutUndefined({ ...entry.record, duration_ms: newestAttempt(entry)?.duration_ms });
