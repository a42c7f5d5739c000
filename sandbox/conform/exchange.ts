import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';

/** Bytes of a response that are read. */
const MAX_BYTES = 1024 * 1024;

type Headers = readonly (readonly [name: string, value: string])[];

/** A request and the response to it, byte by byte. */
export interface Exchange {
  readonly method: string;
  readonly url: string;
  readonly headers: Headers;
  readonly body: Buffer;
  /** Undefined without a response; `error` says why. */
  readonly response?: { readonly status: number; readonly headers: Headers; readonly body: Buffer };
  readonly error?: string;
  readonly ms: number;
  /** The sender of the request; the run if not given. */
  readonly by?: 'run' | 'platform' | 'subject';
  /** The id of the call in the platform's list of calls, of a request to the platform. */
  readonly call?: string;
  /** The uuid of the delivery in the platform's list of deliveries, of a request that the platform made. */
  readonly delivery?: string;
}

export interface NewRequest {
  readonly method?: string;
  readonly url: string;
  readonly headers?: Headers;
  readonly body?: string | Buffer;
  readonly timeoutMs: number;
  /** Sends the request immediately, without waiting for the pace of the run. */
  readonly isUnpaced?: boolean;
  /** Aborts the request. */
  readonly signal?: AbortSignal | undefined;
}

/** Returns the milliseconds since a fixed moment. */
export type Now = () => number;

interface WireOptions {
  readonly requestsPerSecond: number;
  readonly signal?: AbortSignal | undefined;
  readonly now?: Now | undefined;
}

/** Sends requests at a limited pace, and keeps the exchanges of the current check. */
export class Wire {
  readonly #gapMs: number;
  readonly #signal: AbortSignal | undefined;
  readonly #now: Now | undefined;
  #next = 0;
  #taken: Exchange[] = [];

  /** @param options `signal` aborts the request in flight and refuses later ones; `now` measures response times */
  constructor({ requestsPerSecond, signal, now }: WireOptions) {
    this.#gapMs = 1000 / requestsPerSecond;
    this.#signal = signal;
    this.#now = now;
  }

  begin(): void {
    this.#taken = [];
  }

  taken(): readonly Exchange[] {
    return this.#taken;
  }

