// `npm start`: builds when dist/ is not what the sources give, then hands over to the command line.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './compile.mjs';
import { isBuilt } from './freshness.mjs';

if (!existsSync(join(root, 'node_modules'))) {
  console.error('posthorn: its packages are not installed yet; install them with: npm ci');
  process.exit(2);
}
if (!isBuilt()) {
  const { status } = spawnSync(process.execPath, [join(root, 'scripts/build.mjs'), '--js'], { stdio: ['ignore', 2, 2] });
  if (status !== 0) process.exit(status ?? 1);
}
// npm starts this below a shell that ends without a word when npm is told to: the sandbox would go on with nobody to stop it.
if (process.env.npm_lifecycle_event === 'start') {
  const parent = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(watch);
    process.kill(process.pid, 'SIGTERM');
  }, 250).unref();
}
await import('../dist/sandbox/main.js');
