import Hapi from '@hapi/hapi';
import t from 'tap';
import { createPlatform, definePlugin } from '#core';
import { RecordingLogger, type Tap } from '#core/testing';
import { console as posthornConsole } from '../../../plugins/console/plugin.js';

const KEY = 'admin-key-of-a-host-application';

/** A host application that has the platform below `/api`, on its own server. */
async function start(t: Tap, publicUrl?: string) {
  const server = Hapi.server({ host: '127.0.0.1', port: 0 });
  const platform = createPlatform({
    plugins: [posthornConsole()],
    admin: { key: KEY },
    ports: { log: new RecordingLogger() },
    ...(publicUrl !== undefined && { publicUrl }),
  });
  await server.register(platform.hapiPlugin, { routes: { prefix: '/api' } });
  await server.start();
  t.teardown(() => server.stop());
  const { uri } = server.info;
  const signInUrl = async (): Promise<string> => {
    const headers = { authorization: `Bearer ${KEY}` };
    const answer = await fetch(`${uri}/api/admin/v1/console/sessions`, { method: 'POST', headers });
    return ((await answer.json()) as { url: string }).url;
  };
  return { server, platform, uri, signInUrl };
}

const cookieIn = (setCookie: unknown): string => String([setCookie].flat()[0]).split(';')[0]!;

t.test('below a prefix: the sign-in, its redirect, the path of the cookie, the admin API, media and the sign-out', async (t) => {
  const { platform, uri, signInUrl } = await start(t);
  const url = await signInUrl();
  t.ok(url.startsWith(`${uri}/api/console/?code=`), url);
  const answer = await fetch(url, { redirect: 'manual' });
  t.equal(answer.status, 303);
  t.equal(new URL(answer.headers.get('location')!, url).href, `${uri}/api/console/`);
  const [setCookie] = answer.headers.getSetCookie();
  t.match(setCookie, new RegExp(`^posthorn_console_${new URL(uri).port}=[\\w-]{43}; Path=/api; `));
  const headers = { cookie: cookieIn(setCookie), 'sec-fetch-site': 'same-origin', origin: uri, 'x-posthorn': '1' };
  const call = (path: string, method = 'GET') => fetch(`${uri}/api/admin/v1${path}`, { method, headers });
  t.equal((await call('/numbers')).status, 200);
  const number = await platform.store.transaction((tx) => platform.numbers.create(tx, NUMBER));
  const { id } = await platform.media.put(number.uuid, Buffer.from('png'), { mimeType: 'image/png' });
  const medium = await call(`/console/media/${id}`);
  t.match([medium.status, await medium.text()], [200, 'png']);
  const signedOut = await call('/console/session', 'DELETE');
  t.equal(signedOut.status, 200);
  t.match(signedOut.headers.getSetCookie()[0], /^posthorn_console_\d+=; Path=\/api; Max-Age=0; /);
  t.equal((await call('/numbers')).status, 401);
});

const NUMBER = { kind: 'network', type: 'network', address: '+27600000001', name: 'Shop' } as const;

t.test('behind a proxy that ends TLS and changes the path, pages have the origin and the path of the public URL', async (t) => {
  const { server, signInUrl } = await start(t, 'https://chat.example.org/messaging');
  const url = new URL(await signInUrl());
  t.equal(url.origin + url.pathname, 'https://chat.example.org/messaging/console/');
  // The proxy passes `/messaging` on as `/api`, and Host as it is.
  const call = async (method: string, path: string, headers: Record<string, string> = {}) => {
    const answer = await server.inject({ method, url: `/api${path}`, headers: { host: 'chat.example.org', ...headers } });
    return { status: answer.statusCode, headers: answer.headers };
  };
  const opened = await call('GET', `/console/${url.search}`);
  t.equal(opened.status, 303);
  t.equal(new URL(String(opened.headers.location), url).href, 'https://chat.example.org/messaging/console/');
  const setCookie = String(opened.headers['set-cookie']);
  t.match(setCookie, /^posthorn_console_default=[\w-]{43}; Path=\/messaging; Max-Age=604800; HttpOnly; SameSite=Strict; Secure$/);
  const own = { cookie: cookieIn(setCookie), 'sec-fetch-site': 'same-origin', origin: 'https://chat.example.org', 'x-posthorn': '1' };
  t.equal((await call('GET', '/admin/v1/numbers', own)).status, 200);
  t.equal((await call('GET', '/admin/v1/numbers', { ...own, origin: 'http://chat.example.org' })).status, 403, 'a page without TLS');
  const signedOut = await call('DELETE', '/admin/v1/console/session', own);
  t.equal(signedOut.status, 200);
  t.match(String(signedOut.headers['set-cookie']), /Path=\/messaging; Max-Age=0; .*Secure$/);
});

t.test('under another host than that of the public URL, a browser signs in at the path of the server', async (t) => {
  const { uri, signInUrl } = await start(t, 'https://chat.example.org/messaging');
  const { search } = new URL(await signInUrl());
  const answer = await fetch(`${uri}/api/console/${search}`, { redirect: 'manual' });
  t.equal(answer.status, 303);
  const [setCookie] = answer.headers.getSetCookie();
  t.match(setCookie, /; Path=\/api; Max-Age=604800; HttpOnly; SameSite=Strict$/);
  const headers = { cookie: cookieIn(setCookie), 'sec-fetch-site': 'same-origin' };
  t.equal((await fetch(`${uri}/api/admin/v1/numbers`, { headers })).status, 200);
});

t.test('with the session of the host application, the console, its media and pages of plugins need no code', async (t) => {
  const letters = definePlugin({
    name: 'letters',
    version: '1.0.0',
    register: () => ({ pages: [{ name: 'all', title: 'Letters', html: () => '<p>Letters</p>' }] }),
  })();
  const platform = createPlatform({
    plugins: [posthornConsole({ signInUrl: '/sign-in?a=1&b=2' }), letters],
    operators: {
      authenticate: ({ headers }) => (headers.cookie === 'user=ann' ? { id: 'ann', name: 'Ann', roles: ['viewer'] } : undefined),
      signOutUrl: '/sign-out',
    },
    ports: { log: new RecordingLogger() },
  });
  const server = Hapi.server();
  await server.register(platform.hapiPlugin);
  await server.initialize();
  t.teardown(() => server.stop());
  const get = (path: string, headers: Record<string, string> = { cookie: 'user=ann', 'sec-fetch-site': 'same-origin' }) =>
    server.inject({ url: path, headers });
  t.match((await get('/console/')).payload, 'data-sign-in="/sign-in?a=1&amp;b=2"');
  t.match(JSON.parse((await get('/admin/v1/me')).payload), { operator: { name: 'Ann', roles: ['viewer'] }, sign_out_url: '/sign-out' });
  const frame = await get('/admin/v1/console/frames/letters/all');
  t.match([frame.statusCode, frame.payload], [200, '<p>Letters</p>']);
  t.match(frame.headers['content-security-policy'], /^sandbox allow-scripts;.*frame-ancestors 'self'/);
  t.equal((await get('/admin/v1/console/frames/letters/all', {})).statusCode, 401);
  t.equal((await get('/admin/v1/console/frames/letters/all', { cookie: 'user=ann', 'sec-fetch-site': 'cross-site' })).statusCode, 403);
});
