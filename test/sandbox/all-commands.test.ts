import { build } from 'esbuild';
import t from 'tap';
import { SandboxRefused, SandboxUnreachable } from '../../sandbox/client/admin-client.js';
import { commands } from '../../sandbox/commands.js';
import { failureOf } from '../../sandbox/terminal/failure.js';
import { helpOf, overview } from '../../sandbox/terminal/help.js';
import { newFolder, OUTSIDE, posthorn } from '../iso/posthorn-process.js';

for (const [name, command] of Object.entries(commands)) {
  t.test(`the help of ${name} has usage, flags and examples`, async (t) => {
    t.match(command.usage, new RegExp(`^${name}\\b`));
    const help = helpOf(command);
    t.ok(help.startsWith(`posthorn ${name}`));
    t.match(help, /\n\nFlags:\n {2}-/);
    t.match(help, new RegExp(`\\n\\nExamples:\\n  npx posthorn ${name}`));
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

t.test('the help fits into the terminal', async (t) => {
  t.strictSame(
    overview(commands, 60)
      .split('\n')
      .filter((line) => line.length > 60),
    [],
    'the list of commands',
  );
  const broken = {
    ...commands.mcp!,
    notes: ['A note that an author has broken at the end of', 'a line. Another one', 'Exit codes: 0 done.'],
  };
  t.match(helpOf(broken), /\n\nA note that an author has broken at the end of a line\. Another one\nExit codes: 0 done\.\n/);
  for (const [name, command] of Object.entries(commands)) {
    const prose = helpOf(command, 60).split('\nExamples:\n')[0]!.split('\n');
    const commandsToCopy = /^ {2}.*npx posthorn \S/;
    t.strictSame(
      prose.filter((line) => line.length > 60 && !commandsToCopy.test(line)),
      [],
      name,
    );
  }
});

t.test('other failures have a code, a next command and an exit code of their own', async (t) => {
  const failure = (error: unknown) => failureOf(error, 'calls', commands.calls, []);
  t.match(failure(new SandboxUnreachable('gone')), { code: 'unreachable', next: 'npx posthorn doctor', exit: 3 });
  t.match(failure(new TypeError('fetch failed')), { code: 'unreachable', exit: 3 });
  t.match(failure(new SandboxRefused('GET /calls', 500, 'no')), { code: 'refused', exit: 1 });
  t.match(failure(new SandboxRefused('GET /calls/x', 404, 'no')), { code: 'refused', exit: 2 }, 'an unknown id is wrong usage');
  t.match(failure(new Error('broken')), { code: 'failed', exit: 1 });
  t.match(failure(new TypeError('x is not a function')), { code: 'internal', exit: 70 });
});

t.test('the command line prints a failure as text, and with --json as one line', async (t) => {
  const { out, err, ended } = posthorn(t, newFolder(t), ['calls', '--json']);
  t.equal(await ended, 3);
  const { v, error } = JSON.parse(out());
  t.match({ v, error }, { v: 1, error: { code: 'no_sandbox', message: /no sandbox is running/, next: `${OUTSIDE} sandbox` } });
  t.equal(err(), `posthorn: ${error.message}\nCode: no_sandbox\nTry: ${OUTSIDE} sandbox\n`);
});

t.test('a command starts without the code of the platform, which it loads when it needs it', async (t) => {
  const { metafile } = await build({
    entryPoints: ['sandbox/main.ts'],
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    packages: 'external',
    external: ['#*'],
    outdir: 'not-written',
    write: false,
    metafile: true,
    logLevel: 'silent',
  });
  const packages = new Set<string>();
  const loaded = new Set(['sandbox/main.ts']);
  for (const file of loaded) {
    for (const { path, kind, external } of metafile.inputs[file]!.imports.filter(({ path }) => !path.startsWith('node:'))) {
      if (kind !== 'dynamic-import') (external ? packages : loaded).add(path);
    }
  }
  t.strictSame([...packages], ['fast-string-truncated-width']);
});
