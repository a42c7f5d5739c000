import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type {} from '@hapi/h2o2';
import type { Plugin, Request, ResponseToolkit, Server } from '@hapi/hapi';
import type {} from '@hapi/inert';
import type {} from '@hapi/vision';
import { type Host, ownRoutes } from './host.js';

/** Most plugins have no types. */
const require = createRequire(import.meta.url);
const pluginOf = (name: string): Plugin<object> => {
  const loaded = require(name) as Plugin<object> & { plugin?: Plugin<object> };
  return loaded.plugin ?? loaded;
};

/** A plugin that needs another joi, and 22 MB: installed into a folder of its own. */
function installedPlugin(...packages: readonly string[]): Plugin<object> {
  const folder = join(import.meta.dirname, '../../../../installed');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{"private":true}');
  execFileSync('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts', ...packages], { cwd: folder, stdio: 'pipe' });
  return createRequire(join(folder, 'package.json'))(packages[0]!.split('@')[0]!) as Plugin<object>;
}

const withPlugin =
  (name: string, options: object = {}) =>
  (server: Server): Promise<void> =>
    server.register({ plugin: pluginOf(name), options }).then(() => undefined);
const password = 'a password of at least 32 characters';

/** Registers plugins and makes a strategy the default of every route of the host. */
const withDefault = (plugin: string, strategy: (server: Server) => void, mode?: object) => async (server: Server) => {
  await withPlugin(plugin)(server);
  strategy(server);
  server.auth.default({ strategy: 'own', ...mode });
};
const validUser = (_: Request, username: string) => ({
  isValid: username === 'ann',
  credentials: { user: { name: username }, scope: ['own'] },
});

