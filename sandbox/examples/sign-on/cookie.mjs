/**
 * A server with a login form. Its session, in a cookie, decides who uses the console at /messaging/console/.
 * Needs `npm install @hapi/hapi @hapi/cookie`. Environment: SESSION_PASSWORD (32 characters or more), PUBLIC_URL, PORT (default: 4710).
 */
import { randomBytes, randomUUID, scrypt, timingSafeEqual } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { promisify } from 'node:util';
import Cookie from '@hapi/cookie';
import Hapi from '@hapi/hapi';
import { createPlatform } from 'posthorn';
import { console as consolePlugin } from 'posthorn/plugins/console';

// Your database has the users, with a salt for each. The password of these is `letters`.
const salt = randomBytes(16);
const hash = (password) => promisify(scrypt)(password, salt, 32);
const user = async (id, name, roles) => [id, { id, name, roles, hash: await hash('letters') }];
const users = new Map(await Promise.all([user('ada', 'Ada', ['owner']), user('vera', 'Vera', ['viewer'])]));
const FORM = '<form method="post"><input name="id"><input name="password" type="password"><button>Sign in</button></form>';
const HOURS_8 = 8 * 3_600_000;

export async function start({ PORT = 4710, SESSION_PASSWORD: password, PUBLIC_URL = `http://127.0.0.1:${PORT}` }, now = Date.now) {
  // On the server, so that a sign-out also ends copies of the cookie. Several processes need a store that they share.
  const sessions = new Map();
  const server = Hapi.server({ port: PORT, host: '127.0.0.1' });
  await server.register(Cookie);
  server.auth.strategy('session', 'cookie', {
    cookie: { name: 'session', isSameSite: 'Strict', path: '/', ttl: HOURS_8, password, isSecure: PUBLIC_URL.startsWith('https:') },
    validate: (_, { sid }) => ({ isValid: sessions.get(sid)?.endsAt > now(), credentials: { sid, user: sessions.get(sid)?.user } }),
  });
  const signIn = async ({ headers, payload, cookieAuth }, h) => {
    if (headers['sec-fetch-site'] === 'cross-site' || typeof payload?.password !== 'string') return h.response(FORM).code(400);
    const found = users.get(payload.id);
    // Also for an unknown user, so that the time does not show who exists. Limit the attempts of an address, too.
    if (!timingSafeEqual(await hash(payload.password), found?.hash ?? randomBytes(32))) return h.response(FORM).code(401);
    const sid = randomUUID();
    sessions.set(sid, { user: found, endsAt: now() + HOURS_8 });
    cookieAuth.set({ sid });
    return h.redirect('/messaging/console/');
  };
  const signOut = ({ auth, cookieAuth }, h) => {
    sessions.delete(auth.credentials?.sid);
    cookieAuth.clear();
    return h.redirect('/sign-in');
  };
  server.route({ method: 'GET', path: '/sign-in', handler: () => FORM });
  server.route({ method: 'POST', path: '/sign-in', handler: signIn });
  server.route({ method: 'GET', path: '/sign-out', options: { auth: { strategy: 'session', mode: 'try' } }, handler: signOut });

  // For each call of the admin API. The strategy throws a 401 without a session; another error gives 503.
  const noSession = (error) => (error.output?.statusCode === 401 ? undefined : Promise.reject(error));
  const authenticate = (request) => server.auth.test('session', request).then(({ credentials }) => credentials.user, noSession);
  const operators = { authenticate, signOutUrl: '/sign-out' };
  const platform = createPlatform({ plugins: [consolePlugin({ signInUrl: '/sign-in' })], operators, publicUrl: `${PUBLIC_URL}/messaging` });
  await server.register(platform.hapiPlugin, { routes: { prefix: '/messaging' } });
  await server.start();
  return server;
}

if (realpathSync(process.argv[1] ?? '.') === import.meta.filename) console.log(`${(await start(process.env)).info.uri}/sign-in`);
