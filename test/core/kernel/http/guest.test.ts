import 'reflect-metadata';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Hapi, { type Request, type ResponseObject, type ResponseToolkit, type Server, type ServerOptions } from '@hapi/hapi';
import t from 'tap';
import { container } from 'tsyringe';
import { createPlatform, definePlugin, integer, object, type Platform, type PlatformOptions, type Plugin, route, string } from '#core';
import { ADMIN_KEY, InlinePool, RecordingLogger, startPlatform, type Tap } from '#core/testing';
import { channels } from '../../../../plugins/channels/plugin.js';

/** A plugin with routes for every kind of success and failure. */
const asked = definePlugin({
  name: 'asked',
  version: '1.0.0',
  register: () => ({
    routes: [
      route({
        method: 'POST',
        path: '/v1/ask',
        auth: 'none',
        summary: 'Answers, or not.',
        request: { payload: object({ what: string() }), query: object({}, { times: integer() }) },
        responses: { 200: object({ what: string(), times: integer() }) },
        handler({ payload, query: { times = 1 } }) {
          if (payload.what === 'trouble') throw new Error('something private');
          return { what: payload.what, times };
        },
      }),
    ],
  }),
})();

/** A host application with its own defaults for auth, errors, validation and bodies. */
async function startHost(t: Tap, { register = [] as readonly Platform[] } = {}): Promise<Server> {
  const server = Hapi.server({
    routes: {
      validate: {
        failAction: (_: Request, h: ResponseToolkit) => h.response({ host: 'invalid' }).code(422).takeover(),
        options: { convert: false, presence: 'required' },
      },
      payload: { output: 'stream', parse: false, failAction: 'log' },
    },
  });
  server.auth.scheme('badge', () => ({
    authenticate: (request, h) =>
      request.headers['x-badge'] === 'yes' ? h.authenticated({ credentials: {} }) : h.response({ host: 'no badge' }).code(401).takeover(),
  }));
  server.auth.strategy('badge', 'badge');
  server.auth.default('badge');
  server.ext('onPreResponse', ({ response }, h) =>
    response instanceof Error ? h.response({ host: response.message }).code(response.output.statusCode) : h.continue,
  );
  server.route([
    { method: 'GET', path: '/fine', handler: () => ({ host: 'fine' }) },
    {
      method: 'GET',
      path: '/broken',
      handler() {
        throw new Error('broken');
      },
    },
    { method: 'GET', path: '/checked', options: { validate: { query: object({ a: string() }) } }, handler: () => ({ host: 'checked' }) },
    { method: 'POST', path: '/raw', handler: ({ payload }) => ({ host: typeof (payload as { pipe?: unknown }).pipe }) },
    { method: 'GET', path: '/desk/lamp', handler: () => ({ host: 'lamp' }) },
  ]);
  for (const platform of register) await server.register(platform.hapiPlugin, { routes: { prefix: '/desk' } });
  await server.initialize();
  t.teardown(() => server.stop());
  return server;
}

const platformOf = (plugins: readonly Plugin[], options: Partial<PlatformOptions> = {}): Platform =>
  createPlatform({ plugins, ports: { workers: new InlinePool(), log: new RecordingLogger() }, ...options });

const badge = { 'x-badge': 'yes' };
const json = { 'content-type': 'application/json' };

/** The responses of every route of the host, to compare them with and without a platform. */
async function hostAnswers(server: Server) {
  const requests = [
    { url: '/fine', headers: badge },
    { url: '/fine' },
    { url: '/broken', headers: badge },
    { url: '/checked', headers: badge },
    { url: '/checked?a=b', headers: badge },
    { method: 'POST', url: '/raw', headers: { ...badge, ...json }, payload: '{not json' },
    { url: '/nowhere' },
    { url: '/desk/lamp', headers: badge },
    { url: '/desk/lamp' },
    { method: 'POST', url: '/fine', headers: badge },
  ];
  return Promise.all(
    requests.map(async (request) => {
      const { statusCode, payload, headers } = await server.inject(request);
      const { date: _date, 'last-modified': _modified, ...rest } = headers;
      return { request, statusCode, payload, headers: rest };
    }),
  );
}

t.test('responses of a host application are the same with and without a platform', async (t) => {
  const alone = await hostAnswers(await startHost(t));
  const together = await hostAnswers(await startHost(t, { register: [platformOf([channels(), asked], { admin: { key: ADMIN_KEY } })] }));
  t.strictSame(together, alone);
  t.strictSame(
    alone.map(({ statusCode }) => statusCode),
    [200, 401, 500, 422, 200, 200, 404, 200, 401, 404],
    'and the questions are good ones',
  );
});

