/** Two platforms in one server: one for production and one for trials. They share only the process. */
import Hapi, { type Server } from '@hapi/hapi';
import { createPlatform, type Platform } from 'posthorn';
import { channels } from 'posthorn/plugins/channels';
import { webhooks } from 'posthorn/plugins/webhooks';

export async function start(port: number): Promise<{ server: Server; live: Platform; trial: Platform }> {
  const server = Hapi.server({ port, host: '127.0.0.1' });
  // Different names keep their hapi plugins and authentication strategies apart. With `dataDir`, each needs its own folder.
  const live = createPlatform({ name: 'live', plugins: [channels(), webhooks()] });
  const trial = createPlatform({
    name: 'trial',
    plugins: [channels(), webhooks()],
    rateLimits: false,
    privateTargets: 'allow',
    dialect: { service: 'acme', network: 'chat' },
  });
  await server.register(live.hapiPlugin, { routes: { prefix: '/live' } });
  await server.register(trial.hapiPlugin, { routes: { prefix: '/trial' } });
  await server.start();
  return { server, live, trial };
}
