import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import Hapi from '@hapi/hapi';
import t from 'tap';
import type { Tap } from '#core/testing';
import { patient } from '../../core/testing/slowness.js';
import { startSandbox } from '../../sandbox/compose.js';
import { createListener, type ListenerLimits } from '../../sandbox/server/listener.js';

/** The time by which a slow connection must be closed; the limits of these tests are a fraction of it. */
const BOUND_MS = patient(10_000);

/** A server with its own listener, and raw connections to it. */
async function start(t: Tap, limits: ListenerLimits) {
  const server = Hapi.server({ host: '127.0.0.1', port: 0, listener: createListener(limits) });
  server.route({ method: 'POST', path: '/', handler: () => 'ok' });
  await server.start();
  t.teardown(() => server.stop({ timeout: 0 }));
  const port = (server.listener.address() as AddressInfo).port;
  return () => connected(t, port);
}

async function connected(t: Tap, port: number): Promise<{ socket: Socket; closed: Promise<string> }> {
  const socket = connect(port, '127.0.0.1');
  t.teardown(() => socket.destroy());
  let answer = '';
  socket.on('data', (data) => (answer += data)).on('error', () => undefined);
  const closed = once(socket, 'close').then(() => answer);
  await once(socket, 'connect');
  return { socket, closed };
}

/** Writes a little at intervals to keep the connection open. @returns how long that worked, and the response */
async function drip({ socket, closed }: Awaited<ReturnType<typeof connected>>, head: string, drop: string) {
  const from = performance.now();
  socket.write(head);
  const timer = setInterval(() => socket.write(drop), 20);
  const answer = await Promise.race([closed, sleep(BOUND_MS).then(() => undefined)]);
  clearInterval(timer);
  return { answer, ms: performance.now() - from };
}

t.test('a connection whose headers never end is closed in bounded time, even if they arrive steadily', async (t) => {
  const connection = await (await start(t, { headMs: 200, requestMs: 400 }))();
  const { answer, ms } = await drip(connection, 'POST / HTTP/1.1\r\nHost: localhost\r\n', 'X-A: b\r\n');
  t.not(answer, undefined, 'the connection is closed');
  t.notMatch(answer, /200 OK/);
  t.ok(ms >= 150 && ms < BOUND_MS);
});

t.test('a connection whose body never ends is closed in bounded time, even if it arrives steadily', async (t) => {
  const connection = await (await start(t, { headMs: 200, requestMs: 400 }))();
  const { answer, ms } = await drip(connection, 'POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000\r\n\r\n', 'x');
  t.not(answer, undefined, 'the connection is closed');
  t.ok(ms >= 300 && ms < BOUND_MS);
});

t.test('fast clients are served meanwhile', async (t) => {
  const connection = await start(t, { headMs: 2_000, requestMs: 4_000 });
  const slow = await Promise.all(Array.from({ length: 50 }, connection));
  for (const { socket } of slow) socket.write('POST / HTTP/1.1\r\nHost: localhost\r\nX-A: ');
  const quick = await connection();
  quick.socket.write('POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\nConnection: close\r\n\r\n');
  t.match(await quick.closed, /^HTTP\/1.1 200 OK/);
});

t.test('headers of more than 16 KiB are refused', async (t) => {
  const connection = await start(t, {});
  const ask = async (bytes: number): Promise<string> => {
    const { socket, closed } = await connection();
    socket.write(`POST / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: 0\r\nX-A: ${'a'.repeat(bytes)}\r\n\r\n`);
    return closed;
  };
  t.match(await ask(15_000), /^HTTP\/1.1 200 OK/);
  t.notMatch(await ask(17_000), /200 OK/);
});

t.test('connections over the limit are closed, and the others stay open', async (t) => {
  const connection = await start(t, { connections: 2 });
  const open = [await connection(), await connection()];
  const third = await connection();
  t.equal(await third.closed, '', 'closed without a response');
  for (const { socket, closed } of open) {
    socket.write('POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\nConnection: close\r\n\r\n');
    t.match(await closed, /^HTTP\/1.1 200 OK/);
  }
});

t.test('a sandbox listens with these limits, and under its own host names only', async (t) => {
  const sandbox = await startSandbox({ seed: 'empty', trustedHosts: ['tunnel.example'] });
  t.teardown(() => sandbox.stop());
  const { listener, info } = sandbox.server;
  t.match(listener, { headersTimeout: 10_000, requestTimeout: 30_000, maxConnections: 1_000 });
  const { key } = sandbox.admin;
  const status = async (host: string, origin?: string): Promise<number> => {
    const headers = { host, authorization: `Bearer ${key}`, ...(origin && { origin }) };
    return (await sandbox.server.inject({ url: '/admin/v1/numbers', headers })).statusCode;
  };
  t.equal(await status(`localhost:${info.port}`), 200);
  t.equal(await status('tunnel.example'), 200);
  t.equal(await status(`rebound.test:${info.port}`), 403, 'the right key, but a rebound host name');
  t.equal(await status(`localhost:${info.port}`, 'http://evil.test'), 403);
});
