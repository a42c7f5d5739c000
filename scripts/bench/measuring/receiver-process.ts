// Receives the deliveries of benchmarks: verifies the signature of each, responds 200 with two bytes, and counts.
import { createHmac } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Question {
  readonly id: number;
  readonly secrets?: Readonly<Record<string, string>>;
  /** Answer when this many deliveries have arrived. */
  readonly tell?: number;
}

export interface Counted {
  readonly id: number;
  readonly received: number;
  readonly invalid: number;
}

const secrets = new Map<string, string>();
let received = 0;
let invalid = 0;
let waiting: { readonly id: number; readonly tell: number } | undefined;

const answer = (id: number): void => void process.send!({ id, received, invalid } satisfies Counted);

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const secret = secrets.get(request.url!);
    const hmac = secret === undefined ? undefined : createHmac('sha256', secret);
    for (const chunk of chunks) hmac?.update(chunk);
    if (hmac?.digest('base64') !== request.headers['x-svc-hook-signature']) invalid++;
    received++;
    response.writeHead(200, { 'content-type': 'text/plain', 'content-length': '2' });
    response.end('ok');
    if (waiting && received >= waiting.tell) {
      answer(waiting.id);
      waiting = undefined;
    }
  });
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => process.send!({ port: (server.address() as AddressInfo).port }));
process.on('message', ({ id, secrets: more = {}, tell }: Question) => {
  for (const [path, secret] of Object.entries(more)) secrets.set(path, secret);
  if (tell !== undefined && received < tell) waiting = { id, tell };
  else answer(id);
});
process.on('disconnect', () => process.exit());
