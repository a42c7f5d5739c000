import { workerData } from 'node:worker_threads';
import { messageOf, stackOf, taskOf } from './task-module.js';

/** What every worker is told when it starts. */
export interface WorkerSettings {
  /** One number per batch that can run at once: the `stamp` of when it began, or 0. */
  readonly begun: Int32Array;
}

/** Calls of one task that travel together. No inputs: the module is only loaded. */
export interface Batch {
  readonly module: string;
  readonly slot: number;
  readonly inputs: readonly unknown[];
  /** Something in it killed its worker before: outputs are tried for the way back, as one that cannot be cloned kills too. */
  readonly isCareful: boolean;
}

export interface BatchResult {
  /** One per input, in their order; undefined for those that failed. */
  readonly outputs: readonly unknown[];
  readonly failures: readonly Failure[];
  /** Why the module could not be loaded; then nothing has run. */
  readonly unloadable?: Failure;
}

export interface Failure {
  /** Which input. */
  readonly index: number;
  readonly message: string;
  readonly stack: string | undefined;
}

/** Runs a batch, one input after the other; a failure is that input's own. */
export default async function runBatch({ module, slot, inputs, isCareful }: Batch): Promise<BatchResult> {
  const { begun } = workerData as WorkerSettings;
  Atomics.store(begun, slot, stamp());
  const outputs: unknown[] = [];
  const failures: Failure[] = [];
  try {
    const run = await taskOf(module);
    for (let index = 0; index < inputs.length; index++) {
      try {
        const returned = run(inputs[index]);
        const output = returned instanceof Promise ? await returned : returned;
        if (isCareful) structuredClone(output);
        outputs.push(output);
      } catch (error) {
        outputs.push(undefined);
        failures.push({ index, message: messageOf(error), stack: stackOf(error) });
      }
    }
    return { outputs, failures };
  } catch (error) {
    return { outputs, failures, unloadable: { index: 0, message: messageOf(error), stack: stackOf(error) } };
  }
}

/** Milliseconds that all threads agree on, never 0. They wrap every 49 days, so only `since` can read them. */
export const stamp = (): number => (performance.timeOrigin + performance.now()) | 0 || 1;

/** Milliseconds gone by since a stamp. */
export const since = (from: number): number => (stamp() - from) | 0;
