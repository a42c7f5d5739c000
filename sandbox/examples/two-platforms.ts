/** Two platforms in one server: a live one and one to try things on. They share nothing but the process. */
import Hapi, { type Server } from '@hapi/hapi';
import { createPlatform, type Platform } from 'posthorn';
import { channels } from 'posthorn/plugins/channels';
import { webhooks } from 'posthorn/plugins/webhooks';

export async function start(port: number): Promise<{ server: Server; live: Platform; trial: Platform }> {
  const server = Hapi.server({ port, host: '127.0.0.1' });
  // The names tell their plugins and their ways to authenticate apart. With `dataDir`, each needs a folder of its own.
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
