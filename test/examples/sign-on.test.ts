import { once } from 'node:events';
import { createServer, type Server as HttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Server } from '@hapi/hapi';
import { allowInsecureRequests } from 'openid-client';
import t from 'tap';
import type { Tap } from '#core/testing';
import { freePort } from '../../scripts/free-port.js';
import { loadSample } from '../pages/samples.js';

const PAGE = 'core/sign-on.md';
const SECRET = '0123456789abcdef0123456789abcdef';
const PUBLIC_URL = 'https://desk.example';

type Start = (env: Record<string, string | number>, more?: unknown) => Promise<Server>;

async function start(t: Tap, name: string, env: Record<string, string | number>, more?: unknown): Promise<Server> {
  const { start } = (await loadSample(PAGE, 'js', `${name}.mjs`)) as { start: Start };
  const server = await start(env, more);
  t.teardown(() => server.stop());
  return server;
}

/** The headers of calls of the console's own pages. */
const OWN = { 'sec-fetch-site': 'same-origin', 'x-posthorn': '1' };

const admin = (server: Server, headers: Record<string, string>, path = '/me', method = 'GET') =>
  server.inject({ method, url: `/messaging/admin/v1${path}`, headers: { ...OWN, ...headers } });

const cookieOf = (setCookie: unknown, name: string): string =>
  [setCookie]
    .flat()
    .map((one) => String(one).split(';')[0]!)
    .find((one) => one.startsWith(`${name}=`)) ?? '';

