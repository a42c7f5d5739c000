import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { type AddressInfo, createServer as listen } from 'node:net';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { runCommandLine } from '../../sandbox/command-line.js';
import { commands } from '../../sandbox/commands.js';
import { verbsOf } from '../../sandbox/terminal/completion.js';
import { newFolder } from '../iso/posthorn-process.js';

interface Expected {
  readonly code: string;
  readonly exit: number;
  readonly next?: string;
  readonly message?: RegExp;
}

/** Runs `posthorn` in this process, without a terminal. */
async function posthorn(cwd: string, args: readonly string[]): Promise<{ exit: number; out: string[]; err: string[] }> {
  const [out, err]: [string[], string[]] = [[], []];
  const terminal = { cwd, out: (line: string) => void out.push(line), err: (line: string) => void err.push(line), isColoured: false };
  return { exit: await runCommandLine(args, terminal, commands), out, err };
}

/** A failure has the same exit code, code, cause and next command as text and as JSON. */
async function fails(
  t: Test,
  cwd: string,
  [name = '', ...argv]: readonly string[],
  { exit, code, next, message = /\w/ }: Expected,
): Promise<void> {
  const about = [name, ...argv].join(' ');
  const text = await posthorn(cwd, [name, ...argv]);
  const json = await posthorn(cwd, [name, '--json', ...argv]);
  const { error } = JSON.parse(json.out.at(-1) ?? '{}') as { error?: { code: string; message: string; next: string } };
  t.strictSame([text.exit, json.exit], [exit, exit], `${about}: exit code`);
  t.match(error, { code, message, next: next ?? /^npx posthorn \w/ }, `${about}: --json`);
  t.equal(json.out.filter((line) => line.includes('"error":')).length, 1, `${about}: one line of JSON`);
  t.strictSame(text.err.slice(-3), [`posthorn: ${error?.message}`, `Code: ${code}`, `Try: ${error?.next}`], `${about}: text`);
  const [, , wanted = ''] = error?.next.split(' ') ?? [];
  t.ok(wanted === 'help' || Object.hasOwn(commands, wanted), `${about}: the next command exists`);
}

const names = Object.keys(commands);
const environment = { ...process.env };
t.beforeEach(() => {
  for (const name of ['POSTHORN_URL', 'POSTHORN_ADMIN_KEY', 'POSTHORN_DATABASE_URL', 'POSTHORN_SECRET', 'POSTHORN_TOKEN'])
    delete process.env[name];
});
t.teardown(() => Object.assign(process.env, environment));

t.test('every command suggests the flag that a misspelt one means', async (t) => {
  const folder = newFolder(t);
  for (const name of names) {
    const message = /^unknown flag --jsno; did you mean '--json'\?$/;
    await fails(t, folder, [name, '--jsno'], { code: 'usage', exit: 2, next: `npx posthorn help ${name}`, message });
  }
});

t.test('every command with verbs suggests the verb that a misspelt one means', async (t) => {
  const folder = newFolder(t);
  for (const name of names) {
    // posthorn test also takes the name of a file there.
    const verb = name === 'test' ? undefined : verbsOf(commands[name]!).find(({ length }) => length > 3);
    if (verb === undefined) continue;
    const message = new RegExp(`did you mean '${verb}'`);
    await fails(t, folder, [name, `${verb}${verb.at(-1)}`], { code: 'usage', exit: 2, next: `npx posthorn help ${name}`, message });
  }
});

t.test('--url, --json and --version may be before a command', async (t) => {
  const folder = newFolder(t);
  const first = await posthorn(folder, ['--json', 'sign', '--secret', 's', '--body', join(folder, 'none')]);
  t.match([first.exit, JSON.parse(first.out[0]!)], [2, { error: { message: /none cannot be read/ } }]);
  t.match((await posthorn(folder, ['--url', 'http://127.0.0.1:9', 'status'])).err[0], /admin key of http:\/\/127\.0\.0\.1:9 is unknown/);
  t.match((await posthorn(folder, ['--url=nowhere', 'status'])).err, [
    /--url needs the base URL/,
    'Code: usage',
    'Try: npx posthorn help status',
  ]);
  t.match((await posthorn(folder, ['send', '--version'])).out, [/^\d+\.\d+\.\d+$/]);
  t.match((await posthorn(folder, ['--verison'])).err[0], /^posthorn: unknown flag --verison; did you mean '--version'\?$/);
});

