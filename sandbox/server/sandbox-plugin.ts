import { array, type Clock, Conflict, collection, definePlugin, nullable, number, object, oneOf, route, string } from '#core';
import type { ManualClock } from '#core/testing';
import { referenceRoutes } from '../reference/pages.js';
import { type SandboxStatus, statusRoutes } from './status-route.js';

const clockSchema = object({ mode: oneOf('real', 'manual'), now: string(), timers: nullable(array(string())) });

/** A collection with one document if a sandbox created the state. */
export const made = collection<{ readonly id: 'seed' }>({ key: 'id' });

interface SandboxServices {
  readonly clock: ManualClock | undefined;
  /** Runs when the store is open, before pending jobs start. */
  beforeWork(): Promise<void>;
  /** The sandbox as `posthorn status` shows it. Absent where the routes are only described. */
  status?(): SandboxStatus;
}

/** The sandbox's own plugin: a clock that can be advanced, the seed, and the pages of the reference. */
export const sandboxPlugin = ({ clock: manual, beforeWork, status }: SandboxServices) =>
  definePlugin({
    name: 'sandbox',
    version: '0.1.0',
    collections: { made },
    register: ({ clock }) => ({
      start: beforeWork,
      routes: referenceRoutes(),
      admin: [
        ...statusRoutes(() => status!()),
        route({
          method: 'GET',
          path: '/clock',
          summary: 'Shows the time of the sandbox and, with a manual clock, when its timers are due.',
          responses: { 200: clockSchema },
          handler: () => view(clock, manual),
        }),
        route({
          method: 'POST',
          path: '/clock/advance',
          summary: 'Advances a manual clock; responds when all timers that were due meanwhile have run.',
          request: {
            payload: object({
              seconds: number()
                .min(0)
                .max(366 * 24 * 3600),
            }),
          },
          responses: { 200: clockSchema },
          async handler({ payload: { seconds } }) {
            if (!manual) throw new Conflict('real_clock', 'The clock is real; restart the sandbox with --clock manual');
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
