import { request } from 'node:http';
import Hapi, { type ServerOptions } from '@hapi/hapi';
import t from 'tap';
import { createPlatform, definePlugin, object, route, string } from '#core';
import { RecordingLogger, type Tap } from '#core/testing';
import { channels } from '../../../plugins/channels/plugin.js';
import { inboundText } from '../channels/channel-under-test.js';
import { ADMIN_KEY, numberIn, type Routed, routed } from './routed.js';

const ask = route({
  method: 'POST',
  path: '/ask',
  summary: 'Responds with what it was asked.',
  request: { payload: object({ number: string(), what: string() }) },
  responses: { 200: object({ what: string() }) },
  handler: ({ payload: { what } }) => ({ what }),
});
const remove = route({
  method: 'DELETE',
  path: '/ask/{number}',
  summary: 'Removes nothing.',
  request: { params: object({ number: string() }) },
  responses: { 200: object({ removed: string() }) },
  handler: ({ params: { number } }) => ({ removed: number }),
});
const asking = definePlugin({ name: 'asking', version: '1.0.0', register: () => ({ admin: [ask, remove] }) });
const extra = [asking()];
const key = { authorization: `Bearer ${ADMIN_KEY}` };

/** A number of this process, and one that the other process has. */
const numbersOf = async (cluster: Routed) => [
  (await numberIn(cluster, 'shard-1', 'a')).uuid,
  (await numberIn(cluster, 'shard-2', 'b')).uuid,
];

/** The same call to a platform without a cluster. */
async function alone(t: Tap, settings: ServerOptions, payload: object, headers: Record<string, string>) {
  const server = Hapi.server(settings);
  const platform = createPlatform({ plugins: [channels(), ...extra], admin: { key: ADMIN_KEY }, ports: { log: new RecordingLogger() } });
  await server.register(platform.hapiPlugin);
  await server.initialize();
  t.teardown(() => server.stop());
  const { payload: text, headers: received } = await server.inject({ method: 'POST', url: '/admin/v1/ask', payload, headers });
  return { text, headers: received };
}

t.test('the settings of the server of the host apply to every response, whichever process has the data', async (t) => {
  const settings: ServerOptions = {
    routes: {
      cors: { origin: ['https://page.test'], credentials: true },
      security: { hsts: true },
      json: { space: 1, escape: true },
      validate: { options: { convert: false } },
    },
    router: { stripTrailingSlash: true },
    compression: { minBytes: 1 },
  };
  const cluster = await routed(t, { extra, settings });
  const headers = { ...key, origin: 'https://page.test', 'content-type': 'application/json', 'accept-encoding': 'identity' };
  for (const number of await numbersOf(cluster)) {
    const payload = { number, what: '<b>' };
    const response = await cluster.call(0, 'POST', '/admin/v1/ask/', payload, headers);
    const expected = await alone(t, settings, payload, headers);
    t.equal(response.text, expected.text);
    t.equal(response.text, '{\n "what": "\\u003cb\\u003e"\n}');
    for (const name of ['access-control-allow-origin', 'access-control-allow-credentials', 'strict-transport-security', 'vary'])
      t.equal(response.headers.get(name), expected.headers[name], name);
    t.equal(response.headers.get('access-control-allow-origin'), 'https://page.test');
  }
});

t.test(
  'extensions before the handler run in every process that a call reaches, those after it only for the own routes of the host',
  async (t) => {
    const seen: string[] = [];
    const cluster = await routed(t, {
      extra,
      host(server) {
        server.ext('onPreAuth', ({ path }, h) => {
          seen.push(path);
          return path === '/admin/v1/ask/refused' ? h.response({ host: 'no' }).code(403).takeover() : h.continue;
        });
        server.ext('onPreResponse', ({ response }, h) => {
          if (!(response instanceof Error)) response.header('x-host', 'yes');
          return h.continue;
        });
        server.route({ method: 'GET', path: '/fine', handler: () => ({ host: 'fine' }) });
      },
    });
    const numbers = [
      { ...(await numberIn(cluster, 'shard-1', 'a')), times: 1 },
      { ...(await numberIn(cluster, 'shard-2', 'b')), times: 2 },
    ];
    for (const { uuid, token, times } of numbers) {
      seen.length = 0;
      const sent = await cluster.call(0, 'POST', `/v1/numbers/${uuid}/messages`, inboundText('hi'), { authorization: `Bearer ${token}` });
      t.equal(sent.status, 200);
      t.equal(seen.length, times);
      t.equal(sent.headers.get('x-host'), null, 'the shard has responded by itself');
      seen.length = 0;
      t.equal((await cluster.call(0, 'DELETE', `/admin/v1/ask/${uuid}`)).headers.get('x-host'), null);
      t.equal(seen.length, 2, 'an admin call is passed on by HTTP also within a process');
    }
    const refused = await cluster.call(0, 'DELETE', '/admin/v1/ask/refused');
    t.match(refused, { status: 403, body: { host: 'no' } });
    t.equal((await cluster.call(0, 'GET', '/fine')).headers.get('x-host'), 'yes');
  },
);

