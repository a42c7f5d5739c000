import { task } from '#core';
import type { WorkerPool } from '#core/ports';
import type { FlowValidation, ValidateOptions } from './result.js';
import type { ValidateInput } from './validate.task.js';
import { validateFlow } from './validate-flow.js';

/** In characters. Validating a shorter flow takes a few milliseconds, about as long as passing it to a worker. */
const MIN_WORKER_LENGTH = 24 * 1024;

/** Ends a validation that hangs. Far above the few CPU seconds of a 10 MB flow, because the machine may be busy. */
const LIMIT_MS = 120_000;

export const validateTask = task<ValidateInput, FlowValidation>('flows.validate', new URL('./validate.task.js', import.meta.url), {
  weigh: ({ source }) => source.length,
  limitMs: LIMIT_MS,
});

/** `validateFlow` for servers: runs large flows on a worker thread, so that they do not block the event loop. */
export const createFlowValidation =
  (workers: Pick<WorkerPool, 'run'>) =>
  async (source: string | Uint8Array, options: ValidateOptions = {}): Promise<FlowValidation> =>
    source.length < MIN_WORKER_LENGTH ? validateFlow(source, options) : workers.run(validateTask, { source, options });
