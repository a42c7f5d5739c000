import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import t from 'tap';
import { importsIn, type Source, sourcesIn } from '../../scripts/check-imports.js';

const SOURCES = /\.(tsx?|mjs|py|json)$/;
/** The depth of folders with their own row below each root; deeper folders belong to the row above. */
const LEVELS: Readonly<Record<string, number>> = { core: 2, plugins: 1, sandbox: 1, scripts: 0, test: 0 };
/** Folders in which a singular file declares a record and a plural file its service. */
const RECORDS = ['core/messaging', 'core/delivery'];

const filesBelow = (root: string): string[] =>
  readdirSync(root, { recursive: true, encoding: 'utf8' })
    .map((file) => join(root, file))
    .filter((file) => SOURCES.test(file));

t.test('the table of folders has one row for each folder with sources', async (t) => {
  const page = readFileSync('core/structure.md', 'utf8');
  const [, section = ''] = /^## The folders\n([\s\S]*?)^## /m.exec(page) ?? [];
  const rows = [...section.matchAll(/^\| `([^`]+)` \| (.+) \|$/gm)].map(([, folder, text]) => ({ folder: folder!, text: text! }));
  const found = new Set<string>();
  for (const [root, levels] of Object.entries(LEVELS)) {
    for (const file of filesBelow(root)) {
      found.add(
        dirname(file)
          .split('/')
          .slice(0, levels + 1)
          .join('/'),
      );
    }
  }
  t.ok(found.has('core/adapters/store') && found.has('plugins/webhooks'));
  t.strictSame(rows.map(({ folder }) => folder).sort(), [...found].sort());
  for (const { folder, text } of rows) t.ok(text.length > 20, `${folder} has a sentence`);
});

const isTest = /^test\/(?=(?:core|plugins|sandbox)\/).+\.test\.ts$/;

/** The folder with the code of a room that a test file has to lie in, if the test lies in another one. */
function misplaced(test: Source): string | undefined {
  const room = dirname(test.path).slice('test/'.length);
  const imports = importsIn(test);
  const folders = imports.filter((target) => target.startsWith(`${room}/`)).map(dirname);
  const [first, ...others] = folders;
  if (!first) return undefined;
  const common = others.reduce((shared, folder) => {
    while (!`${folder}/`.startsWith(`${shared}/`)) shared = dirname(shared);
    return shared;
  }, first);
  const hasHelper = imports.some((target) => /^test\/(core|plugins|sandbox)\//.test(target) && !target.startsWith(`test/${common}/`));
  return common === room || hasHelper ? undefined : common;
}

t.test('tests lie where the code is that they test', async (t) => {
  const sources = sourcesIn(process.cwd());
  const tests = sources.filter(({ path }) => isTest.test(path));
  const rooms = [...new Set(tests.map(({ path }) => dirname(path).slice('test/'.length)))];
  // `engine/step` has the tests of `engine/step.ts`, by block.
  const homeless = rooms.filter((room) => !existsSync(room) && !existsSync(`${room}.ts`));
  t.strictSame(homeless, [], 'each folder with tests has the name of a folder with code');
  const hasFiles = (room: string) => sources.some(({ path }) => dirname(path) === room || path === `${room}.ts`);
  t.strictSame(
    rooms.filter((room) => !hasFiles(room)),
    [],
    'a room that has only folders, such as core/kernel, has no tests beside them',
  );
  const wrong = tests.flatMap((test) => {
    const home = misplaced(test);
    return home ? [`${test.path} tests ${home}`] : [];
  });
  t.strictSame(wrong, [], 'a test that imports code of one folder below its own, and no helper from elsewhere, lies in that folder');
});

t.test('a test in another folder than its code is found', async (t) => {
  const inStore = (...imports: string[]) =>
    misplaced({
      path: 'test/core/adapters/store/one.test.ts',
      text: imports.map((target) => `import '../../../../${target}.js';`).join('\n'),
    });
  t.equal(inStore('core/adapters/store/files/folder-lock', 'core/ports/store'), 'core/adapters/store/files');
  t.equal(inStore('core/adapters/store/files/folder-lock', 'core/adapters/store/tables/sorted'), undefined, 'two folders of the room');
  t.equal(inStore('core/adapters/store/files/folder-lock', 'core/adapters/store/index'), undefined, 'the room itself');
  t.equal(inStore('core/adapters/store/files/folder-lock', 'test/core/adapters/store/folders'), undefined, 'a helper of the room');
  t.equal(inStore('core/ports/store'), undefined, 'nothing of the room');
});

t.test('a file that declares a collection of the core has no service, and a service has a plural name', async (t) => {
  const files = RECORDS.flatMap(filesBelow).map((file) => ({ file, text: readFileSync(file, 'utf8') }));
  const records = files.filter(({ text }) => /^export const \w+ = collection[<(]/m.test(text));
  t.ok(records.length >= 10);
  for (const { file, text } of records) {
    t.notMatch(text, /^export (async )?function create/m, `${file} has no service`);
    t.notMatch(text, /\.transaction\(/, `${file} writes no documents`);
  }
  const singular = records.map(({ file }) => file.slice(0, -3));
  for (const { file, text } of files) {
    const [, service] = /^export function create(\w+)/m.exec(text) ?? [];
    const record = service && singular.find((path) => path.endsWith(`/${service.replace(/ies$/, 'y').replace(/s$/, '').toLowerCase()}`));
    if (record) t.equal(file, `${dirname(record)}/${service.toLowerCase()}.ts`, `the service of ${record}.ts`);
  }
});

t.test('the pages on the code name files and folders that exist, and the first of them stays short', async (t) => {
  for (const page of ['core/README.md', 'core/structure.md', 'core/walks.md']) {
    const named = [...readFileSync(page, 'utf8').matchAll(/`((?:core|plugins|sandbox|scripts|test)\/[\w./-]+)`/g)].map(([, path]) => path!);
    t.ok(named.length > 20, page);
    const missing = named.filter((path) => !/\/NAME\b/.test(path) && !existsSync(path));
    t.strictSame(missing, [], page);
  }
  const words = readFileSync('core/README.md', 'utf8').split(/\s+/).length;
  t.ok(words <= 1200, `core/README.md has ${words} words: put details on structure.md or walks.md`);
});
