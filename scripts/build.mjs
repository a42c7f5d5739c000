// dist/: JavaScript by esbuild, declarations by tsc. `--js` leaves the declarations out (npm start needs none).
import { execFile } from 'node:child_process';
import { chmodSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { compile, root } from './compile.mjs';

await compile(['core', 'plugins', 'sandbox'], 'dist');
if (!process.argv.includes('--js')) {
  await promisify(execFile)(process.execPath, [
    join(root, 'node_modules/typescript/bin/tsc'),
    '-p',
    join(root, 'scripts/tsconfig.types.json'),
  ]).catch((error) => {
    console.error(error.stdout || error.message);
    process.exitCode = 1;
  });
}
const main = join(root, 'dist/sandbox/main.js');
if (existsSync(main)) chmodSync(main, 0o755);
