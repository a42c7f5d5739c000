import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import type { Tap } from '#core/testing';
import { sampled } from '../forms.js';
import { newFolder, type Ready, run } from './posthorn-process.js';

/** A built checkout, and a folder outside it, in which this process works as a terminal does. */
async function outside(t: Tap) {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'posthorn-checkout-')));
  t.teardown(() => rmSync(root, { recursive: true, force: true }));
  const [project, build] = [process.cwd(), join(import.meta.dirname, '..', '..')];
  for (const part of ['core', 'plugins', 'sandbox']) cpSync(join(build, part), join(root, 'dist', part), { recursive: true });
  for (const part of ['bin', 'package.json', 'sandbox/agent', 'sandbox/examples', 'sandbox/starters'])
    cpSync(part, join(root, part), { recursive: true });
  symlinkSync(join(project, 'node_modules'), join(root, 'node_modules'));
  const of = (file: string) => import(join(root, 'dist', file));
  const { runCommandLine } = (await of('sandbox/command-line.js')) as typeof import('../../sandbox/command-line.js');
  const { commands } = (await of('sandbox/commands.js')) as typeof import('../../sandbox/commands.js');
  const { ownCommand, withOwnCommand } = (await of('core/own-command.js')) as typeof import('../../core/own-command.js');
  const folder = realpathSync(newFolder(t));
  process.chdir(folder);
  t.teardown(() => process.chdir(project));
  const printed: string[] = [];
  return {
    project,
    folder,
    commands,
    /** Everything that was printed so far. */
    printed,
    posthorn: ownCommand(),
    bin: join(root, 'bin/posthorn.mjs'),
    /** Runs a command in this process. @returns what it printed */
    async prints(...args: readonly string[]): Promise<string> {
      const from = printed.length;
      const err = (line: string): void => void printed.push(withOwnCommand(line));
      const code = await runCommandLine(args, { out: (line) => printed.push(line), err, isColoured: false, cwd: folder }, commands);
      return `${printed.slice(from).join('\n')}\nexit ${code}`;
    },
    write: (file: string, text: string | object) =>
      writeFileSync(join(folder, file), typeof text === 'string' ? text : JSON.stringify(text)),
  };
}

const JOURNEY = `\`\`\`stack
trigger(on: "MESSAGE RECEIVED") when has_any_word(event.message.text.body, "hours")

card Start do
  text("We are open.")
end
\`\`\`
`;
const TESTS = `tests:
  - name: it
    steps:
      - say: hours
        expect: { text: We are open., snapshot: true }
`;
const [BARE, STAFFED] = ['+27600000009', '+27600000001'];

/** Mistakes without a sandbox, and commands that print what to run next. */
const ALONE = `snd hi|send|status|chat hi|init|state|exec|agent|tour|cloud-api|conform|plugin|plugin new|connector|connector new|integration new
integration add|integration click|data|data check|data backup data backups|data repair|data show|data move|data check none|advice dismiss|deliveries show|deliveries list x
flow|flow validate|flow push|flow open x y|flow publish|flow publish a b|flow preview --watch|journey|journey lint|journey nope|journey fmt
journey compile|journey compile journey.json|journey push|journey publish|test explore|test record|test hours.test.yaml --ci
test hours.test.yaml --coverage=100|sim hours.md --input hours --record recorded.test.yaml|agent install|connector new ts-connector
connector new py-connector --lang python|integration new ts-integration|cluster move|cluster drain`;

/** The same with the sandbox of the folder. */
const BESIDE = `status|why|integration list --number ${STAFFED}|integration context stranger|send hi|why
channel add http://127.0.0.1:9/ --address web:library
conform connector http://127.0.0.1:9/ --secret s|clock pause|status|clock resume|flow push survey.json
flow publish survey|flow push survey.json|flow delete survey|flow push bad.json|flow preview --watch|flow open a b|journey push bad.md
journey push|journey publish|advice dismiss|integration click|fault add --on deliveries --status 500|send again --from +27611111112|why|deliveries cancel --all|why|send hi --number ${BARE}|why
journey push hours.md --number ${BARE}|send hi --number ${BARE}|why|journey publish hours|send hi --number ${BARE}|why`;

const linesOf = (text: string): string[][] => text.split(/[|\n]/).map((line) => line.split(' '));

