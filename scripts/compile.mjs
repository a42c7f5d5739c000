// Compiles the tests and the benchmarks (.build/) with esbuild: each source has its own file, so that tests can import all of them. For
// the package (dist/), build.mjs bundles the sources instead. Only what has changed since the last time is compiled.

import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import { replaceFile, Steps } from './steps.mjs';

export const root = fileURLToPath(new URL('..', import.meta.url));

/** Arguments of `node` for tsc. By default tsc checks in four threads, each of which infers again what all need: twice the CPU time. */
export const tsc = [join(root, 'node_modules/typescript/bin/tsc'), '--checkers', '1'];

/** Every file below `folder` whose name ends with `ending`, as a path relative to the project. */
export function filesIn(folder, ending) {
  const at = join(root, folder);
  if (!existsSync(at)) return [];
  return readdirSync(at, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(ending))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)));
}

/**
 * Compiles the TypeScript of `folders` into `outdir`, and adds the other files that it needs there. With `emit`, which writes the compiled
 * TypeScript, nothing else remains in `outdir`.
 */
export async function compile(folders, outdir, emit) {
  const steps = new Steps(join(outdir, '.steps.json'));
  if (folders.includes('core')) await steps.run('parts', () => bundleParts(outdir));
  if (folders.includes('plugins')) {
    await Promise.all([
      steps.run('player', () => bundlePlayer(outdir)),
      steps.run('console', () => bundleConsole(outdir)),
      steps.run('widget', () => bundleWidget(outdir)),
    ]);
  }
  if (folders.includes('sandbox')) await steps.run('reference assets', () => minifyReference(outdir));
  const isPackaged = (file) => !file.includes('__snapshots__');
  const notebooks = folders.includes('sandbox') ? filesIn('sandbox/demo', '.md').filter(isPackaged) : [];
  for (const file of [...folders.flatMap((folder) => filesIn(folder, '.json')), ...notebooks]) {
    if (file.endsWith('tsconfig.json') || file.endsWith('tsconfig.types.json') || file.endsWith('biome.json')) continue;
    const copy = join(outdir, file);
    await steps.run(file, () => {
      replaceFile(copy, readFileSync(join(root, file)));
      return { inputs: [file], outputs: [copy] };
    });
  }
  if (emit) {
    for (const file of filesIn(outdir, '')) if (!steps.outputs.has(file)) rmSync(join(root, file));
    await emit((await import('esbuild')).build, folders, outdir);
  } else {
    await transpile(steps, folders, outdir);
  }
  steps.finish();
}

/** Writes a file for each source. */
async function transpile(steps, folders, outdir) {
  const sources = folders.flatMap((folder) => filesIn(folder, '.ts')).filter((file) => !steps.isCurrent(file));
  if (sources.length === 0) return;
  const startedAt = Date.now();
  const { build } = await import('esbuild');
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: sources,
    outdir,
    outbase: '.',
    format: 'esm',
    platform: 'node',
    target: 'node20',
    sourcemap: true,
    sourcesContent: false,
    logLevel: 'warning',
    tsconfig: 'tsconfig.json',
    write: false,
  });
  for (const { path, contents } of outputFiles) replaceFile(relative(root, path), contents);
  for (const file of sources) {
    const output = join(outdir, file.replace(/\.ts$/, '.js'));
    steps.record(file, [file], [output, `${output}.map`], startedAt);
  }
}

/** The files that a step read, besides packages, and those that it wrote. */
const filesOf = (metafiles, more) => ({
  inputs: metafiles.flatMap(({ inputs }) => Object.keys(inputs)).filter((file) => file !== '<stdin>' && !file.startsWith('node_modules/')),
  outputs: [...metafiles.flatMap(({ outputs }) => Object.keys(outputs)), ...more],
});

/**
 * Bundles the parts that we use of packages, as the packages are large: of libphonenumber-js 0.12 of 12.6 MB, and of prom-client 0.02 of
 * 4.7 MB with its dependencies. CommonJS, as Node 20 cannot load ES modules synchronously.
 */
