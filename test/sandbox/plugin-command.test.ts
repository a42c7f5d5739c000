import { execFile, execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { transform } from 'esbuild';
import t from 'tap';
import type { Tap } from '#core/testing';
import { plugin } from '../../sandbox/commands/plugin.js';
import { test } from '../../sandbox/commands/test.js';
import { startSandbox } from '../../sandbox/compose.js';

/** The compiled copy of the project that contains this test. */
const build = join(import.meta.dirname, '..', '..');

function startTerminal(t: Tap) {
  const cwd = mkdtempSync(join(tmpdir(), 'posthorn-plugin-'));
  t.teardown(() => rmSync(cwd, { recursive: true, force: true }));
  const [out, err]: [string[], string[]] = [[], []];
  return { cwd, out: (line: string) => out.push(line), err: (line: string) => err.push(line), isColoured: false, printed: out, notes: err };
}

const { NODE_TEST_CONTEXT: _, ...env } = process.env;

/** Builds a new plugin without type checks, and runs its tests against the compiled package. @returns their report */
async function reportOf(t: Tap, folder: string, name: string, unwanted: RegExp): Promise<string> {
  mkdirSync(join(folder, 'dist'));
  for (const file of readdirSync(join(folder, 'src'))) {
    const source = readFileSync(join(folder, 'src', file), 'utf8');
    t.notMatch(source, unwanted);
    writeFileSync(join(folder, 'dist', file.replace('.ts', '.js')), (await transform(source, { loader: 'ts', format: 'esm' })).code);
  }
  mkdirSync(join(folder, 'node_modules'));
  symlinkSync(build, join(folder, 'node_modules/posthorn'));
  symlinkSync(join(process.cwd(), 'node_modules/joi'), join(folder, 'node_modules/joi'));
  const run = promisify(execFile)(process.execPath, ['--test', '--test-reporter=tap', `dist/${name}.test.js`], { cwd: folder, env });
  const { stdout: report } = await run.catch((error: unknown) => error as { stdout: string });
  t.match(report, /# pass [1-9]/);
  t.match(report, /# fail 0/, report);
  return report;
}

t.test('a new plugin is a package with a channel and a test that passes', async (t) => {
  const terminal = startTerminal(t);
  t.equal(await plugin.run(['new', 'night-mail'], terminal), 0);
  t.strictSame(
    terminal.printed,
    ['src/night-mail.ts', 'src/flights.ts', 'src/night-mail.test.ts', 'README.md', 'package.json', 'tsconfig.json', '.gitignore'].map(
      (file) => join('night-mail', file),
    ),
  );
  const root = join(import.meta.dirname, '../../..').replace(/\/*$/, '/');
  t.match(
    terminal.notes[0],
    new RegExp(`^Next: cd night-mail && npm pack --silent ${root} && npm install -D \\./posthorn-\\d\\S+\\.tgz && npm test$`),
    'from a checkout, the command packs Posthorn, which also builds the types',
  );
  const folder = join(terminal.cwd, 'night-mail');
  t.match(await reportOf(t, folder, 'night-mail', /pigeon/i), /ok \d+ - messages to a contact keep their order/);

  const { nightMailChannel } = await import(join(folder, 'dist/night-mail.js'));
  const plugins = [nightMailChannel({ gateway: 'http://127.0.0.1:9' })];
  const sandbox = await startSandbox({ seed: 'empty', plugins, console: false, logLevel: 'error' });
  t.teardown(() => sandbox.stop());
  const access = { ...env, POSTHORN_URL: sandbox.api, POSTHORN_ADMIN_KEY: sandbox.admin.key };
  const curls = readFileSync(join(folder, 'README.md'), 'utf8').match(/^curl .+$/gm) ?? [];
  t.equal(curls.length, 3);
  const printed: string[] = [];
  for (const line of curls) {
    const [, uuid = ''] = /"uuid":"([^"]+)"/.exec(printed[0] ?? '') ?? [];
    const [, token = ''] = /"text":"([^"]+)"/.exec(printed[1] ?? '') ?? [];
    const command = line.replace('UUID', uuid).replace('TOKEN', token);
    const { stdout } = await promisify(execFile)('/bin/sh', ['-c', command], { env: access });
    printed.push(stdout);
  }
  t.strictSame(JSON.parse(printed[2]!), { success: true }, printed.join('\n'));
});

t.test('with --like telegram it has what a real service needs, and passes the whole contract of channels', async (t) => {
  const terminal = startTerminal(t);
  t.equal(await plugin.run(['new', 'night-mail', '--like', 'telegram'], terminal), 0);
  const folder = join(terminal.cwd, 'night-mail');
  const sources = readdirSync(join(folder, 'src')).filter((file) => !/test|stand-in|play/.test(file));
  const lines = sources.flatMap((file) =>
    readFileSync(join(folder, 'src', file), 'utf8')
      .trimEnd()
      .split('\n'),
  );
  t.ok(lines.length <= 400, `read in ten minutes: ${lines.length} lines`);
  const report = await reportOf(t, folder, 'night-mail', /polled.?chat/i);
  t.notMatch(report, /left out without `(write|tap|media|fault|reopen)`/);
  const [demo, printed] = [{ ...startTerminal(t), cwd: 'sandbox/demo' }, (): string => demo.printed.join('\n')];
  const name = 'a new contact chooses a language, says a name and reads the opening hours';
  const code = await test.run(['--channels', `network,${join(folder, 'dist/played.js')}`, '--name', name], demo);
  t.equal(code, 0, printed());
  t.match(printed(), /✓ night-mail {2}5 turns, \d+ messages; the same texts and options/);
  t.match(terminal.notes.at(-1), /change src\/stand-in.ts/);
  const page = readFileSync(join(folder, 'README.md'), 'utf8');
  for (const [, file] of page.matchAll(/`(src\/[\w.-]+)`/g)) t.ok(existsSync(join(folder, file!)), file!);
});

t.test('the printed command works in a shell, even with special characters in the name of the folder', async (t) => {
  const terminal = startTerminal(t);
  t.equal(await plugin.run(['new', 'night-mail', '--dir', "it's mail; true"], terminal), 0);
  const cd = /^Next: (cd .*?) && npm pack /.exec(terminal.notes[0]!)![1]!;
  const where = execFileSync('/bin/sh', ['-c', `${cd} && pwd -P`], { cwd: terminal.cwd, encoding: 'utf8' });
  t.match(where, /\/it's mail; true\n$/);
});

t.test('the generated code is valid for any plugin name', async (t) => {
  const terminal = startTerminal(t);
  for (const name of [
    'test',
    'text',
    'default',
    'route',
    'queue',
    'fields',
    'number',
    'plugins',
    'parcels',
    'class',
    'await',
    'x-1',
    'pigeon-post',
  ]) {
    for (const like of [[], ['--like', 'telegram']]) {
      const dir = `${name}${like.length}`;
      t.equal(await plugin.run(['new', name, '--dir', dir, ...like], terminal), 0);
      for (const file of readdirSync(join(terminal.cwd, dir, 'src'))) {
        const source = readFileSync(join(terminal.cwd, dir, 'src', file), 'utf8');
        await t.resolves(transform(source, { loader: 'ts', format: 'esm' }), `${name}: ${file}`);
      }
    }
  }
});

t.test('names of built-in plugins are refused', async (t) => {
  const terminal = startTerminal(t);
  for (const name of ['webhooks', 'channels', 'core', 'sandbox']) {
    await t.rejects(plugin.run(['new', name], terminal), {
      name: 'UsageError',
      message: new RegExp(`'${name}' is the name of a built-in plugin`),
    });
  }
  t.strictSame(readdirSync(terminal.cwd), []);
});

t.test('an invalid name and an existing folder are refused with a reason', async (t) => {
  const terminal = startTerminal(t);
  for (const argv of [[], ['new'], ['old', 'x'], ['new', 'Night'], ['new', '../up'], ['new', 'a', 'b']]) {
    await t.rejects(plugin.run(argv, terminal), { name: 'UsageError' });
  }
  writeFileSync(join(terminal.cwd, 'mine'), '');
  await t.rejects(plugin.run(['new', 'mine'], terminal), { name: 'UsageError', message: /mine already exists/ });
  t.equal(await plugin.run(['new', 'mine', '--dir', 'elsewhere'], terminal), 0);
  t.ok(existsSync(join(terminal.cwd, 'elsewhere/src/mine.ts')));
});
