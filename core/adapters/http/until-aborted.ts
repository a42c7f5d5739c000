import { setMaxListeners } from 'node:events';
import type { Clock } from '../../ports/clock.js';
import type { HttpOutcome, HttpRequest } from '../../ports/http-client.js';
import { abortedFailure } from './http-failure.js';

/**
 * The outcome of `send`, or `ABORTED` as soon as the signal of the request aborts, also if the client ignores signals. Such a client continues
 * with the request until its deadline, and its outcome is not used.
 */
export function untilAborted(
  { signal }: Pick<HttpRequest, 'signal'>,
  clock: Pick<Clock, 'monotonic'>,
  send: () => Promise<HttpOutcome>,
): Promise<HttpOutcome> {
  if (!signal) return send();
  const startedAt = clock.monotonic();
  const aborted = (): HttpOutcome => ({ kind: 'unreachable', ...abortedFailure, elapsedMs: clock.monotonic() - startedAt });
  if (signal.aborted) return Promise.resolve(aborted());
  return new Promise((resolve, reject) => {
    const forget = onAbort(signal, () => resolve(aborted()));
    send().then(resolve, reject).finally(forget);
  });
}

/** Calls `run` when the signal aborts. @returns a function that ends that */
export function onAbort(signal: AbortSignal, run: () => void): () => void {
  // All requests of a plugin may have one signal; Node.js warns of more than ten listeners.
  setMaxListeners(0, signal);
  signal.addEventListener('abort', run, { once: true });
  return () => signal.removeEventListener('abort', run);
}
