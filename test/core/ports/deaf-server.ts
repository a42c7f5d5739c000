import { type AddressInfo, createServer } from 'node:net';

/** Listens, prints its port, and then blocks, so that connections are never accepted. */
const server = createServer();
server.listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
  process.send?.((server.address() as AddressInfo).port, () => {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  });
});
