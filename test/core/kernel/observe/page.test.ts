import Hapi from '@hapi/hapi';
import t from 'tap';
import type { Platform } from '#core';
import { loadSample } from '../../../pages/samples.js';
import { CALLER, setUpTraces, TRACE, traceparent } from './traced.js';

t.test('the platform of the page on operations is traced', async (t) => {
  const spans = setUpTraces();
  const { platform } = (await loadSample('core/kernel/README.md', 'ts', 'traces')) as { platform: Platform };
  const server = Hapi.server();
  await server.register(platform.hapiPlugin);
  await server.initialize();
  t.teardown(() => server.stop());
  await server.inject({ method: 'GET', url: '/health', headers: { traceparent } });
  t.match(spans(), [
    { name: 'GET /health', kind: 'server', trace: TRACE, parent: CALLER, attributes: { 'http.response.status_code': 200 } },
  ]);
});
