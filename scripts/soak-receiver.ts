// What receives the deliveries of the soak, in a process of its own. The first part of a path says how it behaves; the
// bodies say which event they are, so that it knows which it has taken, and which of them twice.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

const FLAP_MS = 20_000;
const taken = new Set<number>();
let twice = 0;

function take(response: ServerResponse, n: number): void {
  if (taken.has(n)) twice++;
  taken.add(n);
  response.writeHead(200, { 'content-length': '2' });
  response.end('ok');
}

function refuse(response: ServerResponse, status: number): void {
  response.writeHead(status, { 'content-length': '0' });
  response.end();
}

const manners: Readonly<Record<string, (response: ServerResponse, n: number, request: IncomingMessage) => void>> = {
  fast: take,
  slow: (response, n) => void setTimeout(() => take(response, n), 1_000 + (n % 20) * 100),
  hang: () => undefined,
  flapping: (response, n) => (Math.floor(Date.now() / FLAP_MS) % 2 === 0 ? take(response, n) : refuse(response, 500)),
  failing: (response, n) => (Math.random() < 0.5 ? take(response, n) : refuse(response, 503)),
  broken: (response) => refuse(response, 500),
  refusing: (response) => refuse(response, 410),
  // Half of the times the connection breaks, before or in the middle of an answer that says no.
  resetting(response, n, { socket }) {
    const chance = Math.random();
    if (chance < 0.5) return take(response, n);
    if (chance < 0.75) return void socket.destroy();
    socket.write('HTTP/1.1 500 Inter');
    socket.destroy();
  },
};

const server = createServer((request, response) => {
  let body = '';
  request.setEncoding('utf8');
  request.on('data', (chunk) => (body += chunk));
  request.on('end', () => manners[request.url!.split('/')[1]!]!(response, JSON.parse(body).n, request));
  request.on('error', () => undefined);
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => process.send!({ port: (server.address() as AddressInfo).port }));
process.on('message', () => process.send!({ taken: taken.size, twice }));
process.on('disconnect', () => process.exit());
