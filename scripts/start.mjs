// `npm start`: builds if dist/ is older than the sources, then runs the command line.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './compile.mjs';
import { isBuilt } from './freshness.mjs';

if (!existsSync(join(root, 'node_modules'))) {
  console.error('posthorn: the dependencies are not installed yet; install them with: npm ci');
  process.exit(2);
}
if (!isBuilt({ refresh: true })) {
  console.error(
    existsSync(join(root, 'dist/sandbox/main.js'))
      ? 'posthorn: the sources have changed, so this start builds them first'
      : 'posthorn: the first start builds Posthorn; later ones take about a second',
  );
  const { status } = spawnSync(process.execPath, [join(root, 'scripts/build.mjs'), '--js'], { stdio: ['ignore', 2, 2] });
  if (status !== 0) process.exit(status ?? 1);
}
await import('../dist/sandbox/main.js');
