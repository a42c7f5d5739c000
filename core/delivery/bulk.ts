import { Conflict, NotFound } from '../errors.js';
import type { Clock } from '../ports/clock.js';
import type { Database, Transaction } from '../ports/transaction.js';
import { type DeliveryOutbox, type DeliveryRecord, withCurrentState } from './delivery.js';
import { outcomesOf, slicesOf } from './delivery-slices.js';

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
  { store, outbox, clock }: { store: Database; outbox: DeliveryOutbox; clock: Pick<Clock, 'now'> },
  { filter, limit }: { filter: DeliveryFilter; limit: number },
  act: (tx: Transaction, uuid: string) => Promise<unknown>,
): Promise<BulkResult> {
  const done: string[] = [];
  const isMatching = (delivery: DeliveryRecord | undefined) => delivery !== undefined && matches(delivery, filter, clock.now());
  const { webhook, number, states } = filter;
  const scope = { ...(webhook !== undefined ? { webhook } : { number }), outcomes: outcomesOf(states) };
  for await (const slice of slicesOf(outbox, 'oldest', scope)) {
    const matching = slice.map(({ record }) => record).filter(isMatching);
    while (matching.length > 0) {
      if (done.length >= limit) return { deliveries: done, more: true };
      const page = matching.splice(0, Math.min(PAGE, limit - done.length));
      done.push(...(await store.transaction((tx) => actOn(tx, page, (uuid) => isMatching(outbox.in(tx).get(uuid)?.record), act))));
    }
  }
  return { deliveries: done, more: false };
}

async function actOn(
  tx: Transaction,
  page: readonly DeliveryRecord[],
  isMatching: (uuid: string) => boolean,
  act: (tx: Transaction, uuid: string) => Promise<unknown>,
): Promise<string[]> {
  tx.acrossTenants?.();
  const done: string[] = [];
  for (const { uuid } of page) {
    if (!isMatching(uuid)) continue;
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

const matches = (delivery: DeliveryRecord, { webhook, number, states, reason, from = '', to }: DeliveryFilter, now: Date): boolean =>
  states.includes(withCurrentState(delivery, now).state) &&
  delivery.created_at >= from &&
  (to === undefined || delivery.created_at < to) &&
  (webhook === undefined || delivery.webhook === webhook) &&
  (number === undefined || delivery.number === number) &&
  (reason === undefined || delivery.reason === reason);
