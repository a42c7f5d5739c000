import type { Clock } from '../ports/clock.js';
import { type CollectionType, collection } from '../ports/store.js';
import { beforeCommit, type Subscription } from '../ports/subscription.js';
import type { Transaction } from '../ports/transaction.js';
import { type Advice, advice, adviceDismissed } from './events.js';

/** The same advice is issued again after this time. */
const INTERVAL_MS = 30 * 24 * 60 * 60 * 1000;
const EXPIRED_PER_ISSUE = 5;

/** Records that advice has been issued, so that a restart does not issue it again. */
export interface IssuedAdvice {
  readonly key: string;
  readonly at: string;
  /** Missing in records of earlier releases. */
  readonly number?: string;
}

/** Declares the collection in which a plugin records its issued advice. */
export const issuedAdviceCollection = (): CollectionType<IssuedAdvice> =>
  collection<IssuedAdvice>({ key: 'key', tenant: { number: 'number' }, indexes: { at: ['number', 'at'] } });

/** Issues the same advice at most once a month, even if its cause occurs more often. */
export function adviceOnce(issued: CollectionType<IssuedAdvice>, clock: Clock) {
  const monthAgo = (): string => new Date(clock.now().getTime() - INTERVAL_MS).toISOString();

  return {
    /** Whether the advice with this key was issued within the last month. */
    async wasIssued(tx: Transaction, key: string): Promise<boolean> {
      const known = await tx.in(issued).get(key);
      return known !== undefined && known.at > monthAgo();
    },

    /** Emits the advice, unless `wasIssued`. `key` names its cause, such as a webhook. */
    async issue(tx: Transaction, key: string, payload: Advice): Promise<void> {
      if (await this.wasIssued(tx, key)) return;
      const { number } = payload;
      if (number !== undefined) {
        const old = await tx.in(issued).find('at', { equals: [number], to: [monthAgo()], limit: EXPIRED_PER_ISSUE });
        for (const { key } of old) tx.in(issued).delete(key);
      }
      tx.in(issued).put({ key, at: clock.now().toISOString(), ...(number !== undefined && { number }) });
      tx.emit(advice, { ...payload, cause: key });
    },

    /** The cause was fixed: dismisses the advice if it was issued, and issues it again if the cause recurs. */
    async reset(tx: Transaction, key: string): Promise<void> {
      if (await tx.in(issued).get(key)) tx.emit(adviceDismissed, { cause: key });
    },

    /** Deletes advice that is dismissed; the plugin lists it under `on`. */
    dismissals: beforeCommit(adviceDismissed, ({ cause }, tx) => {
      if (cause !== undefined) tx.in(issued).delete(cause);
    }) as Subscription,
  };
}
