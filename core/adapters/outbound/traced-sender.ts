import type { HttpOutcome } from '../../ports/http-client.js';
import type { OutboundRequest, OutboundSender } from '../../ports/outbound.js';
import type { Tracing } from '../../ports/tracing.js';
import { traced } from '../http/traced-http.js';

/** Traces the requests of a sender as spans on this thread; the trace context is a header of the request. */
export class TracedSender implements OutboundSender {
  readonly #sender: OutboundSender;
  readonly #tracing: Tracing;

  constructor(sender: OutboundSender, tracing: Tracing) {
    this.#sender = sender;
    this.#tracing = tracing;
  }

  send(request: OutboundRequest): Promise<HttpOutcome> {
    return traced(this.#tracing, request, (withContext) => this.#sender.send(withContext));
  }

  stop(limitMs?: number): Promise<void> {
    return this.#sender.stop(limitMs);
  }
}
