// A receiver of webhooks in a process of its own. Keeps every request as it arrived, and verifies nothing.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request as it arrived. */
export interface Received {
  readonly path: string;
  /** Names and values, in their order and letters. */
  readonly rawHeaders: readonly string[];
  /** Base64. */
  readonly body: string;
}

const received: Received[] = [];
const ids = { next: 0 };

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    received.push({ path: request.url!, rawHeaders: request.rawHeaders, body: Buffer.concat(chunks).toString('base64') });
    response.writeHead(200, { 'content-type': 'application/json', 'X-Receiver': 'shop' });
    response.end(JSON.stringify({ messages: [{ id: `out-${++ids.next}` }] }));
  });
});
server.listen(0, '127.0.0.1', () => process.send!({ port: (server.address() as AddressInfo).port }));
process.on('message', ({ forget = false }: { forget?: boolean }) => {
  if (forget) {
    received.length = 0;
    ids.next = 0;
  }
  process.send!({ received });
});
process.on('disconnect', () => process.exit());
