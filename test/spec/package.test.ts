import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import t from 'tap';

const { exports, peerDependencies, peerDependenciesMeta, dependencies, imports } = JSON.parse(readFileSync('package.json', 'utf8'));
const sourceOf = (compiled: string): string => compiled.replace('./dist/', '').replace(/\.js$|\.d\.ts$/, '.ts');
const pathsOf: Record<string, { types: string; default: string }> = Object.fromEntries(
  Object.entries(exports).filter(([subpath]) => !subpath.endsWith('.json')),
) as never;

t.test('every plugin has a subpath of the package, its test tools have one, and there is no other', async (t) => {
  const folders = readdirSync('plugins', { withFileTypes: true }).filter((entry) => entry.isDirectory());
  const subpaths = Object.keys(pathsOf).filter((subpath) => subpath.startsWith('./plugins/'));
  const suites = folders.filter(
    ({ name }) => existsSync(join('plugins', name, 'testing.ts')) || existsSync(join('plugins', name, 'testing/index.ts')),
  );
  // A cluster is created with posthorn/postgres.
  const alone = folders.filter(({ name }) => name !== 'cluster');
  const wanted = [...alone.map(({ name }) => `./plugins/${name}`), ...suites.map(({ name }) => `./plugins/${name}/testing`)];
  t.strictSame(subpaths.sort(), wanted.sort());
});

t.test('every subpath resolves to a module and to its types', async (t) => {
  for (const [subpath, { types, default: module }] of Object.entries(pathsOf)) {
    t.equal(sourceOf(types), sourceOf(module), subpath);
    t.ok(existsSync(sourceOf(module)), `${subpath}: ${sourceOf(module)}`);
  }
});

t.test('packages required lazily are CommonJS, because older supported releases of Node cannot require ES modules', async (t) => {
  const late = /(?:require|createRequire\(import\.meta\.url\))\('([@\w/-]+)'\)/g;
  const files = ['core', 'plugins', 'sandbox'].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((file) => join(folder, file)),
  );
  const packages = files
    .filter((file) => file.endsWith('.ts'))
    .flatMap((file) => [...readFileSync(file, 'utf8').matchAll(late)].map(([, name]) => name!));
  t.ok(packages.includes('mime-types'), packages.join(', '));
  const load = `for (const name of ${JSON.stringify([...new Set(packages)])}) require(name)`;
  t.doesNotThrow(() => execFileSync(process.execPath, ['--no-experimental-require-module', '-e', load], { stdio: 'pipe' }));
});

t.test('hapi is a peer dependency, and packages that only some areas need are optional', async (t) => {
  t.ok(peerDependencies['@hapi/hapi']);
  t.notOk(dependencies['@hapi/hapi']);
  const optional = Object.keys(peerDependencies).filter((name) => name !== '@hapi/hapi');
  t.strictSame(Object.keys(peerDependenciesMeta).sort(), optional.sort());
  for (const { optional } of Object.values(peerDependenciesMeta) as { optional: boolean }[]) t.equal(optional, true);
});

t.test('#core is the same module as posthorn', async (t) => {
  t.equal(imports['#core'], exports['.'].default);
  t.equal(imports['#core/ports'], exports['./ports'].default);
});

t.test('pages in the package link only to files in the package', async (t) => {
  const listed = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const files = new Set((JSON.parse(listed)[0].files as { path: string }[]).map(({ path }) => path));
  const pages = [...files].filter((file) => file.endsWith('.md'));
  t.ok(pages.includes('README.md'));
  for (const page of pages) {
    for (const [, target] of readFileSync(page, 'utf8').matchAll(/(?:\]\(|src=")(?!\w+:|#)([^)#\s"]+)/g)) {
      const linked = join(dirname(page), target!);
      t.ok(files.has(linked), `${page} links to ${linked}`);
    }
  }
});

t.test('npm run has at most ten scripts, and the page on contributing lists the other programs', async (t) => {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> };
  const known = ['start', 'build', 'test', 'lint', 'typecheck', 'bench', 'crash', 'simulate', 'docs', 'format'];
  // npm calls it for npm pack.
  const { prepack, ...shown } = scripts;
  t.strictSame(
    Object.keys(shown).filter((name) => !known.includes(name)),
    [],
  );
  t.equal(prepack, 'npm run -s build');
  const page = readFileSync('CONTRIBUTING.md', 'utf8');
  const all = Object.values(scripts).join('\n');
  // A program says in its first lines how to run it.
  const heads = readdirSync('scripts', { withFileTypes: true }).flatMap((entry) =>
    entry.isFile() ? [readFileSync(join('scripts', entry.name), 'utf8').split('\n', 12).join('\n')] : [],
  );
  const programs = heads.flatMap((head) => /node (scripts\/(?:run\.mjs )?[\w.-]+)/.exec(head)?.[1] ?? []);
  t.ok(programs.length >= 8, programs.join(', '));
  for (const program of programs) t.ok(page.includes(`node ${program}`) || all.includes(program), program);
});
