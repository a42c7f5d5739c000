import type { Lane } from '../ports/queue.js';

const SAMPLES = 20;
const HIGH_UP_TO_MS = 200;
const LOW_FROM_MS = 1000;

/** Response times of one endpoint since its lane was last decided. */
export interface LaneSamples {
  readonly count: number;
  readonly sumMs: number;
}

export const noSamples: LaneSamples = { count: 0, sumMs: 0 };

/**
 * Adds a response time. Every twentieth decides the lane of the next events by the mean: 200 ms or less `high`, less than
 * a second `default`, else `low` (Limits, "Webhook timing and retries", rule 2). The mean is not rounded.
 */
export function sample({ count, sumMs }: LaneSamples, elapsedMs: number): { samples: LaneSamples; lane?: Lane } {
  const samples = { count: count + 1, sumMs: sumMs + elapsedMs };
  if (samples.count < SAMPLES) return { samples };
  const mean = samples.sumMs / SAMPLES;
  return { samples: noSamples, lane: mean <= HIGH_UP_TO_MS ? 'high' : mean < LOW_FROM_MS ? 'default' : 'low' };
}
