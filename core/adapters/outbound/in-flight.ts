import type { HttpOutcome } from '../../ports/http-client.js';
import { stoppedFailure } from '../http/http-failure.js';

interface Call {
  readonly startedAt: number;
  readonly resolve: (outcome: HttpOutcome) => void;
  readonly reject: (error: unknown) => void;
}

/** The outcome of a request that was not sent because its sender is stopped. */
export const notSent: HttpOutcome = { kind: 'unreachable', ...stoppedFailure, elapsedMs: 0 };

/** The requests that have no outcome yet, by id. */
export class InFlight {
  readonly #calls = new Map<number, Call>();
  #lastId = 0;
  #onEmpty: (() => void) | undefined;

  get size(): number {
    return this.#calls.size;
  }

  has(id: number): boolean {
    return this.#calls.has(id);
  }

  /** @returns the id of the request */
  add(resolve: Call['resolve'], reject: Call['reject']): number {
    this.#calls.set(++this.#lastId, { startedAt: performance.now(), resolve, reject });
    return this.#lastId;
  }

  /** Does nothing if the request has already ended. */
  settle(id: number, outcome: HttpOutcome): void {
    this.#end(id)?.resolve(outcome);
  }

  /** Does nothing if the request has already ended. */
  fail(id: number, error: unknown): void {
    this.#end(id)?.reject(error);
  }

  failAll(error: unknown): void {
    for (const id of [...this.#calls.keys()]) this.fail(id, error);
  }

  /** Ends all requests with the outcome `STOPPED`. */
  abortAll(): void {
    for (const [id, { startedAt }] of [...this.#calls]) this.settle(id, { ...notSent, elapsedMs: performance.now() - startedAt });
  }

  /** Resolves when no request is in flight, at the latest after `limitMs` real milliseconds. */
  drain(limitMs: number): Promise<void> {
    if (this.size === 0) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, limitMs);
      this.#onEmpty = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  #end(id: number): Call | undefined {
    const call = this.#calls.get(id);
    this.#calls.delete(id);
    if (this.size === 0) this.#onEmpty?.();
    return call;
  }
}
