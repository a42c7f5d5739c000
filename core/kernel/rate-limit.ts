import type { Request } from '@hapi/hapi';
import type { RateBucket } from '../contract/route.js';
import { type PlatformError, RateLimited } from '../errors.js';
import type { Clock } from '../ports/clock.js';

/** Calls a minute for each number, or false for no limit. */
export type RateLimits = false | { readonly general: number; readonly text: number; readonly media: number };

/** Buckets with a count. */
type Limited = Exclude<RateBucket, 'none'>;

export const defaultRateLimits = { general: 60, text: 60, media: 60 } as const;

const WINDOW_MS = 60_000;

/** How a call stands in its bucket; it becomes the `x-ratelimit-*` headers. */
export interface RateState {
  readonly bucket: RateBucket;
  readonly limit: number;
  readonly remaining: number;
  /** Unix seconds: the last second of the window, with the fraction of the call's own time, as clients know it. */
  readonly reset: number;
  /** Present when the call is one too many, or may not be made any more after it was held. */
  readonly refused?: PlatformError;
}

/** Counts calls per number and bucket in fixed windows of the clock minute. */
export function createRateLimiter(limits: RateLimits, clock: Pick<Clock, 'now' | 'monotonic' | 'sleep'>) {
  // The wall clock says once where the minutes begin: whoever sets it later must not open the gates.
  const origin = clock.now().getTime() - clock.monotonic();
  const now = (): number => origin + clock.monotonic();
  let window = Number.NEGATIVE_INFINITY;
  let calls = new Map<string, number>();
  /** Calls that are held until the next window, which they have their places in. */
  let held = new Map<string, number>();
  const stopping = new AbortController();

  /** The window of the moment. A clock that goes back stays in the one there is, as another would open the gates. */
  function turned(moment: number): number {
    const current = Math.floor(moment / WINDOW_MS);
    if (current > window) {
      window = current;
      calls = held;
      held = new Map();
    }
    return window;
  }

  function stateAt(moment: number, bucket: Limited, made: number): RateState {
    const limit = (limits as Exclude<RateLimits, false>)[bucket];
    const end = (window + 1) * WINDOW_MS;
    const reset = (end - 1000 + Math.floor(moment % 1000)) / 1000;
    const state = { bucket, limit, remaining: Math.max(0, limit - made), reset };
    if (made <= limit) return state;
    return { ...state, refused: new RateLimited(bucket, limit, Math.max(1, Math.ceil((end - moment) / 1000))) };
  }

  return {
    /** Counts a call; undefined where nothing is counted. */
    count(number: string, bucket: RateBucket): RateState | undefined {
      if (limits === false || bucket === 'none') return undefined;
      const moment = now();
      turned(moment);
      const key = `${bucket}:${number}`;
      const made = (calls.get(key) ?? 0) + 1;
      calls.set(key, made);
      return stateAt(moment, bucket, made);
    },

    /**
     * Holds a call that was one too many until the next window, in which it counts. It is refused at once when as many are
     * held as the window has calls, and when the limiter stops; a call whose client has gone gives up its place.
     */
    async hold(number: string, bucket: Limited, gone: AbortSignal): Promise<RateState> {
      const key = `${bucket}:${number}`;
      const mine = turned(now());
      const places = held;
      const refused = () => stateAt(now(), bucket, Number.POSITIVE_INFINITY);
      const waiting = places.get(key) ?? 0;
      if (stopping.signal.aborted || gone.aborted || waiting >= stateAt(now(), bucket, 0).limit) return refused();
      places.set(key, waiting + 1);
      const given = AbortSignal.any([gone, stopping.signal]);
      while (turned(now()) === mine && !given.aborted) await clock.sleep(Math.ceil((mine + 1) * WINDOW_MS - now()), given);
      if (window !== mine) return stateAt(now(), bucket, calls.get(key) ?? 1);
      places.set(key, places.get(key)! - 1);
      return refused();
    },

    /** Lets go of what is held, and holds nothing more. */
    stop: (): void => stopping.abort(),
  };
}

export type RateLimiter = ReturnType<typeof createRateLimiter>;

const states = new WeakMap<Request, RateState>();

/** Counts calls; one that was held is looked at again, as much can have changed in a minute. */
export interface Admission {
  readonly limiter: RateLimiter;
  /** Why somebody may not call any more, if so. */
  readonly refusal: (request: Request) => Promise<PlatformError | undefined>;
}

/** Counts a call of somebody. With `X-throttling: 1` it is held instead of being one too many. */
export async function admitted(
  { limiter, refusal }: Admission,
  request: Request,
  number: string,
  bucket: RateBucket,
): Promise<RateState | undefined> {
  let state = limiter.count(number, bucket);
  if (state?.refused && request.headers['x-throttling'] === '1') {
    const gone = new AbortController();
    request.raw.res.once('close', () => gone.abort());
    state = await limiter.hold(number, bucket as Limited, gone.signal);
    const refused = state.refused ?? (await refusal(request));
    if (refused) state = { ...state, refused };
  }
  if (state) rememberRate(request, state);
  return state;
}

/** How a call stands is known before it is answered, and is said in its answer. */
const rememberRate = (request: Request, state: RateState): void => void states.set(request, state);
export const rateOf = (request: Request): RateState | undefined => states.get(request);

export function rateHeaders({ bucket, limit, remaining, reset }: RateState): Record<string, string> {
  return {
    'x-ratelimit-bucket': bucket,
    'x-ratelimit-limit': String(limit),
    'x-ratelimit-remaining': String(remaining),
    'x-ratelimit-reset': String(reset),
  };
}
