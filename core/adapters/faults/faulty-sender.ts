import { createHmac } from 'node:crypto';
import type { Clock } from '../../ports/clock.js';
import type { HttpOutcome } from '../../ports/http-client.js';
import type { OutboundRequest, OutboundSender, RequestSignature } from '../../ports/outbound.js';
import { faultyExchange } from './faulty-exchange.js';

const WRONG_KEY = { id: 'fault:wrong-key', read: async () => 'not-the-secret-of-this-webhook' };
/** The body that a stale signature belongs to. */
const OTHER_BODY = '{}';

/** Sends deliveries with the faults that their requests name. */
export class FaultySender implements OutboundSender {
  readonly #sender: OutboundSender;
  readonly #clock: Pick<Clock, 'sleep'>;

  constructor(sender: OutboundSender, clock: Pick<Clock, 'sleep'>) {
    this.#sender = sender;
    this.#clock = clock;
  }

  send(request: OutboundRequest): Promise<HttpOutcome> {
    const { fault, ...plain } = request;
    if (!fault) return this.#sender.send(request);
    const { effect } = fault;
    if (effect.kind === 'wrong_signature') {
      return this.#sender.send({ ...plain, signatures: plain.signatures.map(({ header }) => ({ header, key: WRONG_KEY })) });
    }
    if (effect.kind === 'stale_signature') return this.#sendStale(plain);
    return faultyExchange(effect, plain, this.#clock, () => this.#sender.send(plain));
  }

  stop(limitMs?: number): Promise<void> {
    return this.#sender.stop(limitMs);
  }

  async #sendStale(request: OutboundRequest): Promise<HttpOutcome> {
    const sign = async ({ header, key }: RequestSignature): Promise<[string, string][]> => {
      const secret = await key.read();
      return secret === undefined ? [] : [[header, createHmac('sha256', secret).update(OTHER_BODY).digest('base64')]];
    };
    const stale = (await Promise.all(request.signatures.map(sign))).flat();
    return this.#sender.send({ ...request, headers: { ...request.headers, ...Object.fromEntries(stale) }, signatures: [] });
  }
}
