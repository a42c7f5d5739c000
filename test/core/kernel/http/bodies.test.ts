import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { PassThrough } from 'node:stream';
import { deflateSync, gzipSync } from 'node:zlib';
import Hapi, { type Request } from '@hapi/hapi';
import t from 'tap';
import { anyValue, array, boolean, createPlatform, definePlugin, integer, object, oneOf, route, string } from '#core';
import { type Answer, InlinePool, RecordingLogger, startPlatform, type Tap } from '#core/testing';
import { checkJson } from '../../../../core/kernel/http/json-body.js';
import { readBody } from '../../../../core/kernel/http/read-body.js';

const MEBIBYTE = 1024 * 1024;

/** Routes with every kind of body. */
const taking = definePlugin({
  name: 'taking',
  version: '1.0.0',
  register: () => ({
    routes: [
      route({
        method: 'POST',
        path: '/v1/json',
        auth: 'none',
        summary: 'Takes JSON.',
        request: {
          payload: object(
            {},
            { text: string(), number: integer(), flag: boolean(), any: anyValue(), tags: array(oneOf('a', 'b')).unique() },
          ),
        },
        responses: { 200: object({ keys: array(string()) }) },
        handler: ({ payload }) => ({ keys: Object.keys(payload) }),
      }),
      route({
        method: 'POST',
        path: '/v1/large',
        auth: 'none',
        maxBytes: 2 * MEBIBYTE,
        summary: 'Takes more JSON.',
        request: { payload: object({ text: string() }) },
        responses: { 200: object({ length: integer() }) },
        handler: ({ payload }) => ({ length: payload.text.length }),
      }),
      route({
        method: 'POST',
        path: '/v1/bytes',
        auth: 'none',
        body: 'bytes',
        maxBytes: 1000,
        summary: 'Takes bytes.',
        responses: { 200: object({ sha256: string(), size: integer() }) },
        handler({ payload }) {
          const bytes = payload as Buffer;
          return { sha256: createHash('sha256').update(bytes).digest('hex'), size: bytes.length };
        },
      }),
      route({
        method: 'POST',
        path: '/v1/nothing',
        auth: 'none',
        summary: 'Takes nothing.',
        responses: { 200: object({ done: boolean() }) },
        handler: () => ({ done: true }),
      }),
    ],
  }),
})();

async function startTaking(t: Tap) {
  const { call, server } = await startPlatform(t, { plugins: [taking] });
  const post = (
    path: string,
    payload?: unknown,
    headers: Record<string, string> = { 'content-type': 'application/json' },
  ): Promise<Answer> => call('POST', path, { headers, ...(payload !== undefined && { payload }) });
  return { post, server };
}

const error = (code: number, title: string, details: string | RegExp) => ({ errors: [{ code, title, details }] });
const invalid = (details: string | RegExp) => ({ status: 400, body: error(1009, 'Parameter value is not valid', details) });
const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;

t.test('a body may have up to 1 MiB', async (t) => {
  const { post } = await startTaking(t);
  const sized = (bytes: number) => `{"text":"${'x'.repeat(bytes - 11)}"}`;
  t.equal((await post('/v1/json', sized(MEBIBYTE))).status, 200);
  t.match(await post('/v1/json', sized(MEBIBYTE + 1)), {
    status: 413,
    body: error(413, 'Body too large', 'The body is larger than 1048576 bytes'),
  });
});

t.test('a route may set the maximum size of its body', async (t) => {
  const { post } = await startTaking(t);
  const sized = (bytes: number) => `{"text":"${'x'.repeat(bytes - 11)}"}`;
  t.equal((await post('/v1/large', sized(2 * MEBIBYTE))).status, 200);
  t.match(await post('/v1/large', sized(2 * MEBIBYTE + 1)), { status: 413, body: error(413, 'Body too large', /2097152/) });
  t.equal((await post('/v1/bytes', Buffer.alloc(1000))).status, 200);
  t.match(await post('/v1/bytes', Buffer.alloc(1001)), { status: 413 });
  t.match(await post('/v1/nothing', sized(MEBIBYTE + 1)), { status: 413 }, 'also for a body that the route ignores');
});

t.test('the size limit applies after decompression', async (t) => {
  const { post } = await startTaking(t);
  const packed = gzipSync(`{"text":"${'x'.repeat(50 * MEBIBYTE)}"}`);
  t.ok(packed.length < 100_000);
  t.match(await post('/v1/json', packed, { 'content-type': 'application/json', 'content-encoding': 'gzip' }), { status: 413 });
});

