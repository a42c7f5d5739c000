import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PIXEL } from './turns.js';

/** The links of media files, as deliveries have them. */
export interface MediaLinks {
  /** Returns a file. */
  readonly valid: string;
  /** Responds 403, as an expired link does. */
  readonly expired: string;
  /** Never responds. */
  readonly silent: string;
}

/** Serves media on this machine. It does not keep the process running. */
export async function serveMedia(): Promise<MediaLinks> {
  const server = createServer(({ url }, response) => {
    if (url === '/silent') return;
    response.setHeader('connection', 'close');
    if (url === '/expired') response.writeHead(403, { 'content-type': 'application/json' }).end('{"error":"the link has expired"}');
    else response.writeHead(200, { 'content-type': 'image/png' }).end(PIXEL);
  });
  server.on('connection', (socket) => socket.unref());
  server.listen(0, '127.0.0.1').unref();
  await once(server, 'listening');
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { valid: `${base}/file.png`, expired: `${base}/expired`, silent: `${base}/silent` };
}
