import type { Clock } from '../../ports/clock.js';
import type { HttpOutcome } from '../../ports/http-client.js';
import type { OutboundRequest, OutboundSender } from '../../ports/outbound.js';
import { InFlight, notSent } from './in-flight.js';

/** Lets requests that are not HTTP make their attempts themselves, with deadlines and a stop; passes all others on. */
export class PerformingSender implements OutboundSender {
  readonly #sender: OutboundSender;
  readonly #clock: Clock;
  readonly #inFlight = new InFlight();
  readonly #stop = new AbortController();

  constructor(sender: OutboundSender, clock: Clock) {
    this.#sender = sender;
    this.#clock = clock;
  }

  send(request: OutboundRequest): Promise<HttpOutcome> {
    const { perform } = request;
    if (!perform) return this.#sender.send(request);
    if (this.#stop.signal.aborted) return Promise.resolve(notSent);
    return new Promise((resolve, reject) => {
      const id = this.#inFlight.add(resolve, reject);
      this.#perform(perform, request.deadlineMs).then(
        (outcome) => this.#inFlight.settle(id, outcome),
        (error) => this.#inFlight.fail(id, error),
      );
    });
  }

  async stop(limitMs = 0): Promise<void> {
    await Promise.all([this.#sender.stop(limitMs), this.#inFlight.drain(limitMs)]);
    this.#inFlight.abortAll();
    this.#stop.abort();
  }

  #perform(perform: NonNullable<OutboundRequest['perform']>, deadlineMs: number): Promise<HttpOutcome> {
    const clock = this.#clock.ofRequests ?? this.#clock;
    const startedAt = clock.monotonic();
    const over = new AbortController();
    return this.#clock.during(
      () =>
        new Promise((resolve, reject) => {
          const limit = clock.after(deadlineMs, () => {
            resolve({ kind: 'timeout', elapsedMs: clock.monotonic() - startedAt });
            over.abort();
          });
          perform(AbortSignal.any([over.signal, this.#stop.signal]))
            .then(resolve, reject)
            .finally(() => limit.cancel());
        }),
    );
  }
}
