import t from 'tap';
import { ADMIN_KEY, startPlatform, type Tap, type TestPlatformOptions } from '#core/testing';
import { createConsoleSessions, console as posthornConsole } from '../../../plugins/console/plugin.js';

const HOST = '127.0.0.1:4100';
const ORIGIN = `http://${HOST}`;

async function start(t: Tap, options: Partial<TestPlatformOptions> = {}) {
  const test = await startPlatform(t, { plugins: [posthornConsole()], publicUrl: ORIGIN, trustedHosts: [], ...options });
  const create = () => test.call('POST', '/admin/v1/console/sessions', { token: ADMIN_KEY, headers: { host: HOST } });
  /** The path and query of a new URL that signs a browser in. */
  const signInPath = async (): Promise<string> => {
    const { url } = (await create()).body;
    return url.slice(url.indexOf('/console/'));
  };
  const visit = (path: string, headers: Record<string, string> = {}) =>
    test.call('GET', path, { headers: { host: HOST, accept: 'text/html', ...headers } });
  /** Signs a browser in, and returns the cookie that it sends from then on. */
  const signIn = async (): Promise<string> => cookieOf(await visit(await signInPath()));
  return { ...test, create, signInPath, visit, signIn };
}

const cookieOf = ({ headers }: { headers: Readonly<Record<string, unknown>> }): string =>
  String([headers['set-cookie']].flat()[0]).split(';')[0]!;

/** The headers that a browser adds to a call of the console's own page. */
const own = (cookie: string) => ({ host: HOST, cookie, origin: ORIGIN, 'sec-fetch-site': 'same-origin', 'x-posthorn': '1' });

t.test('a code opens a session: 303 to the page, and a cookie that scripts and other sites cannot use', async (t) => {
  const { create, visit } = await start(t);
  const { status, body } = await create();
  t.equal(status, 200);
  t.match(body.url, /^http:\/\/127\.0\.0\.1:4100\/console\/\?code=[\w-]{22}$/);
  const answer = await visit(body.url.slice(ORIGIN.length));
  t.equal(answer.status, 303);
  t.equal(answer.headers.location, './');
  t.match(String(answer.headers['set-cookie']), /^posthorn_console_4100=[\w-]{43}; Path=\/; Max-Age=604800; HttpOnly; SameSite=Strict$/);
  const page = await visit('/console/');
  t.equal(page.status, 200);
  t.notMatch(JSON.stringify([answer, page]), ADMIN_KEY);
});

t.test('behind a proxy with TLS the cookie is secure, and limited to the path of the platform', async (t) => {
  const { visit, signInPath } = await start(t, { publicUrl: 'https://example.org/messaging', trustedHosts: ['example.org'] });
  const { headers } = await visit(await signInPath(), { host: 'example.org' });
  t.match(
    String(headers['set-cookie']),
    /^posthorn_console_default=[\w-]+; Path=\/messaging; Max-Age=604800; HttpOnly; SameSite=Strict; Secure$/,
  );
});

t.test('a used code is refused without a session, and redirects with one', async (t) => {
  const { visit, signInPath } = await start(t);
  const path = await signInPath();
  const cookie = cookieOf(await visit(path));
  const replayed = await visit(path);
  t.equal(replayed.status, 403);
  t.match(replayed.body, /posthorn open/, 'the page says how to get another code');
  t.notOk(replayed.headers['set-cookie']);
  const again = await visit(path, { cookie });
  t.equal(again.status, 303);
  t.notOk(again.headers['set-cookie']);
  t.equal((await visit('/console/?code=wrong')).status, 403);
});

t.test('a code that a signed-in browser opens cannot be used later', async (t) => {
  const { visit, signIn, signInPath } = await start(t);
  const cookie = await signIn();
  const path = await signInPath();
  t.equal((await visit(path, { cookie })).status, 303);
  t.equal((await visit(path)).status, 403, 'it is in the history of that browser');
});

/** A platform whose sessions have a clock of the test. */
async function startAt(t: Tap, start_ms: number) {
  const time = { now: start_ms };
  const sessions = createConsoleSessions({ now: () => time.now });
  return { time, ...(await start(t, { plugins: [posthornConsole({ sessions })] })) };
}

t.test('a code expires after 10 minutes, even while the clock of the platform is stopped', async (t) => {
  const { visit, signInPath, time } = await startAt(t, 0);
  const [early, late] = [await signInPath(), await signInPath()];
  time.now = 10 * 60_000 - 1;
  t.equal((await visit(early)).status, 303);
  time.now++;
  t.equal((await visit(late)).status, 403);
});

