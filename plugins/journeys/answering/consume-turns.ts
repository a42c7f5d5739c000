import { advice, type Consumer, consume, type Job, type QueueType, type Transaction } from '#core';

/** With the queue's backoff, ten attempts take about four minutes. */
const MAX_ATTEMPTS = 10;

/** The number of a failed turn, and the ids of its records for the advice. */
interface TurnSubject {
  readonly number: string;
  readonly about: Readonly<Record<string, string>>;
}

/** Consumes a queue of turns. Issues the advice `journey_turn_given_up` when a turn fails permanently, because the contact then gets no answer. */
export function consumeTurns<T>(
  turns: QueueType<T>,
  run: (job: Job<T>) => Promise<void>,
  subjectOf: (tx: Transaction, payload: T) => Promise<TurnSubject | undefined>,
): Consumer<Transaction> {
  return consume(turns, run, {
    maxAttempts: MAX_ATTEMPTS,
    onFailed: async (tx: Transaction, { payload, attempt }, error) => {
      const known = await subjectOf(tx, payload);
      if (!known) return;
      tx.emit(advice, {
        name: 'journey_turn_given_up',
        severity: 'warning',
        ...known,
        message: `A turn of a journey failed in all ${attempt} attempts: ${error instanceof Error ? error.message : String(error)}.`,
        fix: 'Resolve the error in this message, for example in the journey or its assets. This turn is not retried; the next message of the contact or POST /v1/stacks/{uuid}/start runs a new turn.',
      });
    },
  });
}
