import { readFileSync } from 'node:fs';
import t from 'tap';
import { testFiles, testsIn } from '../../spec/coverage/tests-in.js';

t.test('every test that the checklists name exists', async (t) => {
  const known = testsIn(testFiles('test'));
  const text = readFileSync('core/delivery/README.md', 'utf8');
  const named = [...text.matchAll(/`(test\/\S+ > [^`]+)`/g)].map(([, name = '']) => name);
  t.ok(named.length >= 25);
  for (const name of named) t.ok(known.has(name), name);
});
