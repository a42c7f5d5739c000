import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import t from 'tap';
import { startFlows, survey } from './flows-under-test.js';

const DAY_MS = 24 * 60 * 60 * 1000;

async function startPreview(...[tap]: Parameters<typeof startFlows>) {
  const platform = await startFlows(tap);
  const id = await platform.create({ name: 'A </script> name' });
  const path = async (query = '') => {
    const { pathname, search } = new URL((await platform.api('GET', `/v1/flows/${id}/preview${query}`)).body.preview_url);
    return `${pathname}${search}`;
  };
  return { ...platform, id, path };
}

t.test('the page requires no login and loads nothing else', async (t) => {
  const { call, path } = await startPreview(t);
  const { status, body, headers } = await call('GET', await path());
  t.equal(status, 200);
  t.match(headers['content-type'], /^text\/html/);
  t.match(body, /^<!doctype html>/);
  t.equal([...body.matchAll(/ (?:src|href)="(?!data:)/g)].length, 0, 'the page has no external references');
  t.equal([...body.matchAll(/<\/script>/g)].length, 2, 'text of the flow cannot end a script');
});

t.test('every site may frame the page, and its policy allows only the script of the player', async (t) => {
  const { call, path } = await startPreview(t);
  const { headers } = await call('GET', await path());
  const policy = String(headers['content-security-policy']).split('; ');
  for (const rule of [
    "default-src 'none'",
    "connect-src 'none'",
    'img-src data: blob:',
    "base-uri 'none'",
    'frame-ancestors *',
    "trusted-types 'none'",
  ]) {
    t.ok(policy.includes(rule), rule);
  }
  for (const rule of policy.filter((one) => /^(script|style)-src/.test(one))) t.match(rule, /^\S+ 'sha256-[A-Za-z\d+/]{43}='$/);
  t.notOk(headers['x-frame-options']);
  t.match(headers, {
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'x-robots-tag': 'noindex',
  });
});

t.test('a preview URL is valid for 30 days or until it is replaced, and only for its flow', async (t) => {
  const { call, path, clock, create, api, id } = await startPreview(t);
  const first = await path();
  t.equal((await call('GET', first.replace(/token=./, 'token=-'))).status, 404);
  t.equal((await call('GET', first.replace(/\?.*/, ''))).status, 404);
  t.equal((await call('GET', first.replace(id, await create()))).status, 404);
  const second = await path('?invalidate=true');
  t.equal((await call('GET', first)).status, 404);
  await clock.advance(30 * DAY_MS - 2000);
  t.equal((await call('GET', second)).status, 200);
  await clock.advance(2000);
  t.match(await call('GET', second), { status: 410, body: { errors: [{ details: /expired at \d{4}/ }] } });

  const third = await path();
  await api('DELETE', `/v1/flows/${id}`);
  t.equal((await call('GET', third)).status, 404, 'a deleted flow has no preview');
});

t.test('the page shows the current definition with its errors', async (t) => {
  const { call, path, upload, id } = await startPreview(t);
  const contentAt = async (address: string) => JSON.parse(/id="flow">(.*?)<\/script>/s.exec((await call('GET', address)).body)![1]!);
  const address = await path();
  t.match(await contentAt(address), { name: 'A </script> name', errors: [], entries: ['SURVEY'] });
  await upload(id, '{ "version": "7.3", "screens": [] }');
  t.match(await contentAt(address), { errors: [{ error: /./, line_start: 1 }], definition: '{ "version": "7.3", "screens": [] }' });
  await upload(id, JSON.stringify(survey));
  t.match(await contentAt(address), { errors: [] });
});

t.test('the licences of the bundled packages are next to the player', (t) => {
  const notices = readFileSync(new URL('../../../plugins/flows/preview/player/NOTICES.txt', import.meta.url), 'utf8');
  t.match(notices, /^preact \d+\.\d+\.\d+$/m);
  t.ok(notices.includes(readFileSync('node_modules/preact/LICENSE', 'utf8').trim()));
  t.end();
});

t.test('the compressed player is smaller than 45 kB', (t) => {
  const player = ['player.js', 'player.css'].map((file) =>
    readFileSync(new URL(`../../../plugins/flows/preview/player/${file}`, import.meta.url)),
  );
  const size = gzipSync(Buffer.concat(player), { level: 9 }).length;
  t.comment(`${size} bytes`);
  t.ok(size < 45_000, `${size} bytes`);
  t.end();
});

t.test('an error is a page with the problem and the fix for browsers, and JSON for other clients', async (t) => {
  const { call, path, clock, api, id } = await startPreview(t);
  const accept = 'text/html,application/xhtml+xml,*/*;q=0.8';
  const preview = await path();
  const { download_url } = (await api('GET', `/v1/flows/${id}/assets`)).body.data[0];
  const download = download_url.slice(download_url.indexOf('/flow-assets'));
  await clock.advance(31 * DAY_MS);
  const pages = [
    [preview, 410, 'This preview has expired'],
    [preview.replace(/\?.*/, ''), 404, 'Preview not found'],
    ['/flow-preview/%3Cscript%3E?token=x', 404, 'Preview not found'],
    [download, 403, 'This address is no longer valid'],
    [download.replace(/\?.*/, ''), 400, 'Flow not found'],
    ['/flow-messages/1?token=x', 404, 'This form is not available'],
    ['/flow-messages/1', 400, 'This form is not available'],
  ] as const;
  for (const [address, status, title] of pages) {
    const page = await call('GET', address, { headers: { accept } });
    t.equal(page.status, status, address);
    t.match(page.body, new RegExp(`<title>${title}</title>[^]+<h1>${title}</h1>`));
    t.notMatch(page.body, '<script');
    t.match(page.headers, { 'content-type': /^text\/html/, vary: 'accept', 'content-security-policy': /script-src 'none'/ });
    const json = await call('GET', address, { headers: { accept: '*/*' } });
    t.match(json, { status, body: { meta: { http_code: status } }, headers: { vary: 'accept' } }, address);
  }
});
