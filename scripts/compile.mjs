// Compiles the package (dist/), the tests and the benchmarks (.build/) with esbuild.
// Files are not bundled, so that `new URL('./x.task.js', import.meta.url)` resolves in every copy.

import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url));

/** Every file below `folder` whose name ends with `ending`, as a path relative to the project. */
export function filesIn(folder, ending) {
  const at = join(root, folder);
  if (!existsSync(at)) return [];
  return readdirSync(at, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(ending))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)));
}

/** Compiles the TypeScript of `folders` into `outdir`, and copies the JSON beside it. */
export async function compile(folders, outdir) {
  // Imported on demand: callers of `filesIn` alone need not wait for it.
  const { build } = await import('esbuild');
  rmSync(join(root, outdir), { recursive: true, force: true });
  await build({
    absWorkingDir: root,
    entryPoints: folders.flatMap((folder) => filesIn(folder, '.ts')),
    outdir,
    outbase: '.',
    format: 'esm',
    platform: 'node',
    target: 'node20',
    // No source maps in the package: it does not contain the sources that they point to.
    sourcemap: outdir !== 'dist',
    sourcesContent: false,
    logLevel: 'warning',
    tsconfig: 'tsconfig.json',
  });
  if (folders.includes('plugins')) await bundlePlayer(build, outdir);
  if (folders.includes('sandbox')) await minifyReference(build, outdir);
  const notebooks = folders.includes('sandbox') ? filesIn('sandbox/demo', '.md') : [];
  for (const file of [...folders.flatMap((folder) => filesIn(folder, '.json')), ...notebooks]) {
    if (file.endsWith('tsconfig.json') || file.endsWith('tsconfig.types.json') || file.endsWith('biome.json')) continue;
    mkdirSync(join(root, outdir, dirname(file)), { recursive: true });
    cpSync(join(root, file), join(root, outdir, file));
  }
}

/** Bundles the player of flow previews: a script and a style sheet for browsers. */
async function bundlePlayer(build, outdir) {
  const folder = join(outdir, 'plugins/flows/preview/player');
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: ['main.tsx', 'styles.css'].map((file) => ({ in: `plugins/flows/preview/app/${file}`, out: 'player' })),
    outdir: folder,
    metafile: true,
    bundle: true,
    minify: true,
    format: 'iife',
    platform: 'browser',
    // Flows run on phones whose browsers are updated automatically.
    target: ['chrome108', 'safari16', 'firefox115'],
    jsx: 'automatic',
    jsxImportSource: 'preact',
    legalComments: 'none',
    logLevel: 'warning',
    tsconfig: 'plugins/flows/preview/app/tsconfig.json',
  });
  writeFileSync(join(root, folder, 'NOTICES.txt'), noticesOf(Object.keys(metafile.inputs)));
}

/** The style and script of the reference, which `writeReference` writes into its pages. */
const minifyReference = (build, outdir) =>
  build({
    absWorkingDir: root,
    entryPoints: ['filter.js', 'styles.css'].map((file) => `sandbox/reference/app/${file}`),
    outdir: join(outdir, 'sandbox/reference/assets'),
    minify: true,
    platform: 'browser',
    target: ['chrome108', 'safari16', 'firefox115'],
    logLevel: 'warning',
  });

/** Writes the pages of the reference, from the OpenAPI documents that the code in `outdir` makes. It has to find its own `#core`. */
export async function writeReference(outdir) {
  const { writePages } = await import(pathToFileURL(join(root, outdir, 'sandbox/reference/write-pages.js')).href);
  await writePages();
}

/** The licences of the bundled packages, which their terms require us to distribute. */
function noticesOf(inputs) {
  const packages = new Set(inputs.flatMap((file) => /^node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1] ?? []));
  const notices = [...packages].sort().map((name) => {
    const folder = join(root, 'node_modules', name);
    const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    const licence = readdirSync(folder).find((file) => /^licen[cs]e/i.test(file));
    if (!licence) throw new Error(`the bundled package ${name} has no licence file`);
    return `${name} ${version}\n\n${readFileSync(join(folder, licence), 'utf8').trim()}\n`;
  });
  return `player.js and player.css contain:\n\n${notices.join('\n')}`;
}

/** Makes `#core` and `posthorn` resolve to the copy in `outdir` for code that runs from there. */
export function selfContained(outdir) {
  const { name, version, imports, exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const here = JSON.parse(JSON.stringify({ name, version, type: 'module', imports, exports }).replaceAll('./dist/', './'));
  writeFileSync(join(root, outdir, 'package.json'), JSON.stringify(here, null, 2));
}
