import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { transform } from 'esbuild';
import t from 'tap';
import type { Tap } from '#core/testing';
import { connector } from '../../sandbox/commands/connector.js';
import { integration } from '../../sandbox/commands/integration.js';
import { startSandbox } from '../../sandbox/compose.js';
import { type BoundCheck, connectorChecks, integrationChecks, runChecks, webhookChecks } from '../../sandbox/conform/index.js';
import { freePort } from '../../scripts/free-port.js';
import { onlyLong } from '../forms.js';
import { newFolder, run } from '../iso/posthorn-process.js';
import { SECRET } from './connector-subject.js';
import { UNPACED } from './flawed.js';

const CHANNEL = '11111111-2222-4333-8444-555555555555';
const TOKEN = 'the-token-of-the-channel';
/** All in one lane: on a busy machine, 200 ms say nothing about an example. */
const TIMES = { ...UNPACED, lanesMs: { high: 5_000, default: 5_000 } };
const examples = join(import.meta.dirname, '..', '..', 'sandbox', 'examples');
const python = spawnSync('python3', ['--version']).status === 0;
const go = spawnSync('go', ['version']).status === 0;

async function startExample(
  t: Tap,
  [command = '', ...args]: readonly string[],
  env: Record<string, string>,
  cwd = process.cwd(),
): Promise<string> {
  const { printed } = run(t, args, cwd, { PORT: '0', ...env }, command);
  return /http:\/\/\S+/.exec(await printed(/http:\S+\n/))![0];
}

async function allPass(t: Tap, checks: readonly BoundCheck[], mayBeSkipped: RegExp = /^$/): Promise<void> {
  for (const { id, result, reason = '', expected, received } of await runChecks(checks)) {
    if (result === 'skipped' && mayBeSkipped.test(reason)) continue;
    t.equal(result, 'pass', `${id} ${reason} ${expected}; ${received}`);
  }
}

/** A sandbox to which a connector at this URL posts. */
async function startPlatform(t: Tap) {
  const channel = { from_addr: 'web:1', name: 'Example', endpoint: 'http://127.0.0.1:9', uuid: CHANNEL, token: TOKEN, hmac_secret: SECRET };
  const sandbox = await startSandbox({ seed: { channels: [channel] }, logLevel: 'error' });
  t.teardown(() => sandbox.stop());
  const { api, admin } = sandbox;
  return {
    environment: { POSTHORN_API: api, POSTHORN_NUMBER: CHANNEL, POSTHORN_TOKEN: TOKEN, POSTHORN_SECRET: SECRET },
    platform: { api, adminKey: admin.key, channel: CHANNEL, token: TOKEN },
    async setEndpoint(endpoint: string) {
      const headers = { authorization: `Bearer ${admin.key}`, 'content-type': 'application/json' };
      await fetch(`${admin.url}/channels/${CHANNEL}`, { method: 'PATCH', headers, body: JSON.stringify({ endpoint }) });
    },
  };
}

t.test('the example connector in TypeScript passes every check', async (t) => {
  const { environment, platform, setEndpoint } = await startPlatform(t);
  const url = await startExample(t, [process.execPath, join(examples, 'connector.js')], environment);
  await setEndpoint(url);
  await allPass(t, connectorChecks({ url, secret: SECRET, drive: `${url}/phone`, platform, ...TIMES }));
});

t.test('the example connector in Python passes every check that needs no contact', { skip: !python && 'python3 is missing' }, async (t) => {
  const { environment, platform, setEndpoint } = await startPlatform(t);
  const url = await startExample(t, ['python3', 'sandbox/examples/connector.py'], environment);
  await setEndpoint(url);
  await allPass(t, connectorChecks({ url, secret: SECRET, platform, ...TIMES }), /^needs a contact/);
});

t.test('the example webhook receiver passes every check', async (t) => {
  const url = await startExample(t, [process.execPath, join(examples, 'webhook-receiver.js')], { POSTHORN_SECRET: SECRET });
  await allPass(t, webhookChecks({ url, secret: SECRET, ...TIMES }));
});

