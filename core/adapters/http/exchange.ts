import type { Dispatcher } from 'undici';
import type { Clock, Timer } from '../../ports/clock.js';
import type { HttpExchange, HttpOutcome, HttpRequest } from '../../ports/http-client.js';
import { type ConnectTimes, exchangeOf } from './exchange-detail.js';
import { abortedFailure, failureOf } from './http-failure.js';
import type { Target } from './http-request.js';
import { onAbort } from './until-aborted.js';

/** The exchanges of an origin that are in progress, and how many of those have no connection yet. */
export interface Progress {
  active: number;
  waiting: number;
}

/** Error codes when a server closes an idle connection while a request is being sent. */
const LOST_CONNECTION = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE', 'ECONNABORTED']);

export interface ExchangeDeps {
  readonly clock: Clock;
  /** The times of the connection, if a request that starts now is the first on it. */
  readonly connecting: () => ConnectTimes | undefined;
  /** Call when undici is about to write the request of this exchange to a socket. */
  readonly starting: (exchange: Exchange) => void;
  /** Sends the request again. @returns a function that ends the second attempt */
  readonly resend: () => () => void;
  /** Lets the exchange read on for so long. @returns a function that ends that; undefined if it may not */
  readonly beginLate: (ms: number) => (() => void) | undefined;
  readonly settle: (outcome: HttpOutcome) => void;
}

interface Head {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly elapsedMs: number;
}

/** One request and its response. Settles once and ignores everything later. */
export class Exchange implements Dispatcher.DispatchHandler {
  readonly #request: HttpRequest;
  readonly #target: Target;
  readonly #headers: readonly string[];
  readonly #origin: Progress;
  readonly #deps: ExchangeDeps;
  readonly #started: number;
  readonly #chunks: Uint8Array[] = [];
  deadline: Timer | undefined;
  #controller: Dispatcher.DispatchController | undefined;
  #endResend: (() => void) | undefined;
  #head: Head | undefined;
  #size = 0;
  #isWaiting = true;
  #isSettled = false;
  /** Set if this is the first request on its connection. */
  #connected: ConnectTimes | undefined;
  #sentAt: number | undefined;
  /** Whether a resend is allowed: nothing was received, and it was not resent before. */
  #canResend = true;
  #isResent = false;
  /** Ends the wait for the signal of the request, which lasts until nothing more is read. */
  readonly #ignoreSignal: (() => void) | undefined;
  /** Set while the response is read after the deadline. */
  #endLate: (() => void) | undefined;

