import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import t from 'tap';
import type { Plugin } from '#core';
import { startPlatform } from '#core/testing';
import { demoSeed } from '../../sandbox/demo/demo.js';
import { banner } from '../../sandbox/reports/banner.js';
import type { Sandbox } from '../../sandbox/sandbox.js';
import { freePort } from '../../scripts/free-port.js';
import { loadSample } from '../pages/samples.js';

const readme = readFileSync('README.md', 'utf8');
const { dependencies, peerDependencies } = JSON.parse(readFileSync('package.json', 'utf8'));

/** The code samples, keyed by the name after the language. */
const samples = new Map([...readme.matchAll(/^```ts (\S+)\n([\s\S]*?)^```$/gm)].map(([, name, code]) => [name!, code!]));

const load = (name: string, change?: (code: string) => string): Promise<Record<string, unknown>> =>
  loadSample('README.md', 'ts', name, change);

t.test('every code sample of the README has a name by which a test runs it', async (t) => {
  t.strictSame([...samples.keys()], ['embed', 'console-channel']);
  t.equal([...readme.matchAll(/^```ts/gm)].length, samples.size);
});

t.test('the embedding sample, copied into a fresh folder, receives and sends a message with the calls of the page', async (t) => {
  t.ok(samples.get('embed')!.trim().split('\n').length <= 32);
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-readme-'));
  t.teardown(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, 'node_modules/@hapi'), { recursive: true });
  symlinkSync(join(import.meta.dirname, '../..'), join(folder, 'node_modules/posthorn'));
  symlinkSync(join(process.cwd(), 'node_modules/@hapi/hapi'), join(folder, 'node_modules/@hapi/hapi'));
  const { runEmbedSample } = await import(pathToFileURL('scripts/readme-sample.mjs').href);
  const { responses, printed } = await runEmbedSample(folder, await freePort());
  t.match(responses, /"success":true[\s\S]*"messages":\[\{"id":"[\w-]+"/);
  const [, shown] = /The server prints both messages:\n\n```\n([\s\S]*?)```/.exec(readme)!;
  t.equal(printed, shown!.trim());

  const kept = readFileSync(join(folder, 'server.mjs'), 'utf8').replace(
    'createPlatform({ plugins,',
    "createPlatform({ dataDir: './data', plugins,",
  );
  writeFileSync(join(folder, 'kept.mjs'), `${kept}\nconsole.log('end');\nprocess.kill(process.pid, 'SIGTERM');`);
  const start = () => spawnSync(process.execPath, ['kept.mjs'], { cwd: folder, encoding: 'utf8' });
  t.match(start().stdout, /^export .+\nend\n$/);
  t.match(start(), { stdout: /^end\n$/, stderr: '' }, 'with a dataDir, the second start finds the channel of the first');
});

t.test('the channel sample, in 45 lines, passes messages both ways', async (t) => {
  t.ok(samples.get('console-channel')!.trim().split('\n').length <= 45);
  const { consoleChannel } = (await load('console-channel')) as { consoleChannel: (options: object) => Plugin };
  const { platform, admin, call } = await startPlatform(t, { plugins: [consoleChannel({ prompt: '$' })] });
  const { number } = (await admin('POST', '/numbers', { kind: 'channel', type: 'console', address: 'tty1', name: 'Console' })).body;
  const token = (await admin('POST', `/numbers/${number.uuid}/tokens`, { name: 'test' })).body.text;

  t.match(await call('POST', '/v1/console/lines', { token, payload: { from: 'ada', line: 'hello' } }), { status: 200 });
  const [contact] = await platform.contacts.list(number.uuid);
  t.match(contact, { id: 'ada', fields: { name: 'ada' } });

  const turn = { type: 'text' as const, text: { body: 'good day' } };
  await platform.store.transaction((tx) =>
    platform.channels.send(tx, number, contact!, { turn, author: { type: 'OPERATOR', id: '1', name: 'Op' } }),
  );
  const [conversation] = await platform.conversations.list(number.uuid, 10);
  const [newest] = await platform.conversations.newest(conversation!.uuid, 10);
  t.match(newest, { direction: 'outbound', external_id: /./, content: { text: { body: 'good day' } } });
  t.notHas(newest, 'pending_for', 'the driver accepted it');
});

t.test('the banner in the README is the one that a sandbox prints', async (t) => {
  const api = 'http://127.0.0.1:4100';
  const listening = (port: number) => ({ url: `http://127.0.0.1:${port}`, send: async () => {} });
  // Values come from the demo's seed; only random ones are fixed here.
  const { numbers, channels, webhooks, journeys } = demoSeed({
    connector: listening(42969),
    receiver: listening(44343),
    integration: listening(43111),
  });
  const [network, channel, webchat] = ['39866af3-…', '6bcacffb-…', 'c41d0e52-…'];
  const secrets = ['SjSBopNI…', 'oZyHZmLL…'];
  const uuids = ['547c8288-…', 'b0c6e0f7-…'];
  const uuidOf = (address: string) => (address === numbers![0]!.address ? network : channel);
  const demo = {
    api,
    admin: { url: `${api}/admin/v1`, key: 'pha_7vuW…' },
    numbers: [
      ...numbers!.map((number) => ({ ...number, uuid: network, token: 'ph_QdxdIY…' })),
      ...channels!.map(({ from_addr: address, name }) => ({ uuid: channel, kind: 'channel', name, address, token: 'ph_9M7cDr…' })),
      { uuid: webchat, kind: 'channel', name: 'Riverside Library', address: 'webchat:library', token: 'ph_Xw2kTb…' },
    ],
    channels: channels!.map(({ endpoint }) => ({ uuid: channel, webhook: { hmac_secret: 'FdS4tfBP…' }, endpoint })),
    webhooks: webhooks!.map((webhook, i) => ({ ...webhook, number: uuidOf(webhook.number), hmac_secret: secrets[i] })),
    journeys: [
      ...journeys!.map(({ name, number }, i) => ({ name, number: uuidOf(number), uuid: uuids[i] })),
      { name: 'Riverside Library', number: webchat, uuid: '9d20c6aa-…' },
    ],
    console: { url: `${api}/console/` },
    phone: 'http://127.0.0.1:42969/phone',
    isResumed: false,
    clock: { isPaused: false },
    withoutToken: [],
    changedOptions: [],
  } as unknown as Sandbox;
  const printed = banner(demo, {
    data: undefined,
    readyMs: 930,
    isColoured: false,
    signInUrl: `${api}/console/?code=Ay0qPn…`,
    keys: 'Press o to open the console, d for the docs, a for advice, i to print this again, q to stop.',
  })
    .join('\n')
    .trim();
  t.equal(/^```\n( *posthorn [\s\S]*?)^```$/m.exec(readme)?.[1]?.trim(), printed);
});

t.test('the command for clients of the Cloud API is on the first lines of the README, and serves such a client', async (t) => {
  const [, command] = /Cloud API need no account either: `npx posthorn ([^`]+)`/.exec(readme.split('\n').slice(0, 12).join('\n'))!;
  const main = join(import.meta.dirname, '../../sandbox/main.js');
  const child = spawn(process.execPath, [main, ...command!.split(' '), '--port', '0', '--json'], { stdio: ['ignore', 'pipe', 'inherit'] });
  t.teardown(() => child.kill('SIGKILL'));
  const [line] = await once(child.stdout, 'data');
  const { url, accessToken, numbers } = JSON.parse(String(line));
  const response = await fetch(`${url}/v25.0/${numbers[0].phoneNumberId}/messages`, {
    method: 'POST',
    headers: { authorization: `Bearer ${accessToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({ messaging_product: 'whatsapp', to: '16505551234', text: { body: 'hello' } }),
  });
  t.match(await response.json(), { messages: [{ id: /^wamid\./ }] });
  child.kill('SIGTERM');
  t.strictSame(await once(child, 'exit'), [0, null]);
});

