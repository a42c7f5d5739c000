import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import type { Plugin } from '#core';
import type { Tap } from '#core/testing';
import { conform } from '../../sandbox/commands/conform.js';
import { startSandbox } from '../../sandbox/compose.js';
import { runChecks, webhookChecks } from '../../sandbox/conform/index.js';
import { UsageError } from '../../sandbox/terminal/flags.js';
import { newFolder } from '../iso/posthorn-process.js';
import { loadSample, sample } from '../pages/samples.js';
import { type Incoming, SECRET, serve, verifiers } from './connector-subject.js';

const PAGE = 'sandbox/conformance.md';

/** A receiver that may refuse ratings. */
const receiver = (t: Tap, refuses = false): Promise<string> =>
  serve(t, (incoming: Incoming) => {
    const isRating = incoming.request.headers['x-svc-hook-subscription'] === 'stars.given';
    return { status: !verifiers.right(incoming) ? 401 : refuses && isRating ? 404 : 200 };
  });

async function run(cwd: string, ...argv: string[]): Promise<{ code: number; out: string }> {
  const out: string[] = [];
  const code = await conform.run(argv, { cwd, out: (line) => void out.push(line), err: () => undefined, isColoured: false });
  return { code, out: out.join('\n') };
}

t.test('a plugin adds checks to the command, to runs of the sandbox and to tests, as on the page', async (t) => {
  const cwd = newFolder(t);
  writeFileSync(join(cwd, 'stars.ts'), sample(PAGE, 'ts', 'plugin checks'));
  const [right, wrong] = [await receiver(t), await receiver(t, true)];
  const only = ['--secret', SECRET, '--only', 'STARS-01'];
  t.strictSame(await run(cwd, 'webhook', right, ...only, '--plugin', 'stars.ts'), {
    code: 0,
    out: '  stars-01  MUST    pass     accepts ratings\n\n  1 passed, 0 failed, 0 skipped',
  });
  const failed = await run(cwd, 'webhook', wrong, ...only, '--plugin', 'stars.ts');
  t.equal(failed.code, 1);
  for (const part of [
    /rule +Stars, the event/,
    /expected +a 2XX response to a rating/,
    /received +status 404/,
    /fix +Respond 2XX/,
    /"stars":5/,
  ])
    t.match(failed.out, part);

  await t.rejects(run(cwd, 'webhook', right, ...only), new UsageError('--only: there is no check STARS-01 of kind webhook'));
  await t.rejects(run(cwd, 'webhook', right, ...only, '--plugin', 'none.ts'), UsageError);
  writeFileSync(join(cwd, 'posthorn.config.json'), JSON.stringify({ plugins: ['./stars.ts'] }));
  t.match(
    (await run(cwd, 'webhook', right, '--secret', SECRET, '--dry-run')).out,
    /stars-01 +MUST +accepts ratings: a signed event with a rating/,
  );
  t.notMatch((await run(cwd, 'integration', right, '--secret', SECRET, '--dry-run')).out, /stars/);

  const { stars } = (await loadSample(PAGE, 'ts', 'plugin checks')) as { stars: () => Plugin };
  const checks = webhookChecks({ url: right, secret: SECRET, plugins: [stars()] });
  t.match(await runChecks(checks, { only: ['stars-01'] }), [{ id: 'stars-01', result: 'pass', exchanges: { length: 1 } }]);
  const twice = { manifest: { ...stars().manifest, checks: [...stars().manifest.checks!, ...stars().manifest.checks!] } };
  t.throws(() => webhookChecks({ url: right, secret: SECRET, plugins: [twice] }), { message: 'there are two checks stars-01' });
  const circle = {
    manifest: { ...stars().manifest, checks: stars().manifest.checks!.map((check) => ({ ...check, needs: ['stars-01'] })) },
  };
  t.throws(() => webhookChecks({ url: right, secret: SECRET, plugins: [circle] }), { message: /in a cycle: stars-01 -> stars-01$/ });
  const broken = stars().manifest.checks!.map((check) => ({ ...check, needs: [], run: async () => Promise.reject(new TypeError('oops')) }));
  const failing = webhookChecks({ url: right, secret: SECRET, plugins: [{ manifest: { ...stars().manifest, checks: broken } }] });
  await t.rejects(runChecks(failing, { only: ['stars-01'] }), { message: 'the check stars-01 ended with an error: oops' });

  const sandbox = await startSandbox({ port: 0, console: false, logLevel: 'error', plugins: [stars()] });
  t.teardown(() => sandbox.stop());
  const { body, admin } = { admin: sandbox.admin, body: { kind: 'integration', url: right, secret: SECRET, only: ['stars-01'] } };
  const call = (path: string, init: object = {}) =>
    fetch(`${sandbox.api}/admin/v1${path}`, {
      headers: { authorization: `Bearer ${admin.key}`, 'content-type': 'application/json' },
      ...init,
    });
  const refused = await call('/conform/runs', { method: 'POST', body: JSON.stringify(body) });
  t.equal(refused.status, 400, 'no check of integrations has this id');
  const number = await sandbox.platform.createNumber({ kind: 'network', type: 'network', address: '+27600000009', name: 'Shop' });
  const made = await call('/webhooks', { method: 'POST', body: JSON.stringify({ number: number.number.uuid, url: wrong }) });
  const { webhook } = (await made.json()) as { webhook: { uuid: string } };
  const started = await call('/conform/runs', {
    method: 'POST',
    body: JSON.stringify({ kind: 'webhook', webhook: webhook.uuid, only: ['stars-01'] }),
  });
  t.match(await started.json(), { run: { of: 1 } });
});
