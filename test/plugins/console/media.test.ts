import t from 'tap';
import { ADMIN_KEY, startPlatform, type Tap } from '#core/testing';
import { console as posthornConsole } from '../../../plugins/console/plugin.js';

async function start(t: Tap) {
  const { call, platform, number } = await startPlatform(t, { plugins: [posthornConsole()] });
  const { uuid } = await number('network');
  const store = async (mimeType: string, bytes: Uint8Array = Buffer.from('0123456789')) => {
    const { id } = await platform.media.put(uuid, bytes, { mimeType, filename: '<b>.html' });
    return `/admin/v1/console/media/${id}`;
  };
  const get = (path: string, headers: Record<string, string> = {}, method = 'GET') => call(method, path, { token: ADMIN_KEY, headers });
  return { call, get, store };
}

const PROTECTED = {
  'content-security-policy': "sandbox; default-src 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'private, no-cache',
};

t.test('images, audio and video of safe types are shown with their type', async (t) => {
  const { get, store } = await start(t);
  const types = ['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'audio/mpeg', 'audio/aac', 'audio/mp4', 'video/mp4', 'video/webm'];
  for (const type of types) {
    const { status, headers, body } = await get(await store(type));
    t.equal(status, 200, type);
    t.match(headers, { ...PROTECTED, 'content-type': type });
    t.equal(headers['content-disposition'], undefined, type);
    t.equal(body, '0123456789');
  }
  t.equal((await get(await store('Audio/OGG; codecs=opus'))).headers['content-type'], 'audio/ogg', 'without parameters');
});

t.test('every other type is a download without a type', async (t) => {
  const { get, store } = await start(t);
  const types = [
    ...['image/svg+xml', 'text/html', 'application/xhtml+xml', 'text/xml', 'application/pdf', 'text/plain', 'text/css'],
    ...['application/javascript', 'text/javascript', 'image/png,text/html', 'multipart/x-mixed-replace', 'x\r\ny: z', ''],
  ];
  for (const type of types) {
    const { status, headers } = await get(await store(type, Buffer.from('<script>alert(1)</script>')));
    t.equal(status, 200, type);
    t.match(headers, { ...PROTECTED, 'content-type': 'application/octet-stream', 'content-disposition': 'attachment' });
  }
});

t.test('byte ranges are served, so that a video can be sought', async (t) => {
  const { get, store } = await start(t);
  const path = await store('video/mp4');
  const whole = await get(path);
  t.equal(whole.headers['accept-ranges'], 'bytes');
  const part = await get(path, { range: 'bytes=4-6' });
  t.match(part, { status: 206, body: '456', headers: { ...PROTECTED, 'content-range': 'bytes 4-6/10', 'content-type': 'video/mp4' } });
  t.match(await get(path, { range: 'bytes=8-' }), { status: 206, body: '89' });
  t.match(await get(path, { range: 'bytes=20-' }), { status: 416, headers: { 'content-range': 'bytes */10' } });
  t.match(await get(path, {}, 'HEAD'), { status: 200, headers: { 'content-length': 10 } });
  t.equal((await get(path, { 'if-none-match': String(whole.headers.etag) })).status, 304);
});

t.test('it takes the admin key or a session, and an unknown id gets 404', async (t) => {
  const { call, get, store } = await start(t);
  t.equal((await call('GET', await store('image/png'))).status, 401);
  for (const id of ['0000000000000000', 'x', '..%2F..%2Fdata', '%00'])
    t.equal((await get(`/admin/v1/console/media/${id}`)).status, 404, id);
});
