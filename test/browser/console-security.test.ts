import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { patient } from '../../core/testing/slowness.js';
import { onlyLong } from '../forms.js';
import { close, withoutBrowser } from './browser.js';
import { ACTS, download, embed, READS, seek, showImage } from './console-scripts.js';
import { call, newBrowser, newSignInUrl, otherPort, PNG, reads, signedIn, start } from './consoles.js';

const skip = withoutBrowser;
t.setTimeout(patient(180_000));
t.teardown(close);

t.test('a page on another loopback port reads nothing and changes nothing, although the browser sends the cookie', { skip }, async (t) => {
  const { sandbox, received, put } = await start(t);
  const { context, page: own } = await signedIn(t, sandbox);
  const media = await put('image/png', PNG);
  const numbers = (await call(own, '/numbers')).text;
  t.match(numbers, '+27600000001');

  for (const other of [await otherPort(t), (await otherPort(t)).replace('127.0.0.1', 'localhost')]) {
    const page = await context.newPage();
    await page.goto(other);
    received.length = 0;
    const {
      cors,
      'no-cors': opaque,
      ...refused
    } = (await page.evaluate(`(${READS})(${JSON.stringify({ api: sandbox.api, media })})`)) as Record<string, string>;
    t.equal(cors, 'refused');
    t.equal(opaque?.trim(), 'opaque 0');
    t.strictSame([...new Set(Object.values(refused))], ['refused'], JSON.stringify(refused));
    await page.evaluate(`(${ACTS})(${JSON.stringify(sandbox.api)})`);
    // The console's own page, still open, may read again at any time.
    const calls = received.filter(({ url, site }) => url.startsWith('/admin/') && site !== 'same-origin');
    t.ok(calls.length > 15, `${calls.length} calls arrived`);
    t.strictSame(
      calls.filter(({ status }) => status < 400),
      [],
      'each was refused',
    );
    if (other.includes('127.0.0.1'))
      t.ok(
        calls.some(({ hasCookie, method }) => hasCookie && method === 'post'),
        'with the cookie of the session',
      );

    // Opened as a window, a response is not shown either.
    const [opened] = await Promise.all([
      context.waitForEvent('page'),
      page.evaluate(`void open(${JSON.stringify(`${sandbox.api}/admin/v1/numbers`)})`),
    ]);
    await opened.waitForLoadState();
    t.notMatch(await opened.content(), '+27600000001');
    await opened.close();
    await page.close();
  }
  t.equal((await call(own, '/numbers')).text, numbers, 'the state is unchanged, and the session still open');
});

t.test('the page of the console itself can do all of that', { skip: onlyLong || skip }, async (t) => {
  const { sandbox, put } = await start(t);
  const { page } = await signedIn(t, sandbox);
  const body = JSON.stringify({ kind: 'network', type: 'network', address: '+27600000002', name: 'Second' });
  const headers = { 'content-type': 'application/json' };
  t.equal((await call(page, '/numbers', { method: 'POST', body, headers })).status, 403, 'without X-Posthorn');
  t.equal((await call(page, '/numbers', { method: 'POST', body, headers: { ...headers, 'x-posthorn': '1' } })).status, 201);
  const media = await put('image/png', PNG);
  t.equal(await page.evaluate(showImage(media)), 'loaded');
  t.equal(
    await page.evaluate(`new Promise((resolve) => { new EventSource('../admin/v1/events').onopen = () => resolve('open'); })`),
    'open',
  );
  t.equal((await call(page, '/console/session', { method: 'DELETE', headers: { 'x-posthorn': '1' } })).status, 200);
  t.equal((await call(page, '/numbers')).status, 401, 'signed out');
  t.strictSame(await page.context().cookies(), []);
});

t.test('no page can frame the console, its media or the admin API', { skip: onlyLong || skip }, async (t) => {
  const { sandbox, put } = await start(t);
  const { context, page: own } = await signedIn(t, sandbox);
  const page = await context.newPage();
  await page.goto(await otherPort(t));
  const urls = [`${sandbox.api}/console/`, await put('image/png', PNG), `${sandbox.api}/admin/v1/numbers`];
  for (const tag of ['iframe', 'object', 'embed'] as const) {
    for (const url of urls) {
      for (const [name, from] of Object.entries({ other: page, own })) {
        if (name === 'own' && tag !== 'iframe') continue;
        await from.evaluate(embed(tag, url));
        const shown = from.frames().filter((frame) => frame !== from.mainFrame() && frame.url().startsWith(sandbox.api));
        t.strictSame(
          shown.map((frame) => frame.url()),
          [],
          `${tag} ${url} on the ${name} page`,
        );
      }
    }
  }
});

