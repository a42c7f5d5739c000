import { readFileSync } from 'node:fs';
import t from 'tap';
import * as testing from '#core/testing';

const page = readFileSync('core/testing/README.md', 'utf8');

t.test('the page on testing has a row for every contract suite, and no other', async (t) => {
  const suites = Object.keys(testing).filter((name) => name.endsWith('Contract'));
  const named = [...page.matchAll(/^\| `(\w+Contract)\(/gm)].map(([, name]) => name!);
  t.strictSame(named.sort(), suites.sort());
});

t.test('the page lists exactly what startPlatform returns', async (t) => {
  const named = [...page.matchAll(/^\| `(\w+)/gm)].map(([, name]) => name!);
  const parts = Object.keys(await testing.startPlatform(t, { plugins: [] }));
  t.strictSame(named.filter((name) => !name.endsWith('Contract')).sort(), parts.sort());
});
