import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Hapi, { type Request, type ResponseObject, type ResponseToolkit, type RouteOptions, type Server } from '@hapi/hapi';
import Joi from 'joi';
import { createPlatform } from '#core';
import { channels } from '../../../../../plugins/channels/plugin.js';
import { goodCertificate, goodKey } from '../../../ports/certificates.js';
import { type Host, ownRoutes } from './host.js';

/** A host whose route defaults are these. */
const defaults = (name: string, routes: RouteOptions, more: Omit<Host, 'name' | 'settings'> = {}): Host => ({
  name,
  settings: { routes },
  ...more,
});

const refused = (_: Request, h: ResponseToolkit) => h.response({ host: 'invalid' }).code(422).takeover();
const badge = (server: Server): void => {
  server.auth.scheme('badge', () => ({
    authenticate: ({ headers }, h) =>
      headers['x-badge'] ? h.authenticated({ credentials: { scope: ['own'] } }) : h.response({ host: 'no badge' }).code(401).takeover(),
    payload: (_, h) => h.continue,
    response: (_, h) => h.continue,
    options: { payload: true },
  }));
  server.auth.strategy('badge', 'badge');
};
const withBadge = { headers: { 'x-badge': 'yes' } };

export const hostsWithSettings: readonly Host[] = [
  defaults(
    'routes.validate, which refuses every unknown header, query, cookie and body',
    {
      validate: {
        headers: Joi.object({ host: Joi.any(), 'user-agent': Joi.any(), 'x-own': Joi.required() }),
        query: Joi.object({ own: Joi.string() }),
        payload: Joi.object({ own: Joi.string() }),
        state: Joi.object({ own: Joi.string() }),
        failAction: refused,
        options: { convert: false, presence: 'required', abortEarly: true, allowUnknown: false },
        errorFields: { own: 'field' },
      },
    },
    { isShort: true, headers: { 'x-own': 'yes' }, own: [{ path: '/own/page?own=a' }, { path: '/own/page' }] },
  ),
  defaults('routes.validate of functions', {
    validate: {
      headers: () => Promise.reject(new Error('no')),
      query: () => Promise.reject(new Error('no')),
      payload: () => Promise.reject(new Error('no')),
      state: () => Promise.reject(new Error('no')),
      failAction: 'error',
    },
  }),
  defaults('routes.validate with a validator', {
    validate: { validator: Joi, query: { own: Joi.string().required() }, failAction: refused },
  } as RouteOptions),
  defaults(
    'routes.payload.allow, a size of 10 bytes and no multipart',
    { payload: { allow: ['application/x-www-form-urlencoded'], maxBytes: 10, multipart: false, failAction: refused } },
    {
      isShort: true,
      own: [
        { method: 'POST', path: '/own/form', headers: { 'content-type': 'application/x-www-form-urlencoded' }, body: 'a=b' },
        { method: 'POST', path: '/own/form', body: {} },
      ],
    },
  ),
  defaults('routes.payload with files, a type and a timeout', {
    payload: { output: 'file', parse: false, defaultContentType: 'text/plain', timeout: 1, uploads: tmpdir(), protoAction: 'remove' },
  }),
  defaults('routes.payload with streams of another type', {
    payload: { output: 'stream', parse: true, override: 'text/plain', maxBytes: 5, multipart: { output: 'annotated' } },
  }),
  defaults(
    'routes.cors for every origin',
    { cors: true },
    {
      isShort: true,
      adds: ['access-control-allow-origin', 'access-control-expose-headers', 'vary'],
      own: [{ path: '/own/page', headers: { origin: 'https://a.test' } }, { path: '/own/page' }],
    },
  ),
  defaults(
    'routes.cors for one origin, with credentials',
    { cors: { origin: ['https://a.test'], credentials: true, additionalHeaders: ['x-own'] } },
    {
      adds: ['vary'],
      own: [
        { path: '/own/page', headers: { origin: 'https://a.test' } },
        { path: '/own/page', headers: { origin: 'https://b.test' } },
      ],
    },
  ),
  defaults(
    'routes.security',
    { security: true },
    {
      isShort: true,
      adds: ['strict-transport-security', 'x-xss-protection', 'x-download-options'],
    },
  ),
  defaults(
    'routes.security, with frames of the same origin',
    { security: { xframe: 'sameorigin', hsts: false, referrer: 'origin' } },
    {
      adds: ['x-xss-protection', 'x-download-options', 'referrer-policy'],
    },
  ),
  defaults('routes.cache for a minute', { cache: { expiresIn: 60_000, privacy: 'public', statuses: [200, 404], otherwise: 'max-age=5' } }),
  defaults('routes.cache until midnight', { cache: { expiresAt: '00:00' } }),
  defaults('routes.cache off', { cache: false }),
  defaults(
    'routes.response with a schema for every response',
    {
      response: {
        schema: Joi.object({ host: Joi.string() }).unknown(false),
        status: { 404: Joi.object({ host: Joi.required() }), 401: Joi.any().forbidden() },
        failAction: 'error',
        emptyStatusCode: 200,
        ranges: false,
      },
    },
    { isShort: true },
  ),
  defaults('routes.response, whose schema changes responses', {
    response: { schema: Joi.object({ host: Joi.any() }).options({ stripUnknown: true }), modify: true, disconnectStatusCode: 400 },
  }),
  defaults('routes.response with a sample', { response: { schema: false, sample: 100, failAction: 'error' } }),
  defaults('routes.json with spaces and escapes', { json: { space: 2, escape: true } }),
  defaults('routes.json with a replacer and a suffix', {
    json: { replacer: (key: string, value: unknown) => (key === 'code' || key === 'title' ? undefined : value), suffix: '\n' },
  } as RouteOptions),
  defaults('routes.json with a list of keys', { json: { replacer: ['host'] } } as RouteOptions),
  defaults('routes.state unread', { state: { parse: false, failAction: 'error' } }),
  defaults('routes.state, which refuses invalid cookies', { state: { parse: true, failAction: refused } }, { isShort: true }),
  {
    name: 'cookies with definitions: strict, signed, encrypted, and set for every visitor',
    isShort: true,
    settings: { state: { strictHeader: true, ignoreErrors: false } },
    before(server) {
      server.state('strict', { strictHeader: true, clearInvalid: true });
      server.state('sid', { encoding: 'iron', password: 'a password of at least 32 characters', clearInvalid: true });
      server.state('signed', { encoding: 'base64json', sign: { password: 'a password of at least 32 characters' } });
      server.state('visitor', { autoValue: () => 'new', isSecure: false });
    },
    own: [{ path: '/own/page' }, { path: '/own/page', headers: { cookie: 'visitor=ann' } }],
  },
  {
    name: 'a cookie whose value cannot be made',
    before: (server) =>
      server.state('broken', {
        autoValue() {
          throw new Error('no value');
        },
      }),
  },
  defaults('routes.timeout', { timeout: { server: 20_000, socket: 20_001 }, payload: { timeout: 1 } }),
  {
    name: 'routes.auth with a strategy, a scope and bodies',
    isShort: true,
    settings: { routes: { auth: { strategies: ['badge'], mode: 'required', scope: ['own'], payload: 'required' } } },
    before: badge,
    ...withBadge,
    own: [{ path: '/own/page' }, { path: '/own/page', headers: { 'x-badge': '' } }],
  },
  {
    name: 'routes.auth as a list of access rules',
    settings: { routes: { auth: { strategy: 'badge', access: [{ scope: ['own'] }, { scope: ['admin'] }] } } },
    before: badge,
    ...withBadge,
  },
  {
    name: 'auth.default that is set after the platform, with bodies',
    after(server) {
      badge(server);
      server.auth.default({ strategy: 'badge', scope: ['own'], payload: 'required' });
    },
    ...withBadge,
  },
  {
    name: 'routes.ext and routes.bind, routes.app and routes.plugins',
    settings: {
      routes: {
        bind: { own: true },
        app: { own: true },
        plugins: { yar: { skip: false }, crumb: { source: 'query' }, blankie: { scriptSrc: [] } },
        ext: {
          onPreAuth: { method: (request: Request, h: ResponseToolkit) => passed(request, h) },
          onPostAuth: { method: (request: Request, h: ResponseToolkit) => passed(request, h) },
          onPreResponse: { method: (request: Request, h: ResponseToolkit) => passed(request, h) },
        },
        log: { collect: true },
        files: { relativeTo: '/tmp' },
      },
    },
  },
  {
    name: 'extensions of every kind, which use what requests have',
    isShort: true,
    before: (server) => useRequests(server),
    after: (server) => useRequests(server),
  },
  {
    name: 'pages for every error, and headers on every response',
    before: (server) =>
      server.ext('onPreResponse', ({ response }, h) => {
        if (response instanceof Error) return h.response(`<p>${response.message}</p>`).type('text/html').code(response.output.statusCode);
        (response as ResponseObject).header('x-own', 'yes');
        return h.continue;
      }),
    adds: ['x-own'],
    own: [{ path: '/own/missing' }, { path: '/own/page' }],
  },
  {
    name: 'query.parser, which nests and converts',
    isShort: true,
    settings: {
      query: { parser: (query) => Object.fromEntries(Object.entries(query).map(([key, value]) => [key, [value, { nested: true }]])) },
    },
    before: (server) => server.route({ method: 'GET', path: '/own/query', handler: ({ query }) => ({ host: query }) }),
    own: [{ path: '/own/query?a=b' }, { path: '/own/page' }],
  },
  { name: 'router.stripTrailingSlash', settings: { router: { stripTrailingSlash: true } } },
  {
    name: 'router.isCaseSensitive off',
    settings: { router: { isCaseSensitive: false } },
    own: [{ path: '/OWN/Page' }, { path: '/own/page' }],
  },
  { name: 'compression off', settings: { compression: false }, adds: ['vary'] },
  {
    name: 'compression of everything, with its own settings',
    settings: { compression: { minBytes: 1 }, routes: { compression: { gzip: { level: 1 } } } },
    adds: ['vary'],
  },
  {
    name: 'other media types',
    settings: { mime: { override: { 'application/json': { compressible: false }, 'text/event-stream': { compressible: true } } } },
    adds: ['vary'],
  },
  {
    name: 'limits on the load',
    settings: { load: { sampleInterval: 1_000, maxHeapUsedBytes: 0, maxRssBytes: 0, maxEventLoopDelay: 0 } as never },
  },
  {
    name: 'connections without a clean stop, and remote addresses',
    settings: { operations: { cleanStop: false }, info: { remote: true } },
    listens: true,
  },
  { name: 'debugging of everything', settings: { debug: false, app: { own: true } } },
  {
    name: 'decorations of everything',
    before(server) {
      for (const type of ['request', 'response', 'toolkit', 'server'] as const)
        for (const name of ['posthorn', 'number', 'token', 'platform', 'caller', 'rate'])
          server.decorate(type as 'server', name, () => 'own');
      server.decorate('request', 'counted' as never, () => 1, { apply: true });
      server.decorate(
        'handler',
        'own',
        Object.assign(() => () => ({ host: 'own' }), { defaults: { cache: { expiresIn: 5_000 } } }),
      );
      server.method('posthorn', () => 'own');
      Object.assign(server.app, { posthorn: 'own' });
    },
  },
  {
    name: 'a route for every path and method',
    isShort: true,
    before: (server) =>
      server.route([
        { method: '*', path: '/{all*}', handler: ({ path }) => ({ host: path }) },
        { method: 'GET', path: '/{all*}', handler: ({ path }) => ({ host: 'GET', path }) },
        { method: 'POST', path: '/{first}/{all*}', handler: ({ path }) => ({ host: 'POST', path }) },
      ]),
    own: [{ path: '/any' }, { method: 'PUT', path: '/any/path', body: {} }],
  },
  {
    name: 'a route for every path, added after the platform',
    after: (server) => server.route({ method: ['GET', 'POST', 'PUT', 'DELETE'], path: '/{all*}', handler: ({ path }) => ({ host: path }) }),
    own: [{ path: '/any' }, { method: 'POST', path: '/any/path', body: {} }],
  },
  {
    name: 'a route for every path, with a platform without a prefix',
    isShort: true,
    prefix: '',
    before: (server) =>
      server.route([
        { method: 'GET', path: '/{all*}', handler: ({ path }) => ({ host: path }) },
        { method: ['GET', 'POST'], path: '/v1/own/{all*}', handler: ({ path }) => ({ host: path }) },
      ]),
    after: (server) => server.route({ method: 'GET', path: '/v1/numbers/{all*}', handler: () => ({ host: 'numbers' }) }),
    own: [{ path: '/any' }, { path: '/v1/own/any' }, { path: '/v1/numbers/any/path' }],
  },
  {
    name: 'another platform, with another name and prefix',
    isShort: true,
    before: (server) =>
      server.register(createPlatform({ name: 'other', plugins: [channels()], logLevel: 'error' }).hapiPlugin, {
        routes: { prefix: '/other' },
      }),
    own: [{ path: '/other/health' }, { path: '/other/v1/numbers' }, { path: '/other/v1/%zz' }],
  },
  {
    name: 'a plugin of the host with a prefix',
    prefix: '/wing/messaging',
    compose: async (platform) => {
      const server = Hapi.server();
      const register = (part: Server) => part.register(platform!.plugin, { routes: { prefix: '/messaging' } });
      if (platform) await server.register({ name: 'wing', register }, { routes: { prefix: '/wing' } });
      ownRoutes(server);
      return server;
    },
  },
  {
    name: 'hosts of its own, one of them for the platform',
    isShort: true,
    vhost: 'api.own.test',
    after: (server) =>
      server.route([
        { method: 'GET', path: '/messaging/{all*}', vhost: 'www.own.test', handler: () => ({ host: 'www' }) },
        { method: 'GET', path: '/messaging/health', handler: () => ({ host: 'any' }) },
      ]),
    own: [
      { path: '/messaging/v1/numbers', headers: { host: 'www.own.test' } },
      { path: '/messaging/health', headers: { host: 'own.test' } },
      { path: '/messaging/v1/%zz', headers: { host: 'own.test' } },
    ],
  },
  {
    name: 'onRequest, which changes URLs',
    before: (server) =>
      server.ext('onRequest', (request, h) => {
        if (request.path.startsWith('/moved/')) request.setUrl(request.path.replace('/moved', ''));
        return h.continue;
      }),
    own: [{ path: '/moved/own/page' }, { path: '/own/page' }],
  },
  {
    name: 'rules for every route',
    before: (server) =>
      server.rules(() => ({ cache: { expiresIn: 1_000 }, payload: { maxBytes: 5 }, validate: { failAction: refused } }) as never),
  },
  {
    name: 'TLS',
    isShort: true,
    listens: true,
    settings: {
      port: 0,
      host: '127.0.0.1',
      tls: { key: goodKey, cert: goodCertificate },
    },
  },
  {
    name: 'a Unix socket',
    isShort: true,
    listens: true,
    settings: { port: join(mkdtempSync(join(tmpdir(), 'posthorn-host-')), 'server.sock') },
  },
];

const passed = (_: Request, h: ResponseToolkit) => h.continue;

/** Adds extensions that read every part of a request, as plugins do that expect the defaults of hapi. */
function useRequests(server: Server): void {
  const reading = (request: Request, h: ResponseToolkit) => {
    const { state, plugins, auth, query, info, headers, app, route } = request as Request & { state: object };
    // Routes of hapi itself, such as that for unknown paths, parse no cookies.
    if (String(route.method) !== '_special') Object.keys(state);
    Object.assign(plugins, { own: [auth.isAuthenticated, Object.keys(query), info.remotePort, headers.host, app, route.settings.plugins] });
    return h.continue;
  };
  for (const event of ['onPreAuth', 'onCredentials', 'onPostAuth', 'onPreHandler', 'onPostHandler', 'onPreResponse'] as const)
    server.ext(event, reading);
}
