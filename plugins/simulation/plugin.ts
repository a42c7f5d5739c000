import Joi from 'joi';
import { consume, definePlugin } from '#core';
import { simulationErrors } from './errors.js';
import { simulationMocks, simulations } from './records.js';
import { simulationRoutes } from './routes.js';
import { createSimulations, expiries } from './simulations.js';

/** What the interface leaves open about simulations. */
export interface SimulationOptions {
  /** Minutes without a request after which a simulation is over; the interface does not say. */
  readonly idleMinutes?: number;
  /** How many simulations go on at a time. One more, and the one that was idle for longest is over. */
  readonly kept?: number;
  /** Bytes that they may take together, with their mocks; an eighth of the heap that Node may use if not given. */
  readonly keptBytes?: number;
}

/** Journeys driven turn by turn from outside, without sending anything. */
export const simulation = definePlugin<SimulationOptions, 'idleMinutes' | 'kept'>({
  name: 'simulation',
  version: '0.1.0',
  options: Joi.object({
    idleMinutes: Joi.number().positive().default(30),
    kept: Joi.number().integer().min(1).default(10_000),
    keptBytes: Joi.number().integer().min(0),
  }),
  collections: { simulations, mocks: simulationMocks },
  register(context, options) {
    const running = createSimulations(context, options);
    return {
      routes: simulationRoutes(context, running),
      consumes: [consume(expiries, ({ payload }) => running.expire(payload))],
      errors: simulationErrors,
      roots: ['/v1/journeys'],
    };
  },
});
