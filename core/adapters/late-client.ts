import type { HttpClient, HttpOutcome, HttpRequest } from '../ports/http-client.js';
import type { TargetRules } from './target-rules.js';

/**
 * A client that is loaded when the platform starts, or at the latest for the first request. Loading it takes a good part of a
 * start, and fits into the time in which the worker threads start.
 */
export class LateClient implements HttpClient {
  readonly #load: () => Promise<HttpClient>;
  #client: Promise<HttpClient> | undefined;

  readonly #rules: TargetRules;

  constructor(load: () => Promise<HttpClient>, rules: TargetRules) {
    this.#load = load;
    this.#rules = rules;
  }

  refusal(url: string): string | undefined {
    return this.#rules.refusal(url);
  }

  start(): void {
    // Whoever sends something hears of a failure.
    this.#loaded().catch(() => undefined);
  }

  async send(request: HttpRequest): Promise<HttpOutcome> {
    return (await this.#loaded()).send(request);
  }

  async stop(): Promise<void> {
    await (await this.#loaded()).stop();
  }

  #loaded(): Promise<HttpClient> {
    this.#client ??= this.#load();
    return this.#client;
  }
}
