import { type Lazy, lazy } from '../../lazy.js';
import type { HttpClient, HttpOutcome, HttpRequest } from '../../ports/http-client.js';
import { stoppedFailure } from './http-failure.js';
import type { TargetRules } from './target-rules.js';

/**
 * A client that is loaded when the platform starts, or at the latest for the first request. Loading it takes a good part of a
 * start, and fits into the time in which the worker threads start.
 */
export class LazyClient implements HttpClient {
  readonly #client: Lazy<HttpClient>;
  readonly #rules: TargetRules;
  #isStopped = false;

  constructor(load: () => Promise<HttpClient>, rules: TargetRules) {
    this.#client = lazy(load);
    this.#rules = rules;
  }

  refusal(url: string): string | undefined {
    return this.#rules.refusal(url);
  }

  start(): void {
    // Callers of `send` get the error.
    this.#client.get().catch(() => undefined);
  }

  async send(request: HttpRequest): Promise<HttpOutcome> {
    if (this.#isStopped && !this.#client.started) return { kind: 'unreachable', ...stoppedFailure, elapsedMs: 0 };
    return (await this.#client.get()).send(request);
  }

  /** Loads nothing: a client that was never used, or could not be loaded, has nothing to stop. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    const client = await this.#client.started?.catch(() => undefined);
    await client?.stop();
  }
}
