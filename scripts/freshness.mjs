// Checks whether dist/ matches the sources, by a hash of their paths, times and sizes. The build writes the hash last, so an
// interrupted build does not count. Removed sources and sources with an older time count as changes, too.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { filesIn, root } from './compile.mjs';

export const builtFolders = ['core', 'plugins', 'sandbox'];
const recipe = ['package.json', 'tsconfig.json', 'scripts/compile.mjs', 'scripts/bundle.mjs'];
const note = join(root, 'dist/.sources');

export const isBuilt = () => existsSync(note) && readFileSync(note, 'utf8') === sourcesNow();

/** Records a finished build. `sources` is the hash from before the build, so that changes during it count. */
export const noteBuilt = (sources) => writeFileSync(note, sources);

export function sourcesNow() {
  const sources = builtFolders.flatMap((folder) => ['.ts', '.tsx', '.js', '.css', '.json'].flatMap((ending) => filesIn(folder, ending)));
  sources.push(...filesIn('sandbox/demo', '.md'), ...filesIn('plugins/console/app', '.html'));
  const hash = createHash('sha256');
  for (const file of [...sources, ...recipe].sort()) {
    const { mtimeMs, size } = statSync(join(root, file));
    hash.update(`${file} ${mtimeMs} ${size}\n`);
  }
  return hash.digest('hex');
}
