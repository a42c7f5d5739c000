import type { SpanStart } from './tracing.js';

/** Outgoing HTTP. What the network does is a value, never an exception; redirects are never followed. */
export interface HttpRequest {
  readonly method: string;
  readonly url: string;
  /** Those that frame or route the message (`host`, `content-length`, ...) are not the caller's to say. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The exact bytes to send. */
  readonly body?: Uint8Array | string;
  /** Milliseconds for the whole exchange, from before name resolution to the last byte read. */
  readonly deadlineMs: number;
  /** At most this many bytes of the response are read; the rest is cut off. */
  readonly maxResponseBytes: number;
  /**
   * `true` if not given: without its whole body there is no response. When the status decides and the body is only a record,
   * say `false`, and a late or broken body is cut and does not change the outcome.
   */
  readonly bodyMatters?: boolean;
  /**
   * `false` if not given. A request whose used connection turns out to be closed is sent once more on a new one anyway; with
   * `true` also one whose new connection is lost within a second without a byte of an answer.
   */
  readonly repeatable?: boolean;
  /** How it appears in a trace, where there is one; by its method if not given. */
  readonly span?: Partial<Pick<SpanStart, 'name' | 'parent' | 'attributes'>>;
}

/** What came of a request. Durations are milliseconds. */
export type HttpOutcome =
  | {
      readonly kind: 'response';
      readonly status: number;
      /** Names in lower case; repeated headers joined with `, `. */
      readonly headers: Readonly<Record<string, string>>;
      readonly body: Uint8Array;
      /** The body was longer than `maxResponseBytes`, or did not end in time or at all. */
      readonly cut: boolean;
      /** Milliseconds until the response head. */
      readonly elapsedMs: number;
    }
  | { readonly kind: 'timeout'; readonly elapsedMs: number }
  | {
      readonly kind: 'unreachable';
      /** Trying again cannot help: the name does not exist, the request cannot be sent, the address is barred. */
      readonly permanent: boolean;
      /** `ECONNREFUSED`, `ENOTFOUND`; of our own `BAD_URL`, `BAD_REQUEST`, `BAD_RESPONSE`, `TLS`, `BLOCKED_ADDRESS` and `STOPPED`. */
      readonly code: string;
      /** In plain words. */
      readonly reason: string;
      readonly elapsedMs: number;
    };

/**
 * Whether the body of a response is packed, by a coding that exists. Nobody here asks for one; servers write other things into
 * that header too (`utf-8`, `none`), whose bodies are as they are.
 */
export const isPacked = ({ 'content-encoding': codings = '' }: Readonly<Record<string, string>>): boolean =>
  /(^|,)\s*(x-)?(gzip|compress|deflate|br|zstd)\s*(,|$)/i.test(codings);

/** Sends requests; the one way out of the platform. */
export interface HttpClient {
  /** Makes ready what takes time; it is not waited for. */
  start?(): void;
  /** Why a URL may not be called, in plain words, as far as can be said without sending; for whoever wants to keep it. */
  refusal?(url: string): string | undefined;
  /** Never rejects. */
  send(request: HttpRequest): Promise<HttpOutcome>;
  /** Ends what is going on; its outcome is `unreachable`, as is that of all that is sent later. */
  stop(): Promise<void>;
}
