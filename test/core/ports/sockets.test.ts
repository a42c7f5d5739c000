import { once } from 'node:events';
import { type AddressInfo, createServer as createTcp, type Socket } from 'node:net';
import { createServer as createTls } from 'node:tls';
import t from 'tap';
import { ManualClock } from '../../../core/adapters/clock/manual-clock.js';
import type { Lookup } from '../../../core/adapters/http/name-lookup.js';
import { type TargetOptions, TargetRules } from '../../../core/adapters/http/target-rules.js';
import { NodeSockets } from '../../../core/adapters/sockets/node-sockets.js';
import type { SocketFailed } from '../../../core/ports/sockets.js';
import { ScriptedSockets } from '../../../core/testing/scripted-sockets.js';
import type { Tap } from '../../../core/testing/tap.js';
import { authority, goodCertificate, goodKey } from './certificates.js';

function open(t: Tap, { lookup, ca, ...targets }: TargetOptions & { lookup?: Lookup; ca?: string } = {}) {
  const clock = new ManualClock();
  const sockets = new NodeSockets({ clock, rules: new TargetRules(targets), ca, ...(lookup && { lookup }) });
  t.teardown(() => sockets.stop());
  return { clock, sockets };
}

/** A server that sends back what it gets. */
async function echo(t: Tap, server = createTcp(), event = 'connection') {
  server.on(event, (socket: Socket) => socket.on('error', () => undefined).pipe(socket));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => void server.close());
  return (server.address() as AddressInfo).port;
}

const local: Lookup = async () => [{ address: '127.0.0.1', family: 4 }];
const refused = (promise: Promise<unknown>): Promise<Partial<SocketFailed>> =>
  promise.then(
    () => ({ code: 'none' }),
    (error: SocketFailed) => error,
  );

t.test('only permitted addresses are called, also those that a name resolves to', async (t) => {
  const port = await echo(t);
  const { sockets } = open(t, { lookup: local });
  for (const host of ['127.0.0.1', '::1', 'mail.example', '169.254.169.254'])
    t.match(await refused(sockets.connect({ host, port, deadlineMs: 1_000 })), { code: 'BLOCKED_ADDRESS', permanent: true }, host);
  const { sockets: allowed } = open(t, { lookup: local, guard: { allow: ['127.0.0.1'] } });
  const socket = await allowed.connect({ host: 'mail.example', port, deadlineMs: 1_000 });
  socket.write('hello');
  t.equal(String((await once(socket, 'data'))[0]), 'hello');
});

t.test('failures have the codes of the HTTP client; an abort and a stop close connections', async (t) => {
  const port = await echo(t);
  const { sockets, clock } = open(t, { guard: false });
  const closed = createTcp().listen(0, '127.0.0.1');
  await once(closed, 'listening');
  const { port: free } = closed.address() as AddressInfo;
  await new Promise((resolve) => closed.close(resolve));
  t.match(await refused(sockets.connect({ host: '127.0.0.1', port: free, deadlineMs: 1_000 })), { code: 'ECONNREFUSED', permanent: false });
  t.match(await refused(sockets.connect({ host: '127.0.0.1', port, secure: true, deadlineMs: 1_000 })), { code: 'TLS' });
  // It accepts, and says nothing, so that TLS never begins.
  const deaf = createTcp().listen(0, '127.0.0.1');
  await once(deaf, 'listening');
  t.teardown(() => void deaf.close());
  const late = refused(sockets.connect({ host: '127.0.0.1', port: (deaf.address() as AddressInfo).port, secure: true, deadlineMs: 1_000 }));
  await new Promise((resolve) => setTimeout(resolve, 20));
  await clock.advance(1_000);
  t.match(await late, { code: 'ETIMEDOUT' });
  const abort = new AbortController();
  const socket = await sockets.connect({ host: '127.0.0.1', port, deadlineMs: 1_000, signal: abort.signal });
  abort.abort();
  await once(socket, 'close');
  t.match(await refused(sockets.connect({ host: '127.0.0.1', port, deadlineMs: 1_000, signal: abort.signal })), { code: 'ABORTED' });
  const last = await sockets.connect({ host: '127.0.0.1', port, deadlineMs: 1_000 });
  const ended = once(last, 'close');
  await sockets.stop();
  await ended;
  t.match(await refused(sockets.connect({ host: '127.0.0.1', port, deadlineMs: 1_000 })), { code: 'STOPPED' });
});

t.test('TLS checks the certificate for the host, immediately or later', async (t) => {
  const port = await echo(t, createTls({ key: goodKey, cert: goodCertificate }), 'secureConnection');
  const { sockets } = open(t, { guard: false, lookup: local, ca: authority });
  const socket = await sockets.connect({ host: 'connector.test', port, secure: true, deadlineMs: 1_000 });
  socket.write('hello');
  t.equal(String((await once(socket, 'data'))[0]), 'hello');
  t.match(await refused(sockets.connect({ host: 'other.test', port, secure: true, deadlineMs: 1_000 })), {
    code: 'TLS',
    message: /another name/,
  });
  const plain = await sockets.connect({ host: 'connector.test', port, deadlineMs: 1_000 });
  await once(sockets.secure(plain, 'connector.test'), 'secureConnect');
});

t.test('a listener closes what exceeds its limits and what is idle, and stops with all connections', async (t) => {
  const { sockets } = open(t, { guard: false });
  const listener = await sockets.listen({ host: '127.0.0.1', port: 0, maxConnections: 3, maxPerAddress: 2, idleMs: 100 }, (socket) =>
    socket.pipe(socket),
  );
  const join = () => sockets.connect({ host: '127.0.0.1', port: listener.port, deadlineMs: 1_000 });
  const [one, two] = [await join(), await join()];
  const third = await join();
  await once(third, 'close');
  t.equal(listener.refused, 1);
  one.write('hello');
  t.equal(String((await once(one, 'data'))[0]), 'hello');
  await Promise.all([once(one.resume(), 'close'), once(two.resume(), 'close')]);
  const four = await join();
  const started = performance.now();
  const ended = once(four.resume(), 'close');
  await listener.stop();
  await ended;
  t.ok(performance.now() - started < 1_000);
  await t.rejects(
    sockets.listen({ host: '127.0.0.1', port: await echo(t), maxConnections: 1, maxPerAddress: 1, idleMs: 1 }, () => undefined),
    {
      code: 'EADDRINUSE',
    },
  );
});

t.test('scripted sockets lead to this machine, or fail as told', async (t) => {
  const port = await echo(t);
  const sockets = new ScriptedSockets({ clock: new ManualClock() });
  t.teardown(() => sockets.stop());
  sockets.answer('mail.example:25', port).answer('down.example:25', 'refuse').answer('none.example:25', 'unknown host');
  const to = (host: string) => sockets.connect({ host, port: 25, deadlineMs: 1_000 });
  (await to('mail.example')).destroy();
  t.match(await refused(to('down.example')), { code: 'ECONNREFUSED' });
  t.match(await refused(to('none.example')), { code: 'ENOTFOUND', permanent: true });
  t.match(await refused(to('other.example')), { code: 'UNEXPECTED' });
  t.same(sockets.connected, ['mail.example:25', 'down.example:25', 'none.example:25', 'other.example:25']);
});
