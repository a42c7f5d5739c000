import type { Socket } from 'node:net';
import type { Clock } from '../../ports/clock.js';
import type { HttpExchange, HttpRequest, HttpTiming } from '../../ports/http-client.js';
import type { Target } from './http-request.js';

/** When a connection was begun, its host name resolved, and TCP and TLS connected; monotonic milliseconds. */
export class ConnectTimes {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly begunAt: number;
  resolvedAt: number | undefined;
  connectedAt: number | undefined;
  readyAt: number | undefined;

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
    this.begunAt = clock.monotonic();
  }

  watch(socket: Socket): void {
    // For an IP address there is no lookup; of several addresses the first counts.
    socket.once('lookup', () => {
      this.resolvedAt = this.#clock.monotonic();
    });
    socket.once('connect', () => {
      this.connectedAt = this.#clock.monotonic();
    });
  }

  /** The connection can be used: TCP is connected and, for https:, TLS too. */
  ready(): void {
    this.readyAt = this.#clock.monotonic();
  }
}

interface ExchangeTimes {
  readonly startedAt: number;
  /** Undefined on a reused connection, or without one. */
  readonly connected: ConnectTimes | undefined;
  readonly sentAt: number | undefined;
  readonly headAt: number | undefined;
  readonly endedAt: number;
}

/** Describes an exchange. `headers` is the flat list that undici sent, between the headers that it adds itself. */
export function exchangeOf(
  { body = '' }: HttpRequest,
  { origin }: Pick<Target, 'origin'>,
  headers: readonly string[],
  times: ExchangeTimes,
): HttpExchange {
  const length = typeof body === 'string' ? Buffer.byteLength(body) : body.length;
  const requestHeaders = ['host', origin.slice(origin.indexOf('//') + 2), 'connection', 'keep-alive', ...headers];
  if (length > 0) requestHeaders.push('content-length', String(length));
  return { requestHeaders, timing: timingOf(times, origin.startsWith('https:')) };
}

function timingOf({ startedAt, connected, sentAt, headAt, endedAt }: ExchangeTimes, isTls: boolean): HttpTiming {
  const between = (from: number | undefined, to: number | undefined): number | null =>
    // The connection may have been begun for an earlier request.
    from === undefined || to === undefined ? null : Math.max(0, to - Math.max(from, startedAt));
  const { begunAt, resolvedAt, connectedAt, readyAt } = connected ?? {};
  return {
    queue: between(startedAt, begunAt ?? sentAt),
    dns: between(begunAt, resolvedAt),
    connect: between(resolvedAt ?? begunAt, connectedAt),
    tls: isTls ? between(connectedAt, readyAt) : null,
    wait: between(sentAt, headAt),
    read: between(headAt, endedAt),
  };
}