t.test('the pictures exist, show one thing each, and are small', async (t) => {
  const channels = ['telegram', 'email', 'sms', 'webchat', 'console', 'flows'].map((name) => `plugins/${name}/README.md`);
  const pages = ['README.md', ...channels, 'sandbox/troubleshooting.md', 'sandbox/conformance.md'];
  const shown = pages.flatMap((page) =>
    [...readFileSync(page, 'utf8').matchAll(/!\[([^\]]+)\]\(([\w./-]+\.webp)\)/g)].map(([, text, file]) => ({
      ...{ page, text: text!, file: join(dirname(page), file!) },
    })),
  );
  const files = readdirSync('sandbox/pictures').map((file) => `sandbox/pictures/${file}`);
  t.strictSame(shown.map(({ file }) => file).sort(), files.sort());
  t.ok(shown.filter(({ page }) => page === 'README.md').length <= 3);
  const contents = files.map((file) => readFileSync(file));
  for (const bytes of contents) t.equal(bytes.toString('latin1', 8, 12), 'WEBP');
  t.ok(contents.reduce((sum, { length }) => sum + length, 0) <= 850_000);
  for (const { text } of shown) t.ok(text.length > 20, 'each picture has a description');
});

const { BUNDLED }: { BUNDLED: readonly string[] } = await import(pathToFileURL('scripts/bundle.mjs').href);

t.test('the tables of dependencies list exactly the packages', async (t) => {
  const named = [...readFileSync('core/dependencies.md', 'utf8').matchAll(/^\| (`[^|]+) \|/gm)].flatMap(([, cell]) =>
    [...cell!.matchAll(/`([^`]+)`/g)].map((match) => match[1]!),
  );
  const sources = ['core/web', 'plugins/flows/preview/app', 'plugins/console/app'].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((file) => /\.tsx?$/.test(file))
      .map((file) => readFileSync(`${folder}/${file}`, 'utf8')),
  );
  const imported = sources.flatMap((text) =>
    [...text.matchAll(/(?:from|import\() ?'((?:@[\w-]+\/)?[\w-]+)[\w/-]*'/g)].map(([, name]) => name!),
  );
  const installed = [...Object.keys(dependencies), ...Object.keys(peerDependencies)];
  t.strictSame(named.sort(), [...new Set([...installed, ...BUNDLED, ...imported])].sort());
});