t.test('a session ends after 7 days, and not because the clock of the platform was moved', async (t) => {
  const { call, clock, signIn, time } = await startAt(t, 0);
  const headers = own(await signIn());
  await clock.advance(30 * 24 * 3_600_000);
  time.now = 7 * 24 * 3_600_000 - 1;
  t.equal((await call('GET', '/admin/v1/numbers', { headers })).status, 200);
  time.now++;
  t.match(await call('GET', '/admin/v1/numbers', { headers }), { status: 401, body: { errors: [{ details: /posthorn open/ }] } });
});

t.test('a session ends when the admin key that opened it is replaced; one of the host application continues', async (t) => {
  let key = ADMIN_KEY;
  const sessions = createConsoleSessions();
  const { call, signIn, visit } = await start(t, { plugins: [posthornConsole({ sessions })], admin: { key: () => key } });
  const [ofKey, ofHost] = [own(await signIn()), own(cookieOf(await visit(`/console/?code=${sessions.issueCode()}`)))];
  const statuses = async () =>
    Promise.all([ofKey, ofHost].map(async (headers) => (await call('GET', '/admin/v1/numbers', { headers })).status));
  t.strictSame(await statuses(), [200, 200]);
  key = 'another-admin-key-of-the-tests';
  t.strictSame(await statuses(), [401, 200]);
});

t.test('HEAD, with which mail and chat programs check links, does not use up a code', async (t) => {
  const { call, visit, signInPath } = await start(t);
  const path = await signInPath();
  t.equal((await call('HEAD', path, { headers: { host: HOST } })).status, 200);
  t.equal((await visit(path)).status, 303);
});

t.test('the page of a session can read and act', async (t) => {
  const { call, signIn } = await start(t);
  const cookie = await signIn();
  const { origin: _, 'x-posthorn': __, ...read } = own(cookie);
  t.equal((await call('GET', '/admin/v1/numbers', { headers: read })).status, 200, 'browsers send no Origin with GET');
  const number = { kind: 'network', type: 'network', address: '+27600000001', name: 'Shop' };
  const created = await call('POST', '/admin/v1/numbers', { headers: own(cookie), payload: number });
  t.notOk([401, 403].includes(created.status), `authenticated: ${created.status}`);
});

t.test('calls of other pages with the cookie are refused, also those of another port of this machine', async (t) => {
  const { call, signIn } = await start(t);
  const cookie = await signIn();
  const other: Record<string, Record<string, string>> = {
    'another port': { origin: 'http://127.0.0.1:4101', 'sec-fetch-site': 'same-site' },
    'another port, without Origin': { origin: '', 'sec-fetch-site': 'same-site' },
    'another scheme': { origin: `https://${HOST}` },
    'another site': { origin: 'http://evil.test', 'sec-fetch-site': 'cross-site' },
    'another site, without Origin': { origin: '', 'sec-fetch-site': 'cross-site' },
    'no fetch metadata': { 'sec-fetch-site': '' },
    'another host': { host: 'localhost:4100', origin: 'http://localhost:4100' },
    'a foreign host': { host: 'evil.test:4100', origin: 'http://evil.test:4100' },
  };
  for (const [name, headers] of Object.entries(other)) {
    const sent = Object.fromEntries(Object.entries({ ...own(cookie), ...headers }).filter(([, value]) => value !== ''));
    for (const method of ['GET', 'POST']) {
      const { status, body } = await call(method, '/admin/v1/numbers', { headers: sent, ...(method === 'POST' && { payload: {} }) });
      t.equal(status, 403, `${method} from ${name}`);
      t.notOk(body.numbers);
    }
  }
});

t.test('calls that change something need X-Posthorn and Origin', async (t) => {
  const { call, signIn } = await start(t);
  const cookie = await signIn();
  for (const missing of ['x-posthorn', 'origin']) {
    const headers = Object.fromEntries(Object.entries(own(cookie)).filter(([name]) => name !== missing));
    const { status } = await call('POST', '/admin/v1/numbers', { headers, payload: {} });
    t.equal(status, 403, `without ${missing}`);
  }
  t.equal((await call('POST', '/admin/v1/numbers', { headers: own(cookie), payload: {} })).status, 400, 'with both');
});

t.test('an unknown cookie, and the cookie of another port, get 401', async (t) => {
  const { call, signIn } = await start(t);
  const cookie = await signIn();
  const get = (headers: Record<string, string>) => call('GET', '/admin/v1/numbers', { headers });
  t.equal((await get(own(`${cookie}x`))).status, 401);
  t.equal((await get(own(cookie.replace('4100', '4101')))).status, 401);
  t.equal((await get({ ...own(cookie), authorization: 'Bearer wrong' })).status, 401, 'a wrong key beside a valid cookie');
  t.equal((await get({ ...own(`other=1; ${cookie}`) })).status, 200, 'beside other cookies');
});