t.test('media are shown and sought; none runs a script, also as a page of its own', { skip: onlyLong || skip }, async (t) => {
  const { sandbox, received, put } = await start(t);
  const { page, failures } = await signedIn(t, sandbox);
  const attack = `alert(document.domain); fetch('/admin/v1/state/reset', { method: 'POST', headers: { 'x-posthorn': '1' } })`;
  const svg = Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><script>${attack}</script></svg>`);
  const html = Buffer.from(`<!doctype html><script>${attack}</script>`);
  const files: readonly [type: string, bytes: Buffer][] = [
    ['image/svg+xml', svg],
    ['text/html', html],
    ['application/xhtml+xml', Buffer.from(`<html xmlns="http://www.w3.org/1999/xhtml"><script>${attack}</script></html>`)],
    ['application/pdf', Buffer.from('%PDF-1.4\n')],
  ];
  for (const [type, bytes] of files) {
    const url = await put(type, bytes);
    const [started] = await Promise.all([page.waitForEvent('download'), page.goto(url).catch(() => undefined)]);
    t.equal(started.url(), url, `${type} is a download`);
    t.match(page.url(), '/console/', 'and replaces no page');
  }
  // A file whose bytes are not of its type is not rendered as what it is.
  const shown = await page.context().newPage();
  shown.on('dialog', (dialog) => failures.push(`a script ran: ${dialog.message()}`));
  for (const [type, bytes] of [
    ['image/png', html],
    ['image/gif', svg],
    ['video/mp4', html],
    ['image/png', PNG],
  ] as const) {
    await shown.goto(await put(type, bytes)).catch(() => undefined);
    t.equal(await shown.evaluate('origin'), 'null', `${type} as a page has no access to the console`);
  }
  t.equal(await shown.evaluate('document.images[0]?.naturalWidth'), 1, 'an image is shown as a page');
  await shown.close();
  t.notOk(
    received.some(({ url }) => url.includes('reset')),
    'no script called the API',
  );

  const link = await put('application/pdf', Buffer.from('%PDF-1.4\n'));
  const [named] = await Promise.all([page.waitForEvent('download'), page.evaluate(download(link, 'Terms <b>.pdf'))]);
  t.match(named.suggestedFilename(), /^Terms .+\.pdf$/, 'the page names the download');

  const audio = await put('audio/mpeg', silence(600));
  const at = await page.evaluate(seek(audio, 500));
  t.equal(at, 500, 'a recording is sought');
  const ranges = received.filter(({ url, status }) => audio.endsWith(url) && status === 206).map(({ range }) => Number(/\d+/.exec(range!)));
  t.ok(
    ranges.some((first) => first > 1_000_000),
    `the browser asked for ${ranges}`,
  );
  t.strictSame(
    failures.filter((text) => !/Failed to load resource|Not allowed to load/.test(text)),
    [],
  );
});

/** An MP3 of this many seconds without sound: frames of 128 kbit/s whose side information is empty. */
function silence(seconds: number): Buffer {
  const frame = Buffer.alloc(417);
  frame.writeUInt32BE(0xfffb9064);
  return Buffer.concat(Array.from({ length: Math.ceil((seconds * 44_100) / 1_152) }, () => frame));
}

t.test('a used code redirects a signed-in browser, and tells another one how to sign in', { skip: onlyLong || skip }, async (t) => {
  const { sandbox } = await start(t);
  const { page, url, failures } = await signedIn(t, sandbox);
  t.equal(page.url(), `${sandbox.api}/console/`, 'the code is not in the address');
  await page.goto(url);
  t.equal(page.url(), `${sandbox.api}/console/`);
  t.strictSame(failures, []);
  const { page: other, context } = await newBrowser(t);
  const answer = await other.goto(url);
  t.equal(answer?.status(), 403);
  t.ok(await other.getByText('npx posthorn open').isVisible());
  t.strictSame(await context.cookies(), []);
});

t.test(
  'the console works under a name below localhost, to which browsers send no cookies of 127.0.0.1',
  { skip: onlyLong || skip },
  async (t) => {
    const { sandbox } = await start(t);
    const { page, context } = await newBrowser(t);
    const api = sandbox.api.replace('127.0.0.1', 'posthorn.localhost');
    await page.goto((await newSignInUrl(sandbox)).replace(sandbox.api, api));
    t.equal((await call(page, '/numbers')).status, 200);
    t.strictSame(await context.cookies(sandbox.api), []);
  },
);

t.test('a foreign Host header gets neither the page nor data, whatever the cookie', { skip: onlyLong || skip }, async (t) => {
  const { sandbox } = await start(t);
  const { context } = await signedIn(t, sandbox);
  const [{ name, value } = { name: '', value: '' }] = await context.cookies();
  const { port } = new URL(sandbox.api);
  const get = async (path: string, host: string): Promise<number | undefined> => {
    const headers = { host, cookie: `${name}=${value}`, 'sec-fetch-site': 'same-origin' };
    const sent = request({ host: '127.0.0.1', port, path, headers }).end();
    const [answer] = await once(sent, 'response');
    answer.resume();
    return answer.statusCode;
  };
  for (const host of [`evil.test:${port}`, 'evil.test', `127.0.0.1.evil.test:${port}`, `localhost.:${port}`])
    for (const path of ['/console/', '/console/?code=x', '/admin/v1/numbers', '/admin/v1/events'])
      t.equal(await get(path, host), 403, `${host} ${path}`);
  t.equal(await get('/admin/v1/numbers', `127.0.0.1:${port}`), 200);
});

t.test(
  'no secret reaches the page, its storage, the log or the recorded calls, and no request leaves this machine',
  { skip },
  async (t) => {
    const lines: string[] = [];
    const { write } = process.stderr;
    process.stderr.write = (chunk: string | Uint8Array) => lines.push(String(chunk)) > 0;
    t.teardown(() => {
      process.stderr.write = write;
    });
    const { sandbox, put } = await start(t, { logLevel: 'debug' });
    const { page, context, code, failures, hosts, received } = await signedIn(t, sandbox);
    await page.evaluate(`new Promise((resolve) => {
    globalThis.events = [];
    const source = new EventSource('../admin/v1/events');
    source.addEventListener('call.answered', (event) => events.push(event.data));
    source.onopen = resolve;
  })`);
    // Calls that are recorded with the cookie of the console, and one that fails.
    const media = await put('image/png', PNG);
    const paths = ['../v1/contacts', '../v1/nothing', '../admin/v1/sandbox', '../admin/v1/openapi.json', '../admin/v1/numbers', media];
    await page.evaluate(`Promise.all(${JSON.stringify(paths)}.map((path) => fetch(path))).then(() => undefined)`);
    await page.waitForFunction('events.length >= 2');
    await Promise.all([reads(page), page.reload()]);
    const [cookie] = await context.cookies();
    t.match(cookie, { httpOnly: true, sameSite: 'Strict', path: '/', name: `posthorn_console_${new URL(sandbox.api).port}` });
    const kept = await page.evaluate(
      'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, location.href, document.referrer, globalThis.events])',
    );
    const inPage = [await page.content(), kept].join('\n');
    const byKey = async (path: string) =>
      (await fetch(`${sandbox.admin.url}${path}`, { headers: { authorization: `Bearer ${sandbox.admin.key}` } })).text();
    const calls = await byKey('/calls?limit=500');
    t.match(calls, '/v1/nothing');
    const places = { 'the page': inPage, 'a response': await received(), 'the log': lines.join(''), 'a recorded call': calls };
    t.ok(places['a response'].length > 1_000);
    for (const [place, text] of Object.entries(places)) {
      t.notOk(text.includes(sandbox.admin.key), `the admin key is not in ${place}`);
      t.notOk(text.includes(code) && place !== 'a response', `the code is not in ${place}`);
      t.notOk(text.replaceAll(/"set-cookie":"[^"]*"/g, '').includes(cookie!.value), `the token is not in ${place}`);
    }
    t.notOk(JSON.stringify(await context.cookies()).includes(sandbox.admin.key));
    t.strictSame([...hosts], ['127.0.0.1']);
    t.strictSame(
      failures.filter((text) => !/Failed to load resource/.test(text)),
      [],
      'no violation of the policy',
    );
  },
);

t.test('a restart keeps the page signed in, or the page says how to sign in again', { skip: onlyLong || skip }, async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-console-'));
  t.teardown(() => rmSync(folder, { recursive: true }));
  const console = { keepSessionsIn: folder };
  const { sandbox } = await start(t, { console });
  const { page } = await signedIn(t, sandbox);
  const port = Number(new URL(sandbox.api).port);
  await sandbox.stop();
  const { sandbox: again } = await start(t, { console, port });
  await Promise.all([reads(page), page.reload()]);
  await again.stop();
  const { sandbox: forgetful } = await start(t, { port });
  await page.reload();
  await page.getByText('npx posthorn open').waitFor();
  const url = await newSignInUrl(forgetful);
  await Promise.all([reads(page), page.goto(url)]);
  t.equal((await call(page, '/numbers')).status, 200);
});
