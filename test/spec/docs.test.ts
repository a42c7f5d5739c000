import { readFileSync } from 'node:fs';
import t from 'tap';
import { render } from '../../plugins/journeys/engine/expression/expression.js';
import type { ValueMap } from '../../plugins/journeys/engine/expression/value.js';
import { generatedParts, withPart } from '../../scripts/docs.js';
import { testFiles, testsIn } from './coverage/tests-in.js';
import { pages } from './pages.js';

for (const part of generatedParts) {
  t.test(`the ${part.name} of ${part.file} are generated from the current code`, async (t) => {
    const page = readFileSync(part.file, 'utf8');
    t.equal(page, await withPart(page, part), 'npm run docs generates them again');
  });
}

t.test('every example of the page on expressions evaluates as shown', async (t) => {
  const page = readFileSync('plugins/journeys/engine/expression/README.md', 'utf8');
  const [, context] = /^```json context\n([\s\S]*?)^```$/m.exec(page)!;
  const environment = { now: Date.UTC(2025, 0, 15, 9, 30), timeZone: 'UTC', random: () => 0.5 };
  const examples = [...page.matchAll(/^```expression\n([\s\S]*?)^```$/gm)].flatMap(([, block]) => block!.trim().split('\n'));
  t.ok(examples.length > 20);
  for (const example of examples) {
    const [source = '', printed = ''] = example.split(/\s+->\s?/);
    t.equal(render(source, [JSON.parse(context!) as ValueMap], environment).value, printed, source);
  }
});

t.test('every link between the pages resolves', async (t) => {
  for (const { file, links } of pages()) for (const link of links) t.ok(link.exists, `${file}: ${link.to}`);
});

t.test('the simulation page says that its endpoint is not stable yet', async (t) => {
  t.match(readFileSync('plugins/simulation/README.md', 'utf8'), /backward compatibility is not guaranteed until\s+at least August 2026/);
});

t.test('every test that a page names exists', async (t) => {
  const known = testsIn(testFiles('test'));
  const named = pages().flatMap(({ file }) =>
    [...readFileSync(file, 'utf8').matchAll(/`(test\/[\w/.-]+\.test\.ts > [^`]+)`/g)].map(([, test]) => ({ file, test: test! })),
  );
  t.ok(named.length > 20);
  for (const { file, test } of named) t.ok(known.has(test), `${file}: ${test}`);
});