/** The commands in printed lines, each up to the sign that ends it. */
const hintsIn = (text: string, posthorn: string): string[] =>
  text.split('\n').flatMap((line) =>
    line
      .split(posthorn)
      .slice(1)
      .map((rest) => `${posthorn} ${rest.split(/[`;,]|\)(?="|$)| {2}/)[0]!.trim()}`.trim()),
  );

/** Values for the words in capitals, and for names that exist nowhere. */
const SAMPLES: readonly (readonly [RegExp, string])[] = [
  [/help COMMAND/, 'help send'],
  [/COMMAND|npm test/, 'true'],
  [/flow (push|validate|preview) (FILE|\w+\.json)/, 'flow $1 survey.json'],
  [/flow (\w+) booking/, 'flow $1 survey'],
  [/state export FILE/, 'state export exported.json'],
  [/journey to-text \S+/, 'journey to-text compiled.json'],
  [/journey publish NAME/, `journey publish hours --number ${BARE}`],
  [/preset NAME/, 'preset flaky-endpoint'],
  [/\[JOURNEY FILE\]|JOURNEY|FILE|menu\.md/, 'hours.md'],
  [/DIR/, 'made'],
  [/plugin new NAME/, 'plugin new made-mail'],
  [/URL/, 'http://127.0.0.1:9/'],
];
/** Commands that need a process of their own: they serve, read standard input, or use the shell. */
const OWN_PROCESS = /^(sandbox|cloud-api|tail|mcp|sign|help$|completion fish|flow preview .*--watch)\b/;
const SERVES = /^(sandbox|cloud-api|tail|flow preview .*--watch)\b/;
/** Commands in advice on contacts that an earlier release kept apart, or whose phone number has a new owner; this data has neither. */
const OTHER_ADVICE = /^contacts( merge)?$/;
/** Commands that need what this test does not have: PostgreSQL, a flow that was sent to the contact. */
const NEEDS_MORE = /^(data move|cluster|flow open) /;

