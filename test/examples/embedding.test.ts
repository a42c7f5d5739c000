import { execFileSync, spawn } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import t from 'tap';
import { createPlatform, type Platform } from '#core';
import type { StoreHealth } from '#core/ports';
import { ManualClock, MemoryStore, RecordingLogger, startPlatform } from '#core/testing';
import { channels } from '../../plugins/channels/plugin.js';
import { start as startInHapi } from '../../sandbox/examples/embed-in-hapi.js';
import { platformOver } from '../../sandbox/examples/embed-own-ports.js';
import { ratingsArea } from '../../sandbox/examples/ratings/ratings.js';
import { start as startTwo } from '../../sandbox/examples/two-platforms.js';
import { loadSample } from '../pages/samples.js';

t.test('in a host application, its own authentication guards its routes, and tokens guard those of the platform', async (t) => {
  const server = await startInHapi(0, (user) => user === 'ann');
  t.teardown(() => server.stop());
  t.equal((await server.inject({ method: 'POST', url: '/desks/north' })).statusCode, 403);
  const made = JSON.parse((await server.inject({ method: 'POST', url: '/desks/north', headers: { 'x-user': 'ann' } })).payload);
  const payload = {
    contact: { id: '27820001001', profile: { name: 'Ann' } },
    message: { id: 'in-1', from: '27820001001', timestamp: '1767600000', type: 'text', text: { body: 'hi' } },
  };
  const receive = (headers: Record<string, string>) =>
    server.inject({ method: 'POST', url: `/messaging/v1/numbers/${made.number}/messages`, headers, payload });
  t.equal((await receive({ 'x-user': 'ann' })).statusCode, 401);
  t.equal((await receive({ authorization: `Bearer ${made.token}` })).statusCode, 200);
});

