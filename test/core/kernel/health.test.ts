import t from 'tap';
import { MemoryStore, RecordingLogger, startPlatform } from '#core/testing';

t.test('a platform that runs says that it is well and ready, without a token', async (t) => {
  const { call } = await startPlatform(t, { plugins: [] });
  t.match(await call('GET', '/health'), { status: 200, body: { status: 'ok' } });
  t.match(await call('GET', '/ready'), { status: 200, body: { status: 'ready' } });
});

t.test('readiness ends before anything else does when the server stops, and the process is still well', async (t) => {
  const { server, call } = await startPlatform(t, { plugins: [] });
  const seen: number[] = [];
  server.ext('onPreStop', async () => {
    for (const path of ['/ready', '/health']) seen.push((await call('GET', path)).status);
  });
  await server.stop();
  t.strictSame(seen, [503, 200]);
});

t.test('while the store takes no writes the platform is not ready, and says why', async (t) => {
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
  t.match(await call('GET', '/ready'), { status: 503, body: { errors: [{ details: /the store takes no writes/ }] } });
  store.state = 'open';
  t.equal((await call('GET', '/ready')).status, 200);
});
