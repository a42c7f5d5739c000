import t from 'tap';
import { parseHtml } from '../../../../plugins/telegram/testing/html.js';
import { parseMarkdown } from '../../../../plugins/telegram/testing/markdown.js';

t.test('HTML is parsed as the network does it', async (t) => {
  t.strictSame(parseHtml('a <b>b <i>c</i></b> &lt;&amp;&#33;&#x1F600; <a href="https://a.test/?x=1&amp;y">d</a>'), {
    text: 'a b c <&!😀 d',
    entities: [
      { type: 'italic', offset: 4, length: 1 },
      { type: 'bold', offset: 2, length: 3 },
      { type: 'text_link', offset: 12, length: 1, url: 'https://a.test/?x=1&y' },
    ],
  });
  t.match(
    parseHtml('<pre><code class="language-ts">x</code></pre><blockquote expandable>y</blockquote><span class=tg-spoiler>z</span>').entities,
    [
      { type: 'pre', language: 'ts', offset: 0, length: 1 },
      { type: 'expandable_blockquote', offset: 1 },
      { type: 'spoiler', offset: 2 },
    ],
  );
  for (const [source, error] of [
    ['ä<b>x', 'Can\'t find end tag corresponding to start tag "b"'],
    ['ä<p>x</p>', 'Unsupported start tag "p" at byte offset 2'],
    ['<b>x</i>', 'Unmatched end tag at byte offset 4, expected "</b>", found "</i>"'],
    ['x</b>', 'Unexpected end tag at byte offset 1'],
    ['1 <b', 'Unclosed start tag at byte offset 2'],
    ['<b>x</b', 'Unclosed end tag at byte offset 4'],
    ['a < b', 'Unsupported start tag "" at byte offset 2'],
    ['<a href>x</a>', 'Expected equal sign in declaration of an attribute of the tag "a" at byte offset 0'],
    ['<a ="x">x</a>', 'Empty attribute name in the tag "a" at byte offset 0'],
    ['<a href=a/b>x</a>', 'Unexpected end of name token at byte offset 8'],
    ['<span>x</span>', 'Tag "span" must have class "tg-spoiler" at byte offset 0'],
  ] as const)
    t.throws(() => parseHtml(source), { code: 400, message: `Bad Request: can't parse entities: ${error}` }, source);
});

t.test('MarkdownV2 is parsed as the network does it', async (t) => {
  t.strictSame(parseMarkdown('*b _i_* __u__ ~s~ ||p|| `c*` [l](https://a.test/\\)) 1\\.5'), {
    text: 'b i u s p c* l 1.5',
    entities: [
      { type: 'italic', offset: 2, length: 1 },
      { type: 'bold', offset: 0, length: 3 },
      { type: 'underline', offset: 4, length: 1 },
      { type: 'strikethrough', offset: 6, length: 1 },
      { type: 'spoiler', offset: 8, length: 1 },
      { type: 'code', offset: 10, length: 2 },
      { type: 'text_link', offset: 13, length: 1, url: 'https://a.test/)' },
    ],
  });
  t.match(parseMarkdown('```ts\nlet x\\`\n```\n>q1\n>q2\nend'), {
    text: 'let x`\n\nq1\nq2\nend',
    entities: [
      { type: 'pre', language: 'ts', offset: 0, length: 7 },
      { type: 'blockquote', offset: 8, length: 5 },
    ],
  });
  t.match(parseMarkdown('>q1\n>q2||').entities, [{ type: 'expandable_blockquote', offset: 0, length: 5 }]);
  for (const [source, error] of [
    ['1.5', "Character '.' is reserved and must be escaped with the preceding '\\'"],
    ['a-b', "Character '-' is reserved and must be escaped with the preceding '\\'"],
    ['ä *b', "Can't find end of Bold entity at byte offset 3"],
    ['a _b', "Can't find end of Italic entity at byte offset 2"],
    ['`a', "Can't find end of Code entity at byte offset 0"],
    ['[a](b', "Can't find end of a URL at byte offset 3"],
    ['a > b', "Character '>' is reserved and must be escaped with the preceding '\\'"],
  ] as const)
    t.throws(() => parseMarkdown(source), { code: 400, message: `Bad Request: can't parse entities: ${error}` }, source);
});