async function bundleParts(outdir) {
  const { build } = await import('esbuild');
  const folder = join(outdir, 'core');
  const parts = {
    'phone-numbers.cjs': `export { isSupportedCountry, parsePhoneNumberFromString } from 'libphonenumber-js/min';`,
    'prometheus-client.cjs': ['Counter', 'Gauge', 'Histogram', 'Registry']
      .map((name) => `export { default as ${name} } from 'prom-client/lib/${name.toLowerCase()}';`)
      .join(''),
  };
  const metafiles = await Promise.all(
    Object.entries(parts).map(async ([file, contents]) => {
      const { metafile } = await build({
        absWorkingDir: root,
        stdin: { contents, resolveDir: root },
        outfile: join(folder, file),
        bundle: true,
        minify: true,
        keepNames: true,
        format: 'cjs',
        platform: 'node',
        target: 'node20',
        metafile: true,
        legalComments: 'none',
        logLevel: 'warning',
      });
      return metafile;
    }),
  );
  const notices = join(folder, 'NOTICES.txt');
  const texts = Object.keys(parts).map((file, i) => noticesOf(file, metafiles[i]));
  writeFileSync(join(root, notices), texts.join('\n'));
  return filesOf(metafiles, [notices]);
}

/** Bundles the player of flow previews: a script and a style sheet for browsers. */
async function bundlePlayer(outdir) {
  const { build } = await import('esbuild');
  const folder = join(outdir, 'plugins/flows/preview/player');
  const { metafile } = await build({
    ...forBrowsers('plugins/flows/preview/app'),
    entryPoints: ['main.tsx', 'styles.css'].map((file) => ({ in: `plugins/flows/preview/app/${file}`, out: 'player' })),
    outdir: folder,
    format: 'iife',
  });
  const notices = join(folder, 'NOTICES.txt');
  writeFileSync(join(root, notices), noticesOf('player.js and player.css', metafile));
  return filesOf([metafile], [notices]);
}

/** Bundles the console: files whose names contain their hashes, and the page that loads them. */
async function bundleConsole(outdir) {
  const { build, transform } = await import('esbuild');
  const folder = join(outdir, 'plugins/console/built');
  const { metafile } = await build({
    ...forBrowsers('plugins/console/app'),
    entryPoints: ['main.tsx', 'styles.css'].map((file) => ({ in: `plugins/console/app/${file}`, out: 'console' })),
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    assetNames: '[name]-[hash]',
    outdir: join(folder, 'assets'),
    format: 'esm',
    splitting: true,
    plugins: [pageSheets(transform)],
  });
  const { metafile: frame } = await build({
    ...forBrowsers('plugins/console/app'),
    entryPoints: ['frame.ts', 'frame.css'].map((file) => ({ in: `plugins/console/app/frame/${file}`, out: 'frame' })),
    outdir: folder,
    format: 'iife',
  });
  // Pages that are loaded later are entry points, too.
  const [script, style] = ['main.tsx', 'styles.css'].map((file) =>
    basename(Object.keys(metafile.outputs).find((name) => metafile.outputs[name].entryPoint === `plugins/console/app/${file}`)),
  );
  const template = 'plugins/console/app/index.html';
  const [page, notices] = ['index.html', 'NOTICES.txt'].map((file) => join(folder, file));
  const text = readFileSync(join(root, template), 'utf8');
  replaceFile(page, text.replace('{script}', script).replace('{style}', style));
  writeFileSync(join(root, notices), noticesOf('The files of the console', metafile));
  // The files of the console are many: compressed ones take 0.8 MB less on the disks of users.
  const assets = Object.keys(metafile.outputs).map((file) => {
    replaceFile(`${file}.gz`, gzipSync(readFileSync(join(root, file)), { level: 9 }));
    rmSync(join(root, file));
    return `${file}.gz`;
  });
  const { inputs } = filesOf([metafile, frame], []);
  return { inputs: [...inputs, template], outputs: [...assets, ...Object.keys(frame.outputs), page, notices] };
}

/** Bundles the widget of web chats: the loader, which is the file of the script tag, and the application, which the loader loads. */
async function bundleWidget(outdir) {
  const { build, transform } = await import('esbuild');
  const folder = join(outdir, 'plugins/webchat/built');
  const bundled = (file, out, format) =>
    build({
      ...forBrowsers('plugins/webchat/app'),
      entryPoints: [{ in: `plugins/webchat/app/${file}`, out }],
      outdir: folder,
      format,
      plugins: [pageSheets(transform)],
    });
  const [loader, app] = await Promise.all([bundled('loader.ts', 'loader', 'iife'), bundled('main.tsx', 'app', 'esm')]);
  const notices = join(folder, 'NOTICES.txt');
  writeFileSync(join(root, notices), noticesOf('The files of the web chat', app.metafile));
  return filesOf([loader.metafile, app.metafile], [notices]);
}

/** Makes `*.page.css` texts: esbuild would write them into one file, which every page would load. */
const pageSheets = (transform) => ({
  name: 'page sheets',
  setup({ onLoad }) {
    onLoad({ filter: /\.page\.css$/ }, async ({ path }) => {
      const { code } = await transform(readFileSync(path, 'utf8'), { loader: 'css', minify: true, target: BROWSERS });
      return { contents: code, loader: 'text' };
    });
  },
});

