import type { LookupFunction } from 'node:net';
import { buildConnector, Client, type Dispatcher, Pool } from 'undici';
import type { Clock, Timer } from '../../ports/clock.js';
import type { HttpClient, HttpOutcome, HttpRequest } from '../../ports/http-client.js';
import { Deadlines } from './deadlines.js';
import { failureOf, type HttpFailure, stoppedFailure } from './http-failure.js';
import { headersOf, type Target } from './http-request.js';
import { type Lookup, nameLookup } from './name-lookup.js';
import { type TargetOptions, TargetRules } from './target-rules.js';

export interface UndiciClientOptions extends TargetOptions {
  /** Where requests may go, if somebody else keeps those rules as well. */
  readonly rules?: TargetRules;
  readonly clock: Clock;
  /** Looks up the addresses of a host; name servers and the system do if not given. */
  readonly lookup?: Lookup;
  /** Certificates of authorities to trust instead of the usual ones, in PEM. */
  readonly ca?: string | readonly string[];
  /** Connections to one origin at a time; 64 if not given. */
  readonly connections?: number;
  /** Origins with open connections, beyond which those that are idle are closed; 256 if not given. */
  readonly maxOrigins?: number;
}

class Origin {
  readonly pool: Pool;
  /** Exchanges that are going on, and those of them that have no connection yet. */
  active = 0;
  waiting = 0;
  usedAt = 0;

  constructor(name: string, settings: Pool.Options, connect: buildConnector.connector) {
    this.pool = new Pool(name, {
      ...settings,
      connect: (options, callback) => {
        // undici keeps an aborted request in its queue and connects anew for it; nobody would use that connection.
        queueMicrotask(() => {
          if (this.waiting > 0) connect(options, callback);
          else callback(errorWith('ABORTED'), null);
        });
      },
    });
  }
}

/** The deadline is the only limit to an exchange; a connection that does not come about for longer than this is given up. */
const SETTINGS: Client.Options = { headersTimeout: 0, bodyTimeout: 0, pipelining: 1 };
/** A connection that is lost sooner had hardly begun. */
const LOST_AT_ONCE_MS = 1_000;
const CONNECT_MS = 10_000;
const MAX_KNOWN_URLS = 1000;
const MAX_KNOWN_URL_LENGTH = 1000;
/** What a server that closes an idle connection looks like from here, when a request crosses the closing. */
const LOST_CONNECTION = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE', 'ECONNABORTED']);

/**
 * HTTP over undici, one pool of connections per origin. undici's own timers are too coarse and do not cover everything, so
 * one deadline of the clock ends an exchange wherever it stands. `dispatch` is what `request` is made of, without a stream.
 */
export class UndiciClient implements HttpClient {
  readonly #clock: Clock;
  readonly #rules: TargetRules;
  readonly #resolve: Lookup;
  readonly #connect: buildConnector.connector;
  readonly #connections: number;
  readonly #maxOrigins: number;
  readonly #deadlines: Deadlines;
  readonly #origins = new Map<string, Origin>();
  readonly #repeats = new Set<Client>();
  readonly #targets = new Map<string, Target | HttpFailure>();
  #uses = 0;
  #isConnecting = false;
  #isStopped = false;

  constructor({ clock, lookup = nameLookup(), ca, connections = 64, maxOrigins = 256, rules, ...targets }: UndiciClientOptions) {
    this.#clock = clock;
    this.#rules = rules ?? new TargetRules(targets);
    this.#resolve = lookup;
    this.#connections = connections;
    this.#maxOrigins = maxOrigins;
    this.#deadlines = new Deadlines(clock);
    this.#connect = this.#connector(ca);
  }

  send(request: HttpRequest): Promise<HttpOutcome> {
    return this.#clock.during(() => this.#exchange(request));
  }

