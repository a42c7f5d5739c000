import { everyPlugin } from '../docs/everything.js';
import { enter } from './ambient.js';
import { scheduleFaults } from './faults.js';
import { cloudApi } from './features/cloud-api.js';
import { conversations } from './features/conversations.js';
import { flows } from './features/flows.js';
import { hostile } from './features/hostile.js';
import { integration } from './features/integration.js';
import { journeys } from './features/journeys.js';
import { media } from './features/media.js';
import { network } from './features/network.js';
import { operators } from './features/operators.js';
import { outbound } from './features/outbound.js';
import { people } from './features/people.js';
import { expiry, retention } from './features/retention.js';
import { sentFlows } from './features/sent-flows.js';
import { settings } from './features/settings.js';
import { simulations } from './features/simulations.js';
import { state } from './features/state.js';
import { checkLater } from './later.js';
import { checkLeftovers } from './leftovers.js';
import { preload } from './preload.js';
import { setUpRegisters } from './registers.js';
import { type Feature, type Outcome, Run, RunEnded } from './run.js';
import type { Scenario } from './scenario.js';

const features: readonly Feature[] = [
  conversations,
  outbound,
  journeys,
  operators,
  people,
  settings,
  simulations,
  network,
  cloudApi,
  media,
  flows,
  sentFlows,
  integration,
  hostile,
  state,
  retention,
  expiry,
];
export const featureNames: readonly string[] = features.map(({ name }) => name);

export interface SimulateOptions {
  /** Gets each line of the trace. */
  readonly onTrace?: ((line: string) => void) | undefined;
  /** Called before the run begins, to change something in it. */
  readonly onRun?: (run: Run) => void;
}

/** Runs a scenario, one at a time in a process. */
export async function simulate(scenario: Scenario, { onTrace, onRun }: SimulateOptions = {}): Promise<Outcome> {
  await preload();
  const options = features.filter(({ name }) => scenario.features.includes(name)).map((feature) => feature.options);
  const run = new Run(scenario, await everyPlugin(), Object.assign({}, ...options));
  run.world.onTrace = onTrace;
  onRun?.(run);
  // Either would end the process of a platform.
  const rejected = (error: unknown) => run.violated(`a rejection was not handled: ${error}`);
  process.on('unhandledRejection', rejected);
  const leave = enter(run.world);
  try {
    return await run.run(features, { scheduleFaults, setUpRegisters, checkLeftovers, checkLater });
  } catch (error) {
    if (!(error instanceof RunEnded)) run.violations.push(`the simulation ended: ${error instanceof Error ? error.stack : error}`);
    return run.outcome;
  } finally {
    leave();
    process.off('unhandledRejection', rejected);
  }
}