t.test('responses of a platform are the same in a host with other defaults', async (t) => {
  const asking = async (server: Server, prefix: string) => {
    const ask = async (payload: string | object, { query = '', headers = {}, path = '/v1/ask', method = 'POST' } = {}) => {
      const { statusCode, result } = await server.inject({
        method,
        url: `${prefix}${path}${query}`,
        payload,
        headers: { ...json, ...headers },
      });
      return [statusCode, result] as const;
    };
    return [
      await ask({ what: 'a' }, { query: '?times=2' }),
      await ask({ what: 'a' }),
      await ask({}),
      await ask('{not json'),
      await ask('what=a', { headers: { 'content-type': 'application/x-www-form-urlencoded' } }),
      await ask({ what: 'a' }, { path: '/v1/unknown' }),
      await ask({ what: 'a' }, { path: '/v1/numbers' }),
      await ask({ what: 'a' }, { path: '/v1/numbers', headers: { authorization: 'Bearer wrong' } }),
      await ask({ what: 'a' }, { path: '/v1/ask', method: 'PUT' }),
    ];
  };
  const host = await startHost(t, { register: [platformOf([channels(), asked])] });
  const { server } = await startPlatform(t, { plugins: [channels(), asked] });
  const answers = await asking(host, '/desk');
  const text = (value: unknown) => JSON.stringify(value).replaceAll('/desk', '');
  t.equal(text(answers), text(await asking(server, '')));
  t.strictSame(
    answers.map(([status]) => status),
    [200, 200, 400, 400, 415, 404, 401, 401, 405],
  );
});

t.test('a failure keeps the error shape of the platform, whatever the order of registration', async (t) => {
  const log = new RecordingLogger();
  const platform = platformOf([asked], { ports: { workers: new InlinePool(), log } });
  const server = await startHost(t, { register: [platform] });
  server.ext('onPreResponse', ({ response }, h) => (response instanceof Error ? h.response({ host: 'late' }).code(500) : h.continue));
  const { statusCode, result } = await server.inject({ method: 'POST', url: '/desk/v1/ask', payload: { what: 'trouble' } });
  t.equal(statusCode, 500);
  t.match(result, { errors: [{ code: 500, title: 'Internal error', details: /search the log for request/ }] });
  t.notMatch(JSON.stringify(result), /private/);
  t.match(log.lines[0]?.fields.error, { message: /something private/ });
});

t.test('two platforms in one process share nothing', async (t) => {
  const [one, two] = [await startPlatform(t, { plugins: [channels()] }), await startPlatform(t, { plugins: [channels()] })];
  const { token, uuid } = await one.number('network');
  t.equal((await one.call('GET', '/v1/nothing', { token })).status, 404);
  t.equal((await two.call('POST', '/v1/numbers', { token, payload: {} })).status, 401, "one platform's token is unknown to the other");
  t.equal(await two.platform.numbers.get(uuid), undefined);
  t.strictSame([one.events.length, two.events.length], [1, 0], 'its stream does not have the event');
});

t.test('two platforms on one server share nothing, and have their own prefixes', async (t) => {
  const server = Hapi.server();
  const [one, two] = ['one', 'two'].map((name) => platformOf([channels()], { name, admin: { key: `${name}-${ADMIN_KEY}` } })) as [
    Platform,
    Platform,
  ];
  await server.register(one.hapiPlugin, { routes: { prefix: '/one' } });
  await server.register(two.hapiPlugin, { routes: { prefix: '/two' } });
  await server.initialize();
  t.teardown(() => server.stop());

  const admin = async (prefix: string, key: string) =>
    (
      await server.inject({
        method: 'POST',
        url: `/${prefix}/admin/v1/numbers`,
        headers: { authorization: `Bearer ${key}-${ADMIN_KEY}` },
        payload: { kind: 'network', address: '+27110000000', name: prefix },
      })
    ).statusCode;
  t.strictSame(await Promise.all([admin('one', 'one'), admin('two', 'two')]), [201, 201], 'both accept the same address');
  t.strictSame(await Promise.all([admin('one', 'two'), admin('two', 'one')]), [401, 401], 'each has its own key');
  t.strictSame([(await one.numbers.list()).length, (await two.numbers.list()).length], [1, 1]);
  t.equal((await server.inject('/one/v1/nothing')).statusCode, 404);
  t.match((await server.inject('/three/v1/nothing')).result, { message: 'Not Found' }, "outside both prefixes it is the host's 404");
});