  /** Adds an exchange to the evidence of the current check: at the end, or behind another one. */
  note(exchange: Exchange, behind?: Exchange): void {
    const { call, delivery } = exchange;
    const isSame = (known: Exchange): boolean =>
      known === exchange || (call !== undefined && known.call === call) || (delivery !== undefined && known.delivery === delivery);
    if (this.#taken.some(isSame)) return;
    const at = behind ? this.#taken.indexOf(behind) : -1;
    this.#taken.splice(at < 0 ? this.#taken.length : at + 1, 0, exchange);
  }

  /**
   * A failure to connect or to respond is an exchange without a response.
   * @throws the reason of the signal once it has been aborted
   */
  async send(request: NewRequest): Promise<Exchange> {
    return this.#sent(request, (exchange) => exchange);
  }

  /** Calls the platform, whose response names the call. @throws as `send` does */
  async call(request: NewRequest): Promise<Exchange> {
    return this.#sent(request, (exchange) => {
      const call = headerOf(exchange, 'x-request-id');
      return call === undefined ? exchange : { ...exchange, call };
    });
  }

  /** Waits until the pace allows the next request. */
  async rest(): Promise<void> {
    const left = this.#next - performance.now();
    if (left > 0) await this.#pause(left);
  }

  async #sent(request: NewRequest, read: (exchange: Exchange) => Exchange): Promise<Exchange> {
    if (!request.isUnpaced) await this.#turn();
    this.#signal?.throwIfAborted();
    const exchange = read(await send({ ...request, signal: this.#signal }, this.#now));
    this.#signal?.throwIfAborted();
    this.note(exchange);
    return exchange;
  }

  async #turn(): Promise<void> {
    const now = performance.now();
    const at = Math.max(now, this.#next);
    this.#next = at + this.#gapMs;
    if (at > now) await this.#pause(at - now);
  }

  async #pause(ms: number): Promise<void> {
    await sleep(ms, undefined, { signal: this.#signal }).catch(() => this.#signal?.throwIfAborted());
  }
}

const LATE = 'no response within';
/** Whether there was no response in time; the request may have been served. */
export const isLate = ({ error }: Exchange): boolean => error?.startsWith(LATE) === true;

export async function send(
  { method = 'POST', url, headers = [], body = '', timeoutMs, signal: given }: NewRequest,
  now: Now = () => performance.now(),
): Promise<Exchange> {
  const bytes = Buffer.from(body);
  const sent = { method, url, headers, body: bytes };
  const since = now();
  const ms = () => Math.round(now() - since);
  try {
    const timeout = AbortSignal.timeout(Math.ceil(timeoutMs));
    const response = await respond({ method, url, headers, bytes, signal: given ? AbortSignal.any([timeout, given]) : timeout });
    return { ...sent, response, ms: ms() };
  } catch (error) {
    const isTimeout = error instanceof Error && (error.name === 'TimeoutError' || error.name === 'AbortError');
    return { ...sent, error: isTimeout ? `${LATE} ${timeoutMs / 1000} s` : reasonOf(error), ms: ms() };
  }
}

interface Sent {
  readonly method: string;
  readonly url: string;
  readonly headers: Headers;
  readonly bytes: Buffer;
  readonly signal: AbortSignal;
}

/** With node:http, because `fetch` changes the letters of header names and follows redirects. */
function respond({ method, url, headers, bytes, signal }: Sent): Promise<NonNullable<Exchange['response']>> {
  return new Promise((resolve, reject) => {
    const make = url.startsWith('https:') ? httpsRequest : httpRequest;
    const length: Headers = bytes.length > 0 || method !== 'GET' ? [['Content-Length', String(bytes.length)]] : [];
    const all = Object.fromEntries([...headers, ...length]);
    const request: ClientRequest = make(url, { method, headers: all, signal, agent: false }, (response: IncomingMessage) => {
      const chunks: Buffer[] = [];
      let size = 0;
      response.on('data', (chunk: Buffer) => {
        size += chunk.length;
        if (size <= MAX_BYTES) chunks.push(chunk);
        else response.destroy(new Error(`the response is longer than ${MAX_BYTES} bytes`));
      });
      response.on('error', reject);
      response.on('end', () => {
        const { statusCode: status = 0, rawHeaders } = response;
        const pairs = rawHeaders.flatMap((name, i) => (i % 2 === 0 ? [[name, rawHeaders[i + 1]!] as const] : []));
        resolve({ status, headers: pairs, body: Buffer.concat(chunks) });
      });
    });
    request.on('error', reject);
    request.end(bytes);
  });
}

const reasonOf = (error: unknown): string => {
  const { code, message } = error as NodeJS.ErrnoException;
  return message || code || String(error);
};

export const headerOf = ({ response }: Exchange, name: string): string | undefined =>
  response?.headers.find(([known]) => known.toLowerCase() === name.toLowerCase())?.[1];

/** The body of the response as JSON; undefined if it is not JSON. */
export function jsonOf({ response }: Exchange): unknown {
  try {
    return JSON.parse(response?.body.toString() ?? '');
  } catch {
    return undefined;
  }
}

export const isSuccess = ({ response }: Exchange): boolean => response !== undefined && response.status >= 200 && response.status < 300;

/** The outcome of a request, for a sentence: `status 500`, or why there was no response. */
export const gotOf = ({ response, error }: Exchange): string => (response ? `status ${response.status}` : (error ?? 'no response'));

export interface ShownBody {
  readonly bytes: number;
  readonly text?: string;
  /** Instead of the text, of bytes that are not UTF-8. */
  readonly base64?: string;
  /** Whether the rest of a longer body is missing. */
  readonly cut?: true;
}

/** @param max bytes that are shown; the rest of a longer body is missing */
export function shownBody(body: Buffer, max = Number.POSITIVE_INFINITY): ShownBody {
  const isCut = body.length > max;
  const shown = isCut ? body.subarray(0, max) : body;
  const about = { bytes: body.length, ...(isCut && { cut: true as const }) };
  try {
    // A cut may be within a character, whose bytes the decoder then keeps for the next part.
    return { ...about, text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(shown, { stream: isCut }) };
  } catch {
    return { ...about, base64: shown.toString('base64') };
  }
}

/** An exchange as JSON, without credentials. @param maxBytes of each body; longer ones are cut */
export function shownExchange(
  { method, url, headers, body, response, error, ms, by = 'run', call, delivery }: Exchange,
  maxBytes?: number,
) {
  return {
    by,
    request: { method, url, headers: headers.map(masked), body: shownBody(body, maxBytes) },
    response: response ? { status: response.status, headers: response.headers, body: shownBody(response.body, maxBytes) } : null,
    ...(error !== undefined && { error }),
    ms,
    ...(call !== undefined && { call }),
    ...(delivery !== undefined && { delivery }),
  };
}

const masked = ([name, value]: readonly [string, string]): readonly [string, string] =>
  name.toLowerCase() === 'authorization' ? [name, `${value.split(' ')[0]} ***`] : [name, value];
