import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import t from 'tap';
import { sourcesIn } from '../../scripts/check-imports.js';
import { installation } from '../../scripts/docs/installation.js';
import { pages } from './pages.js';

const manifest = JSON.parse(readFileSync('package.json', 'utf8'));
const FROM_REGISTRY = /npm (?:install|i|add)(?: -\S+)* (?:[\w@/-]+ )*posthorn\b/;

t.test('before a release, pages begin with a checkout, and say what npm install posthorn needs', async (t) => {
  const { start, install, commands } = installation({ ...manifest, published: false });
  t.match(start, /`git clone … && cd posthorn`[\s\S]*^npm ci && npm start$[\s\S]*^npm ci && npm test$/m);
  t.notMatch(start, FROM_REGISTRY);
  t.match(install, /^`npm install posthorn` needs a published release, .*`npm pack`/);
  t.match(install, /^npm install \.\.\/posthorn\/posthorn-\d+\.\d+\.\d+\.tgz /m);
  t.match(commands('README.md'), /node PATH\/bin\/posthorn\.mjs/);
});

t.test('after a release, every page says npm install posthorn, and none that there is no release', async (t) => {
  const repository = { url: 'git+https://git.example/posthorn.git' };
  const texts = installation({ ...manifest, published: true, repository });
  const all = [texts.start, texts.install, texts.commands('README.md')].join('\n');
  t.match(texts.start, /^npm install posthorn\nnpx posthorn$/m);
  t.match(texts.start, '`git clone https://git.example/posthorn.git && cd posthorn`');
  t.match(texts.install, /^npm install posthorn @hapi\/hapi$/m);
  t.notMatch(all, /published release|none yet|PATH/);
});

t.test('the registry is named only where the flag decides', async (t) => {
  const parts = /<!-- generated: [^>]+ -->[\s\S]*?<!-- end -->/g;
  const written = [
    ...pages().map(({ file }) => ({ path: file, text: readFileSync(file, 'utf8').replaceAll(parts, '') })),
    ...sourcesIn(process.cwd()).filter(({ path }) => /^(core|plugins|sandbox)\//.test(path)),
  ].filter(({ path }) => path !== 'CHANGELOG.md');
  t.ok(written.length > 500);
  t.strictSame(
    written.filter(({ text }) => FROM_REGISTRY.test(text)).map(({ path }) => path),
    [],
  );
  t.match('Run `npm install posthorn @hapi/hapi`.', FROM_REGISTRY, 'it would be found');
});

t.test('the first screen of the README has the first two commands', async (t) => {
  const screen = readFileSync('README.md', 'utf8').split('\n').slice(0, 30).join('\n');
  t.match(screen, /npm ci && npm start[\s\S]*npm ci && npm test/);
});

t.test('the release script sets the flag, and lists what package.json lacks', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-release-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  cpSync('scripts', join(folder, 'scripts'), { recursive: true });
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ ...manifest, published: false }, null, 2));
  const printed = execFileSync(process.execPath, ['scripts/publish.mjs', '--prepare'], { cwd: folder, encoding: 'utf8' });
  t.match(printed, /run node scripts\/docs\.mjs/);
  t.strictSame(JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')), { ...manifest, published: true });
});

t.test('the bill of materials has the installed and the bundled packages, with licences, and no tools', async (t) => {
  const { SBOM, writeSbom } = await import(pathToFileURL('scripts/sbom.mjs').href);
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-sbom-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, 'built'));
  writeFileSync(join(folder, 'built/NOTICES.txt'), `The files contain:\n\npreact ${versionOf('preact')}\n\nMIT 1.0\n`);
  mkdirSync(join(folder, 'empty'));
  t.throws(() => writeSbom(join(folder, 'empty'), folder), /has no notices/);
  t.ok(writeSbom(join(folder, 'built'), folder) > 40);
  const { metadata, components, dependencies } = JSON.parse(readFileSync(join(folder, SBOM), 'utf8'));
  t.match(metadata.component, { name: 'posthorn', purl: `pkg:npm/posthorn@${manifest.version}` });
  const names: string[] = components.map(({ name }: { name: string }) => name);
  for (const name of [...Object.keys(manifest.dependencies), 'preact']) t.ok(names.includes(name), name);
  for (const name of ['typescript', 'esbuild', '@biomejs/biome', 'uplot']) t.notOk(names.includes(name), name);
  t.strictSame(
    components.filter(({ licenses }: { licenses?: object[] }) => !licenses?.length).map(({ name }: { name: string }) => name),
    [],
  );
  t.equal(dependencies.length, components.length + 1, 'with what each needs');
});

const versionOf = (name: string): string => JSON.parse(readFileSync(join('node_modules', name, 'package.json'), 'utf8')).version;
