/** A platform under a prefix of a hapi server that has its own routes and authentication. Neither affects the other. */
import { realpathSync } from 'node:fs';
import Hapi, { type Server } from '@hapi/hapi';
import { createPlatform } from 'posthorn';
import { channels, createChannel } from 'posthorn/plugins/channels';
import { messages } from 'posthorn/plugins/messages';
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

  const platform = createPlatform({ plugins: [channels(), messages(), webhooks()] });
  await server.register(platform.hapiPlugin, { routes: { prefix: '/messaging' } });

  // A route of the host that calls the platform in code: it creates a channel with a token, behind the host's authentication.
  server.route({
    method: 'POST',
    path: '/desks/{name}',
    async handler({ params }) {
      const name = String(params.name);
      const desk = { address: `desk:${name}`, name, endpoint: `https://desks.example/${name}` };
      const { number, token } = await createChannel(platform, desk);
      return { number: number.uuid, token };
    },
  });

  await server.start();
  return server;
}

if (process.argv[1] && realpathSync(process.argv[1]) === import.meta.filename) {
  const { info } = await start(Number(process.env.PORT ?? 4701), (user) => user === 'ann');
  console.log(`your server on http://127.0.0.1:${info.port}`);
}
