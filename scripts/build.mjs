// Builds dist/: JavaScript bundled by esbuild, the pages of the reference, declarations by tsc. `--js` skips the declarations, which npm start does not need.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { bundle } from './bundle.mjs';
import { compile, root, writeReference } from './compile.mjs';
import { pruneDeclarations } from './declarations.mjs';
import { builtFolders, noteBuilt, sourcesNow } from './freshness.mjs';

const sources = sourcesNow();
await compile(builtFolders, 'dist', bundle);
await writeReference('dist');
noteBuilt(sources);
if (!process.argv.includes('--js')) {
  await promisify(execFile)(process.execPath, [
    join(root, 'node_modules/typescript/bin/tsc'),
    '-p',
    join(root, 'scripts/tsconfig.types.json'),
  ]).catch((error) => {
    console.error(error.stdout || error.message);
    process.exitCode = 1;
  });
  pruneDeclarations('dist');
}