export const hostsWithPlugins: readonly Host[] = [
  {
    name: '@hapi/yar, with a session for every visitor',
    isShort: true,
    before: withPlugin('@hapi/yar', { cookieOptions: { password, isSecure: false } }),
    after: (server) =>
      server.route({
        method: 'GET',
        path: '/own/session',
        handler: ({ yar }: Request & { yar?: { get(key: string): unknown; set(key: string, value: string): void } }) => {
          yar!.set('visited', 'yes');
          return { host: yar!.get('visited') };
        },
      }),
    own: [{ path: '/own/session' }, { path: '/own/page' }],
  },
  {
    name: '@hapi/yar, with sessions in memory, a name of its own, and cookies that must be valid',
    before: withPlugin('@hapi/yar', {
      name: 'sid',
      maxCookieSize: 0,
      storeBlank: false,
      cookieOptions: { password, isSecure: false, ignoreErrors: false },
    }),
    own: [{ path: '/own/page' }, { path: '/own/page', headers: { cookie: 'sid=broken' } }],
  },
  { name: '@hapi/yar, registered after the platform', after: withPlugin('@hapi/yar', { cookieOptions: { password } }) },
  {
    name: '@hapi/crumb for forms',
    isShort: true,
    before: withPlugin('@hapi/crumb', { cookieOptions: { isSecure: false } }),
    own: [
      { method: 'POST', path: '/own/form', body: {} },
      { method: 'POST', path: '/own/form', headers: { cookie: 'crumb=abc' }, body: { crumb: 'abc' } },
    ],
  },
  {
    name: '@hapi/crumb for calls with a header',
    isShort: true,
    before: withPlugin('@hapi/crumb', { restful: true }),
    own: [
      { method: 'POST', path: '/own/form', body: {} },
      { method: 'POST', path: '/own/form', headers: { cookie: 'crumb=abc', 'x-csrf-token': 'abc' }, body: {} },
    ],
  },
  {
    name: '@hapi/yar, @hapi/crumb, @hapi/scooter and blankie together, registered after the platform',
    after: async (server) => {
      await withPlugin('@hapi/yar', { cookieOptions: { password } })(server);
      await withPlugin('@hapi/crumb', { autoGenerate: false })(server);
      await withPlugin('@hapi/scooter')(server);
      await withPlugin('blankie')(server);
    },
    own: [{ path: '/own/page' }, { method: 'POST', path: '/own/form', body: {} }],
  },
  {
    name: 'blankie and @hapi/scooter',
    isShort: true,
    before: async (server) => {
      await withPlugin('@hapi/scooter')(server);
      await withPlugin('blankie', { scriptSrc: ['none'], generateNonces: true })(server);
      server.route({ method: 'GET', path: '/own/html', handler: (_, h) => h.response('<p>host</p>').type('text/html') });
    },
    own: [{ path: '/own/html' }, { path: '/own/page' }],
  },
  {
    name: '@hapi/cookie as default, which redirects visitors without a session',
    isShort: true,
    before: withDefault('@hapi/cookie', (server) =>
      server.auth.strategy('own', 'cookie', { cookie: { name: 'sid', password, isSecure: false }, redirectTo: '/login', keepAlive: true }),
    ),
    own: [{ path: '/own/page' }, { method: 'POST', path: '/own/form', body: {} }],
  },
  {
    name: '@hapi/basic as default, with a scope and an entity',
    isShort: true,
    before: withDefault('@hapi/basic', (server) => server.auth.strategy('own', 'basic', { validate: validUser }), {
      scope: ['own'],
      entity: 'user',
    }),
    own: [{ path: '/own/page', headers: { authorization: `Basic ${Buffer.from('ann:x').toString('base64')}` } }, { path: '/own/page' }],
  },
  {
    name: '@hapi/jwt as default, with mode try',
    isShort: true,
    before: withDefault(
      '@hapi/jwt',
      (server) =>
        server.auth.strategy('own', 'jwt', {
          keys: password,
          verify: { aud: false, iss: false, sub: false },
          validate: () => ({ isValid: true, credentials: {} }),
        }),
      { mode: 'try' },
    ),
  },
  {
    name: '@hapi/bell for the login of the host',
    isShort: true,
    before: async (server) => {
      await withPlugin('@hapi/bell')(server);
      server.auth.strategy('own', 'bell', { provider: 'github', password, clientId: 'a', clientSecret: 'b', isSecure: false });
      server.route({ method: 'GET', path: '/own/login', options: { auth: 'own' }, handler: () => ({ host: 'login' }) });
    },
    own: [{ path: '/own/page' }, { path: '/own/login?error=denied' }],
  },
  {
    name: '@hapi/vision, whose views show every error',
    isShort: true,
    before: async (server) => {
      await withPlugin('@hapi/vision')(server);
      const compile = (template: string) => (context: { text: string }) => template.replace('{text}', context.text);
      server.views({ engines: { html: { compile } }, path: 'test/core/kernel/http/hosts' });
      server.ext('onPreResponse', ({ response }, h: ResponseToolkit) =>
        response instanceof Error ? h.view('page', { text: response.message }).code(response.output.statusCode) : h.continue,
      );
      server.route({ method: 'GET', path: '/own/view', handler: (_, h) => h.view('page', { text: 'host' }) });
    },
    own: [{ path: '/own/view' }, { path: '/own/missing' }],
  },
  {
    name: '@hapi/inert, which serves a folder at every path',
    isShort: true,
    before: async (server) => {
      await withPlugin('@hapi/inert')(server);
      server.route({
        method: 'GET',
        path: '/{file*}',
        handler: { directory: { path: 'test/core/kernel/http/hosts', index: ['page.html'] } },
      });
    },
    own: [{ path: '/' }, { path: '/none' }],
  },
  {
    name: '@hapi/h2o2, which passes every other path on',
    isShort: true,
    before: async (server) => {
      await withPlugin('@hapi/h2o2')(server);
      const mapUri = ({ path }: Request) => ({ uri: `http://127.0.0.1:1${path}` });
      server.route({
        method: '*',
        path: '/{all*}',
        handler: { proxy: { mapUri, passThrough: true } },
        options: { payload: { parse: false } },
      });
    },
    own: [{ path: '/own/elsewhere' }, { method: 'POST', path: '/own/form', body: {} }],
  },
  {
    name: 'hapi-pino, which logs bodies',
    isShort: true,
    before: withPlugin('hapi-pino', { logPayload: true, logQueryParams: true, logRouteTags: true, level: 'silent' }),
  },
  { name: '@hapi/good', before: withPlugin('@hapi/good', { ops: false, reporters: {} }) },
  { name: 'brok', before: withPlugin('brok'), own: [{ path: '/own/page', headers: { 'accept-encoding': 'br' } }, { path: '/own/page' }] },
  {
    name: 'a manifest of @hapi/glue',
    isShort: true,
    compose(platform) {
      const plugins = [{ plugin: '@hapi/yar', options: { cookieOptions: { password } } }, ...(platform ? [platform] : [])];
      const { compose } = require('@hapi/glue') as { compose(manifest: object, options: object): Promise<Server> };
      const preRegister = ownRoutes;
      return compose({ server: { debug: false }, register: { plugins } }, { relativeTo: import.meta.dirname, preRegister });
    },
  },
  {
    name: 'hapi-swagger',
    before: async (server) => {
      await withPlugin('@hapi/inert')(server);
      await withPlugin('@hapi/vision')(server);
      await server.register({ plugin: installedPlugin('hapi-swagger@17.3.2', 'joi@17'), options: { info: { title: 'own' } } });
      server.route({ method: 'GET', path: '/own/described', options: { tags: ['api'] }, handler: () => ({ host: 'described' }) });
    },
    own: [{ path: '/swagger.json' }, { path: '/own/described' }],
  },
  {
    name: '@hapi/nes',
    listens: true,
    before: withPlugin('@hapi/nes', { auth: false }),
  },
];
