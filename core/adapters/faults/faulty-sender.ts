import type { Clock } from '../../ports/clock.js';
import type { HttpOutcome } from '../../ports/http-client.js';
import type { OutboundRequest, OutboundSender, Signer } from '../../ports/outbound.js';
import { faultyExchange } from './faulty-exchange.js';

const WRONG_KEY = { id: 'fault:wrong-key', read: async () => 'not-the-secret-of-this-webhook' };
/** The body that a stale signature belongs to. */
const OTHER_BODY = '{}';

interface FaultySigning {
  /** Makes stale signatures. */
  readonly signer: Signer;
  /** Whether it is a signer of the host application. */
  readonly isOwn: boolean;
}

/** Sends deliveries with the faults that their requests name. */
export class FaultySender implements OutboundSender {
  readonly #sender: OutboundSender;
  readonly #clock: Pick<Clock, 'sleep'>;

  readonly #signer: Signer;
  readonly #isOwn: boolean;

  constructor(sender: OutboundSender, clock: Pick<Clock, 'sleep'>, { signer, isOwn }: FaultySigning) {
    this.#sender = sender;
    this.#clock = clock;
    this.#signer = signer;
    this.#isOwn = isOwn;
  }

  send(request: OutboundRequest): Promise<HttpOutcome> {
    const { fault, ...plain } = request;
    if (!fault) return this.#sender.send(request);
    const { effect } = fault;
    // A signer of the host application may not know a wrong key.
    if (effect.kind === 'wrong_signature' && !this.#isOwn) {
      return this.#sender.send({ ...plain, signatures: plain.signatures.map(({ header }) => ({ header, key: WRONG_KEY })) });
    }
    if (effect.kind === 'stale_signature' || effect.kind === 'wrong_signature') return this.#sendStale(plain);
    return faultyExchange(effect, plain, this.#clock, () => this.#sender.send(plain));
  }

  stop(limitMs?: number): Promise<void> {
    return this.#sender.stop(limitMs);
  }

  async #sendStale(request: OutboundRequest): Promise<HttpOutcome> {
    const stale = await Promise.all(request.signatures.map((signature) => this.#signer.sign(signature, OTHER_BODY)));
    return this.#sender.send({ ...request, headers: { ...request.headers, ...Object.assign({}, ...stale) }, signatures: [] });
  }
}
