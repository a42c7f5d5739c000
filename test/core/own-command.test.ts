import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import t from 'tap';
import { ownCommand, withOwnCommand } from '../../core/own-command.js';

const root = process.cwd();
const BY_PATH = `node ${join(root, 'bin/posthorn.mjs')}`;
const base = realpathSync(mkdtempSync(join(tmpdir(), 'posthorn-own-command-')));
t.teardown(() => rmSync(base, { recursive: true, force: true }));

/** A folder below the one of this test, with a package.json if it has a text. */
function folder(name: string, manifest?: string): string {
  const path = join(base, name);
  mkdirSync(path, { recursive: true });
  if (manifest !== undefined) writeFileSync(join(path, 'package.json'), manifest);
  return path;
}

/** Installs a package as npm does. */
function install(path: string, copy: string): void {
  mkdirSync(join(path, 'node_modules/.bin'), { recursive: true });
  symlinkSync(copy, join(path, 'node_modules/posthorn'));
  symlinkSync('../posthorn/bin/posthorn.mjs', join(path, 'node_modules/.bin/posthorn'));
}

t.test('npx is named exactly where it finds this copy', async (t) => {
  const other = folder('other');
  cpSync('bin', join(other, 'bin'), { recursive: true });
  const [app, old] = [folder('app', '{}'), folder('old', '{}')];
  install(app, root);
  install(old, other);
  const cases: Record<string, readonly [string, string]> = {
    'the checkout': [root, 'npx posthorn'],
    'a folder of the checkout': [join(root, 'sandbox/examples'), 'npx posthorn'],
    'an empty folder': [folder('empty'), BY_PATH],
    'a project without Posthorn': [folder('project', '{}'), BY_PATH],
    'a project in which Posthorn is installed': [app, 'npx posthorn'],
    'a folder of that project': [folder('app/src/deep'), 'npx posthorn'],
    'a package of that project': [folder('app/packages/one', '{}'), 'npx posthorn'],
    'a project in which another copy is installed': [old, BY_PATH],
    'a folder that does not exist yet': [join(base, 'empty/new'), BY_PATH],
  };
  for (const [about, [path, command]] of Object.entries(cases)) t.equal(ownCommand(path), command, about);
  t.equal(withOwnCommand('Try: npx posthorn env; npx posthorn why', other), `Try: ${BY_PATH} env; ${BY_PATH} why`);
});

t.test('a package of its own in a checkout is outside it: npx starts at the nearest package.json', async (t) => {
  const path = realpathSync(mkdtempSync(join(root, '.build-own-command-')));
  t.teardown(() => rmSync(path, { recursive: true, force: true }));
  t.equal(ownCommand(path), 'npx posthorn');
  writeFileSync(join(path, 'package.json'), '{}');
  t.equal(ownCommand(path), BY_PATH);
});

t.test('a global installation is named by its command, and one of npx by its path', async (t) => {
  const { argv, env } = process;
  const [, script] = argv;
  const { PATH } = env;
  t.teardown(() => {
    argv[1] = script!;
    env.PATH = PATH;
  });
  for (const [bin, command] of [
    ['bin', 'posthorn'],
    ['node_modules/.bin', BY_PATH],
  ] as const) {
    argv[1] = join(base, bin, 'posthorn');
    env.PATH = `${join(base, bin)}${delimiter}${PATH}`;
    t.equal(ownCommand(base), command, bin);
  }
});
