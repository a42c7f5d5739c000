import fc from 'fast-check';
import t from 'tap';
import { patient } from '../../../core/testing/slowness.js';
import { parseMarkdown, type Span } from '../../../core/turns/markdown.js';
import { runs } from '../../forms.js';

/** Writes spans compactly: `*` strong, `_` emphasis, `~` strike, a link with its URL. */
const brief = (spans: readonly Span[]): string =>
  spans
    .map(({ type, text = '', url = '', children = [] }) => {
      const inside = brief(children);
      return {
        text,
        code: `<code ${text}>`,
        strong: `<b ${inside}>`,
        emphasis: `<i ${inside}>`,
        strike: `<s ${inside}>`,
        link: `<a ${url} ${inside}>`,
      }[type];
    })
    .join('');

t.test('strong, emphasis, strike-through, code and links are parsed; everything else is text', async (t) => {
  const cases: [source: string, tree: string][] = [
    ['plain', 'plain'],
    ['a *b* c', 'a <b b> c'],
    ['**b**', '<b b>'],
    ['_i_ and ~s~ and ~~t~~', '<i i> and <s s> and <s t>'],
    ['`*code*`', '<code *code*>'],
    ['*a _b_ ~c~*', '<b a <i b> <s c>>'],
    ['[the *shop*](https://shop.test/a?b=1)', '<a https://shop.test/a?b=1 the <b shop>>'],
    ['see http://x.test', 'see http://x.test'],
    ['[x](javascript:alert(1))', '[x](javascript:alert(1))'],
    ['[x](data:text/html,hi)', '[x](data:text/html,hi)'],
    ['[x](/relative)', '[x](/relative)'],
    ['![alt](https://x.test/i.png)', '![alt](https://x.test/i.png)'],
    ['![*alt*](https://x.test/_i_.png) *b*', '![*alt*](https://x.test/_i_.png) <b b>'],
    ['*![alt](https://x.test/i.png)*', '<b ![alt](https://x.test/i.png)>'],
    ['new! [shop](https://shop.test/)', 'new! <a https://shop.test/ shop>'],
    ['# Heading', '# Heading'],
    ['* item', '* item'],
    ['- item', '- item'],
    ['2 * 3 * 4', '2 * 3 * 4'],
    ['snake_case_name', 'snake_case_name'],
    ['a*b*c', 'a*b*c'],
    ['*unclosed', '*unclosed'],
    ['*over\nlines*', '*over\nlines*'],
    ['<b>html</b> & "quotes"', '<b>html</b> & "quotes"'],
    ['****', '****'],
    ['* *', '* *'],
    ['(*x*)', '(<b x>)'],
  ];
  for (const [source, tree] of cases) t.equal(brief(parseMarkdown(source)), tree, source);
});

t.test('parsing loses no characters except the marks', async (t) => {
  const letters = (spans: readonly Span[]): string => spans.map(({ text = '', children = [] }) => text + letters(children)).join('');
  const kept = (text: string): string => text.replaceAll(/[*_~`]/g, '');
  const source = fc
    .array(fc.constantFrom('*', '**', '_', '~', '~~', '`', 'a', 'b c', ' ', '\n', '.'), { maxLength: 40 })
    .map((all) => all.join(''));
  fc.assert(
    fc.property(source, (text) => kept(letters(parseMarkdown(text))) === kept(text)),
    { numRuns: runs(2_000), seed: 1 },
  );
  t.pass('2,000 texts');
});

t.test('hostile Markdown takes linear time', async (t) => {
  for (const piece of ['*a ', '*', '_a ', '[', '[a](', '`', '~~a ', '**a *b ']) {
    const began = performance.now();
    for (let i = 0; i < 20; i++) parseMarkdown(piece.repeat(4_096 / piece.length));
    t.ok(performance.now() - began < patient(2_000), `${piece} took ${Math.round(performance.now() - began)} ms`);
  }
});
