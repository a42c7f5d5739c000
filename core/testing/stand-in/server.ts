import { createServer, type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Clock } from '../../ports/clock.js';
import { type NetworkFault, RecordedCall, type Reply } from '../scripted-http.js';

/** Above the largest document, with room for its form. */
const MAX_BODY_BYTES = 110 * 1024 * 1024;
/** After this the network closes a connection on which it never answered. */
const SILENT_MS = 30_000;

/** A response, and whether a socket sends it twice. */
export type StandInReply = Reply & { readonly isDoubled?: boolean };

/** The open port of a stand-in. `stop` ends all calls. */
export interface StandInServer {
  readonly port: number;
  stop(): Promise<void>;
}

/** Serves calls of a stand-in on 127.0.0.1; port 0 selects a free one. @throws Error when the port is in use */
export async function serveStandIn(
  port: number,
  clock: Clock,
  answer: (call: RecordedCall) => Promise<StandInReply | NetworkFault>,
): Promise<StandInServer> {
  const stop = new AbortController();
  const server: Server = createServer((request, response) => {
    handle(request, response).catch((error: unknown) => {
      // A request is destroyed as soon as its body was read, so only the socket tells whether its client is there.
      if (stop.signal.aborted || request.socket.destroyed) return void request.socket.destroy();
      if (!response.headersSent) response.writeHead(500, { 'content-type': 'text/plain' });
      response.end(String(error));
    });
  });

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const call = await read(request, `http://127.0.0.1:${portOf(server)}`, clock.now());
    if (!call) return void response.writeHead(413, { connection: 'close' }).end();
    const reply = await answer(call);
    if (reply === 'hang') {
      await clock.sleep(SILENT_MS, stop.signal);
      return void request.socket.destroy();
    }
    if (typeof reply === 'string') return void request.socket.resetAndDestroy();
    const { status = 200, headers = {}, body, afterMs = 0, isDoubled } = reply;
    if (afterMs > 0) await clock.sleep(afterMs, stop.signal);
    const isJson = body !== undefined && typeof body !== 'string' && !(body instanceof Uint8Array);
    const bytes = isJson ? JSON.stringify(body) : (body ?? '');
    const sent = { ...(isJson && { 'content-type': 'application/json; charset=UTF-8' }), ...headers };
    if (isDoubled) request.socket.write(rawResponse(status, sent, bytes));
    response.writeHead(status, sent).end(bytes);
  }

  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  return {
    port: portOf(server),
    async stop() {
      stop.abort();
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

const portOf = (server: Server): number => (server.address() as AddressInfo).port;

/** @returns undefined for a body that is too large */
async function read(request: IncomingMessage, base: string, at: Date): Promise<RecordedCall | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_BODY_BYTES) return undefined;
    chunks.push(chunk);
  }
  const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
  return new RecordedCall(
    { method: request.method!, url: `${base}${request.url}`, headers, body: Buffer.concat(chunks), ...NO_LIMITS },
    at,
  );
}

/** The limits of a request are those of its client. */
const NO_LIMITS = { deadlineMs: 0, maxResponseBytes: 0 };

function rawResponse(status: number, headers: Readonly<Record<string, string>>, body: string | Uint8Array): Buffer {
  const bytes = Buffer.from(body);
  const lines = Object.entries({ ...headers, 'content-length': bytes.length }).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.concat([Buffer.from(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n`), bytes]);
}
