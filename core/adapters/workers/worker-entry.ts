import { workerData } from 'node:worker_threads';
import { messageOf, stackOf, taskOf } from './task-module.js';

/** Settings that every worker receives on start. */
export interface WorkerSettings {
  /** Per slot, the `stamp` of the time when its batch started; 0 before the start. */
  readonly startedAt: Int32Array;
}

/** A batch of calls to one task. Without inputs, the worker only loads the module. */
export interface Batch {
  readonly module: string;
  readonly slot: number;
  readonly inputs: readonly unknown[];
  /** Whether this is the retry of a single call from a batch whose worker died. Its output is then test-cloned, because an output that
   * cannot be cloned kills the worker. */
  readonly isCareful: boolean;
}

export interface BatchResult {
  /** One output per input, in order; undefined for failed calls. */
  readonly outputs: unknown[];
  readonly failures: readonly Failure[];
  /** Why the module could not be loaded. If set, no call has run. */
  readonly unloadable?: Failure;
}

export interface Failure {
  /** Index of the input. */
  readonly index: number;
  readonly message: string;
  readonly stack: string | undefined;
}

/** Runs the calls of a batch in order; each failure affects only its own call. */
export default async function runBatch({ module, slot, inputs, isCareful }: Batch): Promise<BatchResult> {
  const { startedAt } = workerData as WorkerSettings;
  Atomics.store(startedAt, slot, stamp());
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

/** Milliseconds on a clock shared by all threads, never 0. Wraps every 49 days, so read it only with `since`. */
export const stamp = (): number => (performance.timeOrigin + performance.now()) | 0 || 1;

/** Milliseconds since a stamp was taken. */
export const since = (from: number): number => (stamp() - from) | 0;
