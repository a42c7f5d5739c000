import type { Request } from '@hapi/hapi';
import { NotFound, RateLimited } from '../errors.js';
import type { Clock } from '../ports/clock.js';
import type { PluginContext } from './context.js';

/** The types of parts for clients in browsers: other origins, streams, limits of callers without a token, and files. */

/** A call before its body is read and its path is checked. */
export interface ArrivingCall {
  /** The parameters of the path, as they were sent. */
  readonly params: Readonly<Record<string, string>>;
  /** Header names are in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly request: Request;
}

export type EventStreamFactory = PluginContext['eventStream'];
/** A server-sent event. */
export type SentEvent = Exclude<Parameters<Parameters<Parameters<EventStreamFactory>[1]['more']>[0]>[0], Uint8Array | string>;
export type BrowserFileFactory = PluginContext['browserFile'];
export type CallLimitFactory = PluginContext['callLimit'];

const MINUTE_MS = 60_000;
/** Clients that are counted at a time. With more, the oldest counts are evicted. */
const MAX_KEYS = 100_000;

/** Creates a limit with windows that begin at the full minute. */
export function createCallLimit(
  clock: Pick<Clock, 'monotonic'>,
  { name, calls, minutes = 1 }: Parameters<CallLimitFactory>[0],
): ReturnType<CallLimitFactory> {
  const counts = new Map<string, number>();
  let window = 0;
  return {
    count,
    async countMisses(key, work) {
      try {
        return await work;
      } catch (error) {
        if (error instanceof NotFound) count(key);
        throw error;
      }
    },
  };

  function count(key: string): void {
    const now = clock.monotonic();
    const current = Math.floor(now / (minutes * MINUTE_MS));
    if (current !== window) counts.clear();
    window = current;
    const made = (counts.get(key) ?? 0) + 1;
    counts.set(key, made);
    if (counts.size > MAX_KEYS) counts.delete(counts.keys().next().value!);
    if (made <= calls) return;
    throw new RateLimited(name, calls, Math.max(1, Math.ceil(((current + 1) * minutes * MINUTE_MS - now) / 1000)), minutes);
  }
}
