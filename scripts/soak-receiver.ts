// Receives the deliveries of the soak test, in its own process. The first segment of the path selects its behaviour. Bodies contain
// the number of the event, by which it counts accepted events and duplicates.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

const FLAP_MS = 20_000;
const accepted = new Set<number>();
let duplicates = 0;

function accept(response: ServerResponse, n: number): void {
  if (accepted.has(n)) duplicates++;
  accepted.add(n);
  response.writeHead(200, { 'content-length': '2' });
  response.end('ok');
}

function refuse(response: ServerResponse, status: number): void {
  response.writeHead(status, { 'content-length': '0' });
  response.end();
}

const manners: Readonly<Record<string, (response: ServerResponse, n: number, request: IncomingMessage) => void>> = {
  fast: accept,
  slow: (response, n) => void setTimeout(() => accept(response, n), 1_000 + (n % 20) * 100),
  hang: () => undefined,
  flapping: (response, n) => (Math.floor(Date.now() / FLAP_MS) % 2 === 0 ? accept(response, n) : refuse(response, 500)),
  failing: (response, n) => (Math.random() < 0.5 ? accept(response, n) : refuse(response, 503)),
  broken: (response) => refuse(response, 500),
  refusing: (response) => refuse(response, 410),
  // Half of the connections break: before the response, or in the middle of a 500.
  resetting(response, n, { socket }) {
    const chance = Math.random();
    if (chance < 0.5) return accept(response, n);
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
process.on('message', () => process.send!({ accepted: accepted.size, duplicates }));
process.on('disconnect', () => process.exit());
