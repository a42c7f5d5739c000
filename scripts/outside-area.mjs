// Builds one of our areas as a package of its own against the installed package, and runs its tests there: `plugins/integration` with other
// imports and nothing else changed. It shows that such a plugin needs nothing that the package does not export.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { build } from 'esbuild';
import { filesIn, root, tsc } from './compile.mjs';
import { measureSlowness } from './suite.mjs';

const AREA = 'integration';
/** These tests read files of the store, or start processes of a checkout. */
const OF_THE_CHECKOUT = ['over-http.test.ts', 'storage.test.ts', 'markdown.test.ts'];

/** The name under which the package exports a module of the checkout; undefined if it exports none. */
const exportedName = (specifier) =>
  specifier.startsWith('#core')
    ? specifier.replace('#core', 'posthorn')
    : specifier.replace(/^(?:\.\.\/)+plugins\/([\w-]+)\/plugin\.js$/, 'posthorn/plugins/$1');

/** @param folder a project in which the package is installed @returns how many tests passed */
export async function buildAreaOutside(folder) {
  const area = join(folder, 'area');
  cpSync(join(root, 'plugins', AREA), join(area, 'src'), { recursive: true });
  for (const file of readdirSync(join(area, 'src'), { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'))) {
    const path = join(area, 'src', file);
    const text = readFileSync(path, 'utf8').replace(/ from '([^']+)'/g, (_, specifier) => ` from '${exportedName(specifier)}'`);
    writeFileSync(path, text);
  }
  const options = { target: 'es2023', module: 'nodenext', moduleResolution: 'nodenext', declaration: true, skipLibCheck: true };
  const strict = { strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true, verbatimModuleSyntax: true };
  writeFileSync(join(area, 'package.json'), JSON.stringify({ name: 'area', private: true, type: 'module' }));
  writeFileSync(
    join(area, 'tsconfig.json'),
    JSON.stringify({ compilerOptions: { ...options, ...strict, types: ['node'], rootDir: 'src', outDir: 'lib' }, include: ['src'] }),
  );
  mkdirSync(join(area, 'node_modules'));
  for (const name of ['tap', 'fast-check', 'jsonc-parser', 'joi'])
    symlinkSync(join(root, 'node_modules', name), join(area, 'node_modules', name));
  execFileSync(process.execPath, [...tsc, '-p', area], { cwd: area, stdio: 'pipe' });

  const tests = filesIn(`test/plugins/${AREA}`, '.test.ts').filter((file) => !OF_THE_CHECKOUT.some((name) => file.endsWith(name)));
  let passed = 0;
  for (const test of tests) {
    const outfile = join(area, 'tests', test.replace(/\.ts$/, '.mjs'));
    await build({
      ...{ absWorkingDir: root, entryPoints: [test], outfile, bundle: true, format: 'esm', platform: 'node', target: 'node20' },
      ...{ packages: 'external', logLevel: 'error', plugins: [fromPackage(area)] },
    });
    // The other checks run beside these tests, whose time limits grow with the load.
    const env = { ...process.env, POSTHORN_SLOWNESS: measureSlowness().toFixed(1) };
    const output = execFileSync(process.execPath, [outfile], { cwd: area, env, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
    passed += output.match(/^ *ok /gm)?.length ?? 0;
  }
  return `${passed} checks of ${tests.length} test files`;
}

/** Makes tests import the package, and the area from its new place. */
const fromPackage = (area) => ({
  name: 'from package',
  setup({ onResolve }) {
    onResolve({ filter: /^(#core|\.)/ }, ({ path, resolveDir }) => {
      const own = relative(root, join(resolveDir, path)).match(new RegExp(`^plugins/${AREA}/(.+)$`))?.[1];
      if (path.startsWith('.') && own) return { path: join(area, 'lib', own), external: true };
      const name = exportedName(path);
      return name === path ? undefined : { path: name, external: true };
    });
  },
});
