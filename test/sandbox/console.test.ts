import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import type { Tap } from '#core/testing';
import { signInUrl } from '../../sandbox/client/console.js';
import { writeRunFile } from '../../sandbox/client/run-file.js';
import { open } from '../../sandbox/commands/open.js';
import { type Sandbox, type SandboxOptions, startSandbox } from '../../sandbox/compose.js';
import { banner } from '../../sandbox/reports/banner.js';

async function start(t: Tap, options: SandboxOptions = {}): Promise<Sandbox> {
  const sandbox = await startSandbox({ seed: 'empty', ...options });
  t.teardown(() => sandbox.stop());
  return sandbox;
}

const runOf = ({ api, admin }: Sandbox) => ({ pid: process.pid, startedAt: new Date().toISOString(), api, admin });

/** Signs a browser in. @returns the headers that it adds to calls of the console's page */
async function signIn(sandbox: Sandbox): Promise<Record<string, string>> {
  const answer = await fetch(await signInUrl(runOf(sandbox)), { redirect: 'manual' });
  const [cookie = ''] = answer.headers.getSetCookie();
  return { cookie: cookie.split(';')[0]!, origin: sandbox.api, 'sec-fetch-site': 'same-origin', 'x-posthorn': '1' };
}

/** Of the tests that need no other: a start takes half a second of CPU. */
const shared = await start(t);

t.test('a sandbox serves the console, shows its address, and redirects / to it', async (t) => {
  const sandbox = shared;
  t.strictSame(sandbox.console, { url: `${sandbox.api}/console/` });
  const first = await fetch(sandbox.api, { redirect: 'manual' });
  t.equal(first.status, 302);
  t.equal(first.headers.get('location'), '/console/');
  const page = await fetch(sandbox.api);
  t.equal(page.status, 200);
  t.equal(page.url, sandbox.console!.url);
  t.match(await page.text(), /Posthorn console/);
  t.match(banner(sandbox, { data: undefined, isColoured: false }).join('\n'), `${sandbox.console!.url}   sign in with npx posthorn open`);
  const url = await signInUrl(runOf(sandbox));
  const lines = banner(sandbox, { data: undefined, isColoured: false, signInUrl: url });
  t.match(
    lines.join('\n'),
    new RegExp(`Console +${url.replace('?', '\\?')}\n +signs in once, within 10 minutes; later: npx posthorn open\n`),
  );
  t.ok(lines.every((line) => line.length <= 100));
});

t.test('without the console the sandbox has neither the page nor the redirect', async (t) => {
  const sandbox = await start(t, { console: false });
  t.equal(sandbox.console, undefined);
  for (const path of ['/', '/console/', '/console']) t.equal((await fetch(`${sandbox.api}${path}`)).status, 404, path);
  t.notMatch(banner(sandbox, { data: undefined, isColoured: false }).join('\n'), /Console/);
  await t.rejects(signInUrl(runOf(sandbox)), /responded 404/);
});

t.test('the session of a browser survives a reset, and does not show the admin key', async (t) => {
  const sandbox = shared;
  const headers = await signIn(sandbox);
  const get = (path: string) => fetch(`${sandbox.admin.url}${path}`, { headers });
  t.equal((await get('/numbers')).status, 200);
  const hidden = await get('/sandbox');
  t.equal(hidden.status, 403, 'this route shows the key and all tokens');
  t.notOk((await hidden.text()).includes(sandbox.admin.key));
  t.equal((await fetch(`${sandbox.admin.url}/state/reset`, { method: 'POST', headers })).status, 200);
  t.equal((await get('/numbers')).status, 200);
});

t.test('an event stream ends with the session that opened it, and those of other sessions and of the admin key continue', async (t) => {
  const sandbox = shared;
  const [leaving, staying] = [await signIn(sandbox), await signIn(sandbox)];
  const stream = async (headers: Record<string, string>) => {
    let text = '';
    const { body } = await fetch(`${sandbox.admin.url}/events`, { headers });
    const end = (async () => {
      for await (const chunk of body!) text += Buffer.from(chunk).toString();
    })();
    end.catch(() => {});
    return { end, text: () => text };
  };
  const [ended, open, ofKey] = await Promise.all([
    stream(leaving),
    stream(staying),
    stream({ authorization: `Bearer ${sandbox.admin.key}` }),
  ]);
  t.equal((await fetch(`${sandbox.admin.url}/console/session`, { method: 'DELETE', headers: leaving })).status, 200);
  await ended.end;
  await fetch(`${sandbox.admin.url}/numbers`, {
    method: 'POST',
    headers: { ...staying, 'content-type': 'application/json' },
    body: JSON.stringify({ kind: 'network', name: 'After', address: '+27600000099' }),
  });
  t.notMatch(ended.text(), 'number.created');
  for (const { text } of [open, ofKey]) while (!text().includes('number.created')) await new Promise((resolve) => setTimeout(resolve, 20));
});