/** A listening platform, and a function that sends raw bytes and resolves with its response. */
async function listening(t: Tap) {
  const server = Hapi.server({ port: 0, host: '127.0.0.1' });
  await server.register(createPlatform({ plugins: [taking], ports: { workers: new InlinePool(), log: new RecordingLogger() } }).hapiPlugin);
  await server.start();
  t.teardown(() => server.stop({ timeout: 0 }));
  return (headers: readonly string[], parts: readonly string[]): Promise<string> =>
    new Promise((resolve, reject) => {
      const socket = connect(Number(server.info.port), '127.0.0.1');
      let answer = '';
      socket.on('data', (data) => (answer += data));
      socket.once('close', () => resolve(answer)).once('error', reject);
      const head = ['POST /v1/json HTTP/1.1', 'host: a.test', 'connection: close', 'content-type: application/json', ...headers];
      socket.write(`${head.join('\r\n')}\r\n\r\n`);
      for (const part of parts) socket.write(part);
    });
}

const chunked = (text: string): string[] => [`${text.length.toString(16)}\r\n${text}\r\n`, '0\r\n\r\n'];

t.test('a chunked body over the limit gets 413 as soon as it exceeds it', async (t) => {
  const send = await listening(t);
  const sized = (bytes: number) => chunked(`{"text":"${'x'.repeat(bytes - 11)}"}`);
  const asChunks = ['transfer-encoding: chunked'];
  t.match(await send(asChunks, sized(MEBIBYTE + 1)), /^HTTP\/1.1 413 [\s\S]*larger than 1048576 bytes/);
  t.match(await send(asChunks, sized(3 * MEBIBYTE)), /^HTTP\/1.1 413 [\s\S]*larger than 1048576 bytes/);
  t.match(await send([`content-length: ${3 * MEBIBYTE}`], ['x'.repeat(3 * MEBIBYTE)]), /^HTTP\/1.1 413 /);
  t.match(await send(asChunks, sized(MEBIBYTE)), /^HTTP\/1.1 200 /);
});

t.test('a body that never ends is refused after the time limit', async (t) => {
  for (const [payload, refusal] of [
    ['{"te', { status: 408, code: 'body_too_slow', message: 'The body did not arrive within 0.02 seconds' }],
    ['x'.repeat(20), { status: 413, message: /larger than 10 bytes/ }],
  ] as const) {
    const body = Object.assign(new PassThrough(), { headers: {} });
    body.write(payload);
    const request = { payload: body, raw: { req: body } } as unknown as Request;
    await t.rejects(async () => readBody(request, { maxBytes: 10, arrivalMs: 20 }), refusal);
  }
});

t.test('a body that is cut off is refused', async (t) => {
  const body = Object.assign(new PassThrough(), { headers: {} });
  const read = Promise.resolve(readBody({ payload: body, raw: { req: body } } as unknown as Request, { maxBytes: 10 }));
  body.write('{"te');
  body.destroy();
  await t.rejects(read, { status: 400, message: 'The body cannot be read: it ended early' });
});

t.test('a body that has arrived is read without waiting, within the size limit', async (t) => {
  const arrived = (known: object) => Object.assign(new PassThrough(), { complete: false, headers: {} }, known);
  const readFrom = (body: PassThrough) => readBody({ payload: body, raw: { req: body } } as unknown as Request, { maxBytes: 10 });
  for (const text of ['{"a":true}', '']) {
    const complete = arrived({ complete: true });
    complete.end(text);
    const whole = arrived({ headers: { 'content-length': String(text.length) } });
    whole.write(text);
    for (const body of [complete, whole]) {
      const ended = once(body, 'end');
      t.strictSame(readFrom(body), Buffer.from(text));
      body.end();
      await ended;
    }
  }
  const tooLarge = arrived({ complete: true });
  tooLarge.end('{"a":false}');
  t.throws(() => readFrom(tooLarge), /larger than 10 bytes/);
});

