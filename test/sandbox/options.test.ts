import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Joi from 'joi';
import t from 'tap';
import { definePlugin } from '#core';
import type { Tap } from '#core/testing';
import { type Sandbox, type SandboxOptions, startSandbox } from '../../sandbox/compose.js';
import { readConfig } from '../../sandbox/config.js';
import { mergedTrees, treeOfPaths } from '../../sandbox/option-tree.js';

const seed = {
  numbers: [{ kind: 'network', address: '+27600000001', name: 'Library' }],
  channels: [{ from_addr: 'web:library', name: 'Library', endpoint: 'http://127.0.0.1:9/' }],
} as const;

async function start(t: Tap, options: SandboxOptions): Promise<Sandbox> {
  const sandbox = await startSandbox({ logLevel: 'error', seed, ...options });
  t.teardown(() => sandbox.stop());
  return sandbox;
}

function newFolder(t: Tap): string {
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-options-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

async function admin({ admin: { url, key } }: Sandbox, path: string) {
  const response = await fetch(`${url}${path}`, { headers: { authorization: `Bearer ${key}` } });
  // biome-ignore lint/suspicious/noExplicitAny: a test reads any field
  return (await response.json()) as any;
}

t.test('paths become a tree, and later trees win', (t) => {
  t.strictSame(treeOfPaths({ 'rateLimits.text': 5, 'rateLimits.media': 6, checkResponses: true }), {
    rateLimits: { text: 5, media: 6 },
    checkResponses: true,
  });
  t.throws(() => treeOfPaths({ 'a..b': 1 }), /'a..b' is not the path of an option/);
  t.throws(() => treeOfPaths({ '__proto__.x': 1 }), /is not the path of an option/);
  t.equal(JSON.stringify(treeOfPaths({ 'constructor.x': 1 })), '{"constructor":{"x":1}}');
  t.throws(() => treeOfPaths({ rateLimits: true, 'rateLimits.text': 5 }), /contradicts another option, which sets rateLimits to true/);
  t.strictSame(mergedTrees({ a: { b: 1, c: [1] } }, undefined, { a: { c: [2] }, d: 3 }), { a: { b: 1, c: [2] }, d: 3 });
  t.end();
});

t.test('options reach the platform, its plugins, the network and the numbers of the seed', async (t) => {
  const sandbox = await start(t, {
    service: 'acme',
    options: {
      dialect: { network: 'wire', headers: { networkId: 'X-WIRE-Id' } },
      rateLimits: { text: 2 },
      webhooks: { inboundOnChannel: true },
      network: { policy: { mode: 'manual', delivered_after_ms: 250 } },
      numbers: { reactions: true },
      journeys: { country: 'ZA', kept: 5 },
      flows: { newerVersions: 'hint' },
    },
  });
  const [number] = sandbox.numbers;
  t.match((await admin(sandbox, `/network/numbers/${number!.uuid}/policy`)).policy, { mode: 'manual', sent_after_ms: 50 });
  t.strictSame(
    (await admin(sandbox, '/numbers')).numbers.map(({ reactions }: { reactions?: boolean }) => reactions),
    [true, true],
  );
  t.match(sandbox.platform.dialect, {
    headers: { signature: 'X-Acme-Hook-Signature', networkId: 'X-WIRE-Id' },
    contactFields: { networkId: 'wire_id' },
  });
  const send = () =>
    fetch(`${sandbox.api}/v1/messages`, {
      method: 'POST',
      headers: { authorization: `Bearer ${number!.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ to: '+27611111111', text: { body: 'hi' } }),
    });
  const statuses: number[] = [];
  for (let i = 0; i < 3; i++) statuses.push((await send()).status);
  t.strictSame(statuses, [200, 200, 429]);
});

t.test('a sandbox lists the options that differ from its defaults, and no others', async (t) => {
  const sandbox = await start(t, {
    options: {
      webhooks: { inboundOnChannel: true },
      rateLimits: false,
      privateTargets: ['127.0.0.1'],
      flows: { newerVersions: 'hint' },
      simulation: { idleMinutes: 5 },
      network: { policy: { mode: 'manual', order: 'real' } },
    },
  });
  t.strictSame(
    [...sandbox.changedOptions].sort((a, b) => a.path.localeCompare(b.path)),
    [
      { path: 'network.policy.mode', value: 'manual', default: 'automatic' },
      { path: 'privateTargets', value: ['127.0.0.1'], default: 'allow' },
      { path: 'simulation.idleMinutes', value: 5, default: 30 },
      { path: 'webhooks.inboundOnChannel', value: true, default: false },
    ],
  );
});

t.test('options that do not exist, or have a wrong value, are refused with their path', async (t) => {
  const refused = (options: object) => startSandbox({ logLevel: 'error', seed: 'empty', ...options });
  await t.rejects(refused({ sed: 'empty' }), /there is no option sed; the options are port, host/);
  await t.rejects(refused({ options: { webhook: {} } }), /the option webhook does not exist; there are numbers, dialect/);
  await t.rejects(
    refused({ options: { webhooks: { inboundOnChanel: true } } }),
    /the option webhooks.inboundOnChanel does not exist; webhooks has inboundOnChannel/,
  );
  await t.rejects(refused({ options: { webhooks: { inboundOnChannel: 'maybe' } } }), /webhooks.inboundOnChannel must be a boolean/);
  await t.rejects(refused({ options: { rateLimits: { text: 0 } } }), /rateLimits.text must be greater than or equal to 1/);
  await t.rejects(refused({ options: { flows: { operator: {} } } }), /flows.operator is not allowed/);
  await t.rejects(refused({ network: 'svc' }), /dialect needs two different words/);
  await t.rejects(refused({ options: { dialect: { headers: { networkId: 'X-Id' } } } }), /changes only capital letters of X-Msgapp-Id/);
  await t.rejects(refused({ seed: { nombers: [] } }), /nombers is not allowed/);
});

t.test('a seed sets the words of the dialect and options; startSandbox takes precedence', async (t) => {
  const folder = newFolder(t);
  const data = join(folder, 'data');
  const about = { ...seed, service: 'acme', network: 'wire', options: { simulation: { idleMinutes: 5 } } };
  const first = await startSandbox({ logLevel: 'error', seed: about, data, service: 'other' });
  t.match(first.platform.dialect, { service: 'other', network: 'wire' });
  t.match(first.changedOptions.map(({ path }) => path).sort(), ['dialect.network', 'dialect.service', 'simulation.idleMinutes']);
  await first.stop();
  const second = await start(t, { data });
  t.match(second.platform.dialect, { service: 'other', network: 'wire' }, 'records have these words in their subscriptions');
  t.strictSame(second.changedOptions, first.changedOptions, 'and the options of its seed');
});

t.test('the demo speaks the dialect', async (t) => {
  const { webhooks } = await start(t, { seed: 'demo', service: 'acme', network: 'wire' });
  t.strictSame(webhooks[1]!.subscriptions, ['wire', 'acme', 'journey_outbound']);
});

t.test('plugins are given as values or as files, and take options by their names', async (t) => {
  const folder = newFolder(t);
  const seen: object[] = [];
  const mine = definePlugin<{ size?: number }, 'size'>({
    name: 'mine',
    version: '1.0.0',
    options: Joi.object({ size: Joi.number().default(1) }),
    register(_, options) {
      seen.push(options);
      return {};
    },
  });
  mkdirSync(join(folder, 'lib'));
  writeFileSync(join(folder, 'lib', 'answer.ts'), 'export const answer: number = 42;');
  writeFileSync(
    join(folder, 'theirs.ts'),
    `import { definePlugin, route, object } from 'posthorn';
     import Joi from 'joi';
     import { answer } from './lib/answer.js';
     export const theirs = definePlugin<{ word?: string }, 'word'>({
       name: 'theirs', version: '1.0.0', options: Joi.object({ word: Joi.string().default('none') }),
       register: (_, { word }) => ({ admin: [route({ method: 'GET', path: '/theirs', summary: 'Shows.',
         responses: { 200: object({}).unknown() as never }, handler: () => ({ word, answer }) as never })] }),
     });`,
  );
  const sandbox = await start(t, {
    plugins: [mine({ size: 2 }), join(folder, 'theirs.ts')],
    options: { theirs: { word: 'set' } },
  });
  t.strictSame(seen, [{ size: 2 }]);
  t.strictSame(await admin(sandbox, '/theirs'), { word: 'set', answer: 42 });

  writeFileSync(join(folder, 'broken.ts'), 'export const broken = {\n  a: 1\n  b: 2,\n};\n');
  await t.rejects(
    startSandbox({ seed: 'empty', plugins: [join(folder, 'broken.ts')] }),
    /Expected "}" but found "b"[\s\S]*broken\.ts:3:2:[\s\S]*3 │ {3}b: 2/,
  );
  writeFileSync(join(folder, 'none.ts'), 'export const a = 1;');
  await t.rejects(startSandbox({ seed: 'empty', plugins: [join(folder, 'none.ts')] }), /none\.ts exports no plugin/);
});

t.test('a folder is configured by posthorn.config.json or posthorn.config.ts', async (t) => {
  const folder = newFolder(t);
  t.strictSame(await readConfig(folder), {});
  writeFileSync(join(folder, 'posthorn.config.ts'), `export default { seed: 'empty' as const, options: { rateLimits: true } };`);
  t.strictSame(await readConfig(folder), { seed: 'empty', options: { rateLimits: true } });
  writeFileSync(join(folder, 'posthorn.config.json'), '{"sed":"empty"}');
  await t.rejects(readConfig(folder), /this folder has posthorn.config.json and posthorn.config.ts/);
  rmSync(join(folder, 'posthorn.config.ts'));
  await t.rejects(readConfig(folder), /posthorn.config.json: there is no option sed/);
});
