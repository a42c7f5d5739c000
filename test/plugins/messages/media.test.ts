import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import t from 'tap';
import { CONTACT, startChannel } from '../channels/channel-under-test.js';
import { allPlugins, startNetwork } from './network-under-test.js';

const MB = 1024 * 1024;

async function startMedia(t: Parameters<typeof startNetwork>[0]) {
  const test = await startNetwork(t);
  const post = (bytes: string | Buffer, type?: string) =>
    test.call('POST', '/v1/media', { token: test.token, payload: bytes, ...(type !== undefined && { headers: { 'content-type': type } }) });
  const get = (id: string, token = test.token) => test.call('GET', `/v1/media/${id}`, { token });
  return { ...test, post, get };
}

t.test('a file is uploaded as raw bytes and returned unchanged', async (t) => {
  const { post, get, platform } = await startMedia(t);
  const answer = await post('not really a picture', 'image/png; charset=binary');
  t.equal(answer.status, 200);
  t.match(answer.body, { media: [{ id: /^[1-9]\d{15}$/ }], meta: { backend: { name: 'msgapp' }, api_status: 'stable' } });
  const { id } = answer.body.media[0];
  t.match(await get(id), {
    status: 200,
    body: 'not really a picture',
    headers: { 'content-type': /^image\/png/, 'content-disposition': 'attachment', 'x-content-type-options': 'nosniff' },
  });
  const sha256 = createHash('sha256').update('not really a picture').digest('hex');
  t.match(await platform.media.about(id), { sha256, mime_type: 'image/png', size: 20 });
});

t.test('a file of JSON is a file too', async (t) => {
  const { post, get } = await startMedia(t);
  const { body } = await post('{"a":1}', 'application/json');
  t.match(await get(body.media[0].id), { status: 200, body: { a: 1 } });
  t.equal((await post('{"a": 1', 'application/json')).status, 200, 'it is not parsed');
});

t.test('files of other types, empty files and too large ones are refused', async (t) => {
  const { post } = await startMedia(t);
  t.match(await post('x', 'text/html'), { status: 415, body: { errors: [{ code: 131053, details: /"text\/html" are not supported/ }] } });
  t.match(await post('x', 'image/svg+xml'), { status: 415 });
  t.match(await post('x'), { status: 415 });
  t.match(await post('', 'image/png'), { status: 400, body: { errors: [{ details: /empty/ }] } });
  t.equal((await post(Buffer.alloc(5 * MB), 'image/png')).status, 200);
  t.match(await post(Buffer.alloc(5 * MB + 1), 'image/png'), { status: 413, body: { errors: [{ details: /5242880 bytes/ }], meta: {} } });
  t.equal((await post(Buffer.alloc(500 * 1024 + 1), 'image/webp')).status, 413);
  t.equal((await post(Buffer.alloc(16 * MB), 'audio/ogg')).status, 200);
  t.equal((await post(Buffer.alloc(16 * MB + 1), 'audio/ogg')).status, 413);
});

t.test('a compressed upload is refused, because it would be stored as another file', async (t) => {
  const { call, token, get } = await startMedia(t);
  const post = (packing: string) =>
    call('POST', '/v1/media', { token, payload: gzipSync('text'), headers: { 'content-type': 'text/plain', 'content-encoding': packing } });
  t.match(await post('gzip'), {
    status: 415,
    body: { errors: [{ code: 1009, details: /Content-Encoding "gzip" is not supported here/ }], meta: {} },
  });
  t.equal((await post('br')).status, 415);
  const { body } = await call('POST', '/v1/media', {
    token,
    payload: 'text',
    headers: { 'content-type': 'text/plain', 'content-encoding': 'identity' },
  });
  t.match(await get(body.media[0].id), { status: 200, body: 'text' });
});

