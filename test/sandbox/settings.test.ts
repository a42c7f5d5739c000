import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { definePlugin } from '#core';
import { startPlatform, type Tap } from '#core/testing';
import { patient } from '../../core/testing/slowness.js';
import { type Sandbox, type SandboxOptions, startSandbox } from '../../sandbox/compose.js';
import { cassettesPlugin } from '../../sandbox/journey-tests/cassettes/cassettes-plugin.js';
import { admin } from './admin-call.js';

const seed = {
  numbers: [{ kind: 'network', address: '+27600000001', name: 'Library' }],
  channels: [
    { from_addr: 'web:a', name: 'Web', endpoint: 'http://127.0.0.1:9/', token: 'a-fixed-token-of-a-channel', hmac_secret: 's'.repeat(32) },
  ],
} as const;

async function start(t: Tap, options: SandboxOptions = {}): Promise<Sandbox> {
  const sandbox = await startSandbox({ logLevel: 'error', seed, ...options });
  t.teardown(() => sandbox.stop());
  return sandbox;
}

function newFolder(t: Tap): string {
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-settings-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

async function patch({ admin: { url, key } }: Sandbox, path: string, payload: object) {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const response = await fetch(`${url}${path}`, { method: 'PATCH', headers, body: JSON.stringify(payload) });
  // biome-ignore lint/suspicious/noExplicitAny: a test reads any field
  return { status: response.status, cause: response.headers.get('x-posthorn-cause'), body: (await response.json()) as any };
}

// biome-ignore lint/suspicious/noExplicitAny: a test reads any field
const settingIn = (body: any, path: string) => body.settings.find((one: { path: string }) => one.path === path);

t.test('switches are changed while the sandbox runs, and keep its state', async (t) => {
  const data = join(newFolder(t), 'data');
  const sandbox = await start(t, { data, clock: 'manual', options: { webhooks: { inboundOnChannel: true } } });
  const before = (await admin(sandbox, '/settings')).body;
  t.match(settingIn(before, 'webhooks.inboundOnChannel'), { kind: 'boolean', value: true, default: false, changed: true });
  t.match(settingIn(before, 'rateLimits'), { value: false, changed: false });
  t.match(settingIn(before, 'deliveries.pauseAfterFailures'), { value: null, default: null });
  t.strictSame(before.changed_options, [{ path: 'webhooks.inboundOnChannel', value: true, default: false }]);
  await admin(sandbox, '/clock/advance', { seconds: 60 });
  await admin(sandbox, '/faults', { preset: 'flaky-endpoint' });
  await admin(sandbox, '/numbers', { kind: 'network', address: '+27600000009', name: 'Second' });
  const records = (await admin(sandbox, '/numbers')).body;
  const options = {
    rateLimits: true,
    'deliveries.retryAlso': ['http_502'],
    'flows.newerVersions': 'refuse',
    'webhooks.inboundOnChannel': false,
  };
  const since = performance.now();
  const { status, body } = await patch(sandbox, '/settings', { options });
  t.ok(performance.now() - since < patient(4_500), 'the change does not wait 5 seconds for its own request');
  t.equal(status, 200);
  t.match(settingIn(body, 'webhooks.inboundOnChannel'), { value: false, changed: false }, 'a change beats the option of the start');
  t.match(settingIn(body, 'deliveries.retryAlso'), { value: ['http_502'], changed: true });
  t.match((await admin(sandbox, '/platform')).body.platform.rate_limits, { general: 60, text: 60, media: 60 });
  t.strictSame((await admin(sandbox, '/numbers')).body, records, 'the same records');
  t.match((await admin(sandbox, '/faults')).body.faults, [{ id: 'fault_1' }]);
  t.match((await admin(sandbox, '/clock')).body, { now: sandbox.clock.now().toISOString(), paused: true });
  const call = (token: string) => fetch(`${sandbox.api}/v1/contacts/1`, { headers: { authorization: `Bearer ${token}` } });
  t.not((await call(sandbox.numbers[0]!.token)).status, 401, 'tokens stay');
  t.equal(sandbox.changedOptions.length, 3);

  const refused = await patch(sandbox, '/settings', { options: { 'simulation.idleMinutes': 'soon' } });
  t.equal(refused.status, 400);
  t.match(refused.body.errors[0].details, /simulation.idleMinutes must be a number/);
  t.match((await patch(sandbox, '/settings', { options: { dialect: {} } })).body.errors[0].details, /cannot be changed here/);
  t.match(settingIn((await admin(sandbox, '/settings')).body, 'simulation.idleMinutes'), { value: 30 });
  const back = await patch(sandbox, '/settings', { options: { rateLimits: null } });
  t.match(settingIn(back.body, 'rateLimits'), { value: false, changed: false });

  await sandbox.stop();
  const again = await start(t, { data });
  const resumed = (await admin(again, '/settings')).body;
  t.match(settingIn(resumed, 'flows.newerVersions'), { value: 'refuse' }, 'and after a restart');
});

/** A sandbox with the default options. The first test that uses it ends with a reset. */
const unchanged = await start(t, { clock: 'manual' });

t.test('the state is compared with the seed, with a file, and two files with each other', async (t) => {
  const sandbox = unchanged;
  t.strictSame((await admin(sandbox, '/state/compare', {})).body, { count: 0, differences: [] });
  const file = await sandbox.exportState();
  const [number] = sandbox.numbers;
  await patch(sandbox, `/numbers/${number!.uuid}`, { name: 'n'.repeat(256) });
  const expected = {
    count: 1,
    differences: [
      { kind: 'changed', of: 'core.numbers', key: number!.uuid, fields: [{ name: 'name', from: '"Library"', to: /^"n{199}…$/ }] },
    ],
  };
  t.match((await admin(sandbox, '/state/compare', {})).body, expected, 'with the seed');
  t.match((await admin(sandbox, '/state/compare', file)).body, expected, 'with an export');
  t.match((await admin(sandbox, '/state/compare', { from: file, to: file })).body, { count: 0 }, 'two exports');
  t.match((await admin(sandbox, '/state/compare', { posthorn: 'other' })).body.errors[0].details, /not an exported state/);
  await admin(sandbox, '/state/import', file);
  t.match((await admin(sandbox, '/state/compare', {})).body.errors[0].details, /imported, so the state after the seed is not known/);
  t.match((await admin(sandbox, '/state/seed')).body, { comparable: false });
  await admin(sandbox, '/state/reset', {});
  t.match((await admin(sandbox, '/state/compare', {})).body, { count: 0 }, 'after a reset');
});

t.test('the seed is shown without secrets, and a changed one is applied', async (t) => {
  const sandbox = unchanged;
  const { body } = await admin(sandbox, '/state/seed');
  t.match(body, { is_demo: false, has_own_key: false, comparable: true, records: { numbers: [{ name: 'Library' }, { name: 'Web' }] } });
  t.notMatch(JSON.stringify(body), 'a-fixed-token');
  t.notMatch(JSON.stringify(body), 'ssssssss');
  const more = { ...body.seed, numbers: [...body.seed.numbers, { kind: 'network', address: '+27600000002', name: 'Second' }] };
  t.match((await admin(sandbox, '/state/seed', { seed: more })).body, { changes: [/Second|27600000002/] });
  t.equal((await admin(sandbox, '/numbers')).body.numbers.length, 3);
  t.match((await admin(sandbox, '/state/seed')).body.seed.numbers, [{}, { name: 'Second' }]);
  const wrong = async (given: unknown) => (await admin(sandbox, '/state/seed', { seed: given })).body.errors[0].details;
  t.match(await wrong({ numbers: [{ kind: 'fax' }] }), /numbers\[0\]\.kind/);
  t.match(await wrong('empty'), /must be an object/);
  t.match(await wrong({ ...more, journeys: [{ number: 'web:a', name: 'x', definition: '/etc/hostname' }] }), /paths of files/);
});

t.test('what runs: versions, plugins in load order and rate limits', async (t) => {
  const sandbox = unchanged;
  const { platform } = (await admin(sandbox, '/platform')).body;
  t.match(platform, { version: /^\d/, node: process.version, signature_header: 'X-Svc-Hook-Signature', rate_limits: null });
  const names: string[] = platform.plugins.map(({ name }: { name: string }) => name);
  t.ok(names.indexOf('journeys') < names.indexOf('simulation'), 'in load order');
  t.match(
    platform.plugins.find(({ name }: { name: string }) => name === 'integration'),
    {
      options: ['openMinutes', 'openMegabytes', 'recordCalls'],
      collections: ['integrations', 'clicks'],
    },
  );
});

t.test('cassettes are listed and deleted, and no name leaves their folder', async (t) => {
  const folder = newFolder(t);
  const { admin } = await startPlatform(t, { plugins: [cassettesPlugin({ folder: () => folder })] });
  t.match((await admin('GET', '/cassettes')).body, { folder, cassettes: [] });
  const place = join(folder, '.posthorn', 'cassettes');
  mkdirSync(join(place, 'tests'), { recursive: true });
  writeFileSync(join(folder, '.posthorn', 'secret.jsonl'), '{}');
  const line = JSON.stringify({ v: 1, request: 'GET https://clinic.test/slots\n{}', answer: { status: 200, body: 'x' } });
  writeFileSync(join(place, 'tests', 'library.jsonl'), `${line}\n${line}\n`);
  writeFileSync(join(place, 'broken.jsonl'), `${line}\nnonsense\n`);
  t.match((await admin('GET', '/cassettes')).body.cassettes, [
    { name: 'broken', requests: 1, problem: /^line 2 is not a recording: / },
    {
      name: 'tests/library',
      requests: 2,
      bytes: 2 * (line.length + 1),
      recorded: [{ kind: 'http', title: 'GET https://clinic.test/slots' }, {}],
      problem: null,
    },
  ]);
  t.equal((await admin('DELETE', `/cassettes/${encodeURIComponent('../secret')}`)).status, 404);
  t.match((await admin('DELETE', `/cassettes/${encodeURIComponent('tests/library')}`)).body.cassettes, [{ name: 'broken' }]);
});

t.test('options with which the platform cannot start are taken back', async (t) => {
  let failures = 0;
  const start = () => {
    if (failures-- > 0) throw new Error('it does not start');
  };
  const plugins = [definePlugin({ name: 'fragile', version: '1.0.0', register: () => ({ start }) })()];
  const data = join(newFolder(t), 'data');
  const sandbox = await startSandbox({ logLevel: 'error', seed, data, plugins });
  t.teardown(() => sandbox.stop());
  const change = { options: { rateLimits: true } };
  failures = 1;
  const refused = await patch(sandbox, '/settings', change);
  t.match(refused, { status: 409, cause: 'state_not_replaced' });
  t.match(JSON.stringify(refused.body), /continues with the previous one: .*it does not start/);
  t.equal(settingIn((await admin(sandbox, '/settings')).body, 'rateLimits').value, false, 'the previous options apply');
  t.strictSame(JSON.parse(readFileSync(join(data, 'sandbox.json'), 'utf8')).chosen, {}, 'and apply to the next start');
  failures = 2;
  await t.rejects(sandbox.reset(), /it does not start/);
  const lost = await fetch(`${sandbox.api}/v1/health`);
  t.match([lost.status, lost.headers.get('x-posthorn-cause')], [503, 'no_platform'], 'without a platform, calls get 503');
  await sandbox.stop();
  await t.rejects(sandbox.reset(), /no platform to replace: it is stopped/);
});
