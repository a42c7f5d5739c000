import t from 'tap';
import { boolean, definePlugin, object, route } from '#core';
import { ADMIN_KEY, startPlatform, type Tap, type TestPlatformOptions } from '#core/testing';

const open = definePlugin({
  name: 'open',
  version: '1.0.0',
  register: () => {
    const answers = (path: `/${string}`, about: object = {}) =>
      route({
        method: 'GET',
        path,
        summary: 'Answers.',
        responses: { 200: object({ ok: boolean() }) },
        handler: () => ({ ok: true }),
        ...about,
      });
    return {
      routes: [
        answers('/v1/open', { auth: 'none' }),
        answers('/v1/token'),
        answers('/v1/either', { auth: 'optional' }),
        route({
          method: 'GET',
          path: '/page',
          summary: 'A page.',
          auth: 'none',
          responses: { 200: { contentType: 'text/html' } },
          handler: (_, h) => h.response('<p>hi</p>').type('text/html').header('content-security-policy', "default-src 'self'"),
        }),
      ],
      admin: [answers('/console')],
    };
  },
});

async function start(t: Tap, trustedHosts?: string[], options: Partial<TestPlatformOptions> = {}) {
  const { call, number } = await startPlatform(t, { plugins: [open()], ...(trustedHosts && { trustedHosts }), ...options });
  const { token } = await number('network');
  const get = (path: string, host: string, origin?: string) =>
    call('GET', path, {
      token: path.startsWith('/admin') ? ADMIN_KEY : token,
      headers: { host, ...(origin !== undefined && { origin }) },
    });
  return { get, call };
}

const GUARDED = ['/v1/open', '/v1/either', '/page', '/admin/v1/console'];

t.test('a foreign host name that resolves to this machine opens no route without a token of a number', async (t) => {
  const { get } = await start(t, ['console.example']);
  for (const path of GUARDED) {
    for (const host of [
      'evil.test',
      'evil.test:4100',
      'localhost.evil.test',
      'console.example.evil.test',
      '127.0.0.1.evil.test',
      'a b',
      '@',
      '',
    ]) {
      const { status, body } = await get(path, host);
      t.equal(status, 403, `${path} ${host}`);
      t.match(body, { errors: [{ code: 403, details: /not one of this platform's names/ }] });
    }
    for (const host of [
      'localhost',
      'localhost:4100',
      'a.localhost',
      '127.0.0.1:4100',
      '[::1]:4100',
      '10.0.0.7',
      'console.example',
      'Console.Example:80',
    ]) {
      t.equal((await get(path, host)).status, 200, `${path} ${host}`);
    }
  }
});

t.test('a page of another origin is refused, whatever host name it uses', async (t) => {
  const { get } = await start(t, []);
  for (const path of GUARDED) {
    for (const origin of [
      'http://evil.test',
      'http://localhost:3000',
      'https://127.0.0.2:4100',
      'null',
      '',
      'http://localhost.evil.test:4100',
    ]) {
      t.equal((await get(path, 'localhost:4100', origin)).status, 403, `${path} ${origin}`);
    }
    t.equal((await get(path, 'localhost:4100', 'http://localhost:4100')).status, 200);
    t.equal((await get(path, 'localhost:4100', 'https://localhost:4100')).status, 200, 'behind a proxy with TLS');
  }
});

t.test('the host and the pages of the public URL are trusted, and no others', async (t) => {
  const { get } = await start(t, [], { publicUrl: 'https://Desk.example:8443/messaging' });
  for (const path of GUARDED) {
    const allowed = async (host: string, origin?: string) => (await get(path, host, origin)).status === 200;
    t.ok(await allowed('desk.example:8443'), path);
    t.ok(await allowed('desk.example:8443', 'https://desk.example:8443'));
    t.ok(await allowed('desk.example'), 'behind a proxy that leaves out the port');
    t.ok(await allowed('10.0.0.7:8080', 'https://desk.example:8443'), 'behind a proxy that calls another name');
    t.notOk(await allowed('evil.example:8443', 'https://desk.example:8443'), 'a foreign host');
    t.notOk(await allowed('desk.example.evil.example'));
    t.notOk(await allowed('desk.example:8443', 'https://desk.example'), 'a page of another port');
    t.notOk(await allowed('desk.example:8443', 'https://evil.example'));
    t.notOk(await allowed('10.0.0.7:8080', 'null'));
  }
});

t.test('calls with a token of a number are not checked for host or origin', async (t) => {
  const { get } = await start(t, []);
  t.equal((await get('/v1/token', 'tunnel.example', 'https://tunnel.example')).status, 200);
});

t.test('an embedded platform does not check host names unless trustedHosts is set', async (t) => {
  const { get } = await start(t);
  for (const path of GUARDED) t.equal((await get(path, 'anything.example', 'https://another.example')).status, 200, path);
});

t.test('every response forbids browsers to render it as a page, unless it has a policy of its own', async (t) => {
  const { get, call } = await start(t, []);
  const answers = [
    await get('/v1/open', 'localhost'),
    await get('/v1/open', 'evil.test'),
    await get('/admin/v1/console', 'localhost'),
    await call('GET', '/v1/token'),
    await call('GET', '/v1/nothing'),
    await call('GET', '/v1/media/none/content?expires=x&signature=y'),
  ];
  t.strictSame(
    answers.map(({ status }) => status),
    [200, 403, 200, 401, 404, 403],
  );
  for (const { headers } of answers) {
    t.match(headers, { 'x-content-type-options': 'nosniff', 'content-security-policy': "default-src 'none'; frame-ancestors 'none'" });
  }
  const page = await get('/page', 'localhost');
  t.match(page.headers, { 'x-content-type-options': 'nosniff', 'content-security-policy': "default-src 'self'" });
});
