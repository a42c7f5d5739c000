import { readFileSync } from 'node:fs';
import t from 'tap';
import { glossary } from '../../scripts/docs/glossary.js';

t.test('the glossary has sixty terms or more, in alphabetical order, each in one or two sentences', async (t) => {
  const terms = glossary.map(([term]) => term);
  t.ok(terms.length >= 60, `${terms.length} terms`);
  t.strictSame(
    terms,
    terms.toSorted((a, b) => a.toLowerCase().localeCompare(b.toLowerCase())),
  );
  t.equal(new Set(terms).size, terms.length);
  for (const [term, meaning] of glossary) {
    const sentences = meaning.replaceAll(/`[^`]*`/g, '').match(/[.!?](?=\s|$)/g) ?? [];
    t.ok(sentences.length >= 1 && sentences.length <= 2, `${term}: ${sentences.length} sentences`);
    t.ok(meaning.endsWith('.'), term);
  }
});

t.test('CONTRIBUTING has the rules of commits', async (t) => {
  const page = readFileSync('CONTRIBUTING.md', 'utf8');
  t.match(page, /imperative, at most 72 characters/);
  t.match(page, /One topic/);
  t.match(page, /after a blank line, the reason/);
});