t.test('a second platform with the same name on one server is refused', async (t) => {
  const server = Hapi.server();
  await server.register(platformOf([]).hapiPlugin, { routes: { prefix: '/one' } });
  await t.rejects(server.register(platformOf([]).hapiPlugin, { routes: { prefix: '/two' } }), {
    message: 'Plugin posthorn already registered',
  });
});

t.test('initialize, start and stop of the server start and stop the platform', async (t) => {
  const notes: string[] = [];
  const noting = definePlugin({
    name: 'noting',
    version: '1.0.0',
    register: () => ({ start: () => void notes.push('start'), stop: () => void notes.push('stop') }),
  })();
  const server = Hapi.server({ port: 0, host: '127.0.0.1' });
  await server.register(platformOf([noting]).hapiPlugin);
  t.strictSame(notes, []);
  await server.initialize();
  t.strictSame(notes, ['start']);
  await server.start();
  t.strictSame(notes, ['start'], 'once');
  await server.stop();
  t.strictSame(notes, ['start', 'stop']);
  await t.rejects(server.start(), { message: 'a platform starts only once, and this one is stopped: create a new one' });
});

t.test('a platform stops when another plugin keeps the server from starting', async (t) => {
  const notes: string[] = [];
  const noting = definePlugin({ name: 'noting', version: '1.0.0', register: () => ({ stop: () => void notes.push('stop') }) })();
  const server = Hapi.server();
  await server.register(platformOf([noting]).hapiPlugin);
  server.ext('onPreStart', () => {
    throw new Error('the other guest');
  });
  await t.rejects(server.start(), { message: 'the other guest' });
  await server.stop();
  t.strictSame(notes, ['stop']);
});

t.test('a platform with default adapters adds no listeners to the process and nothing to the global container', async (t) => {
  // The threads that an earlier platform has left end after 2 seconds, with their listener.
  await sleep(2_100);
  const listeners = () => process.eventNames().map((name) => [name, process.listenerCount(name)]);
  const before = listeners();
  const platform = createPlatform({ plugins: [channels()], ports: { log: new RecordingLogger() } });
  await platform.start();
  t.strictSame(listeners(), before);
  for (const name of ['store', 'log', 'secrets', 'numbers']) t.notOk(container.isRegistered(Symbol.for(`posthorn/${name}`)), name);
  await platform.stop();
  t.strictSame(listeners(), before);
});

t.test('publicUrl defaults to the address and prefix of the server', async (t) => {
  const server = Hapi.server({ port: 0, host: '127.0.0.1' });
  const [inside, proxied] = [
    platformOf([], { name: 'inside' }),
    platformOf([], { name: 'proxied', publicUrl: 'https://posthorn.example/api/' }),
  ];
  await server.register(inside.hapiPlugin, { routes: { prefix: '/desk' } });
  await server.register(proxied.hapiPlugin, { routes: { prefix: '/proxied' } });
  await server.start();
  t.teardown(() => server.stop());
  t.equal(inside.publicUrl(), `http://127.0.0.1:${server.info.port}/desk`);
  t.equal(proxied.publicUrl(), 'https://posthorn.example/api');
  const link = inside.media.link('1234');
  t.ok(link.startsWith(`${inside.publicUrl()}/v1/media/1234/content?`));
  t.equal((await fetch(link)).status, 404, 'the platform is there');
});

t.test('on a socket in the file system, URLs are those that clients of the socket use', async (t) => {
  const port = join(mkdtempSync(join(tmpdir(), 'posthorn-socket-')), 'server.sock');
  const urlOf = async (settings: ServerOptions, options: Partial<PlatformOptions> = {}) => {
    const platform = platformOf([channels()], options);
    const server = Hapi.server({ port, ...settings });
    await server.register(platform.hapiPlugin, { routes: { prefix: '/messaging' } });
    const { result } = await server.inject('/messaging/openapi.json');
    return [platform.publicUrl(), (result as { servers: { url: string }[] }).servers[0]?.url];
  };
  t.strictSame(await urlOf({}), ['http://localhost/messaging', 'http://localhost/messaging']);
  t.strictSame(await urlOf({ uri: 'https://own.test' }), ['https://own.test/messaging', 'https://own.test/messaging']);
  t.strictSame(await urlOf({}, { publicUrl: 'https://api.test' }), ['https://api.test', 'https://api.test']);
});