const BROWSERS = ['chrome123', 'safari17.5', 'firefox121'];

/** The names of messages that have three words or more: a bundle has shorter ones, as no property of another kind is called so. */
function longMessageNames(app) {
  const files = ['texts.ts', 'texts.tsx'].flatMap((ending) => filesIn(app, ending));
  const names = files.flatMap((file) => [...readFileSync(join(root, file), 'utf8').matchAll(/^ {2}([a-z\d]+(?:[A-Z][a-z\d]*){2,}):/gm)]);
  return names.length === 0 ? {} : { mangleProps: new RegExp(`^(?:${[...new Set(names.map(([, name]) => name))].join('|')})$`) };
}

/** Settings of a bundle for browsers that are updated automatically, such as those of phones. */
const forBrowsers = (app) => ({
  absWorkingDir: root,
  metafile: true,
  bundle: true,
  minify: true,
  platform: 'browser',
  target: BROWSERS,
  jsx: 'automatic',
  jsxImportSource: 'preact',
  legalComments: 'none',
  logLevel: 'warning',
  tsconfig: `${app}/tsconfig.json`,
  ...longMessageNames(app),
});

/** The style and script of the reference, which `writeReference` writes into its pages. */
async function minifyReference(outdir) {
  const { build } = await import('esbuild');
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: ['page.js', 'styles.css'].map((file) => `sandbox/reference/app/${file}`),
    outdir: join(outdir, 'sandbox/reference/assets'),
    bundle: true,
    format: 'iife',
    // package.json says that no file has side effects, and these have nothing else.
    ignoreAnnotations: true,
    minify: true,
    metafile: true,
    platform: 'browser',
    target: ['chrome108', 'safari16', 'firefox115'],
    logLevel: 'warning',
  });
  return filesOf([metafile], []);
}

/** Writes the pages of the reference, from the OpenAPI documents that the code in `outdir` makes. It has to find its own `#core`. */
export async function writeReference(outdir) {
  const steps = new Steps(join(outdir, '.reference.json'));
  await steps.run('reference', async () => {
    const { writePages } = await import(pathToFileURL(join(root, outdir, 'sandbox/reference/write-pages.js')).href);
    await writePages();
    return {
      inputs: ['core', 'plugins', 'sandbox'].flatMap((folder) =>
        ['.ts', '.json', '.js', '.css'].flatMap((ending) => filesIn(folder, ending)),
      ),
      outputs: filesIn(join(outdir, 'sandbox/reference/built'), '.html.gz'),
    };
  });
  steps.finish();
}

/** The packages in a bundle. */
export const packagesOf = ({ inputs }) =>
  [...new Set(Object.keys(inputs).flatMap((file) => /^node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1] ?? []))].sort();

/** The terms of a package that names its licence and has no file with it. */
const mitLicence = (author) => `MIT License

Copyright (c) ${author.name ?? author}

Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated documentation files (the
"Software"), to deal in the Software without restriction, including without limitation the rights to use, copy, modify, merge, publish,
distribute, sublicense, and/or sell copies of the Software, and to permit persons to whom the Software is furnished to do so, subject to
the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF
MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR
ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH
THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.`;

/** The licences of the bundled packages, which their terms require us to distribute. */
export function noticesOf(files, metafile) {
  const notices = packagesOf(metafile).map((name) => {
    const folder = join(root, 'node_modules', name);
    const { version, license, author } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    const licences = readdirSync(folder).filter((file) => /^licen[cs]e/i.test(file));
    // In the public domain: no terms to repeat.
    if (licences.length === 0 && license === 'Unlicense')
      return `${name} ${version}\n\nThis is free and unencumbered software released into the public domain.\n`;
    if (licences.length === 0 && license === 'MIT' && author) return `${name} ${version}\n\n${mitLicence(author)}\n`;
    if (licences.length === 0) throw new Error(`the bundled package ${name} has no licence file`);
    const texts = licences.map((licence) => readFileSync(join(folder, licence), 'utf8').trim());
    return `${name} ${version}\n\n${texts.join('\n\n')}\n`;
  });
  return `${files} contain:\n\n${notices.join('\n')}`;
}

/** Makes `#core` and `posthorn` resolve to the copy in `outdir` for code that runs from there. */
export function selfContained(outdir) {
  const { name, version, published, imports, exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const here = JSON.parse(JSON.stringify({ name, version, published, type: 'module', imports, exports }).replaceAll('./dist/', './'));
  replaceFile(join(outdir, 'package.json'), JSON.stringify(here, null, 2));
}
