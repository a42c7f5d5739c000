import type { HttpClient, HttpOutcome, HttpRequest } from '../../core/ports/http-client.js';
import type { Process } from './process.js';
import type { Random } from './random.js';
import type { World } from './world.js';

/** A request as its receiver sees it. */
export interface Received {
  readonly method: string;
  readonly url: URL;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** True milliseconds. */
  readonly at: number;
}

export interface Reply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** A server outside of the platforms. It may take simulated time. */
export type Endpoint = (request: Received) => Reply | Promise<Reply>;

/** How one way of a connection behaves while a fault lasts. */
export interface Link {
  latencyMs: { min: number; max: number };
  /** The share of connections that are refused. */
  refused: number;
  /** The share of connections that break before the request arrives. */
  lostBefore: number;
  /** The share of connections that break after the request was processed. */
  lostAfter: number;
  /** The share of requests that arrive a second time, later. */
  repeated: number;
  /** The share of responses whose body is slow. */
  slowBodies: number;
  /** Nothing arrives, and nothing is refused. */
  isCut: boolean;
  /** The name is unknown. */
  hasNoName: boolean;
}

/** A connection with nothing wrong. */
export const goodLink = (): Link => ({
  latencyMs: { min: 0.2, max: 8 },
  refused: 0,
  lostBefore: 0,
  lostAfter: 0,
  repeated: 0,
  slowBodies: 0,
  isCut: false,
  hasNoName: false,
});

/** A request of a platform, and what it got: for the checks. */
export interface Exchange {
  /** The process that sent it. */
  readonly from: string;
  readonly url: string;
  /** The host of the URL. */
  readonly host: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly sentAt: number;
  /** Undefined while it is in progress, or when the process ended before. */
  outcome: HttpOutcome | undefined;
}

/** Connects platforms with the servers outside, and those outside with the platforms. */
export class Network {
  /** Called when a platform has sent a request. */
  onExchange: (exchange: Exchange) => void = () => undefined;
  readonly #world: World;
  readonly #random: Random;
  readonly #endpoints = new Map<string, Endpoint>();
  readonly #links = new Map<string, Link>();

  constructor(world: World) {
    this.#world = world;
    this.#random = world.random.stream('network');
  }

  /** Puts a server at a host name. */
  serve(host: string, endpoint: Endpoint): void {
    this.#endpoints.set(host, endpoint);
  }

  /** The connections between a machine and a host, or an actor outside and a machine. */
  link(between: string, and: string): Link {
    const name = `${between} ${and}`;
    const link = this.#links.get(name) ?? goodLink();
    this.#links.set(name, link);
    return link;
  }

  /** The connections between two machines. */
  between(one: string, other: string): Link {
    return one < other ? this.link(one, other) : this.link(other, one);
  }

  /** Ends all faults. */
  heal(): void {
    for (const link of this.#links.values()) Object.assign(link, goodLink());
  }

  /** The HTTP client of a platform. */
  client(machine: string, process: Process): HttpClient {
    const stopped = { isStopped: false };
    return {
      send: (request) => this.#send(machine, process, request, stopped),
      stop: async () => {
        stopped.isStopped = true;
      },
    };
  }

  #send(machine: string, process: Process, request: HttpRequest, stopped: { readonly isStopped: boolean }): Promise<HttpOutcome> {
    const world = this.#world;
    const startedAt = world.now;
    const elapsedMs = () => (world.now - startedAt) * process.clock.rate;
    const url = new URL(request.url);
    const body = typeof request.body === 'string' ? request.body : Buffer.from(request.body ?? '').toString();
    const headers: Record<string, string> = {};
    for (const [name, value] of Object.entries(request.headers ?? {})) headers[name.toLowerCase()] = value;
    const { host } = url;
    const exchange: Exchange = { from: process.name, url: request.url, host, headers, body, sentAt: world.now, outcome: undefined };
    world.trace('send', `${request.method} ${request.url} ${body}`);
    this.onExchange(exchange);
    const link = this.link(machine, host);
    const delay = () => this.#random.between(link.latencyMs.min, link.latencyMs.max);
    return new Promise((resolve) => {
      const settle = (outcome: HttpOutcome) => {
        if (exchange.outcome) return;
        exchange.outcome = outcome;
        world.trace('outcome', `${outcome.kind} ${'status' in outcome ? outcome.status : ''}`);
        resolve(outcome);
      };
      const unreachable = (ms: number, code: string, permanent = false) =>
        world.schedule(process, ms, () =>
          settle({ kind: 'unreachable', permanent, code, reason: `the simulated network: ${code}`, elapsedMs: elapsedMs() }),
        );
      if (stopped.isStopped) return void unreachable(0, 'STOPPED');
      world.schedule(process, request.deadlineMs / process.clock.rate, () => settle({ kind: 'timeout', elapsedMs: elapsedMs() }));
      if (link.isCut) return;
      if (link.hasNoName) return void unreachable(delay(), 'ENOTFOUND', true);
      const endpoint = this.#endpoints.get(host);
      if (!endpoint) return void unreachable(delay(), 'ENOTFOUND', true);
      if (this.#random.chance(link.refused)) return void unreachable(delay(), 'ECONNREFUSED');
      if (this.#random.chance(link.lostBefore)) return void unreachable(delay(), 'ECONNRESET');
      const isLost = this.#random.chance(link.lostAfter);
      const slowMs = this.#random.chance(link.slowBodies) ? this.#random.between(100, 20_000) : 0;
      const arrive = async (isFirst: boolean) => {
        const received = { method: request.method, url, headers, body, at: world.now };
        const reply = await endpoint(received);
        if (!isFirst) return;
        if (isLost) return void unreachable(delay(), 'ECONNRESET');
        const head = delay();
        const bytes = Buffer.from(reply.body ?? '');
        world.schedule(process, head + slowMs, () => {
          const cut = bytes.length > request.maxResponseBytes;
          const content = bytes.subarray(0, request.maxResponseBytes);
          settle({
            kind: 'response',
            status: reply.status,
            headers: reply.headers ?? {},
            body: content,
            cut,
            elapsedMs: elapsedMs() - slowMs,
          });
        });
      };
      world.schedule(world.outside, delay(), () => void arrive(true).catch((error) => world.fail(error)));
      if (this.#random.chance(link.repeated))
        world.schedule(
          world.outside,
          delay() + this.#random.between(1, 10_000),
          () => void arrive(false).catch((error) => world.fail(error)),
        );
    });
  }
}
