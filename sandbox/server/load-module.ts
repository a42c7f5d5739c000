import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, extname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { threadId } from 'node:worker_threads';
import type { Plugin as Esbuild } from 'esbuild';
import type { Plugin } from '#core';
import { createOwnFolder, ownFolder } from '../client/run-file.js';

/** A file cannot be bundled or imported. */
export class ModuleFailed extends Error {
  override readonly name = 'ModuleFailed';
}

/** Packages of which a plugin and the sandbox must share one copy: records and schemas of one copy are unknown to another. */
const SHARED = /^(posthorn(\/.+)?|joi|@hapi\/hapi)$/;
let loads = 0;

/**
 * Imports a TypeScript or JavaScript file, bundled with the files that it imports, so that each call reads the current files. Packages
 * are not bundled. `import.meta.url` stays the place of its file, and modules that a file names by URL, such as the language of a plugin
 * (`new URL('./language.js', import.meta.url)`), are bundled too, until the process ends.
 * @returns its exports, and the files that the bundle consists of
 * @throws ModuleFailed with the position of the mistake, and a message that says when esbuild is missing
 */
export async function loadModule(file: string): Promise<{ exports: Readonly<Record<string, unknown>>; files: string[] }> {
  const path = resolve(file);
  const found = statSync(path, { throwIfNoEntry: false });
  if (!found?.isFile()) throw new ModuleFailed(`${file} ${found ? 'is not a file' : 'does not exist'}`);
  const { code, files } = await bundle(path);
  const bundled = bundleOf(path);
  try {
    createOwnFolder(dirname(path));
    writeFileSync(bundled, code);
    return { exports: await import(pathToFileURL(bundled).href), files };
  } catch (error) {
    throw new ModuleFailed(`${file} cannot be imported: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  } finally {
    rmSync(bundled, { force: true });
  }
}

/** Next to the source, where the packages of its project are found. */
const bundleOf = (path: string): string => join(ownFolder(dirname(path)), `${basename(path)}-${process.pid}-${threadId}-${++loads}.mjs`);

/** A plugin of a file, and the files that it consists of. */
export interface LoadedPlugin {
  readonly plugin: Plugin;
  readonly files: readonly string[];
}

/**
 * Loads the plugin of a file: its default export, or the only export that is a plugin or that `definePlugin` made.
 * @throws ModuleFailed
 */
export async function loadPlugin(file: string): Promise<LoadedPlugin> {
  const { exports, files } = await loadModule(file);
  const found = [...new Set(exports.default === undefined ? Object.values(exports) : [exports.default])].filter(isPluginLike);
  if (found.length === 1) {
    const plugin = typeof found[0] === 'function' ? (found[0] as () => Plugin)() : (found[0] as Plugin);
    return { plugin, files };
  }
  throw new ModuleFailed(
    `${file} exports ${found.length === 0 ? 'no plugin' : `${found.length} plugins`}; export the result of definePlugin as default`,
  );
}

const isPluginLike = (value: unknown): boolean =>
  (typeof value === 'object' || typeof value === 'function') && value !== null && 'manifest' in value;

async function bundle(path: string): Promise<{ code: string; files: string[] }> {
  const { build, formatMessages } = await esbuild(dirname(path));
  const named: string[] = [];
  try {
    const { outputFiles, metafile } = await build({
      entryPoints: [path],
      absWorkingDir: dirname(path),
      bundle: true,
      write: false,
      metafile: true,
      format: 'esm',
      platform: 'node',
      target: 'node20',
      packages: 'external',
      sourcemap: 'inline',
      logLevel: 'silent',
      plugins: [sharedPackages, filesByUrl(named)],
    });
    const files = Object.keys(metafile.inputs).map((input) => resolve(dirname(path), input));
    return { code: outputFiles[0]!.text, files: [...files, ...named] };
  } catch (error) {
    const { errors } = error as { errors?: Parameters<typeof formatMessages>[0] };
    if (!errors?.length) throw error;
    const shown = await formatMessages(errors, { kind: 'error', color: false });
    throw new ModuleFailed(shown.join('').trimEnd(), { cause: error });
  }
}

const sharedPackages: Esbuild = {
  name: 'shared-packages',
  setup({ onResolve }) {
    onResolve({ filter: SHARED }, ({ path }) => ({ path: import.meta.resolve(path), external: true }));
  },
};

/** The expression for the URL of a file, in pieces: the build of the package replaces it, also in texts. */
const OWN_URL = ['import', 'meta', 'url'].join('.');
/** `new URL('./language.js', import.meta.url)` */
const NAMED = /new URL\(\s*(['"])(\.{1,2}\/[^'"]+\.m?[jt]s)\1\s*,\s*import\.meta\.url\s*,?\s*\)/g;

/** Bundles the modules that files name by URL, and puts the URLs of files in place of `import.meta.url`, which would be that of the bundle. */
const filesByUrl = (named: string[]): Esbuild => ({
  name: 'files-by-url',
  setup({ onLoad }) {
    onLoad({ filter: /\.m?[jt]s$/ }, async ({ path }) => {
      const source = readFileSync(path, 'utf8');
      if (!source.includes(OWN_URL)) return undefined;
      const urls = new Map<string, string>();
      for (const [whole, , relative = ''] of source.matchAll(NAMED)) {
        const wanted = resolve(dirname(path), relative);
        const module = [wanted, wanted.replace(/js$/, 'ts')].find((file) => existsSync(file));
        if (module !== undefined) urls.set(whole, `new URL(${JSON.stringify(await bundledUrl(module, named))})`);
      }
      const contents = source
        .replace(NAMED, (whole) => urls.get(whole) ?? whole)
        .replaceAll(OWN_URL, JSON.stringify(pathToFileURL(path).href));
      return { contents, loader: extname(path).endsWith('ts') ? 'ts' : 'js' };
    });
  },
});

/** Bundles a module for worker threads, which import it later. @returns its URL */
async function bundledUrl(path: string, named: string[]): Promise<string> {
  const { code, files } = await bundle(path);
  named.push(...files);
  const bundled = bundleOf(path);
  createOwnFolder(dirname(path));
  writeFileSync(bundled, code);
  process.once('exit', () => rmSync(bundled, { force: true }));
  return pathToFileURL(bundled).href;
}

/** From the project of the file, or from where Posthorn is installed. */
async function esbuild(folder: string): Promise<typeof import('esbuild')> {
  for (const from of [join(folder, 'index.js'), import.meta.url]) {
    try {
      return createRequire(from)('esbuild') as typeof import('esbuild');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'MODULE_NOT_FOUND') throw error;
    }
  }
  throw new ModuleFailed('esbuild is needed to load plugins and configuration in TypeScript or JavaScript: npm install -D esbuild');
}
