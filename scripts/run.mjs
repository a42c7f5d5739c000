// Compiles the project and runs a script of this folder: `node scripts/run.mjs crash --rounds 20`. Options of Node before the script are those of the script, too.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { compile, root, selfContained } from './compile.mjs';

const out = process.env.POSTHORN_BUILD ?? '.build-run';
const [name, ...options] = process.argv.slice(2);
if (!name || !existsSync(join(root, 'scripts', `${name}.ts`))) {
  console.error(`script '${name ?? ''}' not found; usage: node scripts/run.mjs SCRIPT [options]`);
  process.exit(2);
}
await compile(['core', 'plugins', 'sandbox', 'scripts'], out);
selfContained(out);
const script = join(root, out, 'scripts', `${name}.js`);
process.exitCode =
  spawnSync(process.execPath, [...process.execArgv, '--enable-source-maps', script, ...options], { cwd: root, stdio: 'inherit' }).status ??
  1;