t.test('extensions of all routes of a host also run on routes for which the platform has extensions', async (t) => {
  const seen: string[] = [];
  const noted = (point: string) => ({
    method(request: Request, h: ResponseToolkit) {
      seen.push(`${point} ${request.method}`);
      return h.continue;
    },
  });
  const server = Hapi.server({ routes: { ext: { onPreAuth: noted('onPreAuth'), onPostAuth: noted('onPostAuth') } } });
  const platform = platformOf([channels(), asked], { trustedHosts: ['own.test'], admin: { key: ADMIN_KEY } });
  await server.register(platform.hapiPlugin);
  await server.inject({ url: '/admin/v1/numbers', headers: { host: 'own.test', authorization: `Bearer ${ADMIN_KEY}` } });
  await server.inject({ method: 'POST', url: '/v1/ask', headers: { host: 'own.test' }, payload: { what: 'a' } });
  t.strictSame(seen, ['onPreAuth get', 'onPostAuth get', 'onPreAuth post', 'onPostAuth post']);
});

t.test('with stripTrailingSlash, routes that end with a slash are reached without it', async (t) => {
  const at = (path: `/${string}`) =>
    route({
      method: 'POST',
      path,
      auth: 'none',
      summary: 'Answers.',
      responses: { 200: object({ path: string() }) },
      handler: () => ({ path }),
    });
  const slashes = definePlugin({
    name: 'slashes',
    version: '1.0.0',
    register: () => ({ routes: [at('/v1/both'), at('/v1/both/'), at('/v1/one/')], admin: [at('/two/')], roots: ['/v1/both'] }),
  });
  const platform = createPlatform({
    plugins: [slashes()],
    admin: { key: ADMIN_KEY },
    ports: { log: new RecordingLogger(), workers: new InlinePool() },
  });
  const server = Hapi.server({ router: { stripTrailingSlash: true } });
  await server.register(platform.hapiPlugin);
  for (const [url, path] of [
    ['/v1/both', '/v1/both'],
    ['/v1/both/', '/v1/both'],
    ['/v1/one', '/v1/one/'],
    ['/v1/one/', '/v1/one/'],
    ['/admin/v1/two/', '/two/'],
  ] as const) {
    t.match((await server.inject({ method: 'POST', url })).result, { path }, url);
  }
});

t.test('the JSON format that a host configured applies to the platform too', async (t) => {
  const platform = createPlatform({ plugins: [asked], ports: { log: new RecordingLogger(), workers: new InlinePool() } });
  const server = Hapi.server({ routes: { json: { space: 1, escape: true } } });
  await server.register(platform.hapiPlugin);
  const { payload } = await server.inject({ method: 'POST', url: '/v1/ask', payload: { what: '<b>' } });
  t.equal(payload, '{\n "what": "\\u003cb\\u003e",\n "times": 1\n}');
});

t.test('a host may change responses of the platform in onPreResponse', async (t) => {
  const platform = createPlatform({ plugins: [asked], ports: { log: new RecordingLogger(), workers: new InlinePool() } });
  const server = Hapi.server();
  await server.register(platform.hapiPlugin);
  server.ext('onPreResponse', (request, h) => {
    const response = request.response as ResponseObject;
    if (Number(request.query.times) === 1) response.spaces(1);
    if (Number(request.query.times) === 2) (response as { source: unknown }).source = 'changed';
    if (Number(request.query.times) === 3) (response as { source: unknown }).source = null;
    return h.continue;
  });
  const ask = async (times: number) =>
    (await server.inject({ method: 'POST', url: `/v1/ask?times=${times}`, payload: { what: 'x' } })).payload;
  t.strictSame(await Promise.all([1, 2, 3].map(ask)), ['{\n "what": "x",\n "times": 1\n}', 'changed', '']);
});

t.test('prefixes of nested plugins add up', async (t) => {
  const platform = platformOf([asked]);
  const server = Hapi.server();
  await server.register(
    { name: 'wing', register: (wing: Server) => wing.register(platform.hapiPlugin, { routes: { prefix: '/desk' } }) },
    { routes: { prefix: '/wing' } },
  );
  await server.initialize();
  t.teardown(() => server.stop());
  t.equal((await server.inject({ method: 'POST', url: '/wing/desk/v1/ask', payload: { what: 'a' } })).statusCode, 200);
  t.match(platform.publicUrl(), /\/wing\/desk$/);
});