t.test('a misspelt command is suggested, and one that is nothing like a command is not', async (t) => {
  const folder = newFolder(t);
  for (const name of names) {
    const message = new RegExp(`^unknown command '${name}x'; did you mean '`);
    await fails(t, folder, [`${name}x`], { code: 'usage', exit: 2, next: 'npx posthorn help', message });
  }
  const near = {
    explore: 'test explore',
    record: 'test record',
    redeliver: 'deliveries redeliver',
    Advance: 'clock advance',
    channels: 'channel',
    delivery: 'deliveries',
    webhook: 'deliveries',
    start: 'sandbox',
    logs: 'tail',
    impor: 'state import',
  };
  for (const [word, meant] of Object.entries(near))
    await fails(t, folder, [word], {
      code: 'usage',
      exit: 2,
      message: new RegExp(`^unknown command '${word}'; did you mean '${meant}'\\?$`),
    });
  t.match((await posthorn(folder, ['help', 'explore'])).err[0], /did you mean 'test explore'\?/);
  await fails(t, folder, ['quux'], { code: 'usage', exit: 2, message: /^unknown command 'quux'$/ });
});

/** Arguments with which a command calls a platform. */
const CALLS: Readonly<Record<string, readonly string[]>> = {
  advice: [],
  api: ['GET', '/numbers'],
  audit: [],
  calls: [],
  channel: ['list'],
  contacts: ['show', '+27611111111'],
  keys: ['list'],
  chat: [],
  clock: ['list'],
  cluster: [],
  deliveries: ['list'],
  env: [],
  fault: ['list'],
  find: ['hi'],
  flow: ['list'],
  integration: ['list'],
  journey: ['list'],
  open: [],
  send: ['hi'],
  retention: [],
  state: ['reset'],
  status: [],
  tail: [],
  trigger: [],
  why: [],
};

/** Commands that work without a running platform, with arguments with which they fail in an empty folder. */
const ALONE: Readonly<Record<string, { readonly argv: readonly string[] } & Expected>> = {
  agent: { argv: ['install', '--dir', 'none'], code: 'usage', exit: 2, message: /is not a folder/ },
  'cloud-api': { argv: ['stand-in', '--port', 'USED'], code: 'in_use', exit: 4, next: 'npx posthorn cloud-api stand-in --port 0' },
  completion: { argv: ['tcsh'], code: 'usage', exit: 2 },
  conform: { argv: ['webhook', 'http://127.0.0.1:9/'], code: 'usage', exit: 2, message: /needs --secret/ },
  connector: { argv: ['new'], code: 'usage', exit: 2 },
  data: { argv: ['check', 'none'], code: 'no_data', exit: 2, next: 'npx posthorn sandbox --data none' },
  doctor: { argv: ['now'], code: 'usage', exit: 2 },
  exec: { argv: ['--', './none'], code: 'not_found', exit: 127, message: /^\.\/none cannot be run: / },
  init: { argv: [], code: 'usage', exit: 2 },
  mcp: { argv: ['now'], code: 'usage', exit: 2 },
  openapi: { argv: ['--out', 'none/api.json'], code: 'usage', exit: 2, message: /^--out: none\/api\.json cannot be written: / },
  plugin: { argv: ['new'], code: 'usage', exit: 2 },
  sandbox: { argv: ['--port', 'USED'], code: 'in_use', exit: 4, next: 'npx posthorn sandbox --port 0' },
  sign: { argv: ['--body', 'none.json', '--secret', 'x'], code: 'usage', exit: 2, message: /none\.json/ },
  sim: { argv: ['none.journey.md'], code: 'usage', exit: 2, message: /none\.journey\.md/ },
  email: { argv: ['stand-in', '--port', 'USED'], code: 'in_use', exit: 4, next: 'npx posthorn email stand-in --port 0' },
  sms: { argv: ['stand-in', '--port', 'USED'], code: 'in_use', exit: 4, next: 'npx posthorn sms stand-in --port 0' },
  stop: { argv: ['now'], code: 'usage', exit: 2 },
  telegram: { argv: ['stand-in', '--port', 'USED'], code: 'in_use', exit: 4, next: 'npx posthorn telegram stand-in --port 0' },
  test: { argv: ['none.test.yaml'], code: 'usage', exit: 2 },
  tour: { argv: ['now'], code: 'usage', exit: 2 },
  verify: { argv: ['--body', 'none.json', '--secret', 'x', '--signature', 'x'], code: 'usage', exit: 2, message: /none\.json/ },
};

