import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { Readable } from 'node:stream';
import t from 'tap';
import { definePlugin, object, route, string } from '#core';
import type { Tap } from '#core/testing';
import { until } from '../../../scripts/crash/until.js';
import { inboundText } from '../channels/channel-under-test.js';
import { ADMIN_KEY, numberIn, routed } from './routed.js';

/** The calls that a shard received at its routes. */
const seen = { begun: 0, left: 0, taken: 0, answer: () => {} };
const held = route({
  method: 'POST',
  path: '/v1/held',
  summary: 'Responds when the test says so.',
  responses: { 200: object({ done: string() }) },
  async handler({ request: { raw } }) {
    seen.begun++;
    raw.res.once('close', () => raw.res.writableFinished || seen.left++);
    await new Promise<void>((resolve) => {
      seen.answer = resolve;
    });
    return { done: 'yes' };
  },
});
const taken = route({
  method: 'POST',
  path: '/v1/taken',
  summary: 'Takes a body.',
  body: 'bytes',
  maxBytes: 8 * 1024 * 1024,
  responses: { 200: object({ done: string() }) },
  handler() {
    seen.taken++;
    return { done: 'yes' };
  },
});
const endless = route({
  method: 'GET',
  path: '/v1/endless',
  summary: 'Responds without an end.',
  responses: { 200: { contentType: 'application/octet-stream' } },
  handler(_, h) {
    const endless = new Readable({ read: () => void endless.push(Buffer.alloc(64 * 1024)) });
    endless.once('close', () => seen.left++);
    return h.response(endless).type('application/octet-stream');
  },
});
const routes = definePlugin({ name: 'held', version: '1.0.0', register: () => ({ routes: [held, taken, endless], admin: [held] }) });

/** One cluster for all tests, with a number of the first process, and one that the other process has. */
const cluster = await routed(t, { extra: [routes()], waitMs: 60_000 });
t.teardown(() => seen.answer());
const numbers: { shard: string; uuid: string; token: string }[] = [];
for (const shard of ['shard-1', 'shard-2']) numbers.push({ shard, ...(await numberIn(cluster, shard, shard)) });
let messages = 0;

/** Begins a call to the first process. */
function begin(method: string, path: string, headers: Record<string, string | number>): ClientRequest {
  const { port } = new URL(cluster.processes[0]!.url);
  const call = request({ host: '127.0.0.1', port, method, path, headers, agent: false });
  // The connection is closed by the test.
  call.on('error', () => undefined);
  return call;
}

async function worksOn(t: Tap, { uuid, token }: { uuid: string; token: string }, shard: string) {
  const authorization = `Bearer ${token}`;
  const sent = await cluster.call(0, 'POST', `/v1/numbers/${uuid}/messages`, inboundText('hi', { id: `later-${messages++}` }), {
    authorization,
  });
  t.equal(sent.status, 200, `${shard} responds to the next call`);
  for (const { failures } of cluster.processes) t.strictSame(failures, [], 'no exception');
}

t.test('a client that leaves before the response ends the call at the owner', async (t) => {
  for (const { shard, ...number } of numbers) {
    Object.assign(seen, { begun: 0, left: 0 });
    const call = begin('POST', '/v1/held', { authorization: `Bearer ${number.token}`, 'content-length': 0 });
    call.end();
    await until(() => seen.begun === 1, 'the handler has begun');
    call.destroy();
    await until(() => seen.left === 1, 'the owner has noticed');
    seen.answer();
    await worksOn(t, number, shard);
  }
});

t.test('a body of which only half arrives has no effect', async (t) => {
  seen.taken = 0;
  const bodies = [
    { what: 'a small one, which is read before it is passed on', headers: { 'content-length': 1_000 }, half: 500 },
    { what: 'a large one, which is passed on while it arrives', headers: { 'content-length': 4_000_000 }, half: 2_000_000 },
    { what: 'one of unknown length', headers: { 'transfer-encoding': 'chunked' }, half: 100_000 },
  ];
  for (const { shard, ...number } of numbers) {
    for (const { what, headers, half } of bodies) {
      const authorization = `Bearer ${number.token}`;
      const call = begin('POST', '/v1/taken', { authorization, 'content-type': 'application/octet-stream', ...headers });
      await new Promise<unknown>((resolve) => call.write(Buffer.alloc(half), resolve));
      const left = cluster.processes[0]!.server.events.once('response');
      call.destroy();
      await left;
      await worksOn(t, number, shard);
      t.equal(seen.taken, 0, `${what}, for ${shard}`);
    }
  }
});

t.test('half of an admin call has no effect, and a list whose client has left ends', async (t) => {
  const authorization = `Bearer ${ADMIN_KEY}`;
  const half = begin('POST', '/admin/v1/numbers', { authorization, 'content-type': 'application/json', 'content-length': 1_000 });
  await new Promise<unknown>((resolve) => half.write('{"kind": "network", "addr', resolve));
  const left = cluster.processes[0]!.server.events.once('response');
  half.destroy();
  await left;

  cluster.own('shard-2', undefined);
  const { listener } = cluster.processes[0]!.server;
  const before = await connections(listener);
  const list = begin('GET', '/admin/v1/numbers', { authorization });
  list.end();
  await until(async () => (await connections(listener)) > before, 'the call waits for the owner');
  const ended = cluster.processes[0]!.server.events.once('response');
  list.destroy();
  await ended;
  cluster.own('shard-2', 1);
  for (const { shard, ...number } of numbers) await worksOn(t, number, shard);
});

t.test('a client that stops reading ends the response of the owner', async (t) => {
  for (const { shard, ...number } of numbers) {
    Object.assign(seen, { begun: 0, left: 0 });
    const call = begin('GET', '/v1/endless', { authorization: `Bearer ${number.token}` });
    call.end();
    const [response] = (await once(call, 'response')) as [IncomingMessage];
    await once(response, 'data');
    t.equal(seen.left, 0);
    call.destroy();
    await until(() => seen.left === 1, 'the owner has noticed');
    await worksOn(t, number, shard);
  }
});

t.test('a response that the owner cannot complete is cut off for the client, not ended', async (t) => {
  const call = begin('GET', '/v1/endless', { authorization: `Bearer ${numbers[1]!.token}` });
  call.end();
  const [response] = (await once(call, 'response')) as [IncomingMessage];
  await once(response, 'data');
  response.pause();
  (cluster.processes[1]!.server.listener as import('node:http').Server).closeAllConnections();
  response.resume();
  await t.rejects(once(response, 'end'), { code: 'ECONNRESET' });
  t.equal(response.complete, false);
});

const connections = (listener: { getConnections(callback: (error: Error | null, count: number) => void): void }): Promise<number> =>
  new Promise((resolve, reject) => listener.getConnections((error, count) => (error ? reject(error) : resolve(count))));
