import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import Hapi from '@hapi/hapi';
import t from 'tap';
import { createPlatform } from '#core';
import { ADMIN_KEY, InlinePool, MemoryStore, RecordingLogger, startPlatform } from '#core/testing';
import { channels } from '../../../plugins/channels/plugin.js';
import { journeys } from '../../../plugins/journeys/plugin.js';

t.test('a running platform is healthy and ready, without a token', async (t) => {
  const { call } = await startPlatform(t, { plugins: [] });
  t.match(await call('GET', '/health'), { status: 200, body: { status: 'ok' } });
  t.match(await call('GET', '/ready'), { status: 200, body: { status: 'ready' } });
});

t.test('before the start and after the stop, calls get 503, which says so', async (t) => {
  const server = Hapi.server({ debug: false });
  const ports = { workers: new InlinePool(), log: new RecordingLogger() };
  const platform = createPlatform({ plugins: [channels(), journeys()], admin: { key: ADMIN_KEY }, ports });
  await server.register(platform.hapiPlugin);
  const [token, admin] = ['ph_x', ADMIN_KEY].map((text) => ({ authorization: `Bearer ${text}` }));
  const calls = [
    { url: '/ready' },
    { url: '/v1/stacks', headers: token! },
    { method: 'POST', url: '/v1/numbers', headers: token!, payload: {} },
    { url: '/admin/v1/numbers', headers: admin! },
    { url: '/admin/v1/metrics', headers: admin! },
    { method: 'POST', url: '/admin/v1/numbers', headers: admin!, payload: { kind: 'network', address: '+27600000001', name: 'Shop' } },
  ];
  const all = async (about: RegExp) => {
    for (const call of calls) {
      const { statusCode, payload, headers } = await server.inject(call);
      t.match({ statusCode, payload, headers }, { statusCode: 503, payload: about, headers: { 'retry-after': '5' } }, call.url);
    }
    t.equal((await server.inject('/health')).statusCode, 200);
  };
  await all(/Not ready: the platform is not started: start its server after registering it, or call platform.start\(\)/);
  await server.initialize();
  t.equal((await server.inject(calls[3]!)).statusCode, 200);
  await server.stop();
  calls.splice(0, 1);
  // Metrics are in memory.
  calls.splice(3, 1);
  await all(/Not ready: the platform is stopped/);
  t.strictSame(
    ports.log.lines.filter(({ level }) => level === 'error'),
    [],
    'this is no failure',
  );
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
