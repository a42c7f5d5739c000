import { advice, type Consumer, consume, type Job, type QueueType, type Transaction } from '#core';

/** With the queue's backoff, these take about four minutes. */
const MAX_ATTEMPTS = 10;

/** The number and the records that a failed turn is about. */
interface TurnSubject {
  readonly number: string;
  readonly about: Readonly<Record<string, string>>;
}

/** Consumes a queue of turns. A turn that fails permanently issues the advice `journey_turn_given_up`, as its contact gets no answer. */
export function consumeTurns<T>(
  turns: QueueType<T>,
  take: (job: Job<T>) => Promise<void>,
  subjectOf: (tx: Transaction, payload: T) => Promise<TurnSubject | undefined>,
): Consumer<Transaction> {
  return consume(turns, take, {
    maxAttempts: MAX_ATTEMPTS,
    onFailed: async (tx: Transaction, { payload, attempt }, error) => {
      const known = await subjectOf(tx, payload);
      if (!known) return;
      tx.emit(advice, {
        name: 'journey_turn_given_up',
        ...known,
        message: `A turn of a journey failed in all ${attempt} attempts: ${error instanceof Error ? error.message : String(error)}.`,
        fix: 'Fix the cause so that later turns succeed. This turn is not retried again.',
      });
    },
  });
}
