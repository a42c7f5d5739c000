// Builds dist/: JavaScript bundled by esbuild, the pages of the reference, declarations by tsc. `--js` skips the declarations, which npm start does
// not need. Unchanged parts are not built again.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { bundle } from './bundle.mjs';
import { compile, root, tsc, writeReference } from './compile.mjs';
import { pruneDeclarations } from './declarations.mjs';
import { builtFolders, hasTypes, isBuilt, noteBuilt, noteTypes, sourcesNow } from './freshness.mjs';

const TICK_MS = 1_000;
const { stderr } = process;
const startedAt = performance.now();
const seconds = () => ((performance.now() - startedAt) / 1000).toFixed(1);

const sources = sourcesNow();
const steps = [];
if (!isBuilt()) {
  steps.push(['the code', () => compile(builtFolders, 'dist', bundle)]);
  steps.push(['the API reference', () => writeReference('dist').then(() => noteBuilt(sources))]);
}
if (!process.argv.includes('--js') && !(isBuilt() && hasTypes(sources))) steps.push(['the types', declarations]);

for (const [i, [what, work]] of steps.entries()) await shown(`posthorn: building ${what} (${i + 1} of ${steps.length})`, work);
const outcome = steps.length === 0 ? 'posthorn: the build is up to date' : `posthorn: built in ${seconds()} s`;
if (!process.exitCode) stderr.write(`${stderr.isTTY ? '\r\x1b[K' : ''}${outcome}\n`);

/** Shows a step while it runs: in a terminal as a line with the time, which the next one replaces; elsewhere as a line of its own. */
async function shown(label, work) {
  if (!stderr.isTTY) {
    stderr.write(`${label}\n`);
    return work();
  }
  const draw = () => stderr.write(`\r\x1b[K${label}  ${Math.round(seconds())} s`);
  draw();
  const ticks = setInterval(draw, TICK_MS);
  await work().finally(() => clearInterval(ticks));
}

async function declarations() {
  try {
    await promisify(execFile)(process.execPath, [...tsc, '-p', join(root, 'scripts/tsconfig.types.json')]);
  } catch (error) {
    console.error(`${stderr.isTTY ? '\n' : ''}${error.stdout || error.message}`);
    process.exitCode = 1;
  }
  pruneDeclarations('dist');
  if (!process.exitCode) noteTypes(sources);
}
