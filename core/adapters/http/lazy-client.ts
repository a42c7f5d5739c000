import { type Lazy, lazy } from '../../lazy.js';
import type { HttpClient, HttpOutcome, HttpRequest } from '../../ports/http-client.js';
import { stoppedFailure } from './http-failure.js';
import type { TargetRules } from './target-rules.js';

/** Loads the HTTP client when the platform starts, or on the first request. Loading is slow, and runs while the worker threads start. */
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

  /** Does not load the client: a client that was never used, or failed to load, has nothing to stop. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    const client = await this.#client.started?.catch(() => undefined);
    await client?.stop();
  }
}
