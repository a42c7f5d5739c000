import { once } from 'node:events';
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import type { Tap } from '../../../core/testing/tap.js';

export interface Received {
  readonly method: string;
  readonly path: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Names in the letters in which they arrived. */
  readonly headerNames: readonly string[];
  readonly body: Buffer;
  /** 1 for the first request of all, and of its connection. */
  readonly nth: number;
  readonly nthOnConnection: number;
}

export interface Receiver {
  readonly port: number;
  readonly url: string;
  readonly received: Received[];
  /** Connections accepted so far. */
  connections: number;
  readonly open: Set<Socket>;
}

export interface ReceiverOptions {
  readonly tls?: { readonly key: string; readonly cert: string };
  readonly host?: string;
  /** Called instead of waiting for a request. */
  readonly onConnection?: (socket: Socket) => void;
}

/** An endpoint below HTTP: the test writes raw bytes to the socket, including invalid HTTP. */
export async function receive(
  t: Tap,
  answer: (socket: Socket, request: Received) => void,
  options: ReceiverOptions = {},
): Promise<Receiver> {
  const { tls, host = '127.0.0.1', onConnection } = options;
  const server = tls ? createTlsServer(tls, serve) : createTcpServer(serve);
  server.listen(0, host);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const name = host.includes(':') ? `[${host}]` : host;
  const receiver: Receiver = {
    port,
    url: `${tls ? 'https' : 'http'}://${name}:${port}/hook`,
    received: [],
    connections: 0,
    open: new Set(),
  };
  t.teardown(() => {
    for (const socket of receiver.open) socket.destroy();
    server.close();
  });
  return receiver;

  function serve(socket: Socket): void {
    receiver.connections++;
    receiver.open.add(socket);
    socket.setNoDelay();
    socket.on('error', () => {});
    socket.on('close', () => receiver.open.delete(socket));
    if (onConnection) {
      onConnection(socket);
      return;
    }
    let unread = Buffer.alloc(0);
    let nthOnConnection = 0;
    socket.on('data', (data: Buffer) => {
      unread = Buffer.concat([unread, data]);
      for (;;) {
        const end = unread.indexOf('\r\n\r\n');
        if (end === -1) return;
        const [first = '', ...lines] = unread.subarray(0, end).toString('latin1').split('\r\n');
        const headers = Object.fromEntries(
          lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
        );
        const headerNames = lines.map((line) => line.slice(0, line.indexOf(':')));
        const length = Number(headers['content-length'] ?? 0);
        if (unread.length < end + 4 + length) return;
        const body = unread.subarray(end + 4, end + 4 + length);
        unread = unread.subarray(end + 4 + length);
        const [method = '', path = ''] = first.split(' ');
        const request = { method, path, headers, headerNames, body, nth: receiver.received.length + 1, nthOnConnection: ++nthOnConnection };
        receiver.received.push(request);
        answer(socket, request);
      }
    });
  }
}

/** A complete response. */
export function respond(
  socket: Socket,
  { status = 200, headers = {}, body = 'ok' }: { status?: number; headers?: Record<string, string>; body?: string | Uint8Array } = {},
): void {
  socket.write(headOf(status, { 'content-length': String(Buffer.byteLength(body)), ...headers }));
  if (status !== 204 && status !== 304) socket.write(body);
}

export function headOf(status: number, headers: Record<string, string>): string {
  return `HTTP/1.1 ${status} Said\r\n${Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')}\r\n`;
}
