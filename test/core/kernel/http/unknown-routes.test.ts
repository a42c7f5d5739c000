import Hapi from '@hapi/hapi';
import t from 'tap';
import { createPlatform } from '#core';
import { ADMIN_KEY, InlinePool, RecordingLogger, startPlatform, type Tap } from '#core/testing';
import { channels } from '../../../../plugins/channels/plugin.js';
import { flows } from '../../../../plugins/flows/plugin.js';

const details = (method: string, path: string) => ({
  errors: [{ code: 1006, title: 'Resource not found', details: `There is no ${method} "${path}"`, cause: 'route_not_found' }],
});

/** A host application with its own 404, and a platform in it. */
async function startHost(t: Tap, prefix?: string) {
  const server = Hapi.server();
  server.route({ method: '*', path: '/{any*}', handler: (_, h) => h.response('<h1>the host knows no such page</h1>').code(404) });
  server.route({ method: 'GET', path: '/desk/lamp', handler: () => 'a lamp' });
  server.route({ method: 'GET', path: '/v1/hosts', handler: () => 'a route of the host' });
  const platform = createPlatform({
    plugins: [channels()],
    admin: { key: ADMIN_KEY },
    ports: { workers: new InlinePool(), log: new RecordingLogger() },
  });
  await server.register(platform.hapiPlugin, prefix === undefined ? {} : { routes: { prefix } });
  await server.initialize();
  t.teardown(() => server.stop());
  return async (method: string, url: string, payload?: string) => {
    const { statusCode, result, headers } = await server.inject({ method, url, ...(payload !== undefined && { payload }) });
    return { status: statusCode, body: result, type: String(headers['content-type']).split(';')[0] };
  };
}

t.test('an unknown path gets a JSON 404, whatever the method', async (t) => {
  const { call, log } = await startPlatform(t, { plugins: [channels()] });
  for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND', 'TRACE']) {
    const { status, body } = await call(method, '/v1/unknown/thing');
    t.strictSame([status, body], [404, details(method, '/v1/unknown/thing')], method);
  }
  for (const path of ['/v1', '/v1/', '/v1/numbers/a/b/c', '/admin/v1', '/admin/v1/unknown', '/v1/toString', '/v1/%F0%9F%98%80']) {
    t.equal((await call('GET', path)).status, 404, path);
  }
  t.strictSame(log.lines, [], 'it is not logged as a failure');
});

t.test('a path known with other methods gets 405 with Allow', async (t) => {
  const { call } = await startPlatform(t, { plugins: [channels(), flows()] });
  const cases = [
    ['GET', '/v1/numbers', 'POST'],
    ['HEAD', '/v1/numbers', 'POST'],
    ['TRACE', '/v1/numbers', 'POST'],
    ['OPTIONS', '/v1/numbers', 'POST'],
    ['PUT', '/v1/numbers/x/messages', 'POST'],
    ['PUT', '/admin/v1/numbers', 'GET, HEAD, POST'],
    ['TRACE', '/health', 'GET, HEAD'],
    ['POST', '/health', 'GET, HEAD'],
  ] as const;
  for (const [method, path, allow] of cases) {
    const answer = await call(method, path);
    t.match(answer, { status: 405, headers: { allow } }, `${method} ${path}`);
    const details = `${method} is not allowed on "${path}"; allowed methods: ${allow}`;
    if (method !== 'HEAD')
      t.strictSame(answer.body, { errors: [{ code: 405, title: 'Method not allowed', details, cause: 'method_not_allowed' }] });
  }
  const flow = await call('PUT', '/v1/flows/1');
  t.match(flow, { status: 405, headers: { allow: 'POST' }, body: { meta: { http_code: 405 }, errors: [{ title: 'Method not allowed' }] } });
  t.equal((await call('DELETE', '/v1/flows')).status, 400, 'a missing flow_id still has its own error');
});

t.test("routes of the host and of the platform do not add methods to each other's Allow", async (t) => {
  const ask = await startHost(t);
  t.match(await ask('POST', '/v1/hosts'), { status: 404, type: 'application/json' });
  t.match(await ask('PUT', '/v1/numbers'), { status: 405, type: 'application/json' });
  t.match(await ask('TRACE', '/desk/lamp'), { status: 404, type: 'text/html' });
  const prefixed = await startHost(t, '/posthorn');
  t.match(await prefixed('PUT', '/posthorn/v1/numbers'), { status: 405 });
  t.match(await prefixed('PUT', '/v1/numbers'), { status: 404, type: 'text/html' });
});