  refusal(url: string): string | undefined {
    return this.#rules.refusal(url);
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    const all = [...[...this.#origins.values()].map(({ pool }) => pool), ...this.#repeats];
    this.#origins.clear();
    await Promise.all(all.map((dispatcher) => dispatcher.destroy()));
  }

  #exchange(request: HttpRequest): Promise<HttpOutcome> {
    if (this.#isStopped) return refused(stoppedFailure);
    const target = this.#target(request.url);
    if ('code' in target) return refused(target);
    const headers = headersOf(request);
    if (!Array.isArray(headers)) return refused(headers);

    const { method, body = null } = request;
    const options: Dispatcher.DispatchOptions = { path: target.path, method: method as Dispatcher.HttpMethod, headers, body };
    const origin = this.#origin(target.origin);
    return new Promise((resolve) => {
      const exchange = new Exchange(request, target.host, origin, {
        clock: this.#clock,
        isFresh: () => this.#isConnecting,
        again: () => this.#repeat(target.origin, options, exchange),
        settle: resolve,
      });
      exchange.deadline = this.#deadlines.set(request.deadlineMs, () => exchange.expire());
      origin.usedAt = ++this.#uses;
      origin.pool.dispatch(options, exchange);
    });
  }

  /** Sends a request once more, on a connection of its own. @returns closes it */
  #repeat(origin: string, options: Dispatcher.DispatchOptions, exchange: Exchange): () => void {
    const client = new Client(origin, { ...SETTINGS, connect: this.#connect });
    this.#repeats.add(client);
    client.dispatch({ ...options, reset: true }, exchange);
    return () => {
      this.#repeats.delete(client);
      void client.destroy();
    };
  }

  #origin(name: string): Origin {
    const known = this.#origins.get(name);
    if (known) return known;
    if (this.#origins.size >= this.#maxOrigins) this.#closeIdle();
    const origin = new Origin(name, { ...SETTINGS, connections: this.#connections }, this.#connect);
    this.#origins.set(name, origin);
    return origin;
  }

  /** Lets go of the origin that has been idle for the longest time. When none is, there is one too many for a while. */
  #closeIdle(): void {
    let oldest: [string, Origin] | undefined;
    for (const entry of this.#origins) {
      if (entry[1].active === 0 && (!oldest || entry[1].usedAt < oldest[1].usedAt)) oldest = entry;
    }
    if (!oldest) return;
    this.#origins.delete(oldest[0]);
    void oldest[1].pool.close();
  }

  #target(url: string): Target | HttpFailure {
    const known = this.#targets.get(url);
    if (known) return known;
    const target = this.#rules.target(url);
    if (this.#targets.size >= MAX_KNOWN_URLS) this.#targets.clear();
    if (url.length <= MAX_KNOWN_URL_LENGTH) this.#targets.set(url, target);
    return target;
  }

  #connector(ca: UndiciClientOptions['ca']): buildConnector.connector {
    const connect = buildConnector({
      timeout: CONNECT_MS,
      lookup: this.#lookup,
      autoSelectFamily: true,
      allowH2: false,
      minVersion: 'TLSv1.2',
      ...(ca === undefined ? {} : { ca: typeof ca === 'string' ? ca : [...ca] }),
    } as buildConnector.BuildOptions);
    return (options, callback) =>
      connect(options, (...result: Parameters<buildConnector.Callback>) => {
        // undici writes the first request of a connection from inside this callback, so whatever starts now is on a fresh one.
        this.#isConnecting = true;
        try {
          callback(...result);
        } finally {
          this.#isConnecting = false;
        }
      });
  }

  /** Hands the socket only addresses that were checked, so that a name cannot lead elsewhere between check and connection. */
  readonly #lookup: LookupFunction = (host, { all }, callback) => {
    this.#resolve(host).then(
      (addresses) => {
        const { guard } = this.#rules;
        const open = addresses.filter(({ address }) => guard?.permits(host, address) ?? true);
        const [first] = open;
        if (!first) return callback(errorWith(addresses.length > 0 ? 'BLOCKED_ADDRESS' : 'ENOTFOUND'), '');
        if (all) callback(null, open);
        else callback(null, first.address, first.family);
      },
      (error) => callback(error as NodeJS.ErrnoException, ''),
    );
  };
}

interface ExchangeDeps {
  readonly clock: Clock;
  /** Whether what starts now starts on a connection that nothing was sent on before. */
  readonly isFresh: () => boolean;
  /** Sends the request once more. @returns ends that */
  readonly again: () => () => void;
  readonly settle: (outcome: HttpOutcome) => void;
}

interface Head {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly elapsedMs: number;
}

/** One request and what comes back. Settled once; whatever comes later is turned away. */
class Exchange implements Dispatcher.DispatchHandler {
  readonly #request: HttpRequest;
  readonly #host: string;
  readonly #origin: Origin;
  readonly #around: ExchangeDeps;
  readonly #started: number;
  readonly #chunks: Uint8Array[] = [];
  deadline: Timer | undefined;
  #controller: Dispatcher.DispatchController | undefined;
  #endRepeat: (() => void) | undefined;
  #head: Head | undefined;
  #size = 0;
  #isWaiting = true;
  #isSettled = false;
  /** Nothing was sent on the connection before. */
  #isFresh = false;
  /** Nothing has come back yet, and it was not tried again yet. */
  #mayRepeat = true;

