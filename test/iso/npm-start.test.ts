import { cpSync, existsSync, mkdtempSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import type { Tap } from '#core/testing';
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

t.test('npm start says what to do first, builds when it has to, and not when it need not', async (t) => {
  const checkout = freshCheckout(t);
  const main = join(checkout, 'dist/sandbox/main.js');
  const command = (...args: string[]) => run(t, args, checkout);
  const start = async () => {
    const { child, printed, ended } = command('scripts/start.mjs', '--port', '0', '--json', '--seed', 'empty');
    t.match(JSON.parse(await printed(/\n/)), { ready: true });
    child.kill('SIGINT');
    t.equal(await ended, 0);
    return statSync(main).mtimeMs;
  };

  const notInstalled = command('scripts/start.mjs');
  t.equal(await notInstalled.ended, 2);
  t.match(notInstalled.err(), /install them with: npm ci\n$/);
  const notBuilt = command('bin/posthorn.mjs', 'send', 'hi');
  t.equal(await notBuilt.ended, 2);
  t.match(notBuilt.err(), /not built yet; build it with: npm ci && npm run build/);

  symlinkSync(join(process.cwd(), 'node_modules'), join(checkout, 'node_modules'));
  writeFileSync(join(checkout, 'sandbox/extra.ts'), 'export {};');
  const built = await start();
  t.ok(existsSync(join(checkout, 'dist/sandbox/extra.js')));
  t.equal(await start(), built, 'nothing has changed, so nothing is built');
  const version = command('bin/posthorn.mjs', '--version');
  t.equal(await version.ended, 0);
  t.match(version.out(), /^\d+\.\d+\.\d+\n$/);

  rmSync(join(checkout, 'sandbox/extra.ts'));
  const again = await start();
  t.ok(again > built, 'a source that is gone is a change');
  t.notOk(existsSync(join(checkout, 'dist/sandbox/extra.js')));
  rmSync(join(checkout, 'dist/.sources'));
  t.ok((await start()) > again, 'a build that was cut off does not count');
  utimesSync(join(checkout, 'sandbox/help.ts'), 1, 1);
  t.ok((await start()) > again, 'a source that is older than the build is a change, too');
});
