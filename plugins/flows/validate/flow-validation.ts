import { task } from '#core';
import type { WorkerPool } from '#core/ports';
import type { FlowValidation, ValidateOptions } from './result.js';
import type { ValidateInput } from './validate.task.js';
import { validateFlow } from './validate-flow.js';

/** Below this length a flow is checked in a few milliseconds; a trip to a worker takes as long. */
const SMALL = 24 * 1024;

/**
 * Ends a check that hangs. The work itself is bounded by the bytes and values of a flow: 10 MB of any shape take at most a few
 * seconds of CPU. How long those take by the clock depends on what else the machine does, so this is far above them.
 */
const LIMIT_MS = 120_000;

/** Checks a flow in a worker. */
export const validateTask = task<ValidateInput, FlowValidation>('flows.validate', new URL('./validate.task.js', import.meta.url), {
  weigh: ({ source }) => source.length,
  limitMs: LIMIT_MS,
});

/** `validateFlow` for a server: what would hold up others is done in a worker. */
export const createFlowValidation =
  (workers: Pick<WorkerPool, 'run'>) =>
  async (source: string | Uint8Array, options: ValidateOptions = {}): Promise<FlowValidation> =>
    source.length < SMALL ? validateFlow(source, options) : workers.run(validateTask, { source, options });
