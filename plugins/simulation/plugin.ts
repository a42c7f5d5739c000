import Joi from 'joi';
import { consume, definePlugin, permit } from '#core';
import { journeys, withJourneys } from '../journeys/plugin.js';
import { simulatedTurnRoutes } from './admin-routes.js';
import { causes } from './causes.js';
import { simulationErrors } from './errors.js';
import { simulationMocks, simulations } from './records.js';
import { simulationRoutes } from './routes.js';
import { createSimulations, expiries } from './simulations.js';

/** Settings of simulations; the interface does not specify them. */
export interface SimulationOptions {
  /** A simulation expires after this many minutes without a request. */
  readonly idleMinutes?: number;
  /** The maximum number of active simulations. Beyond it, the simulation that has been idle for the longest time ends. */
  readonly kept?: number;
  /** The maximum bytes of all simulations with their mocks; default: an eighth of Node's heap limit. */
  readonly keptBytes?: number;
}

/** The plugin `simulation`: runs journeys turn by turn on request, without sending messages. */
export const simulation = definePlugin<SimulationOptions, 'idleMinutes' | 'kept'>({
  name: 'simulation',
  version: '0.1.0',
  permissions: {
    'journeys.simulate': permit.authors('Simulate turns of a journey.'),
  },
  needs: [journeys],
  causes,
  options: Joi.object({
    idleMinutes: Joi.number().positive().default(30),
    kept: Joi.number().integer().min(1).default(10_000),
    keptBytes: Joi.number().integer().min(0),
  }),
  collections: { simulations, mocks: simulationMocks },
  register(platform, options) {
    const context = withJourneys(platform);
    const running = createSimulations(context, options);
    return {
      routes: simulationRoutes(context, running),
      admin: simulatedTurnRoutes(context),
      consumes: [consume(expiries, ({ payload }) => running.expire(payload))],
      errors: simulationErrors,
      roots: ['/v1/journeys'],
    };
  },
});
