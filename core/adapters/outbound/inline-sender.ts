import { messageOf } from '../../errors.js';
import type { HttpClient, HttpOutcome } from '../../ports/http-client.js';
import { type OutboundRequest, type OutboundSender, RequestNotSent, type RequestSignature } from '../../ports/outbound.js';
import type { WorkerPool } from '../../ports/workers.js';
import { signPayload } from '../../signature.js';
import { InFlight, notSent, type SenderClock, secretOf } from './in-flight.js';

/** A larger body is sent as a buffer, which keeps it outside of the heap while the endpoint responds. */
const SMALL_BODY_CHARS = 65_536;

export interface InlineSenderOptions {
  readonly http: Pick<HttpClient, 'send'>;
  readonly workers: Pick<WorkerPool, 'run'>;
  readonly clock: SenderClock;
}

/** Signs in the worker pool and sends with an HTTP client on this thread. For host applications that bring their own HTTP client. */
export class InlineSender implements OutboundSender {
  readonly #options: InlineSenderOptions;
  readonly #inFlight = new InFlight();
  #isStopped = false;

  constructor(options: InlineSenderOptions) {
    this.#options = options;
  }

  send(request: OutboundRequest): Promise<HttpOutcome> {
    if (this.#isStopped) return Promise.resolve(notSent);
    if (request.perform) return this.#inFlight.perform(request.perform, request.deadlineMs, this.#options.clock);
    return new Promise((resolve, reject) => {
      const id = this.#inFlight.add(resolve, reject);
      this.#exchange(request).then(
        (outcome) => this.#inFlight.settle(id, outcome),
        (error) => this.#inFlight.fail(id, error),
      );
    });
  }

  /** Leaves the HTTP client open: other parts of the platform use it too. */
  async stop(limitMs = 0): Promise<void> {
    this.#isStopped = true;
    await this.#inFlight.drain(limitMs);
    this.#inFlight.abortAll();
  }

  async #exchange({ signatures, ...request }: OutboundRequest): Promise<HttpOutcome> {
    const { body } = request;
    const headers = { ...request.headers, ...(await this.#signed(body, signatures)) };
    const outcome = await this.#options.http.send({
      ...request,
      headers,
      body: typeof body === 'string' && body.length > SMALL_BODY_CHARS ? Buffer.from(body) : body,
    });
    // The client of a host application may not describe the exchange; the signatures are known only here.
    return request.detailed && !outcome.exchange ? { ...outcome, exchange: { requestHeaders: Object.entries(headers).flat() } } : outcome;
  }

  /** The headers with the signatures. */
  async #signed(body: OutboundRequest['body'], signatures: readonly RequestSignature[]): Promise<Record<string, string>> {
    const { workers } = this.#options;
    const sign = async ({ header, key }: RequestSignature) =>
      [header, await workers.run(signPayload, { secret: await secretOf(key), body })] as const;
    try {
      return Object.fromEntries(await Promise.all(signatures.map(sign)));
    } catch (error) {
      throw new RequestNotSent(messageOf(error), { cause: error });
    }
  }
}