t.test('a host may change URL and method of a call before it is routed', async (t) => {
  const cluster = await routed(t, {
    extra,
    host: (server) =>
      server.ext('onRequest', (request, h) => {
        if (request.path.startsWith('/desk/')) request.setUrl(`${request.path.slice('/desk'.length)}${request.url.search}`);
        const { 'x-http-method-override': method } = request.headers;
        if (method === 'DELETE') request.setMethod(method);
        return h.continue;
      }),
  });
  for (const [i, number] of (await numbersOf(cluster)).entries()) {
    const payload = { number, what: 'x' };
    t.match(await cluster.call(0, 'POST', '/desk/admin/v1/ask', payload), { status: 200, body: { what: 'x' } }, `number ${i}`);
    t.match(await cluster.call(0, 'GET', `/desk/admin/v1/webhooks?number=${number}`), { status: 200 });
    t.match(
      await cluster.call(0, 'POST', `/admin/v1/ask/${number}`, {}, { ...key, 'x-http-method-override': 'DELETE' }),
      { status: 200, body: { removed: number } },
      `number ${i}`,
    );
  }
  t.equal((await cluster.call(0, 'GET', '/desk/admin/v1/numbers')).body.numbers.length, 2, 'a list of all shards');
});

t.test('the default strategy of the host is for its own routes', async (t) => {
  const cluster = await routed(t, {
    extra,
    host(server) {
      server.auth.scheme('badge', () => ({ authenticate: (_, h) => h.response({ host: 'no badge' }).code(401).takeover() }));
      server.auth.strategy('badge', 'badge');
      server.auth.default('badge');
      server.route({ method: 'GET', path: '/fine', handler: () => ({ host: 'fine' }) });
    },
  });
  for (const number of await numbersOf(cluster))
    t.match(await cluster.call(0, 'POST', '/admin/v1/ask', { number, what: 'x' }), { status: 200, body: { what: 'x' } });
  t.match(await cluster.call(0, 'GET', '/fine'), { status: 401, body: { host: 'no badge' } });
  t.match(await cluster.call(0, 'POST', '/admin/v1/ask', {}, { authorization: 'Bearer wrong' }), { status: 401, body: { errors: [{}] } });
});

t.test('a time limit of the host ends a call once, with the error of the platform', async (t) => {
  const ended: (() => void)[] = [];
  const slow = route({
    ...ask,
    path: '/slow',
    handler: () => new Promise<never>((_, reject) => ended.push(() => reject(new Error('the test ends')))),
  });
  const slowly = definePlugin({ name: 'slowly', version: '1.0.0', register: () => ({ admin: [slow] }) });
  const cluster = await routed(t, { extra: [slowly()], settings: { routes: { timeout: { server: 200 } } } });
  for (const number of await numbersOf(cluster))
    t.equal((await cluster.call(0, 'POST', '/admin/v1/slow', { number, what: 'x' })).status, 500);
  for (const end of ended) end();
  for (const { failures } of cluster.processes) t.strictSame(failures, []);
});

t.test('a call with a whole URL, as clients of proxies send it, reaches its shard', async (t) => {
  const cluster = await routed(t, { extra });
  for (const number of await numbersOf(cluster)) {
    const { host, port } = new URL(cluster.processes[0]!.url);
    const status = await new Promise((resolve, reject) => {
      const path = `http://${host}/admin/v1/ask/${number}`;
      request({ port, host: '127.0.0.1', method: 'DELETE', path, headers: key }, (response) => {
        response.resume();
        resolve(response.statusCode);
      })
        .on('error', reject)
        .end();
    });
    t.equal(status, 200);
  }
});