t.test('the platform on the page is served by Fastify and by a server of node:http', async (t) => {
  const page = await loadSample('sandbox/examples/README.md', 'js', 'node-handler.mjs');
  const { inFastify, inNode } = page as {
    inFastify(platform: Platform): FastifyInstance;
    inNode(platform: Platform, respond: RequestListener): Server;
  };
  const newPlatform = () => {
    const platform = createPlatform({ plugins: [channels()], ports: { log: new RecordingLogger() } });
    t.teardown(() => platform.stop());
    return platform;
  };
  const app = inFastify(newPlatform());
  app.post('/own', async ({ body }) => body);
  t.teardown(() => app.close());
  const server = inNode(newPlatform(), (request, response) => void request.pipe(response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => void server.close());
  const port = (server.address() as AddressInfo).port;
  for (const url of [await app.listen({ port: 0, host: '127.0.0.1' }), `http://127.0.0.1:${port}`]) {
    const post = (path: string) =>
      fetch(`${url}${path}`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"a":1}' });
    t.equal((await post('/messaging/v1/numbers')).status, 401);
    t.strictSame(await (await post('/own')).json(), { a: 1 });
  }
});

t.test('the platform uses your own store, clock and logger', async (t) => {
  const lines: { message?: string; service?: string; ms?: number }[] = [];
  const clock = new ManualClock();
  const platform = platformOver({
    store: new MemoryStore({ log: new RecordingLogger() }),
    clock,
    write: (line) => void lines.push(line),
    secretKey: '0'.repeat(64),
    plugins: [channels()],
  });
  await platform.start();
  t.teardown(() => platform.stop());
  const number = await platform.store.transaction(async (tx) => {
    const made = platform.numbers.create(tx, { kind: 'channel', type: 'channel_http_api', address: 'web:1', name: 'Shop' });
    await clock.advance(150);
    return made;
  });
  t.equal(number.created_at, new ManualClock().now().toISOString(), 'the time comes from the clock');
  t.match(lines, [{ level: 'warn', message: 'slow transaction', service: 'messaging', ms: 150 }]);
});

t.test('a wrapped store of your own reports its health', async (t) => {
  let health: StoreHealth = { state: 'open' };
  const listeners: ((health: StoreHealth) => void)[] = [];
  const store = Object.assign(new MemoryStore({ log: new RecordingLogger() }), {
    health: () => health,
    onHealth: (listener: (health: StoreHealth) => void) => void listeners.push(listener),
    async reopen() {
      health = { state: 'open' };
    },
  });
  const platform = platformOver({ store, clock: new ManualClock(), write: () => {}, secretKey: '0'.repeat(64), plugins: [] });
  const received: string[] = [];
  platform.listen(({ name }) => received.push(name));
  await platform.start();
  t.teardown(() => platform.stop());
  health = { state: 'failed', reason: 'no space left' };
  for (const notify of listeners) notify(health);
  t.strictSame([platform.storeHealth(), received], [health, ['store.failed']]);
  await platform.reopenStore();
  t.strictSame(platform.storeHealth(), { state: 'open' });
});

t.test('your own area receives ratings by route and by message, emits them, and averages them in a worker', async (t) => {
  const { call, admin, number, platform, clock, events } = await startPlatform(t, { plugins: [ratingsArea()] });
  const { uuid, token } = await number('network');
  t.match(await call('POST', '/v1/ratings', { token, payload: { contact: 'ann', stars: 5 } }), { status: 201, body: { stars: 5 } });
  t.equal((await call('POST', '/v1/ratings', { token, payload: { contact: 'ann', stars: 6 } })).status, 400);
  const record = await platform.numbers.require(uuid);
  const inbound = { id: '1', from: '+27611111111', contact: { id: '1', name: 'Bo' }, timestamp: '1767600000', type: 'text' };
  await platform.store.transaction((tx) => platform.messages.received(tx, record, { ...inbound, content: { text: { body: '**' } } }));
  await clock.advance(0);
  t.match((await admin('GET', `/ratings/${uuid}`)).body, { average: 3.5, ratings: { length: 2 } });
  t.equal(events.filter(({ name }) => name === 'rating.given').length, 2);
});

t.test('two platforms in one server are independent', async (t) => {
  const { server, live, trial } = await startTwo(0);
  t.teardown(() => server.stop());
  const token = await live.store.transaction((tx) => {
    const { uuid } = live.numbers.create(tx, { kind: 'channel', type: 'channel_http_api', address: 'web:1', name: 'Shop' });
    return live.tokens.issue(tx, uuid, 'test').text;
  });
  const [number] = await live.numbers.list();
  const ask = (prefix: string) =>
    server.inject({ method: 'POST', url: `${prefix}/v1/numbers/${number!.uuid}/messages`, headers: { authorization: `Bearer ${token}` } });
  t.equal((await ask('/live')).statusCode, 400, 'the token is valid, the body is missing');
  t.equal((await ask('/trial')).statusCode, 401);
  t.strictSame(await trial.numbers.list(), []);
});

const python = (() => {
  try {
    return execFileSync('python3', ['--version'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  } catch {
    return undefined; // Python is not installed; the skipped test says so.
  }
})();

t.test(
  'the connector in Python assigns ids to messages and reports their statuses',
  { skip: python ? false : 'there is no python3 here' },
  async (t) => {
    const got: { path: string; body: object }[] = [];
    const platform = createServer(async (request, response) => {
      let body = '';
      for await (const chunk of request) body += chunk;
      got.push({ path: request.url!, body: JSON.parse(body) });
      response.end('{"success":true}');
      platform.emit('received');
    }).listen(0, '127.0.0.1');
    await once(platform, 'listening');
    const SECRET = 'the secret';
    const api = `http://127.0.0.1:${(platform.address() as AddressInfo).port}`;
    const env = { ...process.env, POSTHORN_API: api, POSTHORN_NUMBER: 'n1', POSTHORN_SECRET: SECRET, POSTHORN_TOKEN: 'ph_1', PORT: '0' };
    const child = spawn('python3', ['sandbox/examples/connector.py'], { env, stdio: ['ignore', 'pipe', 'inherit'] });
    t.teardown(async () => {
      child.kill();
      platform.closeAllConnections();
      platform.close();
    });
    const [url] = /http:\S+/.exec(String((await once(child.stdout, 'data'))[0]))!;
    const body = JSON.stringify({ to: '+27611111111', turn: { type: 'text', text: { body: 'hi' } } });
    const signature = createHmac('sha256', SECRET).update(body).digest('base64');
    const deliver = (given: string) => fetch(url, { method: 'POST', body, headers: { 'x-svc-hook-signature': given } });
    t.equal((await deliver('x')).status, 401);
    const answer = (await (await deliver(signature)).json()) as { messages: { id: string }[] };
    while (got.length < 2) await once(platform, 'received');
    const { id } = answer.messages[0]!;
    t.match(got, [
      { path: '/v1/numbers/n1/statuses', body: { status: { id, status: 'sent' } } },
      { body: { status: { id, status: 'delivered' } } },
    ]);
  },
);