t.test('a browser stays signed in when a sandbox starts again at the same address, and signed out after a sign-out', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-sessions-'));
  t.teardown(() => rmSync(folder, { recursive: true }));
  const console = { keepSessionsIn: folder };
  const first = await start(t, { console });
  const port = Number(new URL(first.api).port);
  const [headers, leaving] = [await signIn(first), await signIn(first)];
  const other = await start(t, { console });
  const file = join(folder, '.posthorn', 'console-sessions.json');
  t.equal(statSync(file).mode & 0o777, 0o600);
  const token = headers.cookie!.split('=')[1]!;
  t.notMatch(readFileSync(file, 'utf8'), token);
  t.equal((await fetch(`${first.admin.url}/console/session`, { method: 'DELETE', headers: leaving })).status, 200);
  const ofAnotherPort = await signIn(other);
  await Promise.all([first.stop(), other.stop()]);

  const again = await start(t, { console, port });
  t.not(again.admin.key, first.admin.key, 'another state');
  const get = async (sent: Record<string, string>) => (await fetch(`${again.admin.url}/numbers`, { headers: sent })).status;
  t.equal(await get(headers), 200);
  t.equal(await get(leaving), 401);
  t.equal(await get({ ...headers, cookie: ofAnotherPort.cookie! }), 401, 'the cookie of another port');
  await again.stop();
  const otherAgain = await start(t, { console, port: Number(new URL(other.api).port) });
  t.equal((await fetch(`${otherAgain.admin.url}/numbers`, { headers: ofAnotherPort })).status, 200, 'both wrote the same file');
  await otherAgain.stop();

  writeFileSync(file, '[{"hash":1}, {');
  t.equal(
    (await fetch(`${(await start(t, { console, port })).admin.url}/numbers`, { headers })).status,
    401,
    'a damaged file has no sessions',
  );
});

t.test('without that option sessions end with the sandbox, and the response says how to sign in again', async (t) => {
  const first = await start(t);
  const headers = await signIn(first);
  await first.stop();
  const again = await start(t, { port: Number(new URL(first.api).port) });
  const answer = await fetch(`${again.admin.url}/numbers`, { headers });
  t.equal(answer.status, 401);
  t.match(await answer.text(), /has ended; npx posthorn open starts a new one/);
  t.equal((await fetch(await signInUrl(runOf(again)), { redirect: 'manual', headers })).status, 303);
});

t.test('a page on another loopback port can neither read nor act with the cookie', async (t) => {
  const sandbox = shared;
  const { cookie = '' } = await signIn(sandbox);
  const origin = 'http://127.0.0.1:9';
  const headers = { cookie, origin, 'sec-fetch-site': 'same-site', 'x-posthorn': '1' };
  t.equal((await fetch(`${sandbox.admin.url}/numbers`, { headers })).status, 403);
  const { origin: _, ...withoutOrigin } = headers;
  t.equal((await fetch(`${sandbox.admin.url}/numbers`, { headers: withoutOrigin })).status, 403, 'as an image or a script');
  t.equal((await fetch(`${sandbox.admin.url}/state/reset`, { method: 'POST', headers })).status, 403);
});

t.test('posthorn open prints a URL that signs a browser in', async (t) => {
  const sandbox = shared;
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-open-'));
  t.teardown(() => rmSync(folder, { recursive: true }));
  const out: string[] = [];
  const terminal = { out: (line: string) => void out.push(line), file() {}, err() {}, isColoured: false, cwd: folder };
  await t.rejects(open.run(['--json'], terminal, {}), { name: 'NoSandbox' });
  writeRunFile(folder, { ...runOf(sandbox), phone: undefined });
  t.equal(await open.run(['--json'], terminal, {}), 0);
  const { v, url } = JSON.parse(out[0]!);
  t.equal(v, 1);
  t.equal((await fetch(url, { redirect: 'manual' })).status, 303);
  await t.rejects(open.run(['more'], terminal, {}), { name: 'UsageError' });
});
