// Bundles the code of the package (dist/) with esbuild: the files that others name (subpaths, programs, files of worker threads), and
// chunks that they share. Compared with one file per source, importing posthorn takes a third less CPU time, and the package has 900
// fewer files. A few packages are bundled, too, because users need a small part of them only.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { filesIn, noticesOf, packagesOf, root } from './compile.mjs';

/** The packages that are bundled into the package. Others must be dependencies, so that users can update them. */
export const BUNDLED = [
  '@cfworker/json-schema',
  '@dagrejs/dagre',
  '@jitl/quickjs-ffi-types',
  'libphonenumber-js',
  'prom-client',
  'quickjs-emscripten-core',
];
/** Copied by users, or run by them under these paths, so each keeps a file of its own. */
const COPIED = ['sandbox/examples', 'sandbox/recipes', 'sandbox/starters'];
const CHUNKS = 'chunks';
/** The only file that reads `import.meta.url`. Every chunk has the same place, so every path can start from it. */
const PLACE = 'posthorn:place';

/** Bundles `folders` into `outdir`. No source maps: the package does not contain the sources that they would point to. */
export async function bundle(build, folders, outdir) {
  const { dependencies, peerDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const settings = { absWorkingDir: root, outdir, outbase: '.', format: 'esm', platform: 'node', target: 'node20', logLevel: 'warning' };
  await build({ ...settings, entryPoints: COPIED.flatMap((folder) => filesIn(folder, '.ts')), tsconfig: 'tsconfig.json' });
  const { metafile } = await build({
    ...settings,
    entryPoints: entryPoints(folders),
    bundle: true,
    splitting: true,
    chunkNames: `${CHUNKS}/[name]-[hash]`,
    external: Object.keys({ ...dependencies, ...peerDependencies }),
    plugins: [sourcePaths],
    metafile: true,
    legalComments: 'none',
    // A tenth less disk space. Names stay, and lines stay short enough to find the place of an error.
    minifyWhitespace: true,
    minifySyntax: true,
    lineLimit: 160,
    tsconfig: 'tsconfig.json',
  });
  const others = packagesOf(metafile).filter((name) => !BUNDLED.includes(name));
  if (others.length > 0) throw new Error(`not in the dependencies of package.json: ${others.join(', ')}`);
  const misplaced = Object.entries(metafile.outputs).filter(
    ([file, { inputs }]) => `place:${PLACE}` in inputs && !file.startsWith(`${outdir}/${CHUNKS}/`),
  );
  if (misplaced.length > 0) throw new Error(`the paths of ${misplaced.map(([file]) => file)} would be wrong: it has to be a chunk`);
  writeFileSync(join(root, outdir, 'NOTICES.txt'), noticesOf('The files of Posthorn', metafile));
}

/** Subpaths, the command line, and every file that a source names with a URL, such as those of worker threads. */
function entryPoints(folders) {
  const { exports, imports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const named = [...Object.values(exports).map((subpath) => subpath.default ?? ''), ...Object.values(imports)]
    .filter((file) => file.endsWith('.js'))
    .map((file) => file.replace('./dist/', '').replace(/\.js$/, '.ts'));
  const sources = new Set(folders.flatMap((folder) => filesIn(folder, '.ts')));
  for (const file of sources) {
    for (const [, target] of readFileSync(join(root, file), 'utf8').matchAll(/new URL\('(\.[^']+)\.js', import\.meta\.url\)/g)) {
      const source = join(file, '..', `${target}.ts`);
      if (sources.has(source)) named.push(source);
    }
  }
  return [...new Set([...named, 'sandbox/main.ts', 'sandbox/reference/write-pages.ts'])].filter(
    (file) => !COPIED.some((folder) => file.startsWith(folder)),
  );
}

/** Replaces `import.meta.url` by the URL at which the file would be if each source had its own file, so that the paths of sources hold. */
const sourcePaths = {
  name: 'source paths',
  setup({ onResolve, onLoad }) {
    // compile.mjs bundles the part in use.
    onResolve({ filter: /^prom-client$/ }, () => ({ path: '#prometheus-client', external: true }));
    onResolve({ filter: new RegExp(`^${PLACE}$`) }, () => ({ path: PLACE, namespace: 'place' }));
    onLoad({ filter: /.*/, namespace: 'place' }, () => ({ contents: `export const place = new URL('../', import.meta.url);` }));
    onLoad({ filter: /\.ts$/ }, ({ path }) => {
      const text = readFileSync(path, 'utf8');
      if (path.includes('node_modules') || !text.includes('import.meta.url')) return undefined;
      const url = `new URL('${path.slice(root.length).replace(/\.ts$/, '.js')}', place).href`;
      return { contents: `import { place } from '${PLACE}'; ${text.replaceAll('import.meta.url', `(${url})`)}`, loader: 'ts' };
    });
  },
};