t.test('a cookie that another port of the host has set signs no browser out', async (t) => {
  const { call, visit, signIn, signInPath } = await start(t);
  const cookie = await signIn();
  // Browsers send cookies with longer paths first.
  const tossed = `posthorn_console_4100=wrong; ${cookie}; posthorn_console_4100=`;
  t.equal((await call('GET', '/admin/v1/numbers', { headers: own(tossed) })).status, 200);
  const path = await signInPath();
  await visit(path);
  t.equal((await visit(path, { cookie: tossed })).status, 303, 'the page accepts it, too');
});

t.test('a session for another scheme of the host does not keep a browser from signing in', async (t) => {
  const sessions = createConsoleSessions();
  const { call, visit, signInPath } = await start(t, { plugins: [posthornConsole({ sessions })] });
  const other = sessions.redeem(sessions.issueCode(), `https://${HOST}`)!;
  const before = `posthorn_console_4100=${other}`;
  t.equal((await call('GET', '/admin/v1/numbers', { headers: own(before) })).status, 403);
  const answer = await visit(await signInPath(), { cookie: before });
  t.equal(answer.status, 303);
  t.equal((await call('GET', '/admin/v1/numbers', { headers: own(`${before}; ${cookieOf(answer)}`) })).status, 200);
});

t.test('unusual headers are refused with a reason, and never with a 5xx', async (t) => {
  const { call, signIn } = await start(t);
  const cookie = await signIn();
  const odd: Record<string, Record<string, string>> = {
    'Origin null, as from a sandboxed page': { origin: 'null' },
    'two origins': { origin: `${ORIGIN}, ${ORIGIN}` },
    'two values of Sec-Fetch-Site': { 'sec-fetch-site': 'same-origin, same-origin' },
    'a host with a trailing dot': { host: 'localhost.:4100' },
    'an IPv6 host': { host: '[::1]:4100' },
    'another form of the address': { host: '127.1:4100' },
    'a host with a user': { host: `evil@${HOST}` },
    'a host with a path': { host: `${HOST}/console` },
    'a host without its port': { host: '127.0.0.1' },
    'an invalid host': { host: 'a b' },
    'a very long cookie': { cookie: `posthorn_console_4100=${'x'.repeat(12_000)}` },
    'thousands of cookies': { cookie: 'posthorn_console_4100=x; '.repeat(2_000) },
    'an empty cookie': { cookie: 'posthorn_console_4100=' },
  };
  for (const [name, headers] of Object.entries(odd)) {
    const { status, body } = await call('GET', '/admin/v1/numbers', { headers: { ...own(cookie), ...headers } });
    t.ok(status === 401 || status === 403, `${name}: ${status}`);
    t.ok(body.errors[0].details, name);
  }
  t.equal((await call('GET', '/admin/v1/numbers', { headers: { ...own(cookie), host: HOST.toUpperCase() } })).status, 200);
});

t.test('signing out ends the session and deletes the cookie', async (t) => {
  const { call, visit, signIn, signInPath } = await start(t);
  const [cookie, other] = [await signIn(), await signIn()];
  const signOut = (headers: Record<string, string>) => call('DELETE', '/admin/v1/console/session', { headers });
  const { 'x-posthorn': _, ...foreign } = own(cookie);
  t.equal((await signOut(foreign)).status, 403, 'a call that another page can send');
  const answer = await signOut(own(cookie));
  t.match(answer, { status: 200, body: { success: true } });
  t.equal(answer.headers['set-cookie']?.toString(), 'posthorn_console_4100=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict');
  t.equal((await call('GET', '/admin/v1/numbers', { headers: own(cookie) })).status, 401, 'also for a copy of the cookie');
  t.equal((await call('GET', '/admin/v1/numbers', { headers: own(other) })).status, 200, 'another browser stays signed in');
  const path = await signInPath();
  t.match((await visit(path, { cookie })).headers['set-cookie']?.toString(), /^posthorn_console_4100=[\w-]{43}/, 'and signs in again');
});

t.test('a session cannot create another one: that needs the admin key', async (t) => {
  const { call, signIn } = await start(t);
  const { status, body } = await call('POST', '/admin/v1/console/sessions', { headers: own(await signIn()) });
  t.equal(status, 403);
  t.match(body.errors[0].details, /needs the admin key itself/);
});

t.test('a foreign host name gets neither the page nor a session', async (t) => {
  const { visit, signInPath } = await start(t);
  const path = await signInPath();
  for (const host of ['evil.test', 'evil.test:4100', '127.0.0.1.evil.test']) {
    t.equal((await visit('/console/', { host })).status, 403, host);
    t.equal((await visit(path, { host })).status, 403, host);
  }
  t.equal((await visit(path)).status, 303, 'the code was not used');
});

t.test('the console needs the admin API', async (t) => {
  await t.rejects(start(t, { admin: undefined as never }), /plugin 'console' failed at register: it needs the admin API/);
});
