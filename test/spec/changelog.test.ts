import { readFileSync } from 'node:fs';
import t from 'tap';
import * as core from '#core';

const changelog = readFileSync('CHANGELOG.md', 'utf8');
const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
const KINDS = ['Added', 'Changed', 'Deprecated', 'Removed', 'Fixed', 'Security'];

t.test('the changelog has the form of Keep a Changelog: unreleased first, then versions with dates, down to the first', async (t) => {
  const [unreleased, ...versions] = [...changelog.matchAll(/^## (.*)$/gm)].map(([, heading]) => heading!);
  t.equal(unreleased, '[Unreleased]');
  for (const heading of versions) t.match(heading, /^\[\d+\.\d+\.\d+\] - \d{4}-\d\d-\d\d$/);
  const released = /^\[(.*)\]/.exec(versions[0]!)![1]!;
  const isNewest = changelog.includes('## [Unreleased]\n\n## ')
    ? version === released
    : version.localeCompare(released, 'en', { numeric: true }) > 0;
  t.ok(
    isNewest,
    `${version} in package.json is newer than ${released} if there are unreleased changes: processes tell releases apart by it`,
  );
  t.ok(versions.at(-1)?.startsWith('[0.1.0]'));
  for (const [, kind] of changelog.matchAll(/^### (.*)$/gm)) t.ok(KINDS.includes(kind!), `### ${kind}`);
});

t.test('of the renames that the changelog lists, the new name is exported and the previous one is not', async (t) => {
  const renames = [...changelog.matchAll(/^ {2}\| `(\w+)` \| `(\w+)` \|$/gm)];
  t.ok(renames.length > 0);
  for (const [, before, now] of renames) {
    t.ok(now! in core, `${now} is exported`);
    t.notOk(before! in core, `${before} is not`);
  }
});
