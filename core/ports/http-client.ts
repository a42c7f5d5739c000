import type { SpanStart } from './tracing.js';

/** An outgoing HTTP request. Network failures are returned as values, never thrown; redirects are never followed. */
export interface HttpRequest {
  /** In upper case. */
  readonly method: string;
  /** An absolute URL with `http:` or `https:`, without a user name or password. */
  readonly url: string;
  /** Records, rules of faults and messages for people show this text instead of the URL. For a service whose URLs contain a secret. */
  readonly shownUrl?: string;
  /**
   * Names are sent in these letters. Headers that frame or route the message (`host`, `content-length`, ...) are refused: the outcome is
   * `BAD_REQUEST`. The client adds a `User-Agent` if the request has none.
   */
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent byte by byte as given. */
  readonly body?: Uint8Array | string;
  /** Milliseconds for the whole exchange, from name resolution to the last byte read. */
  readonly deadlineMs: number;
  /** The client reads at most this many bytes of the body and cuts off the rest. */
  readonly maxResponseBytes: number;
  /**
   * `true` if not given: a response whose body is late or broken counts as failed. With `false` only the status counts, and a
   * late or broken body is returned as far as it was received (`cut`).
   */
  readonly bodyMatters?: boolean;
  /**
   * `false` if not given: the client sends the request once more, on a new connection, when a reused connection is lost before the first
   * byte of the response. The server may have closed it while it was idle. `true`: the client never sends it twice. For a request that
   * must not have an effect twice, even at the cost of failures that a resend avoids.
   */
  readonly atMostOnce?: boolean;
  /**
   * Ends the request immediately when it aborts, also while it waits for a connection or the response is read: the outcome is `unreachable` with
   * code `ABORTED`. `stop` of a plugin can so end a long poll. The client closes the connection. A server that has read the request may have
   * processed it.
   */
  readonly signal?: AbortSignal | undefined;
  /** For a response that arrives after the deadline. If not given, the client closes the connection at the deadline. */
  readonly late?: LateResponse;
  /** The span of the request, when requests are traced; named by the method if not given. */
  readonly span?: Partial<Pick<SpanStart, 'name' | 'parent' | 'attributes'>>;
  /** Whether the outcome describes the exchange: the headers as they were sent, and where the time went. `false` if not given. */
  readonly detailed?: boolean;
}

type Response = Extract<HttpResult, { readonly kind: 'response' }>;

/** How long a client continues to read after the deadline, and what to call then. */
export interface LateResponse {
  readonly ms: number;
  /** Called once if the outcome is `late`: with the response, or with undefined if it has not arrived within `ms`. */
  readonly settle: (response: Response | undefined) => void;
}

/** How a client made a request, if the request is `detailed`. */
export interface HttpExchange {
  /** The headers in the order in which they were sent: each name, followed by its value. */
  readonly requestHeaders: readonly string[];
  /** Undefined if the client does not measure them. */
  readonly timing?: HttpTiming | undefined;
}

/** The phases of an exchange in milliseconds; null for a phase that did not happen. `dns`, `connect` and `tls` are null on a reused connection. */
export interface HttpTiming {
  /** Until the connection was begun or, when it was reused, until the request was written. */
  readonly queue: number | null;
  readonly dns: number | null;
  readonly connect: number | null;
  readonly tls: number | null;
  /** From the first byte of the request to the response head. */
  readonly wait: number | null;
  /** From the response head to the last byte that was read. */
  readonly read: number | null;
}

/** The result of a request. Durations are milliseconds. */
export type HttpOutcome = HttpResult & {
  /** The client has sent the request twice, because a reused connection was lost before the first byte of the response. */
  readonly resent?: true | undefined;
  /** The client continues to read the response, and passes it to the request's `late`. */
  readonly late?: true | undefined;
  /** Only if the request is `detailed`. */
  readonly exchange?: HttpExchange | undefined;
};

