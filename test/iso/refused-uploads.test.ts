import { once } from 'node:events';
import { connect } from 'node:net';
import { PassThrough } from 'node:stream';
import { Worker } from 'node:worker_threads';
import Hapi, { type Request } from '@hapi/hapi';
import t from 'tap';
import { boolean, createPlatform, definePlugin, object, route } from '#core';
import { InlinePool, RecordingLogger, type Tap } from '#core/testing';
import { discardRest } from '../../core/kernel/http/read-body.js';
import { sampled, stride } from '../forms.js';
import type { Outcomes, Uploads } from './uploading-client.js';

const UPLOADS = Math.ceil(200 / stride(40));
/** Uploads in flight at the same time, so that the server closes sockets while the client writes to others. */
const AT_ONCE = 8;
const SIZES = [200, 20_000, 1_000_000, 5_000_000];
const MAX_BYTES = 1_000;

const uploads = definePlugin({
  name: 'uploads',
  version: '1.0.0',
  register: () => {
    const take = (path: `/${string}`, more: object = {}) =>
      route({
        method: 'POST',
        path,
        body: 'bytes',
        summary: 'Takes a file.',
        responses: { 200: object({ done: boolean() }) },
        handler: () => ({ done: true }),
        ...more,
      });
    return {
      routes: [
        take('/v1/file', { numbers: ['network'], maxBytes: 6_000_000 }),
        take('/v1/small', { maxBytes: MAX_BYTES, bucket: 'none' }),
        take('/v1/limited', { maxBytes: 6_000_000, bucket: 'media' }),
      ],
    };
  },
})();

/** A platform in a host application's listening server, with tokens of a channel and a network number. */
async function startGuest(t: Tap) {
  const server = Hapi.server({ port: 0, host: '127.0.0.1' });
  server.auth.scheme('closed', () => ({ authenticate: (_, h) => h.response('closed').code(401).takeover() }));
  server.auth.strategy('closed', 'closed');
  server.route({ method: 'POST', path: '/own', options: { auth: 'closed' }, handler: () => 'never' });
  const platform = createPlatform({
    plugins: [uploads],
    rateLimits: { media: 1 },
    ports: { workers: new InlinePool(), log: new RecordingLogger() },
  });
  await server.register(platform.hapiPlugin);
  await server.start();
  t.teardown(() => server.stop({ timeout: 0 }));
  const tokenOf = (kind: 'channel' | 'network', address: string) =>
    platform.store.transaction((tx) => {
      const { uuid } = platform.numbers.create(tx, { kind, type: kind, address, name: kind });
      return platform.tokens.issue(tx, uuid, 'test').text;
    });
  return {
    uri: server.info.uri,
    port: Number(server.info.port),
    channel: await tokenOf('channel', 'desk'),
    network: await tokenOf('network', '+27820000001'),
  };
}

/** Uploads from a second thread: on the server's thread, `fetch` never writes to a closed socket, and no upload fails whatever the server does. */
async function outcomesOf(uri: string, token: string, size: number): Promise<Outcomes> {
  const workerData: Uploads = { uri, token, size, count: UPLOADS, atOnce: AT_ONCE };
  const [outcomes] = await once(new Worker(new URL('./uploading-client.js', import.meta.url), { workerData }), 'message');
  return outcomes;
}

t.test('a client that uploads a form always gets the error response, regardless of the size', async (t) => {
  const { uri, channel, network } = await startGuest(t);
  const cases = [
    [401, '/v1/file', 'unknown'],
    [403, '/v1/file', channel],
    [404, '/v1/no-such-route', channel],
    [413, '/v1/small', network],
  ] as const;
  for (const size of sampled(SIZES, 2)) {
    for (const [status, path, token] of cases) {
      if (status === 413 && size <= MAX_BYTES) continue;
      t.strictSame(await outcomesOf(`${uri}${path}`, token, size), { [status]: UPLOADS }, `${status}, ${size} bytes`);
    }
  }
});

