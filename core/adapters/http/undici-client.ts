import type { Socket } from 'node:net';
import { buildConnector, Client, type Dispatcher, Pool } from 'undici';
import type { Clock } from '../../ports/clock.js';
import type { HttpClient, HttpOutcome, HttpRequest } from '../../ports/http-client.js';
import { Deadlines } from './deadlines.js';
import { Exchange, errorWith, type Progress } from './exchange.js';
import { ConnectTimes } from './exchange-detail.js';
import { guardedLookup } from './guarded-lookup.js';
import { abortedFailure, type HttpFailure, stoppedFailure } from './http-failure.js';
import { headersOf, type Target } from './http-request.js';
import { type Lookup, nameLookup } from './name-lookup.js';
import { correctResponses } from './response-heads.js';
import { type TargetOptions, TargetRules } from './target-rules.js';

export interface UndiciClientOptions extends TargetOptions {
  /** Shared target rules, for callers that also check URLs with them. */
  readonly rules?: TargetRules;
  readonly clock: Clock;
  /** Resolves host names; through name servers and the system if not given. */
  readonly lookup?: Lookup;
  /** Certificate authorities to trust instead of the default ones, in PEM. */
  readonly ca?: string | readonly string[];
  /** Maximum connections per origin; 64 if not given. */
  readonly connections?: number;
  /** Above this number of origins with open connections, idle ones are closed; 256 if not given. */
  readonly maxOrigins?: number;
}

class Origin implements Progress {
  readonly pool: Pool;
  active = 0;
  waiting = 0;
  usedAt = 0;

  constructor(name: string, settings: Pool.Options, connect: buildConnector.connector) {
    this.pool = new Pool(name, {
      ...settings,
      connect: (options, callback) => {
        // undici keeps an aborted request in its queue and opens a new connection for it, which no request would use.
        queueMicrotask(() => {
          if (this.waiting > 0) connect(options, callback);
          else callback(errorWith('ABORTED'), null);
        });
      },
    });
  }
}

/** The deadline is the only limit of an exchange; a connection that takes longer than CONNECT_MS is abandoned. */
const SETTINGS: Client.Options = { headersTimeout: 0, bodyTimeout: 0, pipelining: 1, maxHeaderSize: 128 * 1024 };
const CONNECT_MS = 10_000;
/** Exchanges that are read after their deadline at the same time; each has a connection. */
const MAX_LATE = 64;
const MAX_KNOWN_URLS = 1000;
const MAX_KNOWN_URL_LENGTH = 1000;

/**
 * HTTP over undici, with one connection pool per origin. undici's own timers are coarse and do not cover every phase, so one
 * deadline of the clock ends the exchange in any phase. Uses `dispatch` directly to avoid the stream of `request`.
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
  readonly #resends = new Set<Client>();
  readonly #targets = new Map<string, Target | HttpFailure>();
  #uses = 0;
  /** The times of the connection whose first request is being written. */
  #connecting: ConnectTimes | undefined;
  /** The exchange whose request is being written. */
  #starting: Exchange | undefined;
  #late = 0;
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
    return this.#clock.during(() => new Promise((resolve) => this.exchange(request, resolve)));
  }

  /** Sends like `send`, but calls `settle`, possibly before it returns: a promise and the clock are for callers that need them. */
  exchange(request: HttpRequest, settle: (outcome: HttpOutcome) => void): void {
    if (this.#isStopped) return void settle(unsent(stoppedFailure));
    const target = this.#target(request.url);
    if ('code' in target) return void settle(unsent(target));
    const headers = headersOf(request);
    if (!Array.isArray(headers)) return void settle(unsent(headers));

    if (request.signal?.aborted) return void settle(unsent(abortedFailure));

    const { method, body = null } = request;
    const options: Dispatcher.DispatchOptions = { path: target.path, method: method as Dispatcher.HttpMethod, headers, body };
    const origin = this.#origin(target.origin);
    const exchange = new Exchange(request, target, headers, origin, {
      clock: this.#clock,
      connecting: () => this.#connecting,
      starting: (exchange) => {
        this.#starting = exchange;
      },
      resend: () => this.#resend(target.origin, options, exchange),
      beginLate: (ms) => this.#beginLate(exchange, ms),
      settle,
    });
    exchange.deadline = this.#deadlines.set(request.deadlineMs, () => exchange.expire());
    origin.usedAt = ++this.#uses;
    origin.pool.dispatch(options, exchange);
  }

  /** @returns a function that ends the reading after the deadline; undefined if too many exchanges do that */
  #beginLate(exchange: Exchange, ms: number): (() => void) | undefined {
    if (this.#late >= MAX_LATE) return undefined;
    this.#late++;
    const end = this.#deadlines.set(ms, () => exchange.expireLate());
    return () => {
      this.#late--;
      end.cancel();
    };
  }

  refusal(url: string): string | undefined {
    return this.#rules.refusal(url);
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    const all = [...[...this.#origins.values()].map(({ pool }) => pool), ...this.#resends];
    this.#origins.clear();
    await Promise.all(all.map((dispatcher) => dispatcher.destroy()));
  }

  /** Sends a request again on a new connection. @returns a function that closes it */
  #resend(origin: string, options: Dispatcher.DispatchOptions, exchange: Exchange): () => void {
    const client = new Client(origin, { ...SETTINGS, connect: this.#connect });
    this.#resends.add(client);
    client.dispatch({ ...options, reset: true }, exchange);
    return () => {
      this.#resends.delete(client);
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

  /** Closes the connections of the origin that has been idle longest. If none is idle, exceeds the limit until one is. */
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
      lookup: guardedLookup(this.#resolve, this.#rules.guard),
      autoSelectFamily: true,
      allowH2: false,
      minVersion: 'TLSv1.2',
      ...(ca === undefined ? {} : { ca: typeof ca === 'string' ? ca : [...ca] }),
    } as buildConnector.BuildOptions);
    return (options, callback) => {
      const times = new ConnectTimes(this.#clock);
      // undici's types do not say that it returns the socket.
      const socket = connect(options, (...result: Parameters<buildConnector.Callback>) => {
        times.ready();
        if (result[1]) correctResponses(result[1], () => this.#starting);
        // undici writes the first request of a connection inside this callback, so a request that starts here is on a fresh
        // connection.
        this.#connecting = times;
        try {
          callback(...result);
        } finally {
          this.#connecting = undefined;
        }
      }) as unknown as Socket;
      times.watch(socket);
    };
  }
}

const unsent = (failure: HttpFailure): HttpOutcome => ({ kind: 'unreachable', ...failure, elapsedMs: 0 });