type HttpResult =
  | {
      readonly kind: 'response';
      readonly status: number;
      /** Names in lower case; repeated headers joined with `, `. */
      readonly headers: Readonly<Record<string, string>>;
      readonly body: Uint8Array;
      /** The body was longer than `maxResponseBytes`, late or incomplete. */
      readonly cut: boolean;
      /** Milliseconds until the response head. */
      readonly elapsedMs: number;
    }
  | { readonly kind: 'timeout'; readonly elapsedMs: number }
  | {
      readonly kind: 'unreachable';
      /** Retrying cannot help: the host does not exist, the request cannot be sent, or the address is blocked. */
      readonly permanent: boolean;
      /**
       * A system code such as `ECONNREFUSED` or `ENOTFOUND`, or one of `BAD_URL`, `BAD_REQUEST`, `BAD_RESPONSE`, `TLS`,
       * `BLOCKED_ADDRESS`, `STOPPED`, `ABORTED`.
       */
      readonly code: string;
      /** For people, in plain English. */
      readonly reason: string;
      readonly elapsedMs: number;
    };

/** Failures before the first byte of a request is written. */
const NOT_SENT = new Set([
  ...['ECONNREFUSED', 'ENOTFOUND', 'ENODATA', 'EAI_AGAIN', 'ESERVFAIL', 'ETIMEOUT', 'EREFUSED', 'EHOSTUNREACH', 'ENETUNREACH'],
  ...['EADDRNOTAVAIL', 'ETIMEDOUT', 'UND_ERR_CONNECT_TIMEOUT', 'TLS', 'BLOCKED_ADDRESS', 'BAD_URL', 'BAD_REQUEST'],
]);

/** Whether the server may have received the request: false only if no byte of it was written. */
export const wasSent = (outcome: HttpOutcome): boolean => outcome.kind !== 'unreachable' || !NOT_SENT.has(outcome.code);

/**
 * Whether the body of a response is compressed. The client never asks for compression. Servers also send values that are no
 * compression (`utf-8`, `none`); those bodies are readable as they are.
 */
export const isPacked = ({ 'content-encoding': codings = '' }: Readonly<Record<string, string>>): boolean =>
  /(^|,)\s*(x-)?(gzip|compress|deflate|br|zstd)\s*(,|$)/i.test(codings);

/** Sends every outgoing HTTP request of the platform. */
export interface HttpClient {
  /** Starts slow preparations (connections, address rules) and returns immediately. */
  start?(): void;
  /** Explains why a URL may not be called, without sending anything; undefined if it may. For callers that are about to store the URL. */
  refusal?(url: string): string | undefined;
  /** Never rejects. */
  send(request: HttpRequest): Promise<HttpOutcome>;
  /** Aborts all requests. Their outcome, and that of every later request, is `unreachable` with code `STOPPED`. */
  stop(): Promise<void>;
}

const SENSITIVE = /^(proxy-)?authorization$|cookie|token|secret|password|passwd|api-?key|credential/i;
/** How much of a masked value is shown: enough to tell two keys apart. */
const SHOWN_CHARACTERS = 4;

/** A flat list of names and values as pairs to show; credentials are masked, and the values of `hidden` headers are not shown. */
export function shownHeaders(flat: readonly string[], hidden: readonly string[] = []): [name: string, value: string][] {
  const names = new Set(hidden.map((name) => name.toLowerCase()));
  const pairs: [string, string][] = [];
  for (let at = 0; at < flat.length; at += 2) {
    const [name, value] = [flat[at]!, flat[at + 1]!];
    pairs.push([name, names.has(name.toLowerCase()) ? '…' : maskedHeader(name, value)]);
  }
  return pairs;
}

/** The value of a header to show: of a header that contains a credential, only its scheme and the last four characters. */
function maskedHeader(name: string, value: string): string {
  if (!SENSITIVE.test(name)) return value;
  const [, scheme = '', credential = ''] = /^(\w+ +)?(.*)$/s.exec(value)!;
  const shown = credential.length > 4 * SHOWN_CHARACTERS ? credential.slice(-SHOWN_CHARACTERS) : '';
  return `${scheme}…${shown}`;
}
