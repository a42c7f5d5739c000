import { messageOf } from '../../errors.js';
import type { Clock } from '../../ports/clock.js';
import type { HttpOutcome, LateResponse } from '../../ports/http-client.js';
import { type OutboundRequest, RequestNotSent, type SigningKey } from '../../ports/outbound.js';
import { stoppedFailure } from '../http/http-failure.js';

/** The clock of a sender. */
export type SenderClock = Pick<Clock, 'during' | 'monotonic' | 'after' | 'ofRequests'>;

interface Call {
  readonly startedAt: number;
  readonly resolve: (outcome: HttpOutcome) => void;
  readonly reject: (error: unknown) => void;
  readonly late: LateResponse | undefined;
}

/** The outcome of a request that was not sent because its sender is stopped. */
export const notSent: HttpOutcome = { kind: 'unreachable', ...stoppedFailure, elapsedMs: 0 };

/** The requests that have no outcome yet, by id. */
export class InFlight {
  readonly #calls = new Map<number, Call>();
  /** Requests whose response is read after their outcome. */
  readonly #late = new Map<number, LateResponse>();
  /** Ends requests that make their attempts themselves. */
  readonly #stop = new AbortController();
  #lastId = 0;
  #onEmpty: (() => void) | undefined;

  get size(): number {
    return this.#calls.size;
  }

  /** Whether nothing more is to come. */
  get isIdle(): boolean {
    return this.#calls.size === 0 && this.#late.size === 0;
  }

  has(id: number): boolean {
    return this.#calls.has(id);
  }

  /** @returns the id of the request */
  add(resolve: Call['resolve'], reject: Call['reject'], late?: LateResponse): number {
    this.#calls.set(++this.#lastId, { startedAt: performance.now(), resolve, reject, late });
    return this.#lastId;
  }

  /** Lets a request that is not HTTP make its attempt itself, until its deadline or `abortAll`. */
  perform(perform: NonNullable<OutboundRequest['perform']>, deadlineMs: number, clock: SenderClock): Promise<HttpOutcome> {
    const time = clock.ofRequests ?? clock;
    const startedAt = time.monotonic();
    const over = new AbortController();
    return clock.during(
      () =>
        new Promise((resolve, reject) => {
          const id = this.add(resolve, reject);
          const limit = time.after(deadlineMs, () => {
            this.settle(id, { kind: 'timeout', elapsedMs: time.monotonic() - startedAt });
            over.abort();
          });
          perform(AbortSignal.any([over.signal, this.#stop.signal]))
            .then(
              (outcome) => this.settle(id, outcome),
              (error) => this.fail(id, error),
            )
            .finally(() => limit.cancel());
        }),
    );
  }

  /** Does nothing if the request has already ended. */
  settle(id: number, outcome: HttpOutcome): void {
    const call = this.#end(id);
    if (call?.late && outcome.late) this.#late.set(id, call.late);
    call?.resolve(outcome);
  }

  /** Ends a request whose outcome was `late`. */
  settleLate(id: number, outcome: HttpOutcome): void {
    const late = this.#late.get(id);
    this.#late.delete(id);
    late?.settle(outcome.kind === 'response' ? outcome : undefined);
  }

  /** Does nothing if the request has already ended. */
  fail(id: number, error: unknown): void {
    this.#end(id)?.reject(error);
  }

  failAll(error: unknown): void {
    for (const id of [...this.#late.keys()]) this.settleLate(id, notSent);
    for (const id of [...this.#calls.keys()]) this.fail(id, error);
  }

  /** Ends all requests with the outcome `STOPPED`. */
  abortAll(): void {
    for (const id of [...this.#late.keys()]) this.settleLate(id, notSent);
    for (const [id, { startedAt }] of [...this.#calls]) this.settle(id, { ...notSent, elapsedMs: performance.now() - startedAt });
    this.#stop.abort();
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

/** Reads the secret of a key. @throws RequestNotSent if it does not exist, or cannot be read */
export async function secretOf({ id, read }: SigningKey): Promise<string> {
  const secret = await read().catch((cause: unknown) => {
    throw new RequestNotSent(`the secret of the signing key ${id} cannot be read: ${messageOf(cause)}`, { cause });
  });
  if (secret === undefined) throw new RequestNotSent(`the secret of the signing key ${id} is missing in the store`);
  return secret;
}
