import { answeredWithin, Conflict, type PluginContext, type Transaction } from '#core';
import { type PlannedStart, planStart } from './planned-starts.js';

/**
 * What came of a start: the journey has taken its first turn; it starts later, because another conversation comes first or because its
 * turn takes long or is tried again; or it never starts.
 */
export type StartOutcome = 'started' | 'later' | 'dropped';

/** For how long a request waits until the journey it starts has taken its first turn. */
const WAIT_MS = 5000;

/** Starts that requests wait for. What is not waited for any more, as after a restart, starts all the same. */
export type StartsUnderWay = ReturnType<typeof startsUnderWay>;

export function startsUnderWay({ store, ids, clock }: PluginContext) {
  const waiting = new Map<string, (outcome: StartOutcome) => void>();

  return {
    /** Says what came of a start, to the request that waits for it, if there is one. */
    settle: (planned: string, outcome: StartOutcome): void => waiting.get(planned)?.(outcome),

    /**
     * Plans a start for now, and waits until the first turn has been taken, so that what it did can be read at once. The plan is
     * durable before that. `about` says for whom, in the transaction that plans it.
     * @throws Conflict when the journey is disabled or deleted meanwhile
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
