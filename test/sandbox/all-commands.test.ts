import { execFile } from 'node:child_process';
import { join } from 'node:path';
import t from 'tap';
import { commands } from '../../sandbox/commands.js';
import { verbsOf } from '../../sandbox/terminal/completion.js';
import { helpOf } from '../../sandbox/terminal/help.js';
import { newFolder } from '../iso/posthorn-process.js';

const main = join(import.meta.dirname, '..', '..', 'sandbox', 'main.js');
/** Commands whose work begins without a sandbox and without arguments. */
const STARTS = new Set(['sandbox', 'doctor', 'openapi', 'tour', 'test']);
const LIMIT_MS = 60_000;

t.jobs = 2;

interface Ended {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs the command line without a terminal, in an empty folder. */
function posthorn(cwd: string, args: readonly string[]): Promise<Ended> {
  const { POSTHORN_URL: _, POSTHORN_ADMIN_KEY: __, POSTHORN_SECRET: ___, CI: ____, FORCE_COLOR: _____, ...env } = process.env;
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [main, ...args], { cwd, env, timeout: LIMIT_MS }, (error, out, err) =>
      resolve({ code: error ? Number(error.code ?? -1) : 0, out, err }),
    );
    // A command that waits for an answer would wait until the limit.
    child.stdin?.end();
  });
}

for (const [name, command] of Object.entries(commands)) {
  t.test(`the help of ${name} has usage, flags and examples`, async (t) => {
    t.match(command.usage, new RegExp(`^${name}\\b`));
    const help = helpOf(command);
    t.ok(help.startsWith(`posthorn ${name}`));
    t.match(help, /\n\nFlags:\n {2}-/);
    t.match(help, new RegExp(`\\n\\nExamples:\\n  posthorn ${name}`));
    for (const example of command.examples) {
      t.ok(example.startsWith(name), example);
      for (const [, flag] of example.split(' -- ')[0]!.matchAll(/ --([\w-]+)/g))
        t.ok(Object.hasOwn(command.flags, flag!), `${example}: --${flag}`);
    }
    t.strictSame(
      help.split('\n').filter((line) => line.length > 100),
      [],
      'no line is wider than 100 columns',
    );
    t.ok(Object.hasOwn(command.flags, 'json'), `${name} has --json`);
  });
}

t.test('a misspelt flag fails with a code, a suggestion, a next command and exit code 2, as text and as JSON', async (t) => {
  const folder = newFolder(t);
  await Promise.all(
    Object.keys(commands).map(async (name) => {
      const { code, out, err } = await posthorn(folder, [name, '--jsn', '--json']);
      t.equal(code, 2, name);
      t.match(
        err,
        new RegExp(`^posthorn: unknown flag --jsn; did you mean '--json'\\?\\nCode: usage\\nTry: npx posthorn help ${name}\\n$`),
      );
      t.match(JSON.parse(out), { v: 1, error: { code: 'usage', message: /did you mean/, next: `npx posthorn help ${name}` } });
    }),
  );
});

t.test('a misspelt verb of a command gets a suggestion', async (t) => {
  const folder = newFolder(t);
  const withVerbs = Object.entries(commands).filter(([, command]) => verbsOf(command).some((verb) => verb.length > 3));
  await Promise.all(
    withVerbs.map(async ([name, command]) => {
      const verb = verbsOf(command).find((verb) => verb.length > 3)!;
      const misspelt = `${verb.slice(0, -2)}${verb.at(-1)}${verb.at(-2)}`;
      if (name === 'test') return;
      const { code, err } = await posthorn(folder, [name, misspelt]);
      t.equal(code, 2, `${name} ${misspelt}: ${err}`);
      t.match(err, `did you mean '${verb}'?`, `${name} ${misspelt}`);
    }),
  );
});

t.test('without a sandbox, a terminal and arguments, every command ends with a documented exit code and asks nothing', async (t) => {
  const folder = newFolder(t);
  await Promise.all(
    Object.keys(commands)
      .filter((name) => !STARTS.has(name))
      .map(async (name) => {
        const { code, out, err } = await posthorn(folder, [name, '--json']);
        t.ok(code === 2 || code === 3, `${name} exits with ${code}: ${err}`);
        const { v, error } = JSON.parse(out);
        t.equal(v, 1);
        t.match(
          error,
          { code: code === 2 ? 'usage' : 'no_sandbox', next: code === 2 ? `npx posthorn help ${name}` : 'npx posthorn sandbox' },
          name,
        );
        t.ok(err.includes(error.message) && err.endsWith(`Try: ${error.next}\n`), name);
      }),
  );
  t.match(await posthorn(folder, ['tour']), { code: 2, err: /needs a terminal/ });
  t.match(await posthorn(folder, ['test']), { code: 2 });
});

t.test('an unreachable platform gives exit code 3', async (t) => {
  const folder = newFolder(t);
  process.env.POSTHORN_ADMIN_KEY = 'key';
  t.teardown(() => delete process.env.POSTHORN_ADMIN_KEY);
  const { code, out } = await new Promise<{ code: number; out: string }>((resolve) =>
    execFile(process.execPath, [main, 'calls', '--json', '--url', 'http://127.0.0.1:9'], { cwd: folder }, (error, out) =>
      resolve({ code: Number(error?.code), out }),
    ),
  );
  t.equal(code, 3);
  t.match(JSON.parse(out), { v: 1, error: { code: 'unreachable', next: 'npx posthorn doctor' } });
});
