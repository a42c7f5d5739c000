import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import t, { type Test } from 'tap';
import { array, boolean, Conflict, definePlugin, integer, NotFound, object, oneOf, string } from '#core';
import { command } from '#core/basics';
import { ADMIN_KEY, startPlatform } from '#core/testing';
import { ownCommands } from '../../core/contract/command.js';
import { writeRunFile } from '../../sandbox/client/run-file.js';
import { runCommandLine } from '../../sandbox/command-line.js';
import { commands } from '../../sandbox/commands.js';
import { newFolder } from '../iso/posthorn-process.js';

const flags = object(
  { to: string().description('the town') },
  {
    most: integer().min(1).default(3).description('list at most this many'),
    kind: oneOf('letter', 'parcel').description('only these'),
    tag: array(string()).description('with this tag'),
    urgent: boolean().description('only urgent ones'),
  },
);

const letters = definePlugin({
  name: 'letters',
  version: '1.0.0',
  causes: { strike: { meaning: 'The post is on strike.', who: 'operator', action: 'Wait until it ends.', retry: true } },
  register: () => ({
    commands: [
      command({
        verb: 'list',
        summary: 'lists letters',
        flags,
        run: ({ flags }) => ({ text: [`To ${flags.to}`, `at most ${flags.most}`], data: { flags, v: 'not ours' } }),
      }),
      command({
        verb: 'show-all',
        summary: 'shows letters',
        args: ['LETTER', '[OTHER...]'],
        run: ({ args }) => ({ text: args.map((one) => `${one}\u001b[31m`), data: { args }, exitCode: args.includes('torn') ? 1 : 0 }),
      }),
      command({
        verb: 'send',
        summary: 'sends letters',
        args: ['[HOW]'],
        run({ args: [how] }) {
          if (how === 'lost') throw new NotFound('letter', 'x');
          if (how === 'strike') throw new Conflict('strike', 'The post is on strike');
          return { text: 'sent' as never, data: {} };
        },
      }),
    ],
  }),
});

/** Runs `posthorn` in this process, without a terminal. */
async function posthorn(cwd: string, ...args: readonly string[]): Promise<{ exit: number; out: string; err: string }> {
  const [out, err]: [string[], string[]] = [[], []];
  const terminal = { cwd, out: (line: string) => void out.push(line), err: (line: string) => void err.push(line), isColoured: false };
  const exit = await runCommandLine(args, terminal, commands);
  return { exit, out: out.join('\n'), err: err.join('\n') };
}

/** A listening platform with commands, and the folder of its sandbox. */
async function start(t: Test) {
  const box = await startPlatform(t, { plugins: [letters()] });
  const { listener } = box.server;
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  t.teardown(() => listener.close());
  const api = `http://127.0.0.1:${(listener.address() as AddressInfo).port}`;
  const folder = newFolder(t);
  writeRunFile(folder, { pid: process.pid, startedAt: new Date().toISOString(), api, admin: { url: `${api}/admin/v1`, key: ADMIN_KEY } });
  return { ...box, api, folder, run: (...args: string[]) => posthorn(folder, ...args) };
}

const environment = { ...process.env };
t.beforeEach(() => {
  delete process.env.POSTHORN_URL;
  delete process.env.POSTHORN_ADMIN_KEY;
});
t.teardown(() => Object.assign(process.env, environment));

t.test('posthorn runs commands of plugins in the platform', async (t) => {
  const { run, log } = await start(t);
  t.strictSame(await run('letters', 'list', '--to', 'Bath', '--most=2'), { exit: 0, out: 'To Bath\nat most 2', err: '' });
  const all = await run('letters', 'list', '--json', '--to', 'Bath', '--kind', 'parcel', '--tag', 'a', '--tag', 'b', '--urgent');
  t.strictSame(JSON.parse(all.out), { flags: { to: 'Bath', most: 3, kind: 'parcel', tag: ['a', 'b'], urgent: true }, v: 1 });
  t.strictSame(await run('--json', 'letters', 'show-all', 'one', '--', '--two'), {
    exit: 0,
    out: '{"args":["one","--two"],"v":1}',
    err: '',
  });
  t.match(await run('letters', 'show-all', 'torn'), { exit: 1, out: /^torn/ });

  const refused: readonly (readonly [readonly string[], number, RegExp])[] = [
    [['list'], 2, /400 to POST \/commands\/letters\/list: .*--to is required/],
    [['list', '--to', 'Bath', '--most', '0', '--kind', 'box'], 2, /--most must be greater than or equal to 1.*--kind must be one of/],
    [
      ['list', '--to', 'Bath', '--mots', '2'],
      2,
      /^posthorn: unknown flag --mots; did you mean '--most'\?\nCode: usage\nTry: .*help letters$/,
    ],
    [['list', '--to'], 2, /--to needs a value: --to TEXT/],
    [['list', 'Bath', '--to', 'Bath'], 2, /letters list takes no arguments/],
    [['show-all'], 2, /letters show-all takes LETTER \[OTHER\.\.\.\]/],
    [['show-al', 'x'], 2, /^posthorn: letters takes list, show-all, send, not 'show-al'; did you mean 'show-all'\?/],
    [['send', 'lost'], 2, /responded 404 .*There is no letter "x"/],
    [['send', 'strike'], 1, /responded 409 .*The post is on strike.*Wait until it ends/s],
  ];
  for (const [words, exit, err] of refused) t.match(await run('letters', ...words), { exit, out: '', err }, words.join(' '));
  t.match(JSON.parse((await run('letters', 'send', 'strike', '--json')).out), { v: 1, error: { code: 'refused', message: /on strike/ } });

  t.match(await run('letters', 'send'), { exit: 1, err: /responded 500/ });
  const failures = log.lines.filter(({ level }) => level === 'error').map(({ fields }) => (fields?.error as Error | undefined)?.message);
  t.match(failures, [/^the command 'letters send' must return text, a list of lines, data, an object/]);
});

