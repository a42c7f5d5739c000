// One esbuild call for everything that runs: the package (dist/), the tests and the benches (.build/).
// File by file, never bundled, so that `new URL('./x.task.js', import.meta.url)` stays true in every copy.

import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url));

/** Every file below `folder` whose name ends with `ending`, relative to the project. */
export function filesIn(folder, ending) {
  const at = join(root, folder);
  if (!existsSync(at)) return [];
  return readdirSync(at, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(ending))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)));
}

/** Compiles the TypeScript of `folders` into `outdir`, and copies the JSON beside it. */
export async function compile(folders, outdir) {
  // Loaded here, so that who only asks for files does not wait for it.
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
    sourcemap: true,
    sourcesContent: false,
    logLevel: 'warning',
    tsconfig: 'tsconfig.json',
  });
  for (const file of folders.flatMap((folder) => filesIn(folder, '.json'))) {
    if (file.endsWith('tsconfig.types.json') || file.endsWith('biome.json')) continue;
    mkdirSync(join(root, outdir, dirname(file)), { recursive: true });
    cpSync(join(root, file), join(root, outdir, file));
  }
}

/** Makes `#core` and `posthorn` mean the copy in `outdir`, for code that runs from there. */
export function selfContained(outdir) {
  const { name, version, imports, exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const here = JSON.parse(JSON.stringify({ name, version, type: 'module', imports, exports }).replaceAll('./dist/', './'));
  writeFileSync(join(root, outdir, 'package.json'), JSON.stringify(here, null, 2));
}