t.test('a uuid in a path may be in upper case', async (t) => {
  const { call, number } = await startPlatform(t, { plugins: [channels()] });
  const { uuid, token } = await number('channel');
  const inbound = {
    contact: { id: 'u', profile: { name: 'U' } },
    message: { type: 'text', from: 'u', id: 'm', timestamp: '1767600000', text: { body: 'hi' } },
  };
  t.equal((await call('POST', `/v1/numbers/${uuid.toUpperCase()}/messages`, { token, payload: inbound })).status, 200);
  t.match(await call('GET', `/admin/v1/numbers/${uuid.toUpperCase()}/contacts`, { token: ADMIN_KEY }), {
    status: 200,
    body: { contacts: [{ number: uuid }] },
  });
});

t.test('the body of a request to an unknown route is not read', async (t) => {
  const { call } = await startPlatform(t, { plugins: [channels()] });
  const headers = { 'content-type': 'application/json' };
  t.equal((await call('POST', '/v1/unknown', { payload: '{not json', headers })).status, 404);
  t.equal((await call('POST', '/v1/unknown', { payload: 'x', headers: { 'content-type': 'garbage' } })).status, 404);
});

t.test('a long path is cut in the error message, and a strange one is quoted', async (t) => {
  const { call } = await startPlatform(t, { plugins: [channels()] });
  const [error] = (await call('GET', `/v1/${'a'.repeat(5_000)}`)).body.errors;
  t.ok(error.details.length < 150);
  t.equal((await call('GET', '/v1/%22%0A%3Cscript%3E')).status, 404);
});

t.test("under a prefix, every unknown path gets the platform's 404", async (t) => {
  const ask = await startHost(t, '/desk');
  for (const path of ['/desk', '/desk/', '/desk/unknown', '/desk/v1/unknown', '/desk/admin/v1/unknown', '/desk/admin', '/desk/v1/hosts']) {
    t.match(await ask('GET', path), { status: 404, type: 'application/json', body: details('GET', path) });
  }
  t.match(await ask('GET', '/desk/lamp'), { status: 200, body: 'a lamp' }, 'routes of the host still work');
  t.match(await ask('GET', '/v1/hosts'), { status: 200 });
  for (const path of ['/', '/unknown', '/v1/numbers', '/admin/v1/numbers', '/desktop'])
    t.match(await ask('GET', path), { status: 404, type: 'text/html' });
});

t.test("without a prefix, unknown paths below /v1 and /admin/v1 get the platform's 404, and others the host's", async (t) => {
  const ask = await startHost(t);
  t.match(await ask('GET', '/v1/unknown'), { status: 404, type: 'application/json' });
  t.match(await ask('GET', '/admin/v1/unknown'), { status: 404, type: 'application/json' });
  t.match(await ask('GET', '/v1/hosts'), { status: 200, body: 'a route of the host' });
  for (const path of ['/', '/unknown', '/admin', '/v2']) t.match(await ask('GET', path), { status: 404, type: 'text/html' });
});

t.test('a path whose escapes are not UTF-8 is refused in JSON', async (t) => {
  const { call } = await startPlatform(t, { plugins: [channels()] });
  const { status, headers } = await call('POST', '/v1/numbers/%FF%FE/messages');
  t.match([status, headers['content-type']], [400, /^application\/json/]);
});

t.test('a path that cannot be decoded is refused by the platform below its roots, and by the host elsewhere', async (t) => {
  const expected = { errors: [{ code: 1009, details: 'The request URL is malformed' }] };
  const call = await startHost(t);
  t.match(await call('GET', '/v1/%E0'), { status: 400, body: expected, type: 'application/json' });
  t.match(await call('GET', '/v1/numbers/%E0'), { status: 400, body: { message: 'Bad Request', errors: {} } });
  t.match(await call('POST', '/admin/v1/%zz', '{'), { status: 400, body: expected });
  for (const path of ['/desk/%E0', '/v12/%E0']) {
    t.match(await call('GET', path), { status: 400, body: { error: 'Bad Request', statusCode: 400 } }, path);
  }
  const below = await startHost(t, '/messaging');
  t.match(await below('GET', '/messaging/v1/%E0'), { status: 400, body: expected });
  t.match(await below('GET', '/v1/%E0'), { status: 400, body: { error: 'Bad Request' } });
});
