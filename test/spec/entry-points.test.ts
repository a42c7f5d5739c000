import { existsSync, readdirSync, readFileSync } from 'node:fs';
import t from 'tap';

/**
 * The exports of each entry point, as listed in entry-points.json. A name added to the list is a promise to
 * keep it; removing one breaks plugins and hosts that import it.
 */
const written = JSON.parse(readFileSync('test/spec/entry-points.json', 'utf8')) as Record<string, readonly string[]>;
const { exports } = JSON.parse(readFileSync('package.json', 'utf8')) as { exports: Record<string, { readonly types: string }> };

t.test('each entry point exports exactly the names in entry-points.json', async (t) => {
  const code = Object.entries(exports).filter(([, entry]) => typeof entry === 'object');
  t.strictSame(
    Object.keys(written),
    code.map(([name]) => name),
  );
  for (const [name, { types }] of code) t.strictSame(exportedBy(sourceOf(types)), written[name], name);
});

t.test('the main entry point has at most 252 names, each from a file that is named', async (t) => {
  t.ok(exportedBy('core/index.ts').length <= 252, `${exportedBy('core/index.ts').length} names`);
  for (const { types } of Object.values(exports))
    if (types) t.notMatch(readFileSync(sourceOf(types), 'utf8'), /^export \* from '(?!#core\/testing')/m);
});

t.test('the changelog names every name that a release exported and that is gone', async (t) => {
  const changelog = readFileSync('CHANGELOG.md', 'utf8');
  const releases = readdirSync('test/data').filter((folder) => existsSync(`test/data/${folder}/entry-points.json`));
  t.ok(releases.includes('0.1.0'));
  for (const release of releases) {
    const since = changelog.slice(0, changelog.indexOf(`\n## [${release}]`));
    const before = JSON.parse(readFileSync(`test/data/${release}/entry-points.json`, 'utf8')) as typeof written;
    for (const [entry, names] of Object.entries(before)) {
      const gone = names.filter((name) => !written[entry]?.includes(name));
      t.strictSame(
        gone.filter((name) => !since.includes(`\`${name}\``)),
        [],
        `${release} ${entry}`,
      );
    }
  }
});

function sourceOf(types: string): string {
  return types.replace('./dist/', '').replace(/\.d\.ts$/, '.ts');
}

/** The exported names of a file, including types, sorted. */
function exportedBy(file: string): string[] {
  const text = readFileSync(file, 'utf8');
  const declared = [...text.matchAll(/^export (?:async )?(?:const|function|class|interface|type) (\w+)/gm)].map((match) => match[1]!);
  const wholes = [...text.matchAll(/^export \* from '#core\/testing'/gm)].flatMap(() => exportedBy('core/testing/index.ts'));
  const listed = [...text.matchAll(/^export (?:type )?\{([^}]*)\}/gm)].flatMap((match) => match[1]!.split(','));
  const names = listed
    .map(
      (name) =>
        name
          .trim()
          .replace(/^type /, '')
          .split(' as ')
          .at(-1)!,
    )
    .filter((name) => name !== '');
  return [...declared, ...wholes, ...names].sort((a, b) => (a < b ? -1 : 1));
}
