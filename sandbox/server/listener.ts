import { createServer, type Server } from 'node:http';

export interface ListenerLimits {
  readonly headMs?: number;
  readonly requestMs?: number;
  readonly connections?: number;
}

/** The addresses that stand for every interface, each with the loopback address under which this machine reaches the server. */
const LOOPBACK_OF: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };

/** The URL under which this machine reaches a listener. */
export function urlOf(host: string, port: number): string {
  const local = LOOPBACK_OF[host] ?? host;
  return `http://${local.includes(':') ? `[${local}]` : local}:${port}`;
}

/** Number of times that Node checks the limits within the shorter of the two timeouts. */
const CHECKS = 10;
const HEAD_BYTES = 16 * 1024;

/** Creates the HTTP server of a sandbox, which closes connections that are too slow, too many, or send too large headers. */
export function createListener({ headMs = 10_000, requestMs = 30_000, connections = 1_000 }: ListenerLimits = {}): Server {
  const listener = createServer({
    headersTimeout: headMs,
    requestTimeout: requestMs,
    connectionsCheckingInterval: Math.min(headMs, requestMs) / CHECKS,
    maxHeaderSize: HEAD_BYTES,
  });
  listener.maxConnections = connections;
  return listener;
}
