import { cpSync, existsSync, mkdtempSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import type { Tap } from '#core/testing';
import { patient } from '../../core/testing/slowness.js';
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

t.test('npm start says what to install or build first, and builds only when the sources have changed', async (t) => {
  const checkout = freshCheckout(t);
  const command = (...args: string[]) => run(t, args, checkout);
  /** Runs `npm start` with a command, and returns the time at which dist/ was built. */
  const builtBy = async (...args: string[]) => {
    const { ended, out } = command('scripts/start.mjs', ...args);
    t.equal(await ended, 0);
    t.match(out(), /^\d+\.\d+\.\d+\n$/);
    return statSync(join(checkout, 'dist/sandbox/main.js')).mtimeMs;
  };

  const notInstalled = command('scripts/start.mjs');
  t.equal(await notInstalled.ended, 2);
  t.match(notInstalled.err(), /install them with: npm ci\n$/);
  const notBuilt = command('bin/posthorn.mjs', 'send', 'hi');
  t.equal(await notBuilt.ended, 2);
  t.match(notBuilt.err(), /not built yet; build it with: npm ci && npm run build/);

  symlinkSync(join(process.cwd(), 'node_modules'), join(checkout, 'node_modules'));
  writeFileSync(join(checkout, 'sandbox/examples/extra.ts'), 'export {};');
  const built = await builtBy('--version');
  t.ok(existsSync(join(checkout, 'dist/sandbox/examples/extra.js')));
  const { child, printed, ended } = command('scripts/start.mjs', '--port', '0', '--json', '--seed', 'empty');
  t.match(JSON.parse(await printed(/\n/)), { ready: true });
  child.kill('SIGINT');
  t.equal(await ended, 0);
  t.equal(await builtBy('--version'), built, 'unchanged sources are not rebuilt');

  const below = `const { pid } = require('child_process').spawn(process.execPath, ['scripts/start.mjs', '--port', '0', '--json', '--seed', 'empty'], { stdio: 'inherit' }); console.log(pid)`;
  const shell = run(t, ['-e', below], checkout, { npm_lifecycle_event: 'start' });
  const pid = Number((await shell.printed(/"ready":true/)).split('\n')[0]);
  shell.child.kill('SIGTERM');
  const isOver = await Promise.race([shell.ended.then(() => true), sleep(patient(10_000), false, { ref: false })]);
  t.ok(isOver, 'the sandbox ends with the npm process that started it');
  if (!isOver) process.kill(pid, 'SIGKILL');

  rmSync(join(checkout, 'sandbox/examples/extra.ts'));
  const again = await builtBy('--version');
  t.ok(again > built, 'a removed source counts as a change');
  t.notOk(existsSync(join(checkout, 'dist/sandbox/examples/extra.js')));
  rmSync(join(checkout, 'dist/.sources'));
  const old = command('bin/posthorn.mjs', '--version');
  t.equal(await old.ended, 0);
  t.equal(old.err(), 'posthorn: the build is older than the sources; rebuild with: npm start\n');
  const third = await builtBy('--version');
  t.ok(third > again, 'an interrupted build does not count');
  utimesSync(join(checkout, 'sandbox/terminal/help.ts'), 1, 1);
  t.ok((await builtBy('--version')) > third, 'a source with an older time counts as a change, too');
});