t.test('a client over its limit gets 429 every time', async (t) => {
  const { uri, network } = await startGuest(t);
  for (const size of sampled(SIZES, 2)) {
    const { 429: refused = 0, 200: taken = 0 } = await outcomesOf(`${uri}/v1/limited`, network, size);
    // One call per minute is accepted.
    t.ok(taken <= 2, `${taken} taken, ${size} bytes`);
    t.equal(refused + taken, UPLOADS, `${size} bytes`);
  }
});

/** Sends a request whose body never ends. */
function endless(port: number, path: string, head: readonly string[] = ['transfer-encoding: chunked']) {
  const socket = connect(port, '127.0.0.1');
  const chunk = 'x'.repeat(65_536);
  const part = `${chunk.length.toString(16)}\r\n${chunk}\r\n`;
  let answer = '';
  let sent = 0;
  const isAnswered = new Promise<void>((resolve) => {
    socket.on('data', (data) => {
      answer += data;
      resolve();
    });
  });
  const isClosed = new Promise<void>((resolve) => {
    socket.once('close', () => resolve());
  });
  // The server resets the connection while the client writes.
  socket.on('error', () => undefined);
  socket.write(['POST', path, 'HTTP/1.1\r\nhost: a.test\r\n'].join(' ') + [...head, '', ''].join('\r\n'));
  return {
    isAnswered,
    isClosed,
    answer: () => answer,
    sent: () => sent,
    close: () => socket.destroy(),
    write(): void {
      while (!socket.destroyed) {
        sent += part.length;
        if (!socket.write(part)) return void socket.once('drain', () => this.write());
      }
    },
  };
}

t.test('the server closes the connection of a client that never stops sending', async (t) => {
  const { port } = await startGuest(t);
  for (const path of ['/v1/file', '/v1/no-such-route']) {
    const upload = endless(port, path);
    upload.write();
    await upload.isClosed;
    t.ok(upload.sent() < 64 * 1024 * 1024, `${upload.sent()} bytes were accepted`);
  }
});

t.test('a client that announces more than the server discards, or expects 100 Continue, gets the response before it sends', async (t) => {
  const { port } = await startGuest(t);
  for (const head of [['content-length: 100000000'], ['content-length: 1000', 'expect: 100-continue']]) {
    const upload = endless(port, '/v1/file', head);
    await upload.isClosed;
    t.match(upload.answer(), /^HTTP\/1.1 401 [\s\S]*connection: close/i, String(head));
  }
});

t.test('routes of the host application still respond before the body has arrived', async (t) => {
  const { port } = await startGuest(t);
  const own = endless(port, '/own');
  await own.isAnswered;
  t.match(own.answer(), /^HTTP\/1.1 401 /);
  const ours = endless(port, '/v1/file');
  await Promise.race([ours.isAnswered, own.isClosed.then(() => new Promise((resolve) => setTimeout(resolve, 50)))]);
  t.equal(ours.answer(), '', "the platform's route waits for the body");
  ours.close();
});

t.test('the server reads the rest of a body for a limited time and up to a limited size', async (t) => {
  const requestWith = (headers: object) => {
    const req = Object.assign(new PassThrough(), { headers, complete: false });
    return { req, request: { raw: { req }, payload: undefined } as unknown as Request };
  };
  const chunked = { 'transfer-encoding': 'chunked' };
  const slow = requestWith(chunked);
  await discardRest(slow.request, { arrivalMs: 20 });
  t.ok(slow.req.isPaused());
  const large = requestWith(chunked);
  large.req.write('x'.repeat(100));
  await discardRest(large.request, { maxBytes: 10 });
  t.ok(large.req.isPaused());
  const gone = requestWith(chunked);
  setImmediate(() => gone.req.destroy());
  await discardRest(gone.request);
  for (const { request } of [requestWith({}), requestWith({ 'content-length': '11' })])
    t.equal(discardRest(request, { maxBytes: 10 }), undefined);
});
