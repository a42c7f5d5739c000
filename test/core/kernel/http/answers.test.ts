import { hostname } from 'node:os';
import t from 'tap';
import { boolean, definePlugin, object, PlatformError, type Route, route, string } from '#core';
import { StoreUnavailable, TransactionConflict } from '#core/ports';
import { type Answer, startPlatform } from '#core/testing';

/** Routes with one kind of response each. */
const answering = definePlugin({
  name: 'answering',
  version: '1.0.0',
  register: () => {
    const get = (path: `/${string}`, handler: () => object) =>
      route({ method: 'GET', path, auth: 'none', summary: 'Answers.', responses: { 200: object({ done: boolean() }) }, handler });
    const fail = (error: Error) => (): never => {
      throw error;
    };
    return {
      routes: [
        get('/v1/done', () => ({ done: true })),
        get('/v1/broken', fail(new Error('something private'))),
        get('/v1/closed', fail(new StoreUnavailable('no space left'))),
        get('/v1/crowded', fail(new TransactionConflict('again and again'))),
        get('/v1/text', fail('a text' as unknown as Error)),
        route({
          method: 'GET',
          path: '/v1/file',
          auth: 'none',
          summary: 'Answers with a file.',
          request: { query: object({}, { name: string() }) },
          responses: { 200: { contentType: 'text/plain' } },
          handler: (_, h) => h.response('0123456789').type('text/plain'),
        }),
        route({
          method: 'GET',
          path: '/v1/empty-file',
          auth: 'none',
          summary: 'Answers with a file of no bytes.',
          responses: { 200: { contentType: 'text/plain' } },
          handler: (_, h) => h.response(Buffer.alloc(0)).type('text/plain'),
        }),
      ],
    };
  },
})();

t.test('every response has a request id, which does not reveal the machine', async (t) => {
  const { call } = await startPlatform(t, { plugins: [answering] });
  const answers = await Promise.all(
    ['/v1/done', '/v1/broken', '/v1/unknown', '/v1/file?name=a&name=b', '/admin/v1/numbers'].map((path) => call('GET', path)),
  );
  t.strictSame(
    answers.map(({ status }) => status),
    [200, 500, 404, 400, 401],
  );
  const ids = answers.map(({ headers }) => String(headers['x-request-id']));
  for (const id of ids) t.match(id, /^\d{13}-\d+$/);
  t.equal(new Set(ids).size, ids.length);
  t.notOk(JSON.stringify(answers).includes(hostname()));
});

t.test('a file of no bytes gets the declared 200, not 204', async (t) => {
  const { call } = await startPlatform(t, { plugins: [answering] });
  t.match(await call('GET', '/v1/empty-file'), { status: 200, body: '', headers: { 'content-length': 0, 'content-type': /^text\/plain/ } });
});

t.test('the API has one version, whatever a client says it accepts', async (t) => {
  const { call } = await startPlatform(t, { plugins: [answering] });
  for (const accept of ['*/*', 'application/json', 'application/vnd.v1+json', 'application/vnd.v2+json', 'text/html', ';;;']) {
    const { status, body, headers } = await call('GET', '/v1/done', { headers: { accept } });
    t.match({ status, body }, { status: 200, body: { done: true } }, accept);
    t.match(headers['content-type'], /^application\/json/);
    t.strictSame([headers.etag, headers['cache-control']], [undefined, 'no-cache'], 'headers of the unsent response are removed');
    for (const name of ['deprecation', 'sunset']) t.notOk(name in headers);
  }
  t.equal((await call('GET', '/v2/done')).status, 404);
});

t.test('a 500 names only the request id; a temporary failure says that it is temporary', async (t) => {
  const { call, log } = await startPlatform(t, { plugins: [answering] });
  const summary = ({ status, body }: Answer) => [status, body.errors[0].title, body.errors[0].details.replace(/\d+-\d+/, '<id>')];
  const internal = [500, 'Internal error', 'Internal error; search the log for request <id>'];
  t.strictSame(summary(await call('GET', '/v1/broken')), internal);
  t.strictSame(summary(await call('GET', '/v1/text')), internal);
  t.strictSame(summary(await call('GET', '/v1/closed')), [
    503,
    'Service unavailable',
    'The store accepts no writes at the moment; the log says why',
  ]);
  t.strictSame(summary(await call('GET', '/v1/crowded')), [
    503,
    'Service unavailable',
    'Too many calls change the same data at the moment; try again',
  ]);
  t.match(log.lines, [
    { level: 'error', message: 'a request failed', fields: { method: 'get', path: '/v1/broken', error: { message: /something private/ } } },
    { fields: { error: 'a text' } },
    { fields: { error: { message: /no space left/ } } },
    { fields: { error: { message: /again and again/ } } },
  ]);
});

