import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import type { Tap } from '#core/testing';
import { flow } from '../../sandbox/commands/flow.js';
import { init } from '../../sandbox/commands/init.js';
import { journey } from '../../sandbox/commands/journey.js';
import { test } from '../../sandbox/commands/test.js';
import { startSandbox } from '../../sandbox/compose.js';
import { readConfig } from '../../sandbox/config.js';
import { newFolder } from '../iso/posthorn-process.js';

function startTerminal(t: Tap, cwd = newFolder(t)) {
  const [out, err]: [string[], string[]] = [[], []];
  return { cwd, out: (line: string) => out.push(line), err: (line: string) => err.push(line), isColoured: false, printed: out, notes: err };
}

t.test('a new project has a valid journey, form and tests, which pass', async (t) => {
  const terminal = startTerminal(t);
  t.equal(await init.run(['my-app'], terminal), 0);
  for (const file of terminal.printed) t.ok(existsSync(join(terminal.cwd, file)), file);
  t.match(terminal.printed, new Set(['README.md', '.github/workflows/test.yml', 'connector.ts'].map((file) => join('my-app', file))));
  t.match(terminal.notes, [/^Next: cd my-app && .*npm install.* && npm test$/, /^Then: npm run sandbox;/]);

  const folder = join(terminal.cwd, 'my-app');
  const inside = startTerminal(t, folder);
  t.equal(await journey.run(['lint', 'journeys'], inside), 0);
  t.equal(await journey.run(['fmt', 'journeys', '--check'], inside), 0);
  t.equal(await flow.run(['validate', 'flows'], inside), 0);
  t.equal(await test.run(['journeys', '--coverage=100'], inside), 0, inside.notes.join('\n'));
  t.match(inside.printed.join('\n'), /3 passed/);

  const { scripts, devDependencies } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  t.match(
    scripts.test,
    /^posthorn journey lint journeys && .*posthorn test journeys && tsc -p \. && node --test dist\/connector\.test\.js$/,
  );
  t.match(devDependencies, { posthorn: /^\^\d/, '@hapi/hapi': /\d/, typescript: /\d/ });
  const readme = readFileSync(join(folder, 'README.md'), 'utf8').split('\n');
  t.ok(readme.length <= 40, `the README has ${readme.length} lines`);
});

t.test('a sandbox starts with the configuration of a new project', async (t) => {
  const terminal = startTerminal(t);
  await init.run(['.'], terminal);
  t.match(terminal.notes[0], /^Next: (?!cd )/);
  const { seed, ...config } = await readConfig(terminal.cwd);
  const sandbox = await startSandbox({ ...config, seed: join(terminal.cwd, seed as string), logLevel: 'error' });
  t.teardown(() => sandbox.stop());
  t.match(sandbox.journeys, [{ name: 'Menu' }, { name: 'Menu' }]);
  t.match(sandbox.channels, [{ endpoint: 'http://127.0.0.1:3000' }]);
});

t.test('a folder with files is refused, and the files are named', async (t) => {
  const terminal = startTerminal(t);
  const folder = join(terminal.cwd, 'full');
  mkdirSync(join(folder, '.git'), { recursive: true });
  mkdirSync(join(folder, 'src'));
  writeFileSync(join(folder, 'notes.txt'), 'mine');
  await t.rejects(init.run(['full'], terminal), {
    name: 'UsageError',
    message: /full is not empty: it has notes\.txt, src; choose another/,
  });
  await t.rejects(init.run([join('full', 'notes.txt')], terminal), { message: /notes\.txt is a file/ });
  for (let i = 0; i < 7; i++) writeFileSync(join(folder, `a${i}`), '');
  await t.rejects(init.run(['full'], terminal), { message: /a0, a1, a2, a3, a4 and 4 more;/ });
  t.strictSame(terminal.printed, []);
  await t.rejects(init.run([], terminal), { name: 'UsageError', message: /init takes one folder/ });

  mkdirSync(join(terminal.cwd, 'repository/.git'), { recursive: true });
  t.equal(await init.run(['repository'], terminal), 0, 'a new repository is empty');
});

t.test('with --json one line has the files and the next commands', async (t) => {
  const terminal = startTerminal(t);
  t.equal(await init.run(['a b', '--json'], terminal), 0);
  t.equal(terminal.printed.length, 1);
  t.match(JSON.parse(terminal.printed[0]!), {
    v: 1,
    folder: join(terminal.cwd, 'a b'),
    next: ["cd 'a b'", /npm install/, 'npm test', /sandbox/],
  });
  t.match(JSON.parse(readFileSync(join(terminal.cwd, 'a b/package.json'), 'utf8')), { name: 'a-b' });
});
