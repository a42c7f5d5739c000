import { Conflict, NotFound } from '../errors.js';
import type { Clock } from '../ports/clock.js';
import type { Database, Transaction } from '../ports/transaction.js';
import { atMoment, type DeliveryRecord, deliveryRecords } from './delivery.js';

/** Which deliveries a request is about. What is not given does not matter. */
export interface DeliveryFilter {
  readonly webhook?: string;
  readonly number?: string;
  /** As they are shown: a retry whose time has come is queued. */
  readonly states: readonly DeliveryRecord['state'][];
  readonly reason?: string;
  /** Of the moment it was queued: from this one on. ISO 8601 in UTC, to the millisecond. */
  readonly from?: string;
  /** Before this one. */
  readonly to?: string;
}

/** What became of many deliveries. */
export interface BulkResult {
  /** Those something was done about, the oldest first. */
  readonly deliveries: readonly string[];
  /** There are more that fit; ask again. */
  readonly more: boolean;
}

const PAGE = 100;

/**
 * Does something about the deliveries that fit, the oldest first, at most `limit` of them and each once. Every hundred is
 * a transaction of its own, in which each is looked at again: whoever settles meanwhile goes first.
 */
export async function inBulk(
  { store, clock }: { store: Database; clock: Pick<Clock, 'now'> },
  { filter, limit }: { filter: DeliveryFilter; limit: number },
  act: (tx: Transaction, uuid: string) => Promise<unknown>,
): Promise<BulkResult> {
  const done: string[] = [];
  for await (const page of pagesOf(store, filter)) {
    const fitting = page.filter((delivery) => fits(delivery, filter, clock.now()));
    const now = fitting.slice(0, limit - done.length);
    if (now.length > 0)
      done.push(...(await store.transaction((tx) => actOn(tx, now, (delivery) => fits(delivery, filter, clock.now()), act))));
    if (now.length < fitting.length) return { deliveries: done, more: true };
  }
  return { deliveries: done, more: false };
}

async function actOn(
  tx: Transaction,
  page: readonly DeliveryRecord[],
  isFitting: (delivery: DeliveryRecord) => boolean,
  act: (tx: Transaction, uuid: string) => Promise<unknown>,
): Promise<string[]> {
  const done: string[] = [];
  for (const { uuid } of page) {
    const current = await tx.in(deliveryRecords).get(uuid);
    if (!current || !isFitting(current)) continue;
    try {
      await act(tx, uuid);
      done.push(uuid);
    } catch (error) {
      // It cannot be done about this one: its webhook is gone. The others do not mind.
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

const fits = (delivery: DeliveryRecord, { webhook, number, states, reason }: DeliveryFilter, now: Date): boolean =>
  states.includes(atMoment(delivery, now).state) &&
  (webhook === undefined || delivery.webhook === webhook) &&
  (number === undefined || delivery.number === number) &&
  (reason === undefined || delivery.reason === reason);
