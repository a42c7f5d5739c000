import { createServer, type Server } from 'node:http';

export interface ListenerLimits {
  /** Milliseconds for the head of a request. */
  readonly headMs?: number;
  /** Milliseconds for the whole of a request. */
  readonly requestMs?: number;
  /** Connections at a time. */
  readonly connections?: number;
}

/** Checked ten times in the shortest of the times. */
const CHECKS = 10;
const HEAD_BYTES = 16 * 1024;

/** Where a sandbox listens: whoever sends too slowly, too much of a head, or over too many connections is cut off. */
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
