import type { Clock } from '../ports/clock.js';
import { type CollectionType, collection } from '../ports/store.js';
import type { Transaction } from '../ports/transaction.js';
import { type Advice, advice } from './events.js';

/** Who has heard it, and did nothing about it, may hear it again. */
const KEPT_MS = 30 * 24 * 60 * 60 * 1000;
const FORGOTTEN_AT_ONCE = 5;

/** That advice has been issued, so that it is not issued again after a restart. */
export interface IssuedAdvice {
  readonly key: string;
  readonly at: string;
}

/** The collection in which a plugin remembers its advice. */
export const issuedAdviceCollection = (): CollectionType<IssuedAdvice> => collection<IssuedAdvice>({ key: 'key', indexes: { at: ['at'] } });

/** Advice that is issued once a month at most, however often there is a reason for it. */
export function adviceOnce(issued: CollectionType<IssuedAdvice>, clock: Clock) {
  const monthAgo = (): string => new Date(clock.now().getTime() - KEPT_MS).toISOString();

  return {
    /** Whether it has been issued within the last month. */
    async isSent(tx: Transaction, key: string): Promise<boolean> {
      const known = await tx.in(issued).get(key);
      return known !== undefined && known.at > monthAgo();
    },

    async say(tx: Transaction, key: string, payload: Advice): Promise<void> {
      if (await this.isSent(tx, key)) return;
      const old = await tx.in(issued).find('at', { to: [monthAgo()], limit: FORGOTTEN_AT_ONCE });
      for (const { key } of old) tx.in(issued).delete(key);
      tx.in(issued).put({ key, at: clock.now().toISOString() });
      tx.emit(advice, payload);
    },

    /** It has been mended, so the next time is worth a word. */
    forget: (tx: Transaction, key: string): void => tx.in(issued).delete(key),
  };
}
