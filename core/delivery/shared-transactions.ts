import type { Transaction, Transactions } from '../ports/transaction.js';

/** So many at most share one, as all are done again when one of them fails. */
const MOST_TOGETHER = 64;

type Work<T> = (tx: Transaction) => Promise<T> | T;

interface Waiting {
  readonly work: Work<unknown>;
  readonly resolve: (result: never) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Transactions that are asked for in one turn of the event loop are made as one, which costs a fraction. When that fails,
 * each is made by itself, so that none fails for another.
 */
export function sharedTransactions(store: Transactions): Transactions {
  let waiting: Waiting[] = [];

  function transaction<T>(work: Work<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      if (waiting.length === 0) setImmediate(leave);
      waiting.push({ work, resolve, reject });
      if (waiting.length === MOST_TOGETHER) leave();
    });
  }

  function leave(): void {
    if (waiting.length === 0) return;
    const together = waiting;
    waiting = [];
    if (together.length === 1) alone(together[0]!);
    else void all(together);
  }

  async function all(together: readonly Waiting[]): Promise<void> {
    try {
      const results = await store.transaction(async (tx) => {
        const results: unknown[] = [];
        for (const { work } of together) results.push(await work(tx));
        return results;
      });
      for (let i = 0; i < together.length; i++) together[i]!.resolve(results[i] as never);
    } catch {
      // Whose fault it was, and whether it still is, shows when each is by itself.
      for (const one of together) alone(one);
    }
  }

  function alone({ work, resolve, reject }: Waiting): void {
    store.transaction(work).then(resolve as (result: unknown) => void, reject);
  }

  return { transaction };
}
