import type { Request } from '@hapi/hapi';
import type { RateBucket } from '../contract/route.js';
import { RateLimited } from '../errors.js';

/** Calls a minute for each number, or false for no limit. */
export type RateLimits = false | { readonly general: number; readonly text: number; readonly media: number };

export const defaultRateLimits = { general: 60, text: 60, media: 60 } as const;

const WINDOW_MS = 60_000;

/** How a call stands in its bucket; it becomes the `x-ratelimit-*` headers. */
export interface RateState {
  readonly bucket: RateBucket;
  readonly limit: number;
  readonly remaining: number;
  /** Unix seconds: the last second of the window, with the fraction of the call's own time, as clients know it. */
  readonly reset: number;
  /** Present when the call is one too many. */
  readonly refused?: RateLimited;
}

/**
 * Counts calls per number and bucket in fixed windows of the clock minute. It runs on the machine's monotonic clock, not
 * on the platform's: pushing the sandbox's time must not open the gates.
 */
export function createRateLimiter(limits: RateLimits, now: () => number = () => performance.timeOrigin + performance.now()) {
  let window = -1;
  let calls = new Map<string, number>();

  return {
    /** Counts a call; undefined where nothing is counted. */
    count(number: string, bucket: RateBucket): RateState | undefined {
      if (limits === false || bucket === 'none') return undefined;
      const moment = now();
      const current = Math.floor(moment / WINDOW_MS);
      if (current !== window) {
        window = current;
        calls = new Map();
      }
      const limit = limits[bucket];
      const key = `${bucket}:${number}`;
      const made = (calls.get(key) ?? 0) + 1;
      calls.set(key, made);
      const end = (current + 1) * WINDOW_MS;
      const reset = (end - 1000 + Math.floor(moment % 1000)) / 1000;
      const state = { bucket, limit, remaining: Math.max(0, limit - made), reset };
      if (made <= limit) return state;
      return { ...state, refused: new RateLimited(bucket, limit, Math.max(1, Math.ceil((end - moment) / 1000))) };
    },
  };
}

export type RateLimiter = ReturnType<typeof createRateLimiter>;

const states = new WeakMap<Request, RateState>();

/** How a call stands is known before it is answered, and is said in its answer. */
export const rememberRate = (request: Request, state: RateState): void => void states.set(request, state);
export const rateOf = (request: Request): RateState | undefined => states.get(request);

export function rateHeaders({ bucket, limit, remaining, reset }: RateState): Record<string, string> {
  return {
    'x-ratelimit-bucket': bucket,
    'x-ratelimit-limit': String(limit),
    'x-ratelimit-remaining': String(remaining),
    'x-ratelimit-reset': String(reset),
  };
}
