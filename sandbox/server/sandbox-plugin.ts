import { array, type Clock, Conflict, collection, definePlugin, nullable, number, object, oneOf, route, string } from '#core';
import type { ManualClock } from '#core/testing';

const shown = object({ mode: oneOf('real', 'manual'), now: string(), timers: nullable(array(string())) });

/** Has a document when the state is one that a sandbox made. */
export const made = collection<{ readonly id: 'seed' }>({ key: 'id' });

interface SandboxParts {
  readonly clock: ManualClock | undefined;
  /** Runs when the store is open and nothing that waits in it has begun. */
  beforeWork(): Promise<void>;
}

/** What only a sandbox has: a clock that can be pushed, and a seed. */
export const sandboxPlugin = ({ clock: manual, beforeWork }: SandboxParts) =>
  definePlugin({
    name: 'sandbox',
    version: '0.1.0',
    collections: { made },
    register: ({ clock }) => ({
      start: beforeWork,
      admin: [
        route({
          method: 'GET',
          path: '/clock',
          summary: 'Shows the time of the sandbox and, with a manual clock, when something is due.',
          responses: { 200: shown },
          handler: () => view(clock, manual),
        }),
        route({
          method: 'POST',
          path: '/clock/advance',
          summary: 'Moves a manual clock; answers when everything that was due meanwhile is done.',
          request: {
            payload: object({
              seconds: number()
                .min(0)
                .max(366 * 24 * 3600),
            }),
          },
          responses: { 200: shown },
          async handler({ payload: { seconds } }) {
            if (!manual) throw new Conflict('real_clock', 'The clock is real; start the sandbox with --clock manual');
            await manual.advance(seconds * 1000);
            return view(clock, manual);
          },
        }),
      ],
    }),
  })();

const view = (clock: Clock, manual: ManualClock | undefined) => ({
  mode: manual ? ('manual' as const) : ('real' as const),
  now: clock.now().toISOString(),
  timers: manual ? manual.pending().map((due) => due.toISOString()) : null,
});
