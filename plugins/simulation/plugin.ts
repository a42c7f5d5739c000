import Joi from 'joi';
import { consume, definePlugin } from '#core';
import { simulationErrors } from './errors.js';
import { simulationRoutes } from './routes.js';
import { createSimulations, expiries, simulationMocks, simulations } from './simulations.js';

/** What the interface leaves open about simulations. */
export interface SimulationOptions {
  /** Minutes without a request after which a simulation is over; the interface does not say. */
  readonly idleMinutes: number;
}

/** Journeys driven turn by turn from outside, without sending anything. */
export const simulation = definePlugin<SimulationOptions>({
  name: 'simulation',
  version: '0.1.0',
  options: Joi.object({ idleMinutes: Joi.number().positive().default(30) }),
  collections: { simulations, mocks: simulationMocks },
  register(context, { idleMinutes }) {
    const running = createSimulations(context, idleMinutes * 60_000);
    return {
      routes: simulationRoutes(context, running),
      consumes: [consume(expiries, ({ payload }) => running.expire(payload))],
      errors: simulationErrors,
      roots: ['/v1/journeys'],
    };
  },
});
