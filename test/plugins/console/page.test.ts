import t from 'tap';
import { startPlatform, type Tap } from '#core/testing';
import { console as posthornConsole } from '../../../plugins/console/plugin.js';

const start = async (t: Tap, prefix?: string) => {
  const { call } = await startPlatform(t, { plugins: [posthornConsole()], ...(prefix !== undefined && { prefix }) });
  return (path: string, headers: Record<string, string> = {}) => call('GET', path, { headers: { host: 'posthorn.test', ...headers } });
};

t.test('the page runs no inline script, loads nothing from elsewhere, and cannot be framed', async (t) => {
  const get = await start(t);
  const { status, headers, body } = await get('/console/');
  t.equal(status, 200);
  t.match(headers, {
    'content-type': /^text\/html/,
    'cache-control': 'no-store',
    'x-frame-options': 'DENY',
    'referrer-policy': 'no-referrer',
  });
  const policy = String(headers['content-security-policy']).split('; ');
  for (const rule of ["default-src 'none'", "script-src 'self'", "connect-src 'self'", "frame-ancestors 'none'", "base-uri 'none'"])
    t.ok(policy.includes(rule), rule);
  t.notMatch(policy.join(), /unsafe|https?:|\*/);
  t.notMatch(body, /https?:\/\/|<style|<script>|\{script\}|\{style\}/);
});

t.test('its files have hashes in their names and are cached forever', async (t) => {
  const get = await start(t, '/posthorn');
  const { body } = await get('/console/');
  const files = [...body.matchAll(/(?:href|src)="(assets\/[^"]+)"/g)].map(([, file]) => file!);
  t.equal(files.length, 2);
  for (const file of files) {
    t.match(file, /^assets\/console-[A-Z0-9]{8}\.(js|css)$/);
    const { status, headers, body } = await get(`/console/${file}`);
    t.equal(status, 200, file);
    t.equal(headers['cache-control'], 'public, max-age=31536000, immutable');
    t.match(headers['content-type'], file.endsWith('.js') ? /^text\/javascript/ : /^text\/css/);
    t.ok(body.length > 100);
  }
  for (const file of ['none.js', '..%2Findex.html', '%2e%2e%2findex.html'])
    t.equal((await get(`/console/assets/${file}`)).status, 404, file);
});

t.test('without its slash the path redirects below the prefix, and keeps a code', async (t) => {
  const get = await start(t, '/posthorn');
  t.match(await get('/console'), { status: 303, headers: { location: 'console/' } });
  t.match(await get('/console?code=a'), { status: 303, headers: { location: 'console/?code=a' } });
});

t.test('the page of an error contains no script and no text of the request', async (t) => {
  const get = await start(t);
  const { status, headers, body } = await get('/console/?code=%3Cb%3Ehi', { accept: 'text/html' });
  t.equal(status, 403);
  t.match(headers['content-type'], /^text\/html/);
  t.match(headers['content-security-policy'], /frame-ancestors 'none'/);
  t.notMatch(body, /<script|<b>/);
  t.match(body, /npx posthorn open/);
});

t.test('the page and its errors name the command line as the option says, as text', async (t) => {
  const command = 'node "/a & b/<c>.mjs"';
  const { call } = await startPlatform(t, { plugins: [posthornConsole({ command })] });
  const get = (path: string) => call('GET', path, { headers: { host: 'posthorn.test', accept: 'text/html' } });
  t.match((await get('/console/')).body, '<body data-command="node &quot;/a &amp; b/&lt;c&gt;.mjs&quot;" data-sign-in="">');
  t.match((await get('/console/?code=none')).body, '<code>node &quot;/a &amp; b/&lt;c&gt;.mjs&quot; open</code>');
});