t.test('the help lists commands of plugins, and similar names are suggested', async (t) => {
  const { run, api, folder } = await start(t);
  t.match(
    (await run('help')).out,
    /^Of plugins:\n\n {2}posthorn letters list {6}lists letters\n {2}posthorn letters show-all {2}shows letters/m,
  );
  for (const args of [['letters'], ['help', 'letters'], ['letters', '--help']])
    t.match(
      await run(...args),
      { exit: 0, out: /^ {2}posthorn letters list {6}lists letters\n[\s\S]*\nFlags of a command: .*help letters VERB$/ },
      args.join(' '),
    );
  t.strictSame(JSON.parse((await run('letters', '--json')).out), { v: 1, plugin: 'letters', verbs: ['list', 'show-all', 'send'] });
  for (const args of [
    ['letters', 'list', '--help'],
    ['help', 'letters', 'list'],
  ]) {
    const { out } = await run(...args);
    for (const line of [
      /^posthorn letters list \[flags\]\n {2}lists letters$/m,
      /^ {2}--to TEXT +the town \(required\)$/m,
      /^ {2}--most NUMBER +list at most this many \(default 3\)$/m,
      /^ {2}--kind letter\|parcel +only these$/m,
      /^ {2}--urgent +only urgent ones$/m,
    ])
      t.match(out, line, args.join(' '));
  }
  t.match(await run('leters', 'list'), { exit: 2, err: /^posthorn: unknown command 'leters'; did you mean 'letters'\?/ });
  t.match(await run('snd'), { exit: 2, err: /^posthorn: unknown command 'snd'; did you mean 'send'\?/ });
  t.match(await run('quux'), { exit: 2, err: /^posthorn: unknown command 'quux'\nCode: usage/ });

  const elsewhere = newFolder(t);
  t.match(await posthorn(elsewhere, 'letters', 'list'), { exit: 2, err: /^posthorn: unknown command 'letters'/ });
  t.match(await posthorn(elsewhere, '--url', api, 'letters', 'list'), {
    exit: 2,
    err: /could not be asked for those of plugins: the admin key of .* is unknown/,
  });
  process.env.POSTHORN_ADMIN_KEY = ADMIN_KEY;
  t.match(await posthorn(elsewhere, '--url', api, 'letters', 'list', '--to', 'Bath'), { exit: 0, out: /^To Bath/ });
  t.match((await posthorn(elsewhere, 'help', '--url', api)).out, /posthorn letters list/);
  t.match(await posthorn(elsewhere, 'letters', '--url', 'http://127.0.0.1:9'), {
    exit: 3,
    err: /could not be asked .*does not respond\nCode: unreachable/,
  });
  t.match(await posthorn(folder, 'help', '--url', 'http://127.0.0.1:9'), {
    exit: 0,
    out: /posthorn sandbox/,
    err: /^Commands of plugins could not be listed/,
  });
});

t.test('no plugin can have the name of a command of posthorn', async (t) => {
  t.strictSame([...ownCommands].sort(), [...Object.keys(commands), 'help'].sort());
});

t.test('the admin API lists and runs commands', async (t) => {
  const { admin } = await startPlatform(t, { plugins: [letters()] });
  const { body } = await admin('GET', '/commands');
  t.match(body.commands[0], {
    ...{ plugin: 'letters', verb: 'list', summary: 'lists letters', args: [] },
    flags: [
      { name: 'to', takes: 'TEXT', help: 'the town (required)', repeats: false },
      { name: 'most', takes: 'NUMBER', repeats: false },
      { name: 'kind', takes: 'letter|parcel', repeats: false },
      { name: 'tag', takes: 'TEXT', repeats: true },
      { name: 'urgent', takes: null, repeats: false },
    ],
  });
  t.match((await admin('POST', '/commands/letters/list', { flags: { to: 'Bath', most: 1 } })).body, { data: { flags: { most: 1 } } });
  const { status, body: refusal } = await admin('POST', '/commands/letters/list', { flags: { to: 'Bath', mots: 1 } });
  t.match([status, JSON.stringify(refusal)], [400, /letters list has no flag --mots; did you mean 'most'\?/]);
  const unknown = await admin('POST', '/commands/letters/lst');
  t.match(
    [unknown.status, unknown.headers['x-posthorn-cause'], JSON.stringify(unknown.body)],
    [404, 'command_not_found', /did you mean 'letters list'/],
  );
  t.equal((await admin('POST', '/commands/post/lst')).status, 404);
});