t.test('a body in one packet with its headers is read without waiting, and the connection serves the next request', async (t) => {
  const server = Hapi.server({ port: 0, host: '127.0.0.1' });
  await server.register(createPlatform({ plugins: [taking], ports: { workers: new InlinePool(), log: new RecordingLogger() } }).hapiPlugin);
  await server.start();
  t.teardown(() => server.stop({ timeout: 0 }));
  const ended: boolean[] = [];
  server.events.on('response', ({ raw: { req } }) => setImmediate(() => ended.push(req.readableEnded)));
  const socket = connect(Number(server.info.port), '127.0.0.1');
  t.teardown(() => socket.destroy());
  let answers = '';
  socket.on('data', (data) => (answers += data));
  const statuses = (): string[] => [...answers.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status!);
  for (let n = 1; n <= 3; n++) {
    const body = n === 2 ? '{"text":' : '{"text":"a"}';
    const head = ['POST /v1/json HTTP/1.1', 'host: a.test', 'content-type: application/json', `content-length: ${body.length}`];
    socket.write(`${head.join('\r\n')}\r\n\r\n${body}`);
    // The server reports the response before the client has read it.
    while (ended.length < n || statuses().length < n) await new Promise((resolve) => setTimeout(resolve, 5));
  }
  t.strictSame(statuses(), ['200', '400', '200']);
  t.strictSame(ended, [true, true, true], 'Node has seen the end of each request');
});

t.test('a body with invalid UTF-8 is refused, because decoding would change its texts', async (t) => {
  const { post } = await startTaking(t);
  const json = (bytes: number[]): Buffer => Buffer.concat([Buffer.from('{"text":"'), Buffer.from(bytes), Buffer.from('"}')]);
  t.match(await post('/v1/json', json([0xc3, 0xa9])), { status: 200 });
  for (const bytes of [[0xff], [0xc3], [0xed, 0xa0, 0x80], [0xc0, 0x80]]) {
    t.match(await post('/v1/json', json(bytes)), invalid('The body cannot be read: Invalid request payload JSON format'), String(bytes));
  }
});

t.test('bodies may be compressed with gzip or deflate', async (t) => {
  const { post } = await startTaking(t);
  const json = { 'content-type': 'application/json' };
  t.match(await post('/v1/json', gzipSync('{"text":"a"}'), { ...json, 'content-encoding': 'gzip' }), {
    status: 200,
    body: { keys: ['text'] },
  });
  t.match(await post('/v1/json', deflateSync('{"text":"a"}'), { ...json, 'content-encoding': 'deflate' }), { status: 200 });
  t.match(
    await post('/v1/json', 'no gzip', { ...json, 'content-encoding': 'gzip' }),
    invalid('The body cannot be read: Invalid compressed payload'),
  );
  for (const packing of ['br', 'zstd', 'gzip, gzip', 'GARBAGE']) {
    t.match(await post('/v1/json', '{"text":"a"}', { ...json, 'content-encoding': packing }), {
      status: 415,
      body: error(415, 'Unsupported media type', `The content encoding "${packing}" is not supported: send gzip, deflate or none`),
    });
  }
  t.equal((await post('/v1/json', '{"text":"a"}', { ...json, 'content-encoding': 'identity' })).status, 200);
});

t.test('an invalid or empty JSON body is refused with a plain message', async (t) => {
  const { post } = await startTaking(t);
  const notJson = invalid('The body cannot be read: Invalid request payload JSON format');
  for (const body of ['{not json', '{"text":"a"', '{"text":"a"}}', "{'text':'a'}", '{"a":NaN}', '\u0000'])
    t.match(await post('/v1/json', body), notJson, body);
  for (const body of ['[]', '"text"', '5', 'true']) t.match(await post('/v1/json', body), invalid('the body must be of type object'), body);
  for (const body of ['null', '', undefined])
    t.match(await post('/v1/json', body), invalid('the body must be of type object'), String(body));
});

t.test('a missing body is reported by its missing fields', async (t) => {
  const { post } = await startTaking(t);
  for (const body of ['{}', 'null', '', undefined]) t.match(await post('/v1/large', body), invalid('text is required'), String(body));
});

t.test('the content type of a JSON body is application/json or that of the vendor', async (t) => {
  const { post } = await startTaking(t);
  for (const type of ['application/json', 'application/json; charset=utf-8', 'Application/JSON', 'application/vnd.v1+json']) {
    t.equal((await post('/v1/json', '{"text":"a"}', { 'content-type': type })).status, 200, type);
  }
  t.equal((await post('/v1/json', '{"text":"a"}', {})).status, 200, 'without a content type, too');
  for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=a', 'application/xml']) {
    t.match(await post('/v1/json', '{"text":"a"}', { 'content-type': type }), {
      status: 415,
      body: error(415, 'Unsupported media type', 'Send the body as application/json'),
    });
  }
  t.match(
    await post('/v1/json', '{"text":"a"}', { 'content-type': 'garbage' }),
    invalid(/^The body cannot be read: Invalid content-type header/),
  );
});

