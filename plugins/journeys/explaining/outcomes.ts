import { advice, Newest, on, type Subscription } from '#core';
import { noneFits, turnTaken } from '../events.js';
import type { SessionView } from '../schemas.js';

const MAX_OUTCOMES = 2_000;
/** Approximate heap of an outcome. */
const OUTCOME_BYTES = 1_000;

/** The result of a message: a journey's turn, no journey, or a turn that failed permanently. */
export type Outcome =
  | { readonly kind: 'turn'; readonly session: SessionView; readonly failure: string | null }
  | { readonly kind: 'none_fits' }
  | { readonly kind: 'failed'; readonly reason: string; readonly fix: string };

/** The outcomes of the newest messages, in memory. */
export interface Outcomes {
  of(message: string): Outcome | undefined;
  readonly subscriptions: readonly Subscription[];
}

export function createOutcomes(): Outcomes {
  const kept = new Newest<Outcome>({ count: MAX_OUTCOMES, bytes: MAX_OUTCOMES * OUTCOME_BYTES });
  const add = (message: string, outcome: Outcome): void => kept.add(message, outcome, OUTCOME_BYTES);
  return {
    of: (message) => kept.of(message).at(-1),
    subscriptions: [
      on(turnTaken, ({ message, session, failure }) => {
        if (message !== null) add(message, { kind: 'turn', session, failure });
      }),
      on(noneFits, ({ message }) => add(message, { kind: 'none_fits' })),
      on(advice, ({ name, message: reason, fix, about }) => {
        if (name === 'journey_turn_given_up' && about?.message !== undefined) add(about.message, { kind: 'failed', reason, fix });
      }),
    ],
  };
}
