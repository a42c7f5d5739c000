// Whether dist/ is what the sources give: it notes the path, time and size of each. The note is written last, so a build that
// was cut off does not count; and a source that was removed, or is older than the build, counts as a change too.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { filesIn, root } from './compile.mjs';

export const builtFolders = ['core', 'plugins', 'sandbox'];
const recipe = ['package.json', 'tsconfig.json', 'scripts/compile.mjs'];
const note = join(root, 'dist/.sources');

export const isBuilt = () => existsSync(note) && readFileSync(note, 'utf8') === sourcesNow();

/** `sources` are those that the build began with. */
export const noteBuilt = (sources) => writeFileSync(note, sources);

export function sourcesNow() {
  const sources = builtFolders.flatMap((folder) => ['.ts', '.tsx', '.css', '.json'].flatMap((ending) => filesIn(folder, ending)));
  const hash = createHash('sha256');
  for (const file of [...sources, ...recipe].sort()) {
    const { mtimeMs, size } = statSync(join(root, file));
    hash.update(`${file} ${mtimeMs} ${size}\n`);
  }
  return hash.digest('hex');
}
