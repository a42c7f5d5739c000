// Checks whether dist/ matches the sources. The build writes a note last, so an interrupted build does not count. Paths, times and sizes decide
// quickly; if they differ, as after a change of branches, the contents decide. Removed sources count as changes, too.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { filesIn, root } from './compile.mjs';

export const builtFolders = ['core', 'plugins', 'sandbox'];
const recipe = [
  ...['package.json', 'package-lock.json', 'tsconfig.json'],
  ...['compile.mjs', 'steps.mjs', 'bundle.mjs', 'build.mjs', 'declarations.mjs', 'tsconfig.types.json'].map((file) => `scripts/${file}`),
];
const note = join(root, 'dist/.sources');
const typesNote = join(root, 'dist/.types');

/** Whether dist/ has the JavaScript of the sources. `refresh` updates the times in the note, so that the next check is quick. */
export function isBuilt({ refresh = false } = {}) {
  if (!existsSync(note)) return false;
  const [looks, contents] = readFileSync(note, 'utf8').split('\n');
  const files = sourceFiles();
  if (looksOf(files) === looks) return true;
  const isSame = contentsOf(files) === contents;
  if (isSame && refresh) noteBuilt(sourcesNow());
  return isSame;
}

/** Whether dist/ also has the declarations of these sources. A build of the JavaScript removes them. */
export const hasTypes = ({ contents }) => existsSync(typesNote) && readFileSync(typesNote, 'utf8') === contents;

/** Records a finished build. `sources` is what `sourcesNow` returned before the build, so that changes during it count. */
export const noteBuilt = ({ looks, contents }) => writeFileSync(note, `${looks}\n${contents}`);
export const noteTypes = ({ contents }) => writeFileSync(typesNote, contents);

export function sourcesNow() {
  const files = sourceFiles();
  return { looks: looksOf(files), contents: contentsOf(files) };
}

function sourceFiles() {
  const sources = builtFolders.flatMap((folder) => ['.ts', '.tsx', '.js', '.css', '.json'].flatMap((ending) => filesIn(folder, ending)));
  sources.push(...filesIn('sandbox/demo', '.md'), ...filesIn('plugins/console/app', '.html'));
  return [...sources, ...recipe.filter((file) => existsSync(join(root, file)))].sort();
}

function looksOf(files) {
  const hash = createHash('sha256');
  for (const file of files) {
    const { mtimeMs, size } = statSync(join(root, file));
    hash.update(`${file} ${mtimeMs} ${size}\n`);
  }
  return hash.digest('hex');
}

function contentsOf(files) {
  const hash = createHash('sha256');
  for (const file of files) hash.update(`${file}\n`).update(readFileSync(join(root, file)));
  return hash.digest('hex');
}
