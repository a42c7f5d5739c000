import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import type { Tap } from '#core/testing';
import { patient } from '../../core/testing/slowness.js';
import { onlyLong } from '../forms.js';
import { run } from './posthorn-process.js';

/** A copy of the project that has never been built. The tests run in the project. */
function freshCheckout(t: Tap): string {
  const checkout = mkdtempSync(join(tmpdir(), 'posthorn-checkout-'));
  t.teardown(() => rmSync(checkout, { recursive: true, force: true }));
  for (const part of ['bin', 'core', 'plugins', 'sandbox', 'scripts', 'package.json', 'tsconfig.json']) {
    cpSync(part, join(checkout, part), { recursive: true, preserveTimestamps: true });
  }
  return checkout;
}

t.test('npm start says what to install or build first, and builds only when the sources have changed', { skip: onlyLong }, async (t) => {
  const checkout = freshCheckout(t);
  const command = (...args: string[]) => run(t, args, checkout);
  /** Runs `npm start` with a command, and returns the time at which dist/ was built. */
  const builtBy = async (progress: RegExp) => {
    const { ended, out, err } = command('scripts/start.mjs', '--version');
    t.equal(await ended, 0);
    t.match(out(), /^\d+\.\d+\.\d+\n$/);
    t.match(err(), progress);
    return statSync(join(checkout, 'dist/sandbox/main.js')).mtimeMs;
  };

  const notInstalled = command('scripts/start.mjs');
  t.equal(await notInstalled.ended, 2);
  t.match(notInstalled.err(), /install them with: npm ci\n$/);
  const notBuilt = command('bin/posthorn.mjs', 'send', 'hi');
  t.equal(await notBuilt.ended, 2);
  t.match(notBuilt.err(), /not built yet; build it with: npm ci && npm run build\n$/);
  const outside = run(t, [join(checkout, 'bin/posthorn.mjs'), 'send', 'hi'], tmpdir());
  t.equal(await outside.ended, 2);
  const at = `--prefix "${realpathSync(checkout)}/"`;
  t.match(outside.err(), `build it with: npm ci ${at} && npm run build ${at}\n`);

  symlinkSync(join(process.cwd(), 'node_modules'), join(checkout, 'node_modules'));
  writeFileSync(join(checkout, 'sandbox/examples/extra.ts'), 'export {};');
  const steps =
    'posthorn: building the code \\(1 of 2\\)\\nposthorn: building the API reference \\(2 of 2\\)\\nposthorn: built in [\\d.]+ s\\n$';
  const built = await builtBy(new RegExp(`^posthorn: the first start builds Posthorn; later ones take about a second\\n${steps}`));
  t.ok(existsSync(join(checkout, 'dist/sandbox/examples/extra.js')));
  const { child, printed, ended } = command('scripts/start.mjs', '--port', '0', '--json', '--seed', 'empty');
  t.match(JSON.parse(await printed(/\n/)), { ready: true });
  child.kill('SIGINT');
  t.equal(await ended, 0);
  t.equal(await builtBy(/^$/), built, 'unchanged sources are not rebuilt');
  utimesSync(join(checkout, 'sandbox/terminal/help.ts'), new Date(), new Date());
  t.equal(await builtBy(/^$/), built, 'neither are those whose time alone has changed, as by a change of branches');

  const below = `const { pid } = require('child_process').spawn(process.execPath, ['scripts/start.mjs', '--port', '0', '--json', '--seed', 'empty'], { stdio: 'inherit' }); console.log(pid)`;
  for (const script of ['start', 'npx']) {
    const shell = run(t, ['-e', below], checkout, { npm_lifecycle_event: script });
    const pid = Number((await shell.printed(/"ready":true/)).split('\n')[0]);
    shell.child.kill('SIGTERM');
    const isOver = await Promise.race([shell.ended.then(() => true), sleep(patient(10_000), false, { ref: false })]);
    t.ok(isOver, `the sandbox ends with the npm process that started it: ${script}`);
    if (!isOver) process.kill(pid, 'SIGKILL');
  }

  rmSync(join(checkout, 'sandbox/examples/extra.ts'));
  const again = await builtBy(new RegExp(`^posthorn: the sources have changed, so this start builds them first\\n${steps}`));
  t.ok(again > built, 'a removed source counts as a change');
  t.notOk(existsSync(join(checkout, 'dist/sandbox/examples/extra.js')));
  /** Whether the next start would not build. A build takes five seconds of CPU. */
  const isBuilt = async (): Promise<boolean> => {
    const check = command('-e', `import('./scripts/freshness.mjs').then(({ isBuilt }) => console.log(isBuilt()))`);
    t.equal(await check.ended, 0);
    return check.out() === 'true\n';
  };
  const [note, elsewhere] = [join(checkout, 'dist/.sources'), join(checkout, 'sources')];
  renameSync(note, elsewhere);
  t.notOk(await isBuilt(), 'an interrupted build does not count');
  renameSync(elsewhere, note);
  t.ok(await isBuilt());
  appendFileSync(join(checkout, 'sandbox/terminal/help.ts'), '// changed\n');
  utimesSync(join(checkout, 'sandbox/terminal/help.ts'), 1, 1);
  t.notOk(await isBuilt(), 'a changed source with an older time counts as a change, too');
  const old = command('bin/posthorn.mjs', '--version');
  t.equal(await old.ended, 0);
  t.equal(old.err(), 'posthorn: the build is older than the sources; rebuild with: npm run build\n');
});
