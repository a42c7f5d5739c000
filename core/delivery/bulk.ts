import { Conflict, NotFound } from '../errors.js';
import type { Clock } from '../ports/clock.js';
import type { Database, Transaction } from '../ports/transaction.js';
import { type DeliveryRecord, deliveryRecords, withCurrentState } from './delivery.js';

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
  { store, clock }: { store: Database; clock: Pick<Clock, 'now'> },
  { filter, limit }: { filter: DeliveryFilter; limit: number },
  act: (tx: Transaction, uuid: string) => Promise<unknown>,
): Promise<BulkResult> {
  const done: string[] = [];
  for await (const page of pagesOf(store, filter)) {
    const matching = page.filter((delivery) => matches(delivery, filter, clock.now()));
    const now = matching.slice(0, limit - done.length);
    if (now.length > 0)
      done.push(...(await store.transaction((tx) => actOn(tx, now, (delivery) => matches(delivery, filter, clock.now()), act))));
    if (now.length < matching.length) return { deliveries: done, more: true };
  }
  return { deliveries: done, more: false };
}

async function actOn(
  tx: Transaction,
  page: readonly DeliveryRecord[],
  isMatching: (delivery: DeliveryRecord) => boolean,
  act: (tx: Transaction, uuid: string) => Promise<unknown>,
): Promise<string[]> {
  const done: string[] = [];
  for (const { uuid } of page) {
    const current = await tx.in(deliveryRecords).get(uuid);
    if (!current || !isMatching(current)) continue;
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

async function* pagesOf(store: Database, { webhook, number, from, to }: DeliveryFilter): AsyncGenerator<DeliveryRecord[]> {
  const [index, equals] = webhook !== undefined ? ['webhook', [webhook]] : number !== undefined ? ['number', [number]] : ['created', []];
  let last: DeliveryRecord | undefined;
  for (;;) {
    const page = await store.open(deliveryRecords).find(index as string, {
      equals: equals as string[],
      ...(last ? { after: [last.created_at, last.uuid] } : from !== undefined && { from: [from] }),
      ...(to !== undefined && { before: [to] }),
      limit: PAGE,
    });
    if (page.length === 0) return;
    yield page;
    if (page.length < PAGE) return;
    last = page.at(-1);
  }
}

const matches = (delivery: DeliveryRecord, { webhook, number, states, reason }: DeliveryFilter, now: Date): boolean =>
  states.includes(withCurrentState(delivery, now).state) &&
  (webhook === undefined || delivery.webhook === webhook) &&
  (number === undefined || delivery.number === number) &&
  (reason === undefined || delivery.reason === reason);