t.test('a body is nested at most 64 levels deep', async (t) => {
  const { post } = await startTaking(t);
  t.equal((await post('/v1/json', `{"any":${nested(63)}}`)).status, 200);
  const tooDeep = invalid('The body is nested more than 64 levels deep');
  t.match(await post('/v1/json', `{"any":${nested(64)}}`), tooDeep);
  t.match(await post('/v1/json', `{"any":${nested(100_000)}}`), tooDeep);
  t.match(await post('/v1/json', `{"tags":[${nested(100_000)},${nested(100_000)}]}`), tooDeep, 'before the values are compared');
  t.match(await post('/v1/json', `${'{"any":'.repeat(5_000)}1${'}'.repeat(5_000)}`), tooDeep);
});

t.test('keys that lead to a prototype are refused at any depth', async (t) => {
  const { post } = await startTaking(t);
  for (const body of [
    '{"__proto__":{"admin":true}}',
    '{"any":{"__proto__":{"admin":true}}}',
    '{"any":[{"\\u005f_proto__":1}]}',
    '{"constructor":{"prototype":{"admin":true}}}',
    '{"any":[[{"constructor":{"prototype":{"admin":true}}}]]}',
  ]) {
    t.equal((await post('/v1/json', body)).status, 400, body);
  }
  t.equal(({} as { admin?: boolean }).admin, undefined);
  t.match(await post('/v1/json', '{"any":{"constructor":1}}'), invalid("The body has a key 'constructor', which is refused at any depth"));
  t.equal(
    (await post('/v1/json', '{"any":{"constructors":1,"text":"constructor"}}')).status,
    200,
    'the keys are allowed as part of a name or as a value',
  );
});

t.test('validation converts no value of a body, and removes unknown keys', async (t) => {
  const { post } = await startTaking(t);
  for (const body of [{ number: '5' }, { flag: 'true' }, { text: 5 }, { text: '' }, { tags: 'a' }]) {
    t.equal((await post('/v1/json', body)).status, 400, JSON.stringify(body));
  }
  t.match(await post('/v1/json', { text: 'a', unknown: 1 }), { status: 200, body: { keys: ['text'] } });
  t.match(await post('/v1/json', { number: 1.5, flag: 1, text: null }), invalid('number must be an integer; flag must be a boolean'));
});

t.test('a route for bytes accepts a body of any content type unchanged', async (t) => {
  const { post } = await startTaking(t);
  const bytes = gzipSync('not unpacked');
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  for (const type of ['image/jpeg', 'application/json', 'text/plain', 'multipart/form-data; boundary=a']) {
    t.match(await post('/v1/bytes', bytes, { 'content-type': type, 'content-encoding': 'gzip' }), {
      status: 200,
      body: { sha256, size: bytes.length },
    });
  }
  t.match(await post('/v1/bytes', undefined, {}), { status: 200, body: { size: 0 } });
});

t.test('a route without a body schema accepts any body', async (t) => {
  const { post } = await startTaking(t);
  for (const [body, type] of [
    [undefined, 'application/json'],
    ['', 'application/x-www-form-urlencoded'],
    ['{not json', 'application/json'],
    ['<a/>', 'text/xml'],
  ] as const) {
    t.match(await post('/v1/nothing', body, { 'content-type': type }), { status: 200, body: { done: true } });
  }
});

t.test('checkJson limits depth and keys, case by case', async (t) => {
  const deep = (levels: number): unknown => JSON.parse(nested(levels));
  for (const fine of [undefined, null, 'text', 5, [], {}, deep(64), { a: deep(63) }, Array.from({ length: 100_000 }, () => ({}))]) {
    t.doesNotThrow(() => checkJson(fine));
  }
  for (const bad of [deep(65), { a: deep(64) }, [[], deep(64)], JSON.parse('{"__proto__":1}'), [{ constructor: null }]]) {
    t.throws(() => checkJson(bad), { code: 'invalid_request' });
  }
});
