import getStringTruncatedWidth from 'fast-string-truncated-width';
import t from 'tap';
import { escapeOutput } from '../../../sandbox/terminal/escape.js';
import { hyperlink, wantsLinks } from '../../../sandbox/terminal/hyperlink.js';
import { cutText, type Row, tableLines, timeCell } from '../../../sandbox/terminal/table.js';

const ID = '0f9ad0a5-5d5c-4a52-9b8e-6a8f0a3c1d10';
const rows: Row[] = [
  [timeCell('2027-03-01T08:00:00.123Z'), { text: ID, isKey: true }, 'msgapp', { text: 'delivered', style: 'green' }, '200 at attempt 1'],
  [timeCell('2027-03-01T08:00:01.456Z'), { text: ID, isKey: true }, 'journey_outbound', 'cancelled', 'the endpoint answered 404'],
];
const lines = (columns?: number, table: readonly Row[] = rows): string[] => tableLines(table, { isColoured: false, columns });
const widthOf = (text: string): number => getStringTruncatedWidth(text).width;

t.test('columns are aligned, and a pipe gets every character', async (t) => {
  t.strictSame(lines(), [
    `2027-03-01T08:00:00.123Z  ${ID}  msgapp            delivered  200 at attempt 1`,
    `2027-03-01T08:00:01.456Z  ${ID}  journey_outbound  cancelled  the endpoint answered 404`,
  ]);
  t.strictSame(lines(120), lines(), 'a terminal that is wide enough, too');
});

t.test('in a narrower terminal the date is left out first, then the last columns are cut, and ids at the very end', async (t) => {
  t.equal(lines(105)[1], `08:00:01  ${ID}  journey_outbound  cancelled  the endpoint answered 404`);
  t.equal(lines(90)[1], `08:00:01  ${ID}  journey_outbound  cancelled  the endpoint…`);
  t.equal(lines(80)[1], `08:00:01  ${ID}  journey_out…  cancell…  the end…`);
  t.equal(lines(66)[1], `08:00:01  ${ID}  journ…  can…  the…`);
  t.match(lines(64)[1], ID);
  for (let columns = 20; columns <= 130; columns++)
    for (const line of lines(columns)) t.ok(widthOf(line) <= columns, `${columns} columns: ${line}`);
});

t.test('wide characters take two columns', async (t) => {
  const wide: Row[] = [
    ['図書館', 'a', 'the library'],
    ['Riverside', 'b', '図書館の開館時間'],
  ];
  t.strictSame(lines(undefined, wide), ['図書館     a  the library', 'Riverside  b  図書館の開館時間']);
  t.strictSame(lines(24, wide), ['図書館     a  the libra…', 'Riverside  b  図書館の…']);
  t.equal(cutText('図書館', 4), '図…');
  t.equal(cutText('図書館', 6), '図書館');
  t.equal(widthOf('👩‍👩‍👧'), 2);
  for (let columns = 10; columns < 30; columns++) for (const line of lines(columns, wide)) t.ok(widthOf(line) <= columns, line);
});

t.test('texts from outside cannot break a line, colour it or add a link', async (t) => {
  const [line] = tableLines([['a\n\u001b[31mb\u001b]8;;http://evil.example\u001b\\c']], { isColoured: true, hasLinks: true });
  t.equal(line, 'a\\u000a\\u001b[31mb\\u001b]8;;http://evil.example\\u001b\\c');
  const printed = escapeOutput('\u001b]8;;http://evil.example\u001b\\x\u001b]8;id=1;http://evil.example\u001b\\x', {
    isColoured: true,
    hasLinks: true,
  });
  t.notMatch(printed, '\u001b]8;', 'texts that were not escaped before, neither');
});

t.test('cells are links in terminals that have them, and have the same width', async (t) => {
  const table: Row[] = [[{ text: 'flow', link: 'http://127.0.0.1:4100/console/flows/1' }, 'DRAFT']];
  t.strictSame(lines(undefined, table), ['flow  DRAFT']);
  const [line] = tableLines(table, { isColoured: false, hasLinks: true, columns: 80 });
  t.equal(line, `${hyperlink('flow', 'http://127.0.0.1:4100/console/flows/1')}  DRAFT`);
  const visible = line!.replaceAll('\u001b', 'ESC');
  t.match(visible, /^ESC\]8;id=\w+;http:\/\/127\.0\.0\.1:4100\/console\/flows\/1ESC\\flowESC\]8;;ESC\\ {2}DRAFT$/);
  t.equal(escapeOutput(line!, { isColoured: false, hasLinks: true }), line, 'our own links are printed');
  t.notMatch(escapeOutput(line!, { isColoured: false }), '\u001b', 'but not to a stream without links');
});

t.test('links need a terminal that is known to support them', async (t) => {
  const terminal = { isTTY: true, columns: 80 };
  const names = ['CI', 'COLORTERM', 'FORCE_COLOR', 'FORCE_HYPERLINK', 'NETLIFY', 'NO_COLOR', 'TEAMCITY_VERSION', 'TERM', 'TERM_PROGRAM'];
  const before = { ...process.env };
  t.teardown(() => Object.assign(process.env, before));
  const wants = (given: Record<string, string>, stream: { isTTY?: boolean } = terminal): Promise<boolean> => {
    for (const name of [...names, 'VTE_VERSION', 'WT_SESSION', 'TERM_PROGRAM_VERSION']) delete process.env[name];
    Object.assign(process.env, given);
    return wantsLinks(stream);
  };
  const known = { TERM: 'xterm-256color', VTE_VERSION: '7200' };
  t.equal(await wants(known), true);
  t.equal(await wants(known, {}), false, 'a pipe');
  t.equal(await wants({ TERM: 'xterm-256color' }), false, 'an unknown terminal');
  t.equal(await wants({ ...known, NO_COLOR: '1' }), false);
  t.equal(await wants({ ...known, FORCE_HYPERLINK: '0' }), false);
  t.equal(await wants({ ...known, CI: 'true' }), false);
  t.equal(await wants({ FORCE_HYPERLINK: '1' }, {}), true);
});

t.test('no text is too wide for its cut, whatever characters it has', async (t) => {
  const parts = ['▶ ', '◀', '…', 'é', 'e\u0301', '図', '👩‍👩‍👧', '🇿🇦', '✓', 'مرحبا', 'words ', '·'];
  const tooWide: string[] = [];
  for (let i = 0; i < 200; i++) {
    const text = Array.from({ length: 30 }, (_, at) => parts[(i * 7 + at * at * (i + 1)) % parts.length]).join('');
    for (let width = 0; width < 60; width++) if (widthOf(cutText(text, width)) > width) tooWide.push(`${width}: ${text}`);
    tableLines([[text, text]], { isColoured: false, columns: 10 + (i % 50) });
  }
  t.strictSame(tooWide, []);
});
