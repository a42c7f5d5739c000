import type { HttpClient, HttpOutcome, HttpRequest } from '../ports/http-client.js';

/**
 * A client that is loaded when the platform starts, or at the latest for the first request. Loading it takes a good part of a
 * start, and fits into the time in which the worker threads start.
 */
export class LateClient implements HttpClient {
  readonly #load: () => Promise<HttpClient>;
  #client: Promise<HttpClient> | undefined;

  constructor(load: () => Promise<HttpClient>) {
    this.#load = load;
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
