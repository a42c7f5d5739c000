import { everyPlugin } from '../docs/everything.js';
import { enter } from './ambient.js';
import { conversations } from './features/conversations.js';
import { preload } from './preload.js';
import { type Feature, type Outcome, Run } from './run.js';
import type { Scenario } from './scenario.js';

const features: readonly Feature[] = [conversations];
export const featureNames: readonly string[] = features.map(({ name }) => name);

export interface SimulateOptions {
  /** Gets each line of the trace. */
  readonly onTrace?: ((line: string) => void) | undefined;
  /** Gets the run before it begins, to change something in it. */
  readonly onRun?: (run: Run) => void;
}

/** Runs a scenario, one at a time in a process. */
export async function simulate(scenario: Scenario, { onTrace, onRun }: SimulateOptions = {}): Promise<Outcome> {
  await preload();
  const run = new Run(scenario, await everyPlugin());
  run.world.onTrace = onTrace;
  onRun?.(run);
  // Either would end the process of a platform.
  const rejected = (error: unknown) => run.violated(`a rejection was not handled: ${error}`);
  process.on('unhandledRejection', rejected);
  const leave = enter(run.world);
  try {
    return await run.run(features);
  } catch (error) {
    run.violated(`the simulation ended: ${error instanceof Error ? error.stack : error}`);
    return run.outcome;
  } finally {
    leave();
    process.off('unhandledRejection', rejected);
  }
}
