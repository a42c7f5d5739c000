import { createHash } from 'node:crypto';
import t from 'tap';
import { startPlatform } from '#core/testing';
import { MemoryBlobs } from '../../../core/adapters/memory-blobs.js';

const bytes = new TextEncoder().encode('some bytes');

t.test('a medium is stored with its type and name, and its bytes are returned unchanged', async (t) => {
  const { platform } = await startPlatform(t, { plugins: [] });
  const { media } = platform;
  const put = await media.put('number', bytes, { mimeType: 'image/png', filename: 'a.png' });
  t.match(put, {
    id: /^[1-9]\d{15}$/,
    number: 'number',
    mime_type: 'image/png',
    sha256: createHash('sha256').update(bytes).digest('hex'),
    size: bytes.length,
    filename: 'a.png',
  });
  t.strictSame(await media.get(put.id), { media: put, bytes });
});

t.test('the same bytes twice are two media', async (t) => {
  const { platform } = await startPlatform(t, { plugins: [] });
  const [one, two] = await Promise.all(['a', 'b'].map((number) => platform.media.put(number, bytes, { mimeType: 'text/plain' })));
  t.not(one!.id, two!.id);
  t.equal(one!.sha256, two!.sha256);
});

t.test('an unknown medium is not found', async (t) => {
  const { platform } = await startPlatform(t, { plugins: [] });
  await t.rejects(platform.media.get('123'), { name: 'PlatformError', code: 'medium_not_found', status: 404 });
});

t.test('a link is valid for one medium and for two minutes', async (t) => {
  const { platform, clock } = await startPlatform(t, { plugins: [] });
  const { media } = platform;
  const link = new URL(media.link('7'));
  const expires = Number(link.searchParams.get('expires'));
  const signature = link.searchParams.get('signature')!;
  t.equal(expires, clock.now().getTime() + 120_000);
  media.checkLink('7', expires, signature);
  t.throws(() => media.checkLink('8', expires, signature), { name: 'PlatformError', status: 403 });
  t.throws(() => media.checkLink('7', expires + 1, signature), { name: 'PlatformError', status: 403 });
  await clock.advance(119_999);
  media.checkLink('7', expires, signature);
  await clock.advance(1);
  t.throws(() => media.checkLink('7', expires, signature), { message: /has expired/ });
});

t.test('media are deleted when they expire, and their bytes with the last medium that has them', async (t) => {
  const blobs = new MemoryBlobs();
  const days = (n: number) => n * 24 * 60 * 60 * 1000;
  const { platform, clock, number } = await startPlatform(t, { plugins: [], mediaKeptDays: 10, ports: { blobs } });
  const { uuid } = await number('network');
  const bytes = new TextEncoder().encode('the same bytes');
  const first = await platform.media.put(uuid, bytes, { mimeType: 'text/plain' });
  await clock.advance(days(5));
  const second = await platform.media.put(uuid, bytes, { mimeType: 'text/plain' });
  t.equal(second.sha256, first.sha256);
  await clock.advance(days(5) - 1);
  t.equal((await platform.media.get(first.id)).media.id, first.id);
  await clock.advance(1);
  await t.rejects(platform.media.get(first.id), { code: 'medium_not_found' });
  t.strictSame((await platform.media.get(second.id)).bytes, bytes, 'the other medium still has the bytes');
  await clock.advance(days(5));
  await t.rejects(platform.media.get(second.id), { code: 'medium_not_found' });
  t.equal(await blobs.get(second.sha256), undefined, 'the bytes are deleted too');
  const again = await platform.media.put(uuid, bytes, { mimeType: 'text/plain' });
  t.strictSame((await platform.media.get(again.id)).bytes, bytes);
});