t.test('a range of a file can be downloaded; an unsatisfiable one is refused in the shape of all errors', async (t) => {
  const { call, token, post, platform } = await startMedia(t);
  const { id } = (await post('0123456789', 'text/plain')).body.media[0];
  const path = `/v1/media/${id}`;
  const get = (range: string, more: Record<string, string> = {}) => call('GET', path, { token, headers: { range, ...more } });
  t.match(await get('bytes=2-4'), { status: 206, body: '234', headers: { 'content-range': 'bytes 2-4/10' } });
  t.match(await get('bytes=-3'), { status: 206, body: '789' });
  t.match(await get('bytes=8-99'), { status: 206, body: '89' });
  for (const range of ['bytes=10-', 'bytes=10-12', 'bytes=-0']) {
    t.match(
      await get(range),
      {
        status: 416,
        body: { errors: [{ code: 1009, title: 'Range not satisfiable', details: /of the file, which has 10 bytes$/ }], meta: {} },
        headers: { 'content-range': 'bytes */10', 'x-request-id': /./ },
      },
      range,
    );
  }
  for (const range of ['bytes=a-b', 'lines=1-2', 'bytes', 'bytes=']) t.match(await get(range), { status: 200, body: '0123456789' }, range);
  t.match(await get('bytes=10-', { 'if-range': '"another"' }), { status: 200 }, 'the file has changed');
  const link = new URL(platform.media.link(id));
  t.match(await call('GET', `${link.pathname}${link.search}`, { headers: { range: 'bytes=10-' } }), {
    status: 416,
    body: { errors: [{ code: 416, title: 'Range not satisfiable' }] },
  });
});

t.test('only its own number finds a file, and no path does', async (t) => {
  const { post, get, number } = await startMedia(t);
  const { id } = (await post('secret', 'image/png')).body.media[0];
  const other = await number('network');
  t.match(await get(id, other.token), { status: 404, body: { errors: [{ code: 1006, title: 'Media not found' }] } });
  for (const name of ['..%2f..%2fkeys', '%2e%2e', encodeURIComponent('/etc/passwd'), '0', 'a'.repeat(64)]) {
    t.equal((await get(name)).status, 404, name);
  }
});

t.test('a file that an operator uploads has a link for two minutes', async (t) => {
  const { server, uuid, clock, call } = await startMedia(t);
  const { statusCode, payload } = await server.inject({
    method: 'POST',
    url: `/admin/v1/numbers/${uuid}/media`,
    headers: { authorization: 'Bearer admin-key-of-the-tests', 'content-type': 'image/jpeg' },
    payload: 'a picture',
  });
  t.equal(statusCode, 201);
  const { media, link } = JSON.parse(payload);
  t.match(media, { mime_type: 'image/jpeg', size: 9 });
  const path = link.replace('http://posthorn.test', '');
  t.match(await call('GET', path), { status: 200, body: 'a picture' });
  await clock.advance(120_000);
  t.equal((await call('GET', path)).status, 403);
});

t.test('a client that has the file, or requests a range of it, does not receive all of it', async (t) => {
  const { server, post, token } = await startMedia(t);
  const { id } = (await post('a picture', 'image/png')).body.media[0];
  const ask = (method: string, headers: Record<string, string> = {}) =>
    server.inject({ method, url: `/v1/media/${id}`, headers: { authorization: `Bearer ${token}`, ...headers } });
  const head = await ask('HEAD');
  t.match(head, { statusCode: 200, payload: '', headers: { 'content-length': 9, 'content-type': 'image/png' } });
  const etag = String((await ask('GET')).headers.etag);
  t.equal(etag, `"${createHash('sha256').update('a picture').digest('hex')}"`);
  t.match(await ask('GET', { 'if-none-match': etag }), { statusCode: 304, payload: '' });
  t.match(await ask('GET', { range: 'bytes=2-4' }), { statusCode: 206, payload: 'pic', headers: { 'content-range': 'bytes 2-4/9' } });
  t.equal((await ask('GET', { range: 'bytes=20-30' })).statusCode, 416);
});

t.test('a connector receives the type and name of a file that its link suggests', async (t) => {
  const { call, deliveries, settle, say, publish, token } = await startChannel(t, { plugins: allPlugins() });
  const link = 'https://x.test/r%C3%A9sum%C3%A9.docx';
  const document = { mime_type: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document', filename: 'résumé.docx' };
  await publish({ texts: { m: link }, blocks: [{ name: 'm', type: 'Svc.Media', config: { media_type: 'document', media: 'm' } }] });
  await say('hi');
  for (const payload of [
    { type: 'document', document: { link } },
    { type: 'image', image: { link: 'https://x.test/a.gif?x=.png' } },
  ]) {
    t.equal((await call('POST', '/v1/messages', { token, payload: { to: CONTACT, ...payload } })).status, 200);
    await settle();
  }
  t.match(
    deliveries().map(({ json }) => json.turn),
    [{ document: { link, ...document } }, { document: { link, ...document } }, { image: { mime_type: 'image/gif' } }],
  );
});