  constructor(request: HttpRequest, target: Target, headers: readonly string[], origin: Progress, deps: ExchangeDeps) {
    this.#request = request;
    this.#target = target;
    this.#headers = headers;
    this.#origin = origin;
    this.#deps = deps;
    this.#started = deps.clock.monotonic();
    origin.active++;
    origin.waiting++;
    this.#ignoreSignal = request.signal && onAbort(request.signal, () => this.#cancel());
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#stopWaiting();
    this.#controller = controller;
    if (this.#isSettled) {
      this.#abort();
      return;
    }
    this.#deps.starting(this);
    this.#connected = this.#deps.connecting() ?? this.#connected;
    if (this.#request.detailed) this.#sentAt = this.#deps.clock.monotonic();
  }

  /** A byte of the response has arrived. */
  onFirstByte(): void {
    this.#canResend = false;
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: Record<string, string | string[] | undefined>): void {
    // 1xx responses are informational; the final response follows.
    if (status >= 200) this.#head = { status, headers: joined(headers), elapsedMs: this.#elapsed() };
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Uint8Array): void {
    if (this.#isSettled && !this.#endLate) return;
    const room = this.#request.maxResponseBytes - this.#size;
    if (chunk.length > room) {
      this.#keep(chunk.subarray(0, room));
      this.#end(true);
      this.#abort();
    } else {
      this.#keep(chunk);
    }
  }

  onResponseEnd(): void {
    this.#end(false);
  }

  onResponseError(_: Dispatcher.DispatchController | undefined, error: Error): void {
    if (this.#endLate) this.#settleLate(undefined);
    if (this.#isSettled) return;
    const failure = failureOf(error, this.#target.host);
    // The server may have closed a reused connection while it was idle. On a new one it has read the request, and may have processed it.
    const isStale = this.#controller !== undefined && !this.#connected && this.#canResend && LOST_CONNECTION.has(failure.code);
    if (isStale && this.#request.atMostOnce !== true) {
      this.#canResend = false;
      this.#isResent = true;
      this.#endResend = this.#deps.resend();
    } else if (this.#head && this.#request.bodyMatters === false) {
      this.#settle(this.#response(true));
    } else {
      this.#settle({ kind: 'unreachable', ...failure, elapsedMs: this.#elapsed() });
    }
  }

  /** Called at the deadline. */
  expire(): void {
    const isEnough = this.#head && this.#request.bodyMatters === false;
    const outcome: HttpOutcome = isEnough ? this.#response(true) : { kind: 'timeout', elapsedMs: this.#elapsed() };
    const { late } = this.#request;
    // A request that was sent again has a connection that ends with it.
    if (late && this.#controller && !this.#isResent) this.#endLate = this.#deps.beginLate(late.ms);
    this.#settle(this.#endLate ? { ...outcome, late: true } : outcome);
    if (!this.#endLate) this.#abort();
  }

  /** Called when the time after the deadline is over. */
  expireLate(): void {
    this.#settleLate(undefined);
    this.#abort();
  }

  /** Called when the signal of the request aborts. */
  #cancel(): void {
    if (this.#endLate) this.#settleLate(undefined);
    this.#settle({ kind: 'unreachable', ...abortedFailure, elapsedMs: this.#elapsed() });
    this.#abort();
  }

  #end(cut: boolean): void {
    if (this.#endLate) this.#settleLate(this.#response(cut));
    else this.#settle(this.#response(cut));
  }

  #settleLate(response: Extract<HttpOutcome, { kind: 'response' }> | undefined): void {
    this.#endLate?.();
    this.#endLate = undefined;
    this.#ignoreSignal?.();
    this.#request.late?.settle(response);
  }

  #keep(chunk: Uint8Array): void {
    this.#chunks.push(chunk);
    this.#size += chunk.length;
  }

  #response(cut: boolean): Extract<HttpOutcome, { kind: 'response' }> {
    const { status, headers, elapsedMs } = this.#head as Head;
    return { kind: 'response', status, headers, body: Buffer.concat(this.#chunks), cut, elapsedMs };
  }

  #settle(outcome: HttpOutcome): void {
    if (this.#isSettled) return;
    this.#isSettled = true;
    this.#stopWaiting();
    this.#origin.active--;
    this.deadline?.cancel();
    if (!this.#endLate) this.#ignoreSignal?.();
    this.#endResend?.();
    const settled: HttpOutcome = this.#isResent ? { ...outcome, resent: true } : outcome;
    this.#deps.settle(this.#request.detailed ? { ...settled, exchange: this.#detail() } : settled);
  }

  #detail(): HttpExchange {
    const headMs = this.#head?.elapsedMs;
    return exchangeOf(this.#request, this.#target, this.#headers, {
      startedAt: this.#started,
      connected: this.#connected,
      sentAt: this.#sentAt,
      headAt: headMs === undefined ? undefined : this.#started + headMs,
      endedAt: this.#deps.clock.monotonic(),
    });
  }

  #stopWaiting(): void {
    if (this.#isWaiting) this.#origin.waiting--;
    this.#isWaiting = false;
  }

  /** Closes the connection, because the rest of the response is not used. */
  #abort(): void {
    this.#controller?.abort(errorWith('ABORTED'));
  }

  #elapsed(): number {
    return this.#deps.clock.monotonic() - this.#started;
  }
}

/** Joins repeated headers. */
function joined(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  for (const name in headers) {
    const value = headers[name];
    if (typeof value !== 'string') headers[name] = value?.join(', ') ?? '';
  }
  return headers as Record<string, string>;
}

/** An error as the system makes it. */
export const errorWith = (code: string): NodeJS.ErrnoException => Object.assign(new Error(code), { code });
