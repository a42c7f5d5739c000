import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import type { Tap } from '#core/testing';
import { conform } from '../../sandbox/commands/conform.js';
import { startSandbox } from '../../sandbox/compose.js';
import { person } from '../../sandbox/conform/contact.js';
import { connectorChecks, runChecks } from '../../sandbox/conform/index.js';
import { freePort } from '../../scripts/free-port.js';
import { run as inProcess, newFolder, posthorn } from '../iso/posthorn-process.js';
import { type Json, SECRET, serve, startConnector, verifiers } from './connector-subject.js';

const main = join(import.meta.dirname, '..', '..', 'sandbox', 'main.js');
const CHANNEL = '11111111-2222-4333-8444-555555555555';

async function run(t: Tap, ...argv: string[]) {
  const cwd = newFolder(t);
  const [out, err]: [string[], string[]] = [[], []];
  const code = await conform.run(argv, { cwd, out: (line) => void out.push(line), err: (line) => void err.push(line), isColoured: false });
  return { code, out, err, cwd };
}

const receiver = (t: Tap, verify: (incoming: Json) => boolean) =>
  serve(t, (incoming) => ({ status: !verify(incoming) ? 401 : incoming.json === undefined ? 400 : 200 }));

t.beforeEach(() => {
  for (const name of ['URL', 'NUMBER', 'TOKEN', 'SECRET']) delete process.env[`POSTHORN_${name}`];
});

t.test('a passed run exits with 0, and prints a table with a summary', async (t) => {
  const url = await receiver(t, verifiers.right);
  const { code, out } = await run(t, 'webhook', url, '--secret', SECRET, '--only', 'W-01,w-05');
  t.equal(code, 0);
  t.strictSame(out.slice(0, 2), [
    '  W-01  MUST    pass     accepts a signed event',
    '  W-05  MUST    pass     refuses a request without a signature',
  ]);
  t.equal(out.at(-1), '  2 passed, 0 failed, 0 skipped');
});

