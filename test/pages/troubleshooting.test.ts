import { readFileSync } from 'node:fs';
import t from 'tap';
import { mistakes } from '../../scripts/docs/troubleshooting.js';

const page = readFileSync('sandbox/troubleshooting.md', 'utf8');

// test/spec/docs.test.ts compares the page with what the mistakes lead to now.
t.test('the page on troubleshooting has the text that each of twenty mistakes leads to, with cause and fix', async (t) => {
  t.equal(mistakes.length, 20);
  const [, list = ''] = page.split(/^<!-- generated: .* -->$|^<!-- end -->$/m);
  const sections = list.trim().split(/^(?=## )/m);
  t.equal(sections.length, mistakes.length);
  for (const [i, { title, cause, fix }] of mistakes.entries()) {
    const section = sections[i]!;
    t.equal(section.split('\n', 1)[0], `## ${title}`);
    t.match(section, /^> `[^`]{20,}`$/m, `${title}: the text`);
    t.ok(section.includes(cause) && section.includes(fix), `${title}: cause and fix`);
  }
});
