import { answeredWithin, Conflict, type PluginContext, type Transaction } from '#core';
import type { PlannedStart } from '../records.js';
import { planStart } from './planned-starts.js';

/**
 * `started`: the first turn is committed. `later`: the start waits for another session, or the turn takes long or is retried.
 * `dropped`: the journey was disabled or deleted, or the start was cancelled.
 */
export type StartOutcome = 'started' | 'later' | 'dropped';

/** The maximum time that a request waits for the first turn of the journey that it starts. */
const WAIT_MS = 5000;

/** The starts for which an HTTP request is waiting. After a restart no request is waiting; the starts run nevertheless. */
export type PendingStarts = ReturnType<typeof createPendingStarts>;

export function createPendingStarts({ store, ids, clock }: PluginContext) {
  const waiting = new Map<string, (outcome: StartOutcome) => void>();

  return {
    /** Completes the HTTP request that is waiting for this start, if there is one. */
    settle: (planned: string, outcome: StartOutcome): void => waiting.get(planned)?.(outcome),

    /**
     * Schedules a start for now, durably, and waits for the first turn, so that the client's next request reads its effects.
     * `about` returns the contact and the journey; it runs in the transaction that schedules the start.
     * @throws Conflict when the journey is disabled or deleted before its turn
     */
    async start(about: (tx: Transaction) => Promise<Omit<PlannedStart, 'uuid' | 'due_at'>>): Promise<Exclude<StartOutcome, 'dropped'>> {
      const uuid = ids.uuid();
      const settled = new Promise<StartOutcome>((resolve) => waiting.set(uuid, resolve));
      try {
        await store.transaction(async (tx) => {
          planStart(tx, { ...(await about(tx)), uuid, due_at: clock.now().toISOString() });
        });
        const outcome = (await answeredWithin(WAIT_MS, settled)) ?? 'later';
        if (outcome === 'dropped') throw new Conflict('journey_not_available', 'The journey was disabled or deleted before it could start');
        return outcome;
      } finally {
        waiting.delete(uuid);
      }
    },
  };
}