  constructor(request: HttpRequest, host: string, origin: Origin, around: ExchangeDeps) {
    this.#request = request;
    this.#host = host;
    this.#origin = origin;
    this.#around = around;
    this.#started = around.clock.monotonic();
    origin.active++;
    origin.waiting++;
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#waitsNoMore();
    this.#controller = controller;
    if (this.#isSettled) this.#abort();
    else if (this.#around.isFresh()) this.#isFresh = true;
  }

  onResponseStarted(): void {
    this.#mayRepeat = false;
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: Record<string, string | string[] | undefined>): void {
    // 1xx announce; the answer is still to come.
    if (status >= 200) this.#head = { status, headers: joined(headers), elapsedMs: this.#elapsed() };
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Uint8Array): void {
    if (this.#isSettled) return;
    const room = this.#request.maxResponseBytes - this.#size;
    if (chunk.length > room) {
      this.#keep(chunk.subarray(0, room));
      this.#settle(this.#response(true));
      this.#abort();
    } else {
      this.#keep(chunk);
    }
  }

  onResponseEnd(): void {
    this.#settle(this.#response(false));
  }

  onResponseError(_: Dispatcher.DispatchController | undefined, error: Error): void {
    if (this.#isSettled) return;
    const failure = failureOf(error, this.#host);
    if (this.#controller && this.#mayRepeat && this.#isWorthRepeating() && LOST_CONNECTION.has(failure.code)) {
      this.#mayRepeat = false;
      this.#endRepeat = this.#around.again();
    } else if (this.#head && this.#request.bodyMatters === false) {
      this.#settle(this.#response(true));
    } else {
      this.#settle({ kind: 'unreachable', ...failure, elapsedMs: this.#elapsed() });
    }
  }

  /** Nobody is to blame for a used connection that had been closed, and often nobody for one that is lost at once. */
  #isWorthRepeating(): boolean {
    return !this.#isFresh || (this.#request.repeatable === true && this.#elapsed() < LOST_AT_ONCE_MS);
  }

  /** The deadline has come. */
  expire(): void {
    const isEnough = this.#head && this.#request.bodyMatters === false;
    this.#settle(isEnough ? this.#response(true) : { kind: 'timeout', elapsedMs: this.#elapsed() });
    this.#abort();
  }

  #keep(chunk: Uint8Array): void {
    this.#chunks.push(chunk);
    this.#size += chunk.length;
  }

  #response(cut: boolean): HttpOutcome {
    const { status, headers, elapsedMs } = this.#head as Head;
    return { kind: 'response', status, headers, body: Buffer.concat(this.#chunks), cut, elapsedMs };
  }

  #settle(outcome: HttpOutcome): void {
    if (this.#isSettled) return;
    this.#isSettled = true;
    this.#waitsNoMore();
    this.#origin.active--;
    this.deadline?.cancel();
    this.#endRepeat?.();
    this.#around.settle(outcome);
  }

  #waitsNoMore(): void {
    if (this.#isWaiting) this.#origin.waiting--;
    this.#isWaiting = false;
  }

  /** Closes the connection, as what may still come on it is of no use. */
  #abort(): void {
    this.#controller?.abort(errorWith('ABORTED'));
  }

  #elapsed(): number {
    return this.#around.clock.monotonic() - this.#started;
  }
}

/** Repeated headers as one. */
function joined(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  for (const name in headers) {
    const value = headers[name];
    if (typeof value !== 'string') headers[name] = value?.join(', ') ?? '';
  }
  return headers as Record<string, string>;
}

async function refused(failure: HttpFailure): Promise<HttpOutcome> {
  return { kind: 'unreachable', ...failure, elapsedMs: 0 };
}

const errorWith = (code: string): NodeJS.ErrnoException => Object.assign(new Error(code), { code });
