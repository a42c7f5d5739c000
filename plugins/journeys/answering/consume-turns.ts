import { advice, type Consumer, consume, type Job, type QueueType, type Transaction } from '#core';

/** Over about four minutes. */
const TRIES = 10;

/** Whose turn it was. */
interface PendingAnswer {
  readonly number: string;
  readonly about: Readonly<Record<string, string>>;
}

/**
 * Works on a queue of turns. One that has failed too often is given up, which is announced: somebody wrote, or was to be written
 * to, and hears nothing.
 */
export function consumeTurns<T>(
  turns: QueueType<T>,
  take: (job: Job<T>) => Promise<void>,
  owed: (tx: Transaction, payload: T) => Promise<PendingAnswer | undefined>,
): Consumer<Transaction> {
  return consume(turns, take, {
    maxAttempts: TRIES,
    onFailed: async (tx: Transaction, { payload, attempt }, error) => {
      const known = await owed(tx, payload);
      if (!known) return;
      tx.emit(advice, {
        name: 'journey_turn_given_up',
        ...known,
        message: `A journey could not take its turn in ${attempt} tries: ${error instanceof Error ? error.message : String(error)}.`,
        fix: 'Mend that, so that the next turn can be taken: this one is not tried again.',
      });
    },
  });
}
