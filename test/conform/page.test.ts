import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { transform } from 'esbuild';
import t from 'tap';
import type { Tap } from '#core/testing';
import { driver } from '../../sandbox/conform/contact.js';
import { Wire } from '../../sandbox/conform/exchange.js';
import { freePort } from '../../scripts/free-port.js';
import { onlyLong } from '../forms.js';
import { newFolder, run } from '../iso/posthorn-process.js';
import { type Json, SECRET, serve, verifiers } from './connector-subject.js';

const page = readFileSync('sandbox/conformance.md', 'utf8');
const blockOf = (head: string): string => page.split(`\n\`\`\`${head}\n`)[1]!.split('\n```')[0]!;
/** The compiled copy of the project. */
const build = join(import.meta.dirname, '..', '..');

t.test('the driver on the page gets each action that it shows', async (t) => {
  const got: Json[] = [];
  const url = await serve(t, ({ json }) => {
    got.push(json);
    return { status: json.status === 'failed' ? 501 : 200 };
  });
  const contact = driver(url, new Wire({ requestsPerSecond: 1_000 }), 100);
  const actions = JSON.parse(blockOf('json driver'));
  for (const action of actions.slice(0, -1)) await contact.act(action);
  await t.rejects(contact.act(actions.at(-1)), { name: 'CheckSkipped', message: 'the driver does not offer "status":"failed"' });
  t.strictSame(got, actions);
});

t.test('the job on the page checks a connector, and writes the summary', { skip: onlyLong }, async (t) => {
  const folder = newFolder(t);
  mkdirSync(join(folder, 'bin'));
  const yaml = blockOf('yaml conform.yml');
  const env = Object.fromEntries([...yaml.matchAll(/^ {6}(\w+): "?([^"\n]+)"?$/gm)].map(([, name, value]) => [name!, value!]));
  const script = /^ {6}- run: \|\n((?: {10}.*\n)+)/m.exec(yaml)![1]!.replace(/^ {10}/gm, '');
  const summary = /run: (cat .*)$/m.exec(yaml)![1]!;
  t.match(script, /^npm start &\n/);
  // Offline, npm and npx run the starter and the command of this checkout; three checks instead of all, which take 20 s.
  const starter = join(build, 'sandbox/starters/connector.js');
  writeFileSync(join(folder, 'bin/npm'), `#!/bin/sh\nexec '${process.execPath}' '${starter}'\n`, { mode: 0o755 });
  const main = join(build, 'sandbox/main.js');
  writeFileSync(join(folder, 'bin/npx'), `#!/bin/sh\nshift\nexec '${process.execPath}' '${main}' "$@" --only C-01,C-41,C-50\n`, {
    mode: 0o755,
  });
  const api = `http://127.0.0.1:${await freePort()}`;
  const more = { POSTHORN_URL: api, POSTHORN_API: api, PORT: String(await freePort()), GITHUB_STEP_SUMMARY: join(folder, 'summary.md') };
  const text = `set -e\n${script}\n${summary}\n`;
  const child = spawn('/bin/bash', ['-c', text], {
    cwd: folder,
    env: { ...process.env, ...env, ...more, PATH: `${join(folder, 'bin')}:${process.env.PATH}`, CI: 'true' },
    stdio: ['ignore', 'pipe', 'pipe'],
    // A group of its own, so that the connector in the background ends with it.
    detached: true,
  });
  t.teardown(() => {
    try {
      process.kill(-child.pid!);
    } catch {
      // The group has ended.
    }
  });
  let printed = '';
  child.stdout.on('data', (data) => (printed += data));
  child.stderr.on('data', (data) => (printed += data));
  const code = await new Promise((resolve) => child.once('exit', resolve));
  t.equal(code, 0, printed);
  t.match(readFileSync(more.GITHUB_STEP_SUMMARY, 'utf8'), /^!\[3 of 3 checks passed\]/);
  t.match(readFileSync(join(folder, 'conform.xml'), 'utf8'), /tests="3" failures="0"/);
});

/** Runs a test file of the page against a receiver. @returns its report in TAP */
async function report(t: Tap, name: string, args: readonly string[], verify: (incoming: Json) => boolean) {
  const url = await serve(t, (incoming) => ({ status: !verify(incoming) ? 401 : incoming.json === undefined ? 400 : 200 }));
  const folder = newFolder(t);
  mkdirSync(join(folder, 'node_modules'));
  symlinkSync(build, join(folder, 'node_modules/posthorn'));
  symlinkSync(join(process.cwd(), 'node_modules/tap'), join(folder, 'node_modules/tap'));
  // Without the pace, which makes a run take 20 s.
  const source = blockOf(`ts ${name}`).replace('{ url, secret }', '{ url, secret, requestsPerSecond: 1_000 }');
  const { code } = await transform(source, { loader: 'ts', format: 'esm' });
  writeFileSync(join(folder, 'test.mjs'), code);
  const env = { WEBHOOK_URL: url, POSTHORN_SECRET: SECRET, TAP: '1' };
  const { ended, out } = run(t, [...args, 'test.mjs'], folder, env);
  return { code: await ended, out: out() };
}

for (const [name, file, args] of [
  ['node:test', 'conform.test.ts', ['--test', '--test-reporter=tap']],
  ['tap', 'conform-tap.test.ts', []],
] as const) {
  t.test(`the checks run in ${name} as on the page`, async (t) => {
    const good = await report(t, file, args, verifiers.right);
    t.match(good, { code: 0, out: /ok \d+ - W-05 refuses a request without a signature/ });
    const bad = await report(t, file, args, verifiers.acceptsUnsigned);
    t.match(bad, { code: 1, out: /not ok \d+ - W-05 refuses a request without a signature/ });
  });
}
