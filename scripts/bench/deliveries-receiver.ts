// Receives the deliveries of benchmarks in its own process: responds 200 with two bytes, and counts. Over IPC the parent sets how
// the receiver misbehaves, and asks for the count.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

let received = 0;
const server = createServer((request, response) => {
  request.resume();
  request.on('end', () => {
    received++;
    response.writeHead(200, { 'content-type': 'text/plain', 'content-length': '2' });
    response.end('ok');
  });
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => process.send!({ port: (server.address() as AddressInfo).port }));
process.on('message', () => process.send!({ received, cpu: process.cpuUsage() }));
process.on('disconnect', () => process.exit());
