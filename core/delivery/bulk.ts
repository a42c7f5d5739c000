import { Conflict, NotFound } from '../errors.js';
import type { Clock } from '../ports/clock.js';
import type { Database, Transaction } from '../ports/transaction.js';
import { type DeliveryRecord, hasState } from './delivery.js';
import { outcomesOf, slicesOf } from './delivery-slices.js';
import type { SettledDeliveries } from './settled-deliveries.js';
import type { AnyDelivery } from './settled-delivery.js';

/** Selects deliveries that match all given conditions. */
export interface DeliveryFilter {
  readonly webhook?: string;
  readonly number?: string;
  /** States as the admin API shows them: the state of a due retry is `queued`. */
  readonly states: readonly DeliveryRecord['state'][];
  readonly reason?: string;
  /** Queued at or after this time, ISO 8601 in UTC with milliseconds. */
  readonly from?: string;
  readonly to?: string;
}

/** The result of a bulk action. */
export interface BulkResult {
  /** The uuids of the deliveries that were changed, oldest first. */
  readonly deliveries: readonly string[];
  /** Whether more deliveries match; repeat the call for them. */
  readonly more: boolean;
}

const PAGE = 100;

/**
 * Runs `act` once for each delivery that matches, oldest first and at most `limit`, in transactions of up to 100. Each delivery is
 * checked again in its transaction. Deliveries that settled meanwhile, or for which `act` throws Conflict or NotFound, are skipped.
 */
export async function inBulk(
  { store, settled, clock }: { store: Database; settled: SettledDeliveries; clock: Pick<Clock, 'now'> },
  { filter, limit }: { filter: DeliveryFilter; limit: number },
  act: (tx: Transaction, uuid: string) => Promise<unknown>,
): Promise<BulkResult> {
  const done: string[] = [];
  const isMatching = (entry: AnyDelivery | undefined) => entry !== undefined && matches(entry, filter, clock.now());
  const { webhook, number, states } = filter;
  const scope = { ...(webhook !== undefined ? { webhook } : { number }), outcomes: outcomesOf(states) };
  for await (const slice of slicesOf(settled, 'oldest', scope, { first: Math.max(PAGE, limit) })) {
    const matching = slice.filter(isMatching);
    while (matching.length > 0) {
      if (done.length >= limit) return { deliveries: done, more: true };
      const page = matching.splice(0, Math.min(PAGE, limit - done.length));
      done.push(
        ...(await store.transaction((tx) => actOn(tx, page, async ({ index }) => isMatching(await settled.get(tx, index.uuid)), act))),
      );
    }
  }
  return { deliveries: done, more: false };
}

async function actOn(
  tx: Transaction,
  page: readonly AnyDelivery[],
  isMatching: (entry: AnyDelivery) => Promise<boolean>,
  act: (tx: Transaction, uuid: string) => Promise<unknown>,
): Promise<string[]> {
  tx.acrossTenants?.();
  const done: string[] = [];
  for (const entry of page) {
    const { uuid } = entry.index;
    if (!(await isMatching(entry))) continue;
    try {
      await act(tx, uuid);
      done.push(uuid);
    } catch (error) {
      // For example, the webhook of a redelivery was deleted: skip this delivery and continue.
      if (!(error instanceof Conflict || error instanceof NotFound)) throw error;
    }
  }
  return done;
}

function matches(entry: AnyDelivery, { webhook, number, states, reason, from = '', to }: DeliveryFilter, now: Date): boolean {
  const { index } = entry;
  return (
    hasState(entry, states, now) &&
    (webhook === undefined || index.webhook === webhook) &&
    (number === undefined || index.number === number) &&
    index.created_at >= from &&
    (to === undefined || index.created_at < to) &&
    (reason === undefined || entry.record.reason === reason)
  );
}
