import { messageOf } from '../../errors.js';
import type { HttpOutcome } from '../../ports/http-client.js';
import { type OutboundRequest, type OutboundSender, RequestNotSent, type Signer } from '../../ports/outbound.js';

const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const VALUE = /^[\x20-\x7e]*$/;

/** Signs requests with the signer of the host application, and passes them to a sender, which then has no signatures to make. */
export class SigningSender implements OutboundSender {
  readonly #sender: OutboundSender;
  readonly #signer: Signer;

  constructor(sender: OutboundSender, signer: Signer) {
    this.#sender = sender;
    this.#signer = signer;
  }

  async send(request: OutboundRequest): Promise<HttpOutcome> {
    if (request.signatures.length === 0) return this.#sender.send(request);
    const headers = { ...request.headers, ...(await this.#signed(request)) };
    return this.#sender.send({ ...request, headers, signatures: [] });
  }

  stop(limitMs?: number): Promise<void> {
    return this.#sender.stop(limitMs);
  }

  async #signed({ signatures, body, headers }: OutboundRequest): Promise<Record<string, string>> {
    try {
      const made = await Promise.all(signatures.map(async (signature) => Object.entries(await this.#signer.sign(signature, body))));
      const taken = new Set(Object.keys(headers ?? {}).map((name) => name.toLowerCase()));
      const added: Record<string, string> = {};
      for (const [name, value] of made.flat()) {
        if (!NAME.test(name) || typeof value !== 'string' || !VALUE.test(value))
          throw new Error(`the signer returned the invalid header ${JSON.stringify(name)}`);
        if (!taken.has(name.toLowerCase())) added[name] = value;
      }
      return added;
    } catch (error) {
      throw new RequestNotSent(`the signer failed: ${messageOf(error)}`, { cause: error });
    }
  }
}
