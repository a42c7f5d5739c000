import Joi from 'joi';
import { consume, definePlugin } from '#core';
import { simulationErrors } from './errors.js';
import { simulationRoutes } from './routes.js';
import { createSimulations, expiries, type SimulationOptions, simulationMocks, simulations } from './simulations.js';

/** Journeys driven turn by turn from outside, without sending anything. */
export const simulation = definePlugin<SimulationOptions>({
  name: 'simulation',
  version: '0.1.0',
  options: Joi.object<SimulationOptions>({
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

export type { SimulationOptions } from './simulations.js';
