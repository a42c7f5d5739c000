// `npm start`: builds when dist/ is missing or older than a source, then hands over to the sandbox.
import { spawnSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { filesIn, root } from './compile.mjs';

const main = join(root, 'dist/sandbox/main.js');
const newest = (files) => Math.max(0, ...files.map((file) => statSync(join(root, file)).mtimeMs));
const sources = ['core', 'plugins', 'sandbox'].flatMap((folder) => [...filesIn(folder, '.ts'), ...filesIn(folder, '.json')]);

if (!existsSync(main) || newest([...sources, 'package.json']) > statSync(main).mtimeMs) {
  const built = spawnSync(process.execPath, [join(root, 'scripts/build.mjs'), '--js'], { stdio: ['ignore', 2, 2] });
  if (built.status !== 0) process.exit(built.status ?? 1);
}
process.argv.splice(1, 1, main);
await import(main);
