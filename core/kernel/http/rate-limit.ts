import type { Request } from '@hapi/hapi';
import type { RateBucket } from '../../contract/route.js';
import { type PlatformError, RateLimited } from '../../errors.js';
import type { Clock } from '../../ports/clock.js';
import { type Steps, wait } from '../../ports/steps.js';

/** Calls per minute for each number, by bucket; false for no limit. */
export type RateLimits = false | { readonly general: number; readonly text: number; readonly media: number };

type Limited = Exclude<RateBucket, 'none'>;

export const defaultRateLimits = { general: 60, text: 60, media: 60 } as const;

const WINDOW_MS = 60_000;

/** The state of a bucket after a call; `rateHeaders` turns it into the `x-ratelimit-*` headers. */
export interface RateState {
  readonly bucket: RateBucket;
  readonly limit: number;
  readonly remaining: number;
  /** Unix seconds: the last second of the window, plus the fraction of the call's own time, which clients of the service expect. */
  readonly reset: number;
  /** The error for a call over the limit, or for one that became invalid while it was queued. */
  readonly refused?: PlatformError;
}

/** Counts calls by number and bucket in fixed windows of a clock minute. */
export function createRateLimiter(limits: RateLimits, clock: Pick<Clock, 'now' | 'monotonic' | 'sleep'>) {
  // The wall clock is read only here: later changes of it must not reset the limit.
  const origin = clock.now().getTime() - clock.monotonic();
  const now = (): number => origin + clock.monotonic();
  let window = Number.NEGATIVE_INFINITY;
  let calls = new Map<string, number>();
  /** Calls that wait for the next window, where they count first. */
  let queued = new Map<string, number>();
  const stopping = new AbortController();

  /** Returns the window at `nowMs`. A clock that goes back stays in the current window: an earlier one would reset the limit. */
  function advanceWindow(nowMs: number): number {
    const current = Math.floor(nowMs / WINDOW_MS);
    if (current > window) {
      window = current;
      calls = queued;
      queued = new Map();
    }
    return window;
  }

  function stateAt(nowMs: number, bucket: Limited, count: number): RateState {
    const limit = (limits as Exclude<RateLimits, false>)[bucket];
    const end = (window + 1) * WINDOW_MS;
    const reset = (end - 1000 + Math.floor(nowMs % 1000)) / 1000;
    const state = { bucket, limit, remaining: Math.max(0, limit - count), reset };
    if (count <= limit) return state;
    return { ...state, refused: new RateLimited(bucket, limit, Math.max(1, Math.ceil((end - nowMs) / 1000))) };
  }

  return {
    count(number: string, bucket: RateBucket): RateState | undefined {
      if (limits === false || bucket === 'none') return undefined;
      const nowMs = now();
      advanceWindow(nowMs);
      const key = `${bucket}:${number}`;
      const count = (calls.get(key) ?? 0) + 1;
      calls.set(key, count);
      return stateAt(nowMs, bucket, count);
    },

    /**
     * Queues a call over the limit until the next window, where it counts. Refuses the call immediately if the queue already has one
     * window's quota, and when the limiter stops. A call whose client disconnects leaves the queue.
     */
    async waitForNextWindow(number: string, bucket: Limited, disconnected: AbortSignal): Promise<RateState> {
      const key = `${bucket}:${number}`;
      const arrivalWindow = advanceWindow(now());
      const queue = queued;
      const refused = () => stateAt(now(), bucket, Number.POSITIVE_INFINITY);
      const waiting = queue.get(key) ?? 0;
      if (stopping.signal.aborted || disconnected.aborted || waiting >= stateAt(now(), bucket, 0).limit) return refused();
      queue.set(key, waiting + 1);
      const aborted = AbortSignal.any([disconnected, stopping.signal]);
      while (advanceWindow(now()) === arrivalWindow && !aborted.aborted)
        await clock.sleep(Math.ceil((arrivalWindow + 1) * WINDOW_MS - now()), aborted);
      if (window !== arrivalWindow) return stateAt(now(), bucket, calls.get(key) ?? 1);
      queue.set(key, queue.get(key)! - 1);
      return refused();
    },

    /** Refuses the queued calls, and queues no more. */
    stop: (): void => stopping.abort(),
  };
}

export type RateLimiter = ReturnType<typeof createRateLimiter>;

const states = new WeakMap<Request, RateState>();

/** Admits calls by their rate. */
export interface Admission {
  readonly limiter: RateLimiter;
  /** Repeats the checks for a call that was queued; undefined when it is still valid. */
  readonly refusal: (request: Request) => Steps<PlatformError | undefined>;
}

/** Counts a call of a number. With `X-throttling: 1`, queues a call over the limit until the next window. */
export function* admitted(
  { limiter, refusal }: Admission,
  request: Request,
  number: string,
  bucket: RateBucket,
): Steps<RateState | undefined> {
  let state = limiter.count(number, bucket);
  if (state?.refused && request.headers['x-throttling'] === '1') {
    const disconnected = new AbortController();
    request.raw.res.once('close', () => disconnected.abort());
    state = yield* wait(limiter.waitForNextWindow(number, bucket as Limited, disconnected.signal));
    const refused = state.refused ?? (yield* refusal(request));
    if (refused) state = { ...state, refused };
  }
  if (state) setRateState(request, state);
  return state;
}

/** The rate state of a request, set before the handler runs; the response headers are built from it. */
const setRateState = (request: Request, state: RateState): void => void states.set(request, state);
export const rateStateOf = (request: Request): RateState | undefined => states.get(request);

export function rateHeaders({ bucket, limit, remaining, reset }: RateState): Record<string, string> {
  return {
    'x-ratelimit-bucket': bucket,
    'x-ratelimit-limit': String(limit),
    'x-ratelimit-remaining': String(remaining),
    'x-ratelimit-reset': String(reset),
  };
}