t.test('the session of a login form ends with the sign-out and after 8 hours, also for copies of its cookie', async (t) => {
  let now = 0;
  const server = await start(t, 'cookie', { PORT: 0, SESSION_PASSWORD: SECRET }, () => now);
  const signIn = async (payload?: object) => server.inject({ method: 'POST', url: '/sign-in', ...(payload && { payload }) });
  for (const wrong of [undefined, {}, { id: 'ada', password: null }, { id: 'ada', password: { toString: 1 } }])
    t.match(await signIn(wrong), { statusCode: 400, headers: { 'set-cookie': undefined } });
  for (const wrong of [
    { id: 'ada', password: 'x' },
    { id: 'eve', password: 'letters' },
    { id: ['ada'], password: 'letters' },
  ]) {
    const { statusCode, headers } = await signIn(wrong);
    t.match([statusCode, headers['set-cookie']], [401, undefined]);
  }
  const enter = async (id: string): Promise<string> => {
    const { statusCode, headers } = await signIn({ id, password: 'letters' });
    t.match([statusCode, headers.location], [302, '/messaging/console/']);
    t.match(String(headers['set-cookie']), /HttpOnly; SameSite=Strict; Path=\//);
    return cookieOf(headers['set-cookie'], 'session');
  };
  const [ada, vera] = [await enter('ada'), await enter('vera')];
  t.match(JSON.parse((await admin(server, { cookie: ada })).payload).operator, { id: 'ada', name: 'Ada', roles: ['owner'] });
  t.equal((await admin(server, { cookie: vera }, '/store/reopen', 'POST')).statusCode, 403, 'a viewer');
  t.equal((await admin(server, { cookie: ada }, '/store/reopen', 'POST')).statusCode, 200);
  for (const foreign of [{ 'x-posthorn': '' }, { origin: 'https://evil.test' }, { 'sec-fetch-site': 'same-site' }])
    t.equal((await admin(server, { cookie: ada, ...foreign }, '/store/reopen', 'POST')).statusCode, 403, JSON.stringify(foreign));
  for (const forged of ['session=', 'session=x', `${ada}x`, `${vera}; ${ada}`])
    t.equal((await admin(server, { cookie: forged })).statusCode, 401, forged.slice(0, 20));
  const { headers } = await server.inject({ url: '/sign-out', headers: { cookie: ada } });
  t.match([headers.location, String(headers['set-cookie'])], ['/sign-in', /session=; Max-Age=0/]);
  t.equal((await admin(server, { cookie: ada })).statusCode, 401, 'a copy of the cookie');
  t.equal((await admin(server, { cookie: vera })).statusCode, 200);
  now = 8 * 3_600_000;
  t.equal((await admin(server, { cookie: vera })).statusCode, 401, 'after 8 hours');
});

/** A change that a page of PUBLIC_URL makes, behind a proxy that replaces Host. */
async function changeBehindProxy(server: Server, headers: Record<string, string>): Promise<number> {
  const host = `127.0.0.1:${server.info.port}`;
  return (await admin(server, { origin: PUBLIC_URL, host, ...headers }, '/store/reopen', 'POST')).statusCode;
}

t.test('the form refuses pages of other sites, and the console works behind a proxy that replaces Host', async (t) => {
  const server = await start(t, 'cookie', { PORT: 0, SESSION_PASSWORD: SECRET, PUBLIC_URL });
  const signIn = (headers: Record<string, string>) =>
    server.inject({ method: 'POST', url: '/sign-in', headers, payload: { id: 'ada', password: 'letters' } });
  const { statusCode, headers: refused } = await signIn({ 'sec-fetch-site': 'cross-site' });
  t.match([statusCode, refused['set-cookie']], [400, undefined]);
  const { headers } = await signIn({ 'sec-fetch-site': 'same-origin' });
  t.match(String(headers['set-cookie']), /Secure/);
  const cookie = cookieOf(headers['set-cookie'], 'session');
  t.equal(await changeBehindProxy(server, { cookie }), 200);
  t.equal(await changeBehindProxy(server, { cookie, origin: 'https://evil.test' }), 403);
});

/** An OpenID Connect provider at which everybody is Ann. A `plain` one has no sign-out, and her only group in the ID token, as a text. */
async function startProvider(t: Tap, redirectUri: string, isPlain = false): Promise<string> {
  const { Provider } = (await import('oidc-provider' as string)) as { Provider: new (issuer: string, options: object) => OidcProvider };
  const server: HttpServer = createServer((request, response) => void respond(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const provider = new Provider(issuer, {
    clients: [{ client_id: 'posthorn', client_secret: SECRET, redirect_uris: [redirectUri] }],
    cookies: { keys: [SECRET] },
    claims: { openid: ['sub'], profile: ['name', 'groups'] },
    findAccount: (_: unknown, id: string) => ({
      accountId: id,
      claims: (use: string) => ({
        sub: id,
        name: 'Ann',
        ...(isPlain ? use === 'id_token' && { groups: 'messaging-admins' } : { groups: ['messaging-desk', 'gardeners'] }),
      }),
    }),
    conformIdTokenClaims: !isPlain,
    features: { devInteractions: { enabled: false }, rpInitiatedLogout: { enabled: !isPlain } },
    interactions: { url: () => '/login' },
    async loadExistingGrant({ oidc }: GrantContext) {
      const grant = new oidc.provider.Grant({ clientId: 'posthorn', accountId: oidc.session.accountId });
      grant.addOIDCScope('openid profile');
      await grant.save();
      return grant;
    },
  });
  const callback = provider.callback();
  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.url === '/login') await provider.interactionFinished(request, response, { login: { accountId: 'ann' } });
    else callback(request, response);
  }
  return issuer;
}

interface OidcProvider {
  callback(): (request: IncomingMessage, response: ServerResponse) => void;
  interactionFinished(request: IncomingMessage, response: ServerResponse, result: object): Promise<void>;
}
interface GrantContext {
  readonly oidc: {
    readonly session: { readonly accountId: string };
    readonly provider: { readonly Grant: new (of: object) => { addOIDCScope(scope: string): void; save(): Promise<string> } };
  };
}

/** Follows the redirects of a provider with its cookies, up to one that leads elsewhere. @returns its URL */
async function visit(url: string): Promise<string> {
  const { origin } = new URL(url);
  const jar = new Map<string, string>();
  for (let next = url; ; ) {
    const answer = await fetch(next, { redirect: 'manual', headers: { cookie: [...jar].map((pair) => pair.join('=')).join('; ') } });
    for (const one of answer.headers.getSetCookie()) {
      const [name, value] = one.split(';')[0]!.split('=') as [string, string];
      jar.set(name, value);
    }
    const location = answer.headers.get('location');
    if (location === null) throw new Error(`${next} responded with ${answer.status} ${await answer.text()}`);
    next = new URL(location, next).href;
    if (new URL(next).origin !== origin) return next;
  }
}

t.test('operators sign in at an OpenID Connect provider, once with each response', async (t) => {
  const errors: unknown[] = [];
  const { error, warn } = console;
  console.error = (...texts) => void errors.push(texts);
  console.warn = () => {};
  t.teardown(() => Object.assign(console, { error, warn }));
  const PORT = await freePort();
  const ISSUER = await startProvider(t, `http://127.0.0.1:${PORT}/signed-in`);
  const env = { PORT, ISSUER, CLIENT_ID: 'posthorn', CLIENT_SECRET: SECRET };
  const server = await start(t, 'oidc', env, { execute: [allowInsecureRequests] });
  const begin = async () => {
    const { headers } = await server.inject({ url: '/sign-in' });
    t.match(String(headers['set-cookie']), /^checks=.*HttpOnly; SameSite=Lax/);
    return { url: headers.location as string, cookie: cookieOf(headers['set-cookie'], 'checks') };
  };
  const end = (url: string, cookie: string) => server.inject({ url: url.slice(new URL(url).origin.length), headers: { cookie } });

  const { url, cookie: checks } = await begin();
  const response = await visit(url);
  t.equal((await end(response, '')).statusCode, 403, 'in another browser');
  t.equal((await end(response, (await begin()).cookie)).statusCode, 403, 'the state of another sign-in');
  t.equal((await end(response, `${checks}x`)).statusCode, 403, 'a forged cookie');
  const { statusCode, headers } = await end(response, checks);
  t.match([statusCode, headers.location], [302, '/messaging/console/']);
  const session = cookieOf(headers['set-cookie'], 'session');
  t.match(String([headers['set-cookie']].flat().find((one) => String(one).startsWith('session='))), /HttpOnly; SameSite=Strict/);
  const me = await admin(server, { cookie: session });
  t.match(JSON.parse(me.payload).operator, { id: 'ann', name: 'Ann', roles: ['operator'] }, 'a group without a role gives none');
  t.equal((await end(response, checks)).statusCode, 403, 'the same response again');
  t.equal((await admin(server, { cookie: 'session=x' })).statusCode, 401);
  t.equal((await admin(server, { cookie: `${session}; session=x` })).statusCode, 401, 'two sessions');
  const out = await server.inject({ url: '/sign-out', headers: { cookie: session } });
  t.match(out.headers.location, new RegExp(`^${ISSUER}/session/end\\?id_token_hint=.`));
  t.equal((await admin(server, { cookie: session })).statusCode, 401, 'a copy of the cookie after the sign-out');
  t.equal(errors.length, 2, 'the server has logged why two sign-ins failed');

  const issuer = await startProvider(t, `${PUBLIC_URL}/signed-in`, true);
  const plain = await start(t, 'oidc', { ...env, PORT: 0, ISSUER: issuer, PUBLIC_URL }, { execute: [allowInsecureRequests] });
  const begun = await plain.inject({ url: '/sign-in' });
  const url2 = new URL(await visit(begun.headers.location as string));
  const headers2 = { cookie: cookieOf(begun.headers['set-cookie'], 'checks') };
  const ended = await plain.inject({ url: url2.pathname + url2.search, headers: headers2 });
  const cookie2 = cookieOf(ended.headers['set-cookie'], 'session');
  t.equal(await changeBehindProxy(plain, { cookie: cookie2 }), 200, 'an owner by a single group in the ID token');
  const { headers: left } = await plain.inject({ url: '/sign-out', headers: { cookie: cookie2 } });
  t.match([left.location, String(left['set-cookie'])], ['/messaging/console/', /session=; Max-Age=0/], 'a provider without a sign-out');
  t.equal(await changeBehindProxy(plain, { cookie: cookie2 }), 401);
});

t.test('the headers of a proxy count only with its secret', async (t) => {
  await t.rejects(start(t, 'proxy', { PORT: 0, PROXY_SECRET: 'short' }), /32 characters/);
  const server = await start(t, 'proxy', { PORT: 0, PROXY_SECRET: SECRET });
  const ann = { 'x-forwarded-user': 'ann', 'x-forwarded-groups': 'gardeners, messaging-admins' };
  for (const secret of [undefined, '', SECRET.slice(1), `${SECRET}0`, `x${SECRET.slice(1)}`])
    t.equal((await admin(server, { ...ann, ...(secret !== undefined && { 'x-proxy-secret': secret }) })).statusCode, 401, String(secret));
  t.equal((await admin(server, { 'x-proxy-secret': SECRET })).statusCode, 401, 'without a user');
  const proxied = { ...ann, 'x-proxy-secret': SECRET };
  t.match(JSON.parse((await admin(server, proxied)).payload).operator, { id: 'proxy:ann', name: 'ann', roles: ['owner'] });
  for (const user of ['', 'x'.repeat(191)])
    t.equal((await admin(server, { ...proxied, 'x-forwarded-user': user })).statusCode, 401, `${user.length} characters`);
  t.equal((await admin(server, { ...proxied, 'x-forwarded-groups': 'gardeners' }, '/platform')).statusCode, 403, 'no role');
  t.equal(
    (await admin(server, { ...proxied, origin: 'https://evil.test' }, '/store/reopen', 'POST')).statusCode,
    403,
    'a page of another site',
  );
  const behind = await start(t, 'proxy', { PORT: 0, PROXY_SECRET: SECRET, PUBLIC_URL });
  t.equal(await changeBehindProxy(behind, proxied), 200, 'a proxy that replaces Host');
});
