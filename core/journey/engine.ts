import { task } from '../ports/workers.js';
import type { StepInput, StepOutput } from './session.js';

/** One step of a journey, on a worker. */
export const journeyStep = task<StepInput, StepOutput>('journey.step', new URL('./step.task.js', import.meta.url), {
  weigh: ({ session }) => BASE_BYTES + (session?.length ?? 0),
});

const BASE_BYTES = 512;
