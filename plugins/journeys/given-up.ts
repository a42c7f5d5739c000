import { advice, type Consumer, consume, type Job, type PluginContext, type QueueType } from '#core';

/** Over about four minutes. */
const TRIES = 10;

/** Whose turn it was. */
interface Owed {
  readonly number: string;
  readonly about: Readonly<Record<string, string>>;
}

/**
 * Works on a queue of turns. One that has failed too often is given up, which is announced: somebody wrote, or was to be written
 * to, and hears nothing.
 */
export function consumeTurns<T>(
  { announce }: Pick<PluginContext, 'announce'>,
  turns: QueueType<T>,
  take: (job: Job<T>) => Promise<void>,
  owed: (payload: T) => Promise<Owed | undefined>,
): Consumer {
  async function takeOrTell(job: Job<T>): Promise<void> {
    try {
      await take(job);
    } catch (error) {
      const known = job.attempt < TRIES ? undefined : await owed(job.payload);
      if (known) {
        announce(advice, {
          name: 'journey_turn_given_up',
          ...known,
          message: `A journey could not take its turn in ${TRIES} tries: ${error instanceof Error ? error.message : String(error)}.`,
          fix: 'Mend that, so that the next turn can be taken: this one is not tried again.',
        });
      }
      throw error;
    }
  }
  return consume(turns, takeOrTell, { tries: TRIES });
}