t.test('a response that JSON cannot express becomes a logged 500', async (t) => {
  class Odd extends PlatformError {}
  const endless: { self?: object } = {};
  endless.self = endless;
  const get = (path: `/${string}`, handler: Route['handler']) =>
    route({ method: 'GET', path, auth: 'none', summary: 'Answers.', responses: { 200: object({}) }, handler });
  const odd = definePlugin({
    name: 'odd',
    version: '1.0.0',
    register: () => ({
      routes: [
        get('/v1/big', () => ({ a: 10n }) as never),
        get('/v1/endless', (_, h) =>
          h.response(endless).code(201).header('x-own', 'kept').etag('abc').header('cache-control', 'public, max-age=3600'),
        ),
        get('/v1/measured', (_, h) =>
          h.response({ a: 1n }).header('content-length', '3').header('content-encoding', 'gzip').header('content-range', 'bytes 0-2/9'),
        ),
        get('/v1/passed-on', (...given) => given[1].response({ a: 1n })),
        get('/v1/none', () => (() => 'a function') as never),
        get('/v1/odd', () => {
          throw new Odd(418, 'odd', 'odd');
        }),
        get('/v1/spaced', (_, h) => h.response({ a: 1 }).spaces(1)),
        get('/v1/plain', (_, h) => h.response('text').type('text/plain')),
      ],
      errors: { render: (error) => (error instanceof Odd ? { status: 418, body: { big: 10n } } : undefined), schemas: {} },
    }),
  });
  const { call, log, server } = await startPlatform(t, { plugins: [odd()], checkResponses: false });
  for (const path of ['/v1/big', '/v1/endless', '/v1/measured', '/v1/passed-on', '/v1/none', '/v1/odd']) {
    log.lines.length = 0;
    const { status, body, headers } = await call('GET', path);
    const id = String(headers['x-request-id']);
    t.equal(status, 500, path);
    t.match(headers['content-type'], /^application\/json/);
    t.match(body, {
      errors: [{ code: 500, title: 'Internal error', details: `Internal error; search the log for request ${id}` }],
    });
    t.match(log.lines, [
      { level: 'error', message: 'a request failed', fields: { request_id: id, path, error: { message: /serialized as JSON/ } } },
    ]);
    t.equal(log.lines.length, 1);
  }
  const measured = await server.inject('/v1/measured');
  t.equal(Number(measured.headers['content-length']), Buffer.byteLength(measured.payload), 'content-length fits the new body');
  for (const name of ['content-encoding', 'content-range']) t.notOk(name in measured.headers, name);
  t.equal((await server.inject('/v1/spaced')).payload, '{\n "a": 1\n}', "a handler's own format applies");
  t.equal((await call('GET', '/v1/plain')).body, 'text');
  t.strictSame(
    (await server.inject('/health')).result,
    { status: 'ok', memory: 'enough' },
    'who injects a call has its answer as an object',
  );
});

t.test('a client may request a range of a file, but not of a JSON body', async (t) => {
  const { call } = await startPlatform(t, { plugins: [answering] });
  const headers = { range: 'bytes=2-3' };
  t.match(await call('GET', '/v1/file', { headers }), { status: 206, body: '23' });
  t.match(await call('GET', '/v1/done', { headers }), { status: 200, body: { done: true } });
});

t.test('every 5xx has Retry-After, and other responses do not', async (t) => {
  const { call } = await startPlatform(t, { plugins: [answering] });
  for (const path of ['/v1/broken', '/v1/closed', '/v1/crowded', '/v1/text']) {
    const { status, headers } = await call('GET', path);
    t.ok(status >= 500, path);
    t.match(headers['retry-after'], /^[1-9]\d*$/, path);
  }
  for (const path of ['/v1/done', '/v1/unknown']) t.notOk('retry-after' in (await call('GET', path)).headers, path);
});
