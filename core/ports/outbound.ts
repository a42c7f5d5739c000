import type { Fault } from './faults.js';
import type { HttpOutcome, HttpRequest } from './http-client.js';

/** The key of signatures. Its secret is read once for each sender, and stays there. */
export interface SigningKey {
  /** Never names another secret: a new secret has a new id. */
  readonly id: string;
  /** The same after a restart and for each new secret of a webhook: `webhook:<uuid>`, or `webhook:<uuid>:previous`. */
  readonly reference?: string;
  /** Reads the secret; undefined if it does not exist any more. */
  read(): Promise<string | undefined>;
}

/** A header that the sender computes: base64 of the HMAC-SHA256 of the body as it is sent. The key is the UTF-8 of the secret. */
export interface RequestSignature {
  readonly header: string;
  readonly key: SigningKey;
}

/**
 * Signs the requests of deliveries with another algorithm than HMAC-SHA256, or where the secret cannot be read, such as in a hardware security
 * module. It runs for each attempt, on the main thread. Without this port, the thread that sends computes the signatures.
 */
export interface Signer {
  /**
   * Returns the headers with the signature of the body, a text as UTF-8, by a key. During the rotation of a secret it runs once more for the previous
   * key, with another `header`, so its headers must have other names then. A header that the request already has is ignored.
   * @throws Error when it cannot sign: the request is not sent, and repeated later
   */
  sign(
    signature: RequestSignature,
    body: string | Uint8Array,
  ): Promise<Readonly<Record<string, string>>> | Readonly<Record<string, string>>;
}

/** A request with the signatures still to be made. */
export interface OutboundRequest extends Omit<HttpRequest, 'signal'> {
  /**
   * Bytes are for files: the sender builds them for each attempt, and they are never stored. The details of the attempt show `[N bytes, TYPE]`
   * instead, and the texts of a multipart body.
   */
  readonly body: string | Uint8Array;
  readonly signatures: readonly RequestSignature[];
  /**
   * Makes the attempt over a protocol that is not HTTP, instead of the HTTP client. Its reply is the response: `status` is its code, `body` its text.
   * It ends when the signal aborts: at the deadline, or when the platform stops. Records show `url`, `headers` and `body`. An error counts the
   * attempt as interrupted.
   */
  readonly perform?: (signal: AbortSignal) => Promise<HttpOutcome>;
  /** Names of headers whose values must not be shown. */
  readonly secretHeaders?: readonly string[];
  /** The fault with which the request is sent; only if the platform has faults. */
  readonly fault?: Fault | undefined;
}

/** The sender failed before it sent the request, so the endpoint did not receive it. */
export class RequestNotSent extends Error {
  override readonly name = 'RequestNotSent';
}

/** Signs and sends the requests of deliveries. */
export interface OutboundSender {
  /**
   * Resolves with the outcome, as `HttpClient.send` does; a failure of the endpoint is an outcome. The caller must leave the request
   * unchanged until then.
   * @throws RequestNotSent when the request could not be signed
   * @throws Error when the sender failed while the request was in flight. Whether the endpoint received it is unknown.
   */
  send(request: OutboundRequest): Promise<HttpOutcome>;
  /**
   * Waits for requests in flight, at most `limitMs` real milliseconds (0 if not given), then closes the connections. The outcome of
   * requests that are still in flight then, and of later requests, is `unreachable` with code `STOPPED`.
   */
  stop(limitMs?: number): Promise<void>;
}
