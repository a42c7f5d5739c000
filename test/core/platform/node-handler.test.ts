import { once } from 'node:events';
import { Agent, createServer, type IncomingMessage, type RequestListener, request, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import Fastify from 'fastify';
import t from 'tap';
import { createPlatform, definePlugin, object, type Platform, type PlatformOptions, type Plugin, route, string } from '#core';
import { ADMIN_KEY, InlinePool, RecordingLogger, type Tap } from '#core/testing';
import { channels } from '../../../plugins/channels/plugin.js';
import { console as consolePages } from '../../../plugins/console/plugin.js';
import { messages } from '../../../plugins/messages/plugin.js';
import { goodCertificate, goodKey } from '../ports/certificates.js';

/** Express has no types here. */
interface Express extends RequestListener {
  (req: IncomingMessage, res: ServerResponse): void;
  use(...handlers: unknown[]): void;
  get(path: string, handler: (req: unknown, res: { send(body: string): void }) => void): void;
  post(path: string, handler: (req: { body: unknown }, res: { json(body: unknown): void }) => void): void;
}
const express = createRequire(import.meta.url)('express') as (() => Express) & { json(): unknown };

const admin = { authorization: `Bearer ${ADMIN_KEY}` };
const json = { 'content-type': 'application/json' };

const slow = { ends: [] as (() => void)[] };
const slowly = definePlugin({
  name: 'slowly',
  version: '1.0.0',
  register: () => ({
    routes: [
      route({
        method: 'POST',
        path: '/v1/slow',
        auth: 'none',
        summary: 'Responds when the test says so.',
        request: { payload: object({ what: string() }) },
        responses: { 200: object({ what: string() }) },
        handler: ({ payload: { what } }) => new Promise((resolve) => slow.ends.push(() => resolve({ what }))),
      }),
    ],
  }),
});

const newPlatform = (options: Partial<PlatformOptions> = {}) => {
  const log = new RecordingLogger();
  const plugins: readonly Plugin[] = [channels(), messages(), consolePages(), slowly()];
  const platform = createPlatform({ plugins, admin: { key: ADMIN_KEY }, ports: { workers: new InlinePool(), log }, ...options });
  return { platform, log };
};

async function listen(t: Tap, server: Server): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Starts a host with a route of its own, `/own`, and the platform below `/messaging`. @returns its URL */
type StartHost = (t: Tap, platform: Platform) => Promise<string>;

const hosts: Readonly<Record<string, StartHost>> = {
  Express(t, platform) {
    const app = express();
    app.use('/messaging', platform.nodeHandler());
    app.use(express.json());
    app.post('/own', ({ body }, res) => res.json({ own: body }));
    return listen(t, createServer(app));
  },
  async Fastify(t, platform) {
    const app = Fastify();
    const handle = platform.nodeHandler({ prefix: '/messaging' });
    app.addHook('onRequest', (req, reply, done) => {
      if (!/^\/messaging(?=[/?]|$)/.test(req.url)) return done();
      reply.hijack();
      handle(req.raw, reply.raw);
    });
    app.post('/own', async ({ body }) => ({ own: body }));
    t.teardown(() => app.close());
    return app.listen({ port: 0, host: '127.0.0.1' });
  },
  'node:http': (t, platform) => {
    const handle = platform.nodeHandler({ prefix: '/messaging' });
    return listen(
      t,
      createServer(async (req, res) => {
        if (req.url !== '/own') return handle(req, res);
        res.setHeader('content-type', 'application/json').end(JSON.stringify({ own: JSON.parse(await text(req)) }));
      }),
    );
  },
};

for (const [name, start] of Object.entries(hosts)) {
  t.test(`in ${name}, the platform serves all kinds of requests below its path, and the host keeps its own`, async (t) => {
    const { platform, log } = newPlatform();
    await platform.start();
    const host = await start(t, platform);
    const url = `${host}/messaging`;
    const call = async (method: string, path: string, body?: string | object, headers: Record<string, string> = {}) => {
      const sent = typeof body === 'object' ? JSON.stringify(body) : body;
      const init = { method, redirect: 'manual', headers: { ...(sent && json), ...headers }, ...(sent && { body: sent }) } as const;
      const response = await fetch(`${url}${path}`, init);
      const shown = await response.text();
      const isJson = response.headers.get('content-type')?.startsWith('application/json');
      return { status: response.status, headers: response.headers, body: isJson && shown !== '' ? JSON.parse(shown) : shown };
    };

    t.match(await call('GET', '/health'), { status: 200, body: { status: 'ok' } });
    t.match(await call('HEAD', '/health'), { status: 200, body: '' });
    t.match(await call('GET', '/nothing?a=b'), { status: 404, body: { errors: [{ title: 'Resource not found' }] } });
    t.match(await call('GET', ''), { status: 404, body: { errors: [{ title: 'Resource not found' }] } });
    t.match(await call('GET', '/%zz'), { status: 400 });
    t.match(await call('PUT', '/v1/numbers', {}), { status: 405 });
    t.match(await call('POST', '/v1/numbers', {}), { status: 401 });

    const about = { kind: 'network', address: '+27600000001', name: 'Shop' };
    const { number } = (await call('POST', '/admin/v1/numbers', about, admin)).body;
    const { text: token } = (await call('POST', `/admin/v1/numbers/${number.uuid}/tokens`, { name: 'test' }, admin)).body;
    const bearer = { authorization: `Bearer ${token}` };
    const channel = {
      backend_type: 'channel',
      number_type: 'channel_http_api',
      from_addr: 'web:1',
      name: 'Web',
      endpoint: 'https://c.test/',
    };
    t.match(await call('POST', '/v1/numbers', channel, bearer), { status: 201, body: { number: { uuid: /./ } } });
    t.match(await call('POST', '/v1/numbers', '{not json', bearer), { status: 400 });
    t.match(await call('POST', '/v1/messages', `"${'x'.repeat(1_100_000)}"`, bearer), { status: 413 });
    t.match(await call('GET', '/admin/v1/numbers', undefined, admin), { body: { numbers: { length: 2 } } });

    t.equal(platform.publicUrl(), `${host.replace('127.0.0.1', 'localhost')}/messaging`);
    t.match(await call('GET', '/openapi.json'), { body: { servers: [{ url: platform.publicUrl() }] } });
    const page = await call('GET', '/console/');
    t.match(page, { status: 200, body: /<title>Posthorn console/ });
    t.match(page.headers.get('content-security-policy'), /script-src 'self'/);
    const opened = await call('POST', '/admin/v1/console/sessions', undefined, admin);
    const link = new URL(opened.body.url);
    t.equal(link.pathname, '/messaging/console/');
    const signedIn = await call('GET', `/console/${link.search}`);
    t.match(signedIn, { status: 303 });
    t.equal(new URL(signedIn.headers.get('location')!, `${url}/console/`).href, `${url}/console/`);
    const cookie = signedIn.headers.get('set-cookie')!.split(';')[0]!;
    t.match(await call('GET', '/admin/v1/numbers', undefined, { cookie, 'sec-fetch-site': 'same-origin' }), { status: 200 });

    const own = await fetch(`${host}/own`, { method: 'POST', headers: json, body: '{"what":"mine"}' });
    t.strictSame(await own.json(), { own: { what: 'mine' } });
    await platform.stop();
    t.match(await call('GET', '/health'), { status: 503, body: { errors: [{ details: 'Not ready: the platform is stopped' }] } });
    t.strictSame((await fetch(`${host}/own`, { method: 'POST', headers: json, body: '{}' })).status, 200, 'the host goes on');
    t.strictSame(
      log.lines.filter(({ level }) => level === 'error' || level === 'warn'),
      [],
    );
  });

  t.test(`in ${name}, a stop ends event streams and waits for calls in progress`, async (t) => {
    const { platform } = newPlatform();
    const url = `${await start(t, platform)}/messaging`;
    const stream = await fetch(`${url}/admin/v1/events`, { headers: admin });
    const aborting = new AbortController();
    const aborted = fetch(`${url}/v1/slow`, { method: 'POST', headers: json, body: '{"what":"a"}', signal: aborting.signal });
    while (slow.ends.length < 1) await sleep(5);
    aborting.abort();
    await t.rejects(aborted, { name: 'AbortError' }, 'the first request has started the platform');
    const response = fetch(`${url}/v1/slow`, { method: 'POST', headers: json, body: '{"what":"b"}' });
    while (slow.ends.length < 2) await sleep(5);
    const stopping = platform.stop();
    t.match(await stream.text(), /^retry: 1000/, 'the stream has ended');
    for (const end of slow.ends.splice(0)) end();
    const { status, headers } = await response;
    t.match({ status, connection: headers.get('connection') }, { status: 200, connection: 'close' });
    await stopping;
  });

  t.test(`in ${name}, connections are kept, and a body of chunks arrives`, async (t) => {
    const { platform } = newPlatform();
    const url = `${await start(t, platform)}/messaging`;
    t.teardown(() => platform.stop());
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    t.teardown(() => agent.destroy());
    const ports = new Set<number | undefined>();
    for (let i = 0; i < 3; i++) {
      const sent = request(`${url}/v1/slow`, { method: 'POST', agent, headers: { ...json, expect: '100-continue' } });
      sent.once('continue', () => {
        sent.write('{"what":');
        sent.end('"chunks"}');
      });
      sent.flushHeaders();
      while (slow.ends.length < 1) await sleep(5);
      slow.ends.pop()!();
      const [response] = (await once(sent, 'response')) as [IncomingMessage];
      ports.add(response.socket.localPort);
      t.strictSame(JSON.parse(await text(response)), { what: 'chunks' });
    }
    t.equal(ports.size, 1);
  });
}

t.test('a body that a parser of the host has read is refused with the reason', async (t) => {
  const { platform, log } = newPlatform();
  t.teardown(() => platform.stop());
  const app = express();
  app.use(express.json());
  app.use('/messaging', platform.nodeHandler());
  const fastify = Fastify();
  const handle = platform.nodeHandler({ prefix: '/messaging' });
  fastify.all('/messaging/*', (req, reply) => {
    reply.hijack();
    handle(req.raw, reply.raw);
  });
  t.teardown(() => fastify.close());
  for (const url of [await listen(t, createServer(app)), await fastify.listen({ port: 0, host: '127.0.0.1' })]) {
    const post = (body: string) => fetch(`${url}/messaging/v1/slow`, { method: 'POST', headers: json, body });
    const response = await post('{"what":"a"}');
    t.equal(response.status, 500);
    t.match(await response.json(), { errors: [{ details: /^The body was read before .* before body parsers such as express.json\(\)$/ }] });
    t.match(log.lines.pop(), { level: 'error', message: /^The body was read before/, fields: { method: 'POST' } });
    t.equal((await fetch(`${url}/messaging/health`)).status, 200, 'other requests are served');
  }
  const empty = await fetch(`${await listen(t, createServer(app))}/messaging/v1/slow`, { method: 'POST' });
  t.equal(empty.status, 400, 'no body is lost');
});

t.test('a platform that cannot start says so to its caller, or to clients and the log', async (t) => {
  const broken = definePlugin({
    name: 'broken',
    version: '1.0.0',
    register: () => ({
      start() {
        throw new Error('no such queue');
      },
    }),
  });
  for (const isExplicit of [true, false]) {
    const { platform, log } = newPlatform({ plugins: [broken()] });
    const url = await listen(t, createServer(platform.nodeHandler()));
    if (isExplicit) await t.rejects(platform.start(), { message: "plugin 'broken' failed at start: no such queue" });
    for (let i = 0; i < 2; i++) {
      const response = await fetch(`${url}/health`);
      t.match({ status: response.status, retry: response.headers.get('retry-after') }, { status: 503, retry: '5' });
      t.match(await response.json(), { errors: [{ details: /the platform could not start; (its log|the error of the start) says why$/ }] });
    }
    const lines = log.lines.filter(({ level }) => level === 'error').map(({ message }) => message);
    t.strictSame(lines, isExplicit ? [] : ['the platform could not start'], 'one line, however many requests');
    await platform.stop();
  }
});

t.test('start and stop of a platform with a handler work in any order', async (t) => {
  const notes: string[] = [];
  const noting = definePlugin({
    name: 'noting',
    version: '1.0.0',
    register: () => ({ start: () => sleep(20).then(() => void notes.push('start')), stop: () => void notes.push('stop') }),
  });
  const serve = async () => {
    notes.length = 0;
    const { platform } = newPlatform({ plugins: [noting()] });
    const url = await listen(t, createServer(platform.nodeHandler()));
    return { platform, health: () => fetch(`${url}/health`).then(({ status }) => status) };
  };

  const first = await serve();
  t.strictSame(await Promise.all([first.health(), first.health()]), [200, 200], 'the first requests start it');
  await first.platform.start();
  t.strictSame(notes, ['start'], 'once');
  await Promise.all([first.platform.stop(), first.platform.stop()]);
  t.strictSame([notes, await first.health()], [['start', 'stop'], 503]);

  const early = await serve();
  const started = early.platform.start();
  t.strictSame([await early.health(), notes], [200, ['start']], 'a request waits for the start');
  await started;
  await early.platform.stop();

  const unused = await serve();
  await unused.platform.start();
  await unused.platform.stop();
  t.strictSame([notes, await unused.health()], [['start', 'stop'], 503], 'without any request');

  const never = await serve();
  await never.platform.stop();
  t.strictSame([await never.health(), notes], [503, []]);

  const hasty = await serve();
  const response = hasty.health();
  while (hasty.platform.storeHealth().state !== 'open') await sleep(1);
  await hasty.platform.stop();
  t.ok([200, 503].includes(await response));
  t.strictSame(notes, ['start', 'stop']);
});

t.test('the handler works at the root, below parameters of a path, and over TLS', async (t) => {
  t.throws(() => newPlatform().platform.nodeHandler({ prefix: 'messaging' }), { name: 'TypeError', message: /must begin with a slash/ });
  t.throws(() => newPlatform().platform.nodeHandler({ prefix: '/messaging/' }), { name: 'TypeError' });

  const { platform } = newPlatform();
  t.teardown(() => platform.stop());
  const app = express();
  app.use('/:tenant/messaging', platform.nodeHandler());
  const url = await listen(t, createServer(app));
  for (const tenant of ['one', 'tw%C3%B6', 'a%20%7Bb%7D'])
    for (const [path, status] of [
      ['/health', 200],
      ['/v1/nothing', 404],
    ] as const)
      t.equal((await fetch(`${url}/${tenant}/messaging${path}`)).status, status, tenant);

  const secure = newPlatform().platform;
  t.teardown(() => secure.stop());
  const server = createTlsServer({ key: goodKey, cert: goodCertificate }, secure.nodeHandler());
  await listen(t, server);
  const { port } = server.address() as AddressInfo;
  const { request: requestTls } = await import('node:https');
  const [response] = (await once(
    requestTls(`https://127.0.0.1:${port}/openapi.json`, { rejectUnauthorized: false, agent: false }).end(),
    'response',
  )) as [IncomingMessage];
  t.match(JSON.parse(await text(response)), { servers: [{ url: `https://localhost:${port}` }] });
  t.match(await fetch(`${url}/outside`).then(({ status }) => status), 404);

  const { platform: prefixed } = newPlatform();
  t.teardown(() => prefixed.stop());
  const outside = await fetch(`${await listen(t, createServer(prefixed.nodeHandler({ prefix: '/messaging' })))}/messagings/health`);
  t.match(await outside.json(), { errors: [{ details: 'This handler serves paths below /messaging' }] });
});
