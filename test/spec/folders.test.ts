import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import t from 'tap';

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

t.test('tests lie where the code is that they test', async (t) => {
  const folders = ['core', 'plugins', 'sandbox'].flatMap((root) =>
    readdirSync(join('test', root), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name.endsWith('.test.ts'))
      .map(({ parentPath }) => parentPath.slice('test/'.length)),
  );
  // `engine/step` has the tests of `engine/step.ts`, by block.
  const homeless = [...new Set(folders)].filter((folder) => !existsSync(folder) && !existsSync(`${folder}.ts`));
  t.strictSame(homeless, [], 'each folder of test/core, test/plugins and test/sandbox has the name of a folder with code');
  const loose = readdirSync('test/plugins').filter((name) => name.endsWith('.ts'));
  t.strictSame(loose, [], 'each test of a plugin lies in the folder of the plugin');
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
