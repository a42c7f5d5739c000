/**
 * A server behind a proxy that signs operators in, and sends their name and groups as headers. The console is at /messaging/console/.
 * Needs `npm install @hapi/hapi`. Environment variables: PROXY_SECRET (32 characters or more), PUBLIC_URL, PORT (default: 4712).
 */
import { realpathSync } from 'node:fs';
import Hapi from '@hapi/hapi';
import { createPlatform, isSameSecret, Unauthorized } from 'posthorn';
import { console as consolePlugin } from 'posthorn/plugins/console';

// The role that each group gives. A user in none of these groups may do nothing.
const ROLES = new Map(Object.entries({ 'messaging-admins': 'owner', 'messaging-desk': 'operator', staff: 'viewer' }));

export async function start({ PORT = 4712, PROXY_SECRET = '', PUBLIC_URL }) {
  if (PROXY_SECRET.length < 32) throw new Error('PROXY_SECRET must have 32 characters or more');

  function authenticate({ headers }) {
    const { 'x-forwarded-user': user, 'x-forwarded-groups': groups = '', 'x-proxy-secret': secret = '' } = headers;
    if (!user || user.length > 190) return undefined;
    // Every client that reaches the port can send the name of a user. Compared in constant time, so that guesses show nothing.
    if (!isSameSecret(secret, PROXY_SECRET)) throw new Unauthorized('The call has the name of a user, but not from the proxy');
    // With a prefix, because ids such as `key` are reserved.
    return { id: `proxy:${user}`, name: user, roles: groups.split(/\s*,\s*/).flatMap((group) => ROLES.get(group) ?? []) };
  }

  const server = Hapi.server({ port: PORT, host: '127.0.0.1' });
  const platform = createPlatform({
    plugins: [consolePlugin()],
    operators: { authenticate, signOutUrl: '/oauth2/sign_out' },
    ...(PUBLIC_URL && { publicUrl: `${PUBLIC_URL}/messaging` }),
  });
  await server.register(platform.hapiPlugin, { routes: { prefix: '/messaging' } });
  await server.start();
  return server;
}

if (realpathSync(process.argv[1] ?? '.') === import.meta.filename) console.log((await start(process.env)).info.uri);
