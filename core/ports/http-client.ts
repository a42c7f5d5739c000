/** Outgoing HTTP. What the network does is a value, never an exception; redirects are never followed. */
export interface HttpRequest {
  readonly method: string;
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The exact bytes to send. */
  readonly body?: Uint8Array | string;
  /** Milliseconds for the whole exchange, from before name resolution to the last byte read. */
  readonly deadlineMs: number;
  /** At most this many bytes of the response are read; the rest is cut off. */
  readonly maxResponseBytes: number;
  /** When the status decides and the body is only a record, a late or cut body does not change the outcome. */
  readonly bodyMatters?: boolean;
}

export type HttpOutcome =
  | {
      readonly kind: 'response';
      readonly status: number;
      /** Names in lower case; repeated headers joined with `, `. */
      readonly headers: Readonly<Record<string, string>>;
      readonly body: Uint8Array;
      /** The body was longer than `maxResponseBytes`, or did not end in time. */
      readonly cut: boolean;
      /** Milliseconds until the response head. */
      readonly elapsedMs: number;
    }
  | { readonly kind: 'timeout'; readonly elapsedMs: number }
  | {
      readonly kind: 'unreachable';
      /** Trying again cannot help: the name does not exist, the URL is unusable, the address is barred. */
      readonly permanent: boolean;
      /** `ECONNREFUSED`, `ENOTFOUND`, `BAD_URL`, ... */
      readonly code: string;
      /** In plain words. */
      readonly reason: string;
      readonly elapsedMs: number;
    };

export interface HttpClient {
  send(request: HttpRequest): Promise<HttpOutcome>;
  stop(): Promise<void>;
}
