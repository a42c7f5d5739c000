import { everyPlugin } from '../docs/everything.js';
import { enter } from './ambient.js';
import { conversations } from './features/conversations.js';
import { journeys } from './features/journeys.js';
import { outbound } from './features/outbound.js';
import { preload } from './preload.js';
import { type Feature, type Outcome, Run } from './run.js';
import type { Scenario } from './scenario.js';

export const features: readonly Feature[] = [conversations, outbound, journeys];
export const featureNames: readonly string[] = features.map(({ name }) => name);

/** Runs a scenario. `onTrace` gets each line of its trace. */
export async function simulate(scenario: Scenario, onTrace?: (line: string) => void): Promise<Outcome> {
  await preload();
  const plugins = await everyPlugin();
  const run = new Run(scenario, plugins);
  run.world.onTrace = onTrace;
  const leave = enter(run.world);
  try {
    return await run.run(features);
  } finally {
    leave();
  }
}