t.test('the cases below are those of all commands', async (t) => {
  t.strictSame([...Object.keys(CALLS), ...Object.keys(ALONE)].sort(), [...names].sort());
});

t.test('without a platform, every command that needs one says how to start it', async (t) => {
  const folder = newFolder(t);
  for (const [name, argv] of Object.entries(CALLS))
    await fails(t, folder, [name, ...argv], { code: 'no_sandbox', exit: 3, next: 'npx posthorn sandbox' });
});

t.test('a platform that does not respond, or responds with an error, is reported the same way by every command', async (t) => {
  const folder = newFolder(t);
  process.env.POSTHORN_ADMIN_KEY = 'pha_any';
  const server = createServer((_, response) => {
    response.writeHead(500, { 'content-type': 'application/json' }).end('{"errors":[{"details":"broken"}]}');
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  process.env.POSTHORN_URL = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  for (const [name, argv] of Object.entries(CALLS)) await fails(t, folder, [name, ...argv], { code: 'refused', exit: 1, message: /500/ });
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  for (const [name, argv] of Object.entries(CALLS))
    await fails(t, folder, [name, ...argv], { code: 'unreachable', exit: 3, next: 'npx posthorn doctor' });
});

t.test('every command that needs no platform says what was wrong', async (t) => {
  const folder = newFolder(t);
  const taken = listen().listen(0, '127.0.0.1');
  await new Promise((resolve) => taken.once('listening', resolve));
  t.teardown(() => taken.close());
  const port = String((taken.address() as AddressInfo).port);
  for (const [name, { argv, ...expected }] of Object.entries(ALONE))
    await fails(t, folder, [name, ...argv.map((argument) => (argument === 'USED' ? port : argument))], expected);
});

t.test('files that cannot be read, or do not fit, are usage errors', async (t) => {
  const folder = newFolder(t);
  writeFileSync(join(folder, 'bad.json'), '{');
  for (const argv of [
    ['flow', 'validate', 'none.json'],
    ['journey', 'lint', 'none.md'],
    ['journey', 'fmt', 'none.md'],
    ['sim', 'bad.json'],
    ['sandbox', '--seed', 'bad.json', '--port', '0'],
    ['state', 'diff', 'none.json', 'bad.json'],
  ])
    await fails(t, folder, argv, { code: 'usage', exit: 2, message: /(?:none|bad)\./ });
});

t.test('a missing verb, and an option that needs another, are usage errors', async (t) => {
  const folder = newFolder(t);
  const usage = (message: RegExp): Expected => ({ code: 'usage', exit: 2, message });
  await fails(t, folder, ['state'], usage(/^state takes reset, export, import, diff; for example: /));
  await fails(t, folder, ['data'], usage(/^data takes backup, restore, check, repair, show or move; for example: /));
  await fails(t, folder, ['sandbox', '--store', 'postgres', '--port', '0'], usage(/needs the variable POSTHORN_DATABASE_URL/));
});