t.test('the example integration passes every check', async (t) => {
  const environment = { POSTHORN_SECRET: SECRET, POSTHORN_API: 'http://127.0.0.1:9' };
  const url = await startExample(t, [process.execPath, join(examples, 'integration.js')], environment);
  await allPass(t, integrationChecks({ url, secret: SECRET, ...TIMES }), /^needs the API token|no refresh header/);
});

/** Writes a starter as a user does. @returns its folder */
async function newStarter(t: Tap, kind: 'connector' | 'integration', language: string): Promise<string> {
  const cwd = newFolder(t);
  const lines: string[] = [];
  const terminal = { cwd, isColoured: false, out: (line: string) => void lines.push(line), err: () => undefined };
  const command = kind === 'connector' ? connector : integration;
  t.equal(await command.run(['new', 'mine', '--lang', language], terminal), 0);
  t.ok(lines.includes(join('mine', 'README.md')));
  const folder = join(cwd, 'mine');
  const [source] = lines.filter((line) => /^mine.(connector|integration)\.\w+$/.test(line));
  t.ok(readFileSync(join(cwd, source!), 'utf8').trimEnd().split('\n').length <= 90, 'at most 90 lines');
  t.ok(readFileSync(join(folder, 'README.md'), 'utf8').split('\n').length <= 40, 'a README of one screen');
  return folder;
}

/** Compiles a starter in TypeScript as its build does, without types, which the type check of the project covers. */
async function compiled(folder: string, kind: string): Promise<void> {
  mkdirSync(join(folder, 'dist'));
  for (const file of [kind, 'start', `${kind}.test`]) {
    const { code } = await transform(readFileSync(join(folder, `${file}.ts`), 'utf8'), { loader: 'ts', format: 'esm' });
    writeFileSync(join(folder, 'dist', `${file}.js`), code);
  }
}

/** Runs a command of the starter's README, such as its test. */
function runs(folder: string, [command = '', ...args]: readonly string[]): void {
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  execFileSync(command, args, { cwd: folder, env: { ...env, GOFLAGS: '-mod=mod', GOTOOLCHAIN: 'local' }, stdio: 'pipe' });
}

interface Language {
  readonly name: string;
  readonly isThere: boolean;
  readonly test: readonly string[];
  readonly start: readonly string[];
}

const languagesOf = (kind: string): readonly Language[] => [
  { name: 'ts', isThere: true, test: [process.execPath, '--test', `dist/${kind}.test.js`], start: [process.execPath, `dist/${kind}.js`] },
  { name: 'python', isThere: python, test: ['python3', '-m', 'unittest'], start: ['python3', `${kind}.py`] },
  ...(kind === 'connector' ? [{ name: 'go', isThere: go, test: ['go', 'test', './...'], start: ['./starter'] }] : []),
];

for (const kind of ['connector', 'integration'] as const) {
  for (const { name, isThere, test, start } of languagesOf(kind)) {
    t.test(
      `the ${kind} that posthorn ${kind} new writes in ${name} passes its test and every check`,
      { skip: (name === 'ts' ? false : onlyLong) || (!isThere && `${name} is not installed`) },
      async (t) => {
        const folder = await newStarter(t, kind, name);
        if (name === 'ts') await compiled(folder, kind);
        runs(folder, test);
        if (name === 'go') runs(folder, ['go', 'build', '-o', 'starter', '.']);
        const PORT = String(await freePort());
        if (kind === 'integration') {
          const url = await startExample(t, start, { POSTHORN_SECRET: SECRET, PORT }, folder);
          return allPass(t, integrationChecks({ url, secret: SECRET, ...TIMES }), /^needs the API token/);
        }
        const { environment, platform, setEndpoint } = await startPlatform(t);
        const url = await startExample(t, start, { ...environment, PORT }, folder);
        await setEndpoint(url);
        return allPass(t, connectorChecks({ url, secret: SECRET, drive: `${url}/phone`, platform, ...TIMES }));
      },
    );
  }
}
