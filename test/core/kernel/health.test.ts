import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import Hapi from '@hapi/hapi';
import t from 'tap';
import { createPlatform } from '#core';
import { InlinePool, MemoryStore, RecordingLogger, startPlatform } from '#core/testing';

t.test('a running platform is healthy and ready, without a token', async (t) => {
  const { call } = await startPlatform(t, { plugins: [] });
  t.match(await call('GET', '/health'), { status: 200, body: { status: 'ok' } });
  t.match(await call('GET', '/ready'), { status: 200, body: { status: 'ready' } });
});

t.test('a stop ends readiness first, and the process stays healthy', async (t) => {
  const { server, call } = await startPlatform(t, { plugins: [] });
  const seen: number[] = [];
  server.ext('onPreStop', async () => {
    for (const path of ['/ready', '/health']) seen.push((await call('GET', path)).status);
  });
  await server.stop();
  t.strictSame(seen, [503, 200]);
});

t.test('while the store accepts no writes, the platform is not ready and names the reason', async (t) => {
  class FullStore extends MemoryStore {
    state: 'open' | 'failed' = 'open';
    override health() {
      return { state: this.state };
    }
  }
  const store = new FullStore({ log: new RecordingLogger() });
  const { call } = await startPlatform(t, { plugins: [], secretKey: '0'.repeat(64), ports: { store } });
  t.equal((await call('GET', '/ready')).status, 200);
  store.state = 'failed';
  t.match(await call('GET', '/ready'), { status: 503, body: { errors: [{ details: /the store accepts no writes/ }] } });
  store.state = 'open';
  t.equal((await call('GET', '/ready')).status, 200);
});

t.test('a probe over HTTP/1.0 without Host is accepted, also with trustedHosts', async (t) => {
  const server = Hapi.server({ port: 0, host: '127.0.0.1' });
  const ports = { workers: new InlinePool(), log: new RecordingLogger() };
  await server.register(createPlatform({ plugins: [], trustedHosts: ['api.example'], ports }).hapiPlugin);
  await server.start();
  t.teardown(() => server.stop({ timeout: 0 }));
  const ask = (head: string): Promise<string> => {
    const socket = connect(Number(server.info.port), '127.0.0.1');
    socket.write(head);
    return text(socket);
  };
  for (const path of ['/health', '/ready']) t.match(await ask(`GET ${path} HTTP/1.0\r\n\r\n`), /^HTTP\/1.1 200 /, path);
  t.match(await ask('GET /health HTTP/1.0\r\nHost: evil.test\r\n\r\n'), /^HTTP\/1.1 403 /);
  t.match(await ask('GET /health HTTP/1.0\r\nOrigin: http://evil.test\r\n\r\n'), /^HTTP\/1.1 403 /);
});