t.test('every hint that a command prints outside a checkout is a command that works there', { timeout: 0 }, async (t) => {
  const place = await outside(t);
  const { folder, posthorn, bin, commands, printed, prints, write } = place;
  t.equal(posthorn, `node ${bin}`);
  write('hours.md', JOURNEY);
  write('hours.test.yaml', TESTS);
  write('survey.json', readFileSync(join(place.project, 'plugins/flows/templates/survey.json'), 'utf8'));
  write('posthorn.config.json', { port: 0 });
  write('bad.json', { version: '7.3', screens: [] });
  write('bad.md', JOURNEY.replace('text(', 'nothing('));
  write('journey.json', '{}');
  mkdirSync(join(folder, '.config/fish/completions'), { recursive: true });
  cpSync(join(place.project, 'test/data/0.1.0/data'), join(folder, 'data'), { recursive: true });

  await prints('help');
  for (const name of Object.keys(commands)) {
    await prints(name, '--jsno');
    // Examples have names that exist nowhere; test/sandbox/all-commands.test.ts checks their flags.
    const from = printed.length;
    const [help = '', examples = ''] = (await prints('help', name)).split('\nExamples:\n');
    printed.splice(from, printed.length, help);
    t.notMatch(examples.replaceAll(`  ${posthorn} `, ''), /posthorn /, name);
  }
  for (const argv of linesOf(ALONE)) await prints(...argv);
  const sandbox = run(t, ['-c', `exec ${posthorn} sandbox --detach`], folder, {}, '/bin/sh');
  t.equal(await sandbox.ended, 0, sandbox.err());
  printed.push(sandbox.out());
  type Running = Pick<Ready, 'api' | 'numbers'> & { readonly pid: number };
  const { api, numbers, pid } = JSON.parse((await prints('status', '--json')).split('\n')[0]!) as Running;
  let isStopped = false;
  t.teardown(() => isStopped || process.kill(pid));
  await prints('sandbox', '--port', new URL(api).port);
  for (const path of ['messages', 'nothing', `numbers/${numbers[0]!.uuid}/messages`]) {
    await fetch(`${api}/v1/${path}`, { method: 'POST', headers: { authorization: 'Bearer none' } });
    await prints('why');
  }
  await prints('api', 'POST', '/numbers', JSON.stringify({ kind: 'network', address: BARE, name: 'Bare' }));
  Object.assign(process.env, { POSTHORN_URL: 'http://127.0.0.1:9', POSTHORN_ADMIN_KEY: 'pha_any' });
  await prints('status');
  for (const name of ['POSTHORN_URL', 'POSTHORN_ADMIN_KEY']) delete process.env[name];
  for (const argv of linesOf(BESIDE)) await prints(...argv);
  for (const file of ['AGENTS.md', 'ts-connector/README.md', 'py-connector/README.md', 'ts-integration/README.md'])
    printed.push(readFileSync(join(folder, file), 'utf8'));

  const all = printed.join('\n');
  t.notMatch(all, /npx posthorn/, 'npx would ask the registry');
  const hints = [...new Set(hintsIn(all, posthorn))].map((hint) => hint.slice(posthorn.length + 1));
  const unseen = namedIn(place.project).filter(
    (name) => !OTHER_ADVICE.test(name) && !hints.some((hint) => `${hint} `.startsWith(`${name} `)),
  );
  t.strictSame(unseen, [], 'every command that a source names was printed');

  mkdirSync(join(folder, '.posthorn/failed'));
  await prints('state', 'export', '.posthorn/failed/state.json');
  write('compiled.json', (await prints('journey', 'compile', 'hours.md')).replace(/exit 0$/, ''));
  const [, conversation = ''] = /"(?:uuid|conversation)":"([^"]+)"/.exec(await prints('api', 'GET', '/conversations', '--json')) ?? [];
  const [, delivery = ''] = /deliveries redeliver (\S+)/.exec(all) ?? [];
  // The variables of a starter's README.
  process.env.POSTHORN_SECRET = 'a-secret-for-tests';
  // An import replaces what other hints name.
  const last = (hint: string): number => ['state import', 'stop'].findIndex((one) => hint.startsWith(one));
  hints.sort((a, b) => last(a) - last(b));
  const inProcesses = hints.filter((hint) => OWN_PROCESS.test(hint));
  const tried = new Set(sampled(inProcesses, 6));
  for (const hint of hints.filter((one) => !NEEDS_MORE.test(one) && (tried.has(one) || !inProcesses.includes(one)))) {
    const filled = SAMPLES.reduce((text, [word, value]) => text.replace(word, value), hint)
      .replace('deliveries show x', `deliveries show ${delivery}`)
      .replace('UUID', conversation);
    const { code, output } = OWN_PROCESS.test(filled) ? await inShell(filled) : await inThisProcess(filled);
    // 1 means that what the command looks at failed, for example a delivery.
    t.ok(code === 0 || code === 1, `${filled} ends with ${code}: ${output}`);
    isStopped ||= filled === 'stop' && code === 0;
  }

  async function inThisProcess(line: string) {
    const argv = (line.match(/"[^"]*"|\S+/g) ?? []).map((word) => word.replaceAll('"', ''));
    const output = await prints(...argv);
    return { code: Number(/exit (\d+)$/.exec(output)![1]), output };
  }

  async function inShell(line: string) {
    const { child, printed, ended, out, err } = run(t, ['-c', `exec ${posthorn} ${line}`], folder, { HOME: folder }, '/bin/sh');
    if (SERVES.test(line)) {
      await printed(/./);
      child.kill('SIGINT');
    }
    const code = await ended;
    return { code: code === 'SIGINT' ? 0 : code, output: out() + err() };
  }
});

/** The commands that sources name, with their verbs, such as `journey lint`. */
function namedIn(project: string): string[] {
  const files = ['core', 'plugins', 'sandbox'].flatMap((folder) =>
    readdirSync(join(project, folder), { recursive: true, encoding: 'utf8' }).map((file) => join(folder, file)),
  );
  const sources = files.filter(
    (file) => /\.ts$/.test(file) && !/^(sandbox\/(examples|recipes|starters|project)|plugins\/console\/app)\//.test(file),
  );
  const lines = sources.flatMap((file) => readFileSync(join(project, file), 'utf8').split('\n'));
  const named = lines
    .filter((line) => !/^\s*(\/\/|\/?\*)/.test(line))
    .flatMap((line) => [...line.matchAll(/(?:npx posthorn|\$\{(?:ownCommand\(\)|posthorn)\}) ([a-z][a-z-]+(?: [a-z-]+(?= |$|'|`|\\))?)/g)]);
  return [...new Set(named.map(([, name]) => name!))].sort();
}
