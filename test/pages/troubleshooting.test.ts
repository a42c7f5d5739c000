import { readFileSync } from 'node:fs';
import t from 'tap';
import { mistakeList, mistakes } from '../../scripts/docs/troubleshooting.js';

const page = readFileSync('sandbox/troubleshooting.md', 'utf8');

t.test('the page on troubleshooting has the text that each of twenty mistakes leads to, with cause and fix', async (t) => {
  t.equal(mistakes.length, 20);
  const sections = (await mistakeList()).split(/^(?=## )/m);
  t.equal(sections.length, mistakes.length);
  for (const [i, { title, cause, fix }] of mistakes.entries()) {
    const section = sections[i]!;
    t.ok(page.includes(section.trim()), title);
    t.match(section, /^> `[^`]{20,}`$/m, `${title}: the text`);
    t.ok(section.includes(cause) && section.includes(fix), `${title}: cause and fix`);
  }
});
