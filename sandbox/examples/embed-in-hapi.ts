/** A platform under a prefix of a hapi server that has its own routes and authentication. Neither affects the other. */
import { realpathSync } from 'node:fs';
import Hapi, { type Server } from '@hapi/hapi';
import { createPlatform } from 'posthorn';
import { channels } from 'posthorn/plugins/channels';
import { webhooks } from 'posthorn/plugins/webhooks';

/** `isAllowed` checks the user name that the host's gateway sends with every request. */
export async function start(port: number, isAllowed: (user: string) => boolean): Promise<Server> {
  const server = Hapi.server({ port, host: '127.0.0.1' });

  // The default strategy applies to the host's routes only. The platform's routes check the platform's tokens.
  server.auth.scheme('gateway', () => ({
    authenticate(request, h) {
      const user = String(request.headers['x-user'] ?? '');
      return isAllowed(user) ? h.authenticated({ credentials: { user: { name: user } } }) : h.response('who are you?').code(403).takeover();
    },
  }));
  server.auth.strategy('gateway', 'gateway');
  server.auth.default('gateway');

  const platform = createPlatform({ plugins: [channels(), webhooks()] });
  await server.register(platform.hapiPlugin, { routes: { prefix: '/messaging' } });

  // A route of the host that calls the platform in code: it creates a number with a token, behind the host's authentication.
  server.route({
    method: 'POST',
    path: '/desks/{name}',
    handler: ({ params }) =>
      platform.store.transaction((tx) => {
        const name = String(params.name);
        const { uuid } = platform.numbers.create(tx, { kind: 'network', type: 'network', address: `desk:${name}`, name });
        return { number: uuid, token: platform.tokens.issue(tx, uuid, 'desk').text };
      }),
  });

  await server.start();
  return server;
}

if (process.argv[1] && realpathSync(process.argv[1]) === import.meta.filename) {
  const { info } = await start(Number(process.env.PORT ?? 4701), (user) => user === 'ann');
  console.log(`your server on http://127.0.0.1:${info.port}`);
}