t.test('a failed MUST exits with 1, and is explained with section, bytes and fix', async (t) => {
  const url = await receiver(t, verifiers.acceptsUnsigned);
  const { code, out, cwd } = await run(t, 'webhook', url, '--secret', SECRET, '--only', 'W-05', '--junit', 'a.xml', '--markdown', 'a.md');
  t.equal(code, 1);
  const text = out.join('\n');
  for (const part of [
    /rule +Authentication, 5/,
    /expected +a 4XX response/,
    /received +status 200/,
    /fix +Respond 401/,
    /sent +\{"contacts"/,
  ])
    t.match(text, part);
  t.match(
    readFileSync(join(cwd, 'a.xml'), 'utf8'),
    /tests="1" failures="1" skipped="0"[\s\S]*<failure message="expected a 4XX|<failure message="MUST: expected/,
  );
  const markdown = readFileSync(join(cwd, 'a.md'), 'utf8');
  t.match(markdown, /^!\[0 of 1 checks passed\]\(https:\/\/img\.shields\.io\/badge\/posthorn%20webhook-0%20of%201%20passed-red\)/);
  t.match(markdown, /\| ❌ W-05 \| MUST \|/);
  t.notMatch(text + markdown, new RegExp(SECRET));
});

t.test('a failed SHOULD exits with 0, and counts as skipped in JUnit', async (t) => {
  const url = await serve(t, (incoming) => ({ status: verifiers.right(incoming) ? 200 : 500 }));
  const { code, cwd } = await run(t, 'webhook', url, '--secret', SECRET, '--only', 'W-10', '--junit', 'a.xml');
  t.equal(code, 0);
  t.match(readFileSync(join(cwd, 'a.xml'), 'utf8'), /failures="0" skipped="1"/);
});

t.test('--json prints one object with every exchange, byte by byte', async (t) => {
  const url = await receiver(t, verifiers.right);
  const { out } = await run(t, 'webhook', url, '--secret', SECRET, '--only', 'W-01', '--json');
  t.equal(out.length, 1);
  const report = JSON.parse(out[0]!);
  t.match(report, { v: 1, kind: 'webhook', url, ok: true, summary: { passed: 1, failed: 0, skipped: 0 } });
  const [{ exchanges }] = report.checks;
  t.match(exchanges[0], { request: { method: 'POST', body: { text: /^\{"contacts"/ } }, response: { status: 200 } });
});

t.test('--bail ends after the first failed MUST', async (t) => {
  const url = await receiver(t, () => false);
  const { code, out } = await run(t, 'webhook', url, '--secret', SECRET, '--bail');
  t.equal(code, 1);
  t.equal(out.filter((line) => /^ {2}W-\d\d {2}/.test(line)).length, 1);
});

t.test('--dry-run lists what would be sent, and sends nothing', async (t) => {
  let count = 0;
  const url = await serve(t, () => {
    count++;
    return { status: 200 };
  });
  for (const [kind, least] of [
    ['connector', 32],
    ['webhook', 12],
    ['integration', 16],
    ['api', 60],
  ] as const) {
    const { code, out } = await run(t, kind, url, '--secret', SECRET, '--token', 'token', '--dry-run');
    t.equal(code, 0);
    t.ok(out.length >= least, `${kind} has ${out.length} checks`);
  }
  t.equal(count, 0);
});

t.test('wrong usage is refused with a reason', async (t) => {
  const url = 'http://127.0.0.1:9/';
  const wrong: readonly (readonly [RegExp, ...string[]])[] = [
    [/takes a kind and a URL/],
    [/takes a kind and a URL/, 'phone', url],
    [/is not a URL/, 'webhook', 'nowhere'],
    [/nowhere is not a URL/, 'connector', url, '--secret', 'a', '--drive', 'nowhere'],
    [/must have no user name and no password/, 'webhook', 'http://ann:word@127.0.0.1:9/', '--secret', 'a'],
    [/--junit cannot be written: ENOTDIR|EEXIST/, 'webhook', url, '--secret', 'a', '--junit', '/dev/null/a.xml'],
    [/needs --secret/, 'webhook', url],
    [/needs --secret/, 'connector', url],
    [/needs --token/, 'api', url],
    [/--channel-token together/, 'api', url, '--token', 'a', '--channel', CHANNEL],
    [/there is no check C-99/, 'connector', url, '--secret', 'a', '--only', 'C-99'],
    [/there is no check C-01 of kind webhook/, 'webhook', url, '--secret', 'a', '--only', 'C-01'],
    [/must be a UUID/, 'connector', url, '--secret', 'a', '--channel', 'x', '--token', 'a'],
  ];
  for (const [message, ...argv] of wrong) await t.rejects(run(t, ...argv), { name: 'UsageError', message });
});

t.test('an endpoint that does not respond fails one check, and skips the others with the reason', async (t) => {
  const { code, out } = await run(t, 'webhook', 'http://127.0.0.1:9/', '--secret', SECRET, '--json');
  t.equal(code, 1);
  const { summary, checks } = JSON.parse(out[0]!);
  t.equal(summary.failed, 1);
  t.match(checks[1], { result: 'skipped', reason: 'W-01 failed' });
});

t.test('a failed check that --only does not select is reported when a selected one builds on it', async (t) => {
  const { code, out } = await run(t, 'connector', 'http://127.0.0.1:9/', '--secret', SECRET, '--only', 'C-18,C-49', '--junit', 'new/a.xml');
  t.equal(code, 1);
  t.match(out.join('\n'), /C-01 MUST [\s\S]*ECONNREFUSED[\s\S]*skipped C-18: C-01 failed[\s\S]*0 passed, 1 failed \(1 MUST\), 2 skipped/);
});

t.test('without a sandbox, checks of posts are skipped unless channel and token are given', async (t) => {
  const url = await startConnector(t, { api: 'http://127.0.0.1:9', channel: CHANNEL, token: 'token' });
  const { code, out, err } = await run(t, 'connector', url, '--secret', SECRET, '--only', 'C-01,C-41');
  t.equal(code, 0);
  t.match(err[0], /^No sandbox runs here/);
  t.match(out.join('\n'), /skipped C-41: needs the platform that the connector posts to: give --channel and --token/);
});

t.test('with channel and token, a sandbox is started at POSTHORN_URL for the run', async (t) => {
  const api = `http://127.0.0.1:${await freePort()}`;
  const url = await startConnector(t, { api, channel: CHANNEL, token: 'token' });
  process.env.POSTHORN_URL = api;
  const argv = ['connector', url, '--secret', SECRET, '--channel', CHANNEL, '--token', 'token', '--drive', `${url}/drive`];
  const { code, out, err } = await run(t, ...argv, '--only', 'C-41,C-50');
  t.equal(code, 0, out.join('\n'));
  t.strictSame(err, [`Started a sandbox at ${api} for this run.`]);
  t.match(out, [/C-41 .* pass/, /C-50 .* pass/]);
  await t.rejects(fetch(`${api}/health`), 'the sandbox has stopped');
});

t.test('a channel that the running platform does not have is refused before anything is sent', async (t) => {
  const { api, admin, stop } = await startSandbox({ seed: 'empty', console: false, logLevel: 'error' });
  t.teardown(stop);
  t.teardown(() => delete process.env.POSTHORN_ADMIN_KEY);
  Object.assign(process.env, { POSTHORN_URL: api, POSTHORN_ADMIN_KEY: admin.key });
  let count = 0;
  const url = await serve(t, () => ({ status: ++count && 200 }));
  await t.rejects(run(t, 'connector', url, '--secret', SECRET, '--channel', CHANNEL, '--token', 'token'), {
    ...{ name: 'CommandFailed', code: 'not_found', exit: 2, next: `npx posthorn channel add ${url}` },
    message: new RegExp(`^the platform at ${api} has no channel ${CHANNEL} \\(--channel or POSTHORN_NUMBER\\)\\. Create .*, or stop it`),
  });
  t.equal(count, 0);
});

t.test('the process exits with 2 without a secret, and prompts for nothing', async (t) => {
  const command = posthorn(t, newFolder(t), ['conform', 'connector', 'http://127.0.0.1:9/']);
  t.equal(await command.ended, 2);
  t.match(command.err(), /needs --secret, or the hmac_secret in POSTHORN_SECRET/);
});

t.test('in a test runner, each check is a test that skips or fails', async (t) => {
  const url = await startConnector(t, { api: 'http://127.0.0.1:9', channel: CHANNEL, token: 'token' }, { verify: verifiers.acceptsHex });
  const checks = connectorChecks({ url, secret: SECRET, requestsPerSecond: 1_000 });
  const one = (id: string) => checks.find((check) => check.id === id)!;
  await one('C-05').run();
  await t.rejects(one('C-07').run(), { name: 'CheckFailed', expected: /4XX/ });
  const reasons: string[] = [];
  await one('C-49').run({ skip: (reason) => reasons.push(reason) });
  t.match(reasons, [/^needs the platform/]);
});

t.test('a run sends at most four requests a second', async (t) => {
  const url = await receiver(t, verifiers.right);
  const since = performance.now();
  const { code } = await run(t, 'webhook', url, '--secret', SECRET, '--only', 'W-15');
  t.equal(code, 0);
  t.ok(performance.now() - since >= 8 * 250, 'nine requests take two seconds');
});

t.test('a run that reaches its limit skips the rest', async (t) => {
  const { bind } = await import('../../sandbox/conform/run.js');
  const log = { begin: () => undefined, taken: () => [] };
  const endless = {
    id: 'X-01',
    level: 'MUST',
    section: 's',
    title: 't',
    sends: 's',
    fix: 'f',
    run: () => new Promise<void>(() => undefined),
  } as const;
  const checks = bind([endless, { ...endless, id: 'X-02' }], { log, missing: () => undefined }, { withinMs: 50 });
  const outcomes = await runChecks(checks);
  t.match(outcomes, [
    { result: 'skipped', isLate: true, reason: /reached its limit/ },
    { result: 'skipped', isLate: true },
  ]);
});

/** Runs a command in a pseudo-terminal without a size. */
const IN_TERMINAL = 'import os, pty, sys; sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))';
const hasPython = spawnSync('python3', ['--version']).status === 0;

t.test('in a terminal, a person acts, once for all checks of a text', { skip: !hasPython && 'python3 is missing' }, async (t) => {
  const channel = { from_addr: 'web:1', name: 'A', endpoint: 'http://127.0.0.1:9', uuid: CHANNEL, token: 'token', hmac_secret: SECRET };
  const { api, admin, stop } = await startSandbox({ seed: { channels: [channel] }, logLevel: 'error' });
  t.teardown(stop);
  const url = await startConnector(t, { api, channel: CHANNEL, token: 'token' });
  const argv = [process.execPath, main, 'conform', 'connector', url, '--secret', SECRET, '--channel', CHANNEL, '--only', 'C-49,C-52,C-54'];
  const env = { POSTHORN_URL: api, POSTHORN_ADMIN_KEY: admin.key, POSTHORN_TOKEN: 'token', CI: '' };
  const command = inProcess(t, ['-c', IN_TERMINAL, ...argv], newFolder(t), env, 'python3');
  const write = (text: string) => fetch(`${url}/drive`, { method: 'POST', body: JSON.stringify({ from: 'ann', text }) });
  await command.printed(/Now write 'hi' to your bot\.[\s\S]*\d+ s left/);
  await write('something else');
  await write('hi');
  await command.printed(/Now write 'Dobrý den 👋' to your bot/);
  await write('Dobrý den 👋');
  t.equal(await command.ended, 0, command.out());
  for (const id of ['C-49', 'C-52', 'C-54']) t.match(command.out(), new RegExp(`${id} .*MUST .*pass`));
  t.equal(command.out().match(/Now write 'hi'/g)?.length, 1);
});

t.test('a person is asked to act, and gets no task that a person cannot do', async (t) => {
  const tasks: string[] = [];
  let ended = 0;
  const contact = person((task) => {
    tasks.push(task);
    return () => ended++;
  });
  await contact.act({ from: 'a', text: 'hi' });
  contact.done();
  await contact.act({ from: 'a', tap: 'Yes' });
  await contact.act({ from: 'a', text: 'Yes', quote: 'id' });
  await contact.act({ from: 'a', status: 'read', id: 'id' });
  t.match(tasks, ["write 'hi' to your bot", "tap 'Yes'", /quoting it/, /is read/]);
  t.equal(ended, 1);
  await t.rejects(contact.act({ from: 'a', status: 'failed', id: 'id' }), { name: 'CheckSkipped' });
  t.notOk(existsSync('.posthorn/conform'));
});
