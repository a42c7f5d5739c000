import { InvalidRequest, object, type Route, route } from '#core';
import { uuidInPath } from '#core/schemas';
import { type JourneysContext, ofJourney } from '../journeys/plugin.js';
import { SimulationRefused } from './errors.js';
import { turnRequestSchema, turnSchema } from './turns/schemas.js';
import { createSimulatedTurns } from './turns/simulated-turns.js';

/** Mocks can have 8 MiB of bodies, and recordings of a model as much again. */
const MAX_BYTES = 20 * 1024 * 1024;

/** The admin route for people who write a journey: every turn can be continued again, and shows all that happened. */
export function simulatedTurnRoutes(context: JourneysContext): Route[] {
  const turns = createSimulatedTurns(context);
  return [
    route({
      method: 'POST',
      path: '/journeys/{uuid}/simulated-turns',
      permission: 'journeys.simulate',
      accounts: { uuid: ofJourney },
      summary:
        'Runs one turn of a simulated journey and shows all that happened. With `after`, it continues any earlier turn, so that a simulation can fork. Turns are kept in memory for a while. No message is sent.',
      maxBytes: MAX_BYTES,
      request: { params: object({ uuid: uuidInPath() }), payload: turnRequestSchema },
      responses: { 201: object({ turn: turnSchema }) },
      errors: [404, 409],
      async handler({ params: { uuid }, payload }, h) {
        const { after, input, wait_ms } = payload;
        if (after === undefined && wait_ms !== undefined) throw wrong('wait_ms', 'wait_ms needs a turn that waits: after');
        if (after !== undefined && (input === undefined) === (wait_ms === undefined))
          throw wrong('input', 'after needs input or wait_ms, and not both');
        const journey = await context.journeys.require(uuid);
        const turn = await turns.run(journey, payload).catch((error: unknown) => {
          throw error instanceof SimulationRefused ? wrong('http_mocks', error.message) : error;
        });
        return h.response({ turn }).code(201);
      },
    }),
  ];
}

const wrong = (field: string, message: string): InvalidRequest =>
  new InvalidRequest([{ path: [field], rule: 'simulation', message }], message);
