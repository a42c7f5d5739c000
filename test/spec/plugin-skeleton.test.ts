import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { everything } from '../../scripts/docs/everything.js';

/** Maximum number of files beside the skeleton; a plugin with more groups them into folders. */
const MAX_FILES = 12;

const page = readFileSync('core/contract/README.md', 'utf8');
const [, section = ''] = /^## The folder of a plugin\n([\s\S]*?)(?:^## |(?![\s\S]))/m.exec(page) ?? [];
const [files = [], exceptions = []] = section
  .split('\n\n')
  .map(rowsOf)
  .filter((rows) => rows.length > 0);
const skeleton = files.map(([file]) => file!);
const plugins = readdirSync('plugins').sort();

t.test('every plugin has the files of the skeleton, except those that the page lists', async (t) => {
  t.ok(skeleton.includes('plugin.ts') && plugins.includes('webhooks'));
  const missing = plugins.flatMap((plugin) =>
    skeleton.filter((file) => !existsSync(join('plugins', plugin, file))).map((file) => [plugin, file]),
  );
  const excepted = exceptions.map(([plugin, file]) => [plugin, file]);
  t.strictSame(missing.sort(), excepted.sort());
  for (const [plugin, file, reason = ''] of exceptions) t.ok(reason.length > 20, `${plugin} has no ${file}: the page gives a reason`);
});

t.test('a plugin without routes.ts, admin-routes.ts or records.ts has no such routes and no collections', async (t) => {
  const { routes, collections } = await everything();
  // Only the platforms of shards have the plugin of a cluster.
  for (const plugin of plugins.filter((name) => name !== 'cluster')) {
    const own = routes.filter(({ area }) => area === plugin);
    const kept = collections.get(plugin) ?? {};
    t.equal(
      existsSync(`plugins/${plugin}/routes.ts`),
      own.some(({ isAdmin }) => !isAdmin),
      `${plugin}: public routes`,
    );
    t.equal(
      existsSync(`plugins/${plugin}/admin-routes.ts`),
      own.some(({ isAdmin }) => isAdmin),
      `${plugin}: admin routes`,
    );
    t.equal(existsSync(`plugins/${plugin}/records.ts`), Object.keys(kept).length > 0, `${plugin}: collections`);
  }
});

t.test('routes, collections and error shapes are declared in the files meant for them', async (t) => {
  const homes: readonly (readonly [what: string, declaration: RegExp, home: RegExp])[] = [
    ['a route', /(?<!server\.)\broute\(\{/, /\/(admin-)?routes\.ts$/],
    ['a collection', /\b(collection<|saidCollection\()/, /^plugins\/[\w-]+\/records\.ts$/],
    ['an error shape', /: ErrorShape =/, /^plugins\/[\w-]+\/errors\.ts$/],
    ['a plugin', /\bdefinePlugin\b/, /^plugins\/[\w-]+\/plugin\.ts$/],
  ];
  const sources = readdirSync('plugins', { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join('plugins', name));
  for (const [what, declaration, home] of homes) {
    const declaring = sources.filter((file) => declaration.test(readFileSync(file, 'utf8')));
    t.ok(declaring.length > 3, `${what} is found`);
    t.strictSame(
      declaring.filter((file) => !home.test(file)),
      [],
      `${what} is declared elsewhere`,
    );
  }
});

t.test('no plugin has many single files beside the skeleton', async (t) => {
  for (const plugin of plugins) {
    const single = readdirSync(join('plugins', plugin), { withFileTypes: true })
      .filter((entry) => entry.isFile() && !skeleton.includes(entry.name))
      .map(({ name }) => name);
    t.ok(single.length <= MAX_FILES, `${plugin}: ${single.join(', ')}`);
  }
});

/** The rows of a table, without header and backticks. */
function rowsOf(text: string): string[][] {
  const lines = text.split('\n').filter((line) => line.startsWith('|'));
  return lines.slice(2).map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim().replaceAll('`', '')),
  );
}
