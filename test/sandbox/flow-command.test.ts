import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { flow } from '../../sandbox/commands/flow.js';
import { codeFrame, linesOf } from '../../sandbox/reports/code-frame.js';
import { UsageError } from '../../sandbox/terminal/flags.js';
import { painter } from '../../sandbox/terminal/painter.js';
import { exit } from '../../sandbox/terminal/terminal.js';
import { watchFiles } from '../../sandbox/terminal/watch-files.js';

const footer = { type: 'Footer', label: 'Send', 'on-click-action': { name: 'complete', payload: {} } };
const flowOf = (...children: object[]): string =>
  JSON.stringify({ version: '7.3', screens: [{ id: 'ONE', terminal: true, layout: { type: 'SingleColumnLayout', children } }] }, null, 2);

const sound = flowOf({ type: 'TextHeading', text: 'Hello' }, footer);
const wrong = flowOf({ type: 'TextHeadin', text: 'Hello' }, { type: 'TextHeading', text: 'x'.repeat(81) }, footer);

function folderWith(t: Test, files: Readonly<Record<string, string | Uint8Array>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-flow-'));
  t.teardown(() => rmSync(folder, { recursive: true }));
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
  return folder;
}

async function run(cwd: string, ...argv: string[]): Promise<{ code: number; out: string[]; err: string[] }> {
  const out: string[] = [];
  const err: string[] = [];
  const terminal = { out: (line: string) => void out.push(line), err: (line: string) => void err.push(line), isColoured: false, cwd };
  return { code: await flow.run(argv, terminal), out, err };
}

t.test('a valid flow is reported as valid, with exit code 0', async (t) => {
  const folder = folderWith(t, { 'a.json': sound, 'b.json': `\uFEFF${sound}` });
  t.strictSame(await run(folder, 'validate', 'a.json', 'b.json'), {
    code: exit.ok,
    out: ['✓ a.json: 0 errors, 1 screen', '✓ b.json: 0 errors, 1 screen'],
    err: [],
  });
});

t.test('an error is shown with its place underlined to the character, separate from hints, with exit code 1', async (t) => {
  const { code, out } = await run(folderWith(t, { 'a.json': wrong }), 'validate', 'a.json');
  t.equal(code, exit.failed);
  t.strictSame(out.slice(0, 8), [
    'a.json:11:21  INVALID_PROPERTY_VALUE  screens[0].layout.children[0].type',
    "  unknown component 'TextHeadin'; did you mean 'TextHeading'?",
    '  10 |           {',
    '  11 |             "type": "TextHeadin",',
    '     |                     ^^^^^^^^^^^^',
    '  12 |             "text": "Hello"',
    '',
    'Hints, which do not prevent publishing:',
  ]);
  t.match(out[9], /MAX_CHARS_EXCEEDED/);
  t.equal(out.at(-1), '✗ a.json: 1 error, 1 hint, 1 screen');
});

t.test('hints alone leave the exit code at 0', async (t) => {
  const folder = folderWith(t, { 'a.json': flowOf({ type: 'TextHeading', text: 'x'.repeat(81) }, footer) });
  t.equal((await run(folder, 'validate', 'a.json')).code, exit.ok);
});

t.test('as JSON each file is one line with its errors and hints', async (t) => {
  const folder = folderWith(t, { 'a.json': wrong, 'b.json': sound });
  const { code, out } = await run(folder, 'validate', 'a.json', 'b.json', '--format', 'json');
  t.strictSame(await run(folder, 'validate', 'a.json', 'b.json', '--json'), { code, out, err: [] }, '--json gives the same output');
  t.equal(code, exit.failed);
  const [first, second] = out.map((line) => JSON.parse(line));
  t.match(first, {
    file: 'a.json',
    valid: false,
    errors: [{ error: 'INVALID_PROPERTY_VALUE', line_start: 11 }],
    hints: [{ line_start: 16 }],
  });
  t.strictSame(second, { file: 'b.json', valid: true, errors: [], hints: [], unlisted_errors: 0 });
});

t.test('the GitHub format prints escaped annotations for errors and hints', async (t) => {
  const folder = folderWith(t, { 'a,b.json': wrong });
  const { out } = await run(folder, 'validate', 'a,b.json', '--format', 'github');
  t.equal(out.length, 2);
  const place = 'file=a%2Cb.json,line=11,endLine=11,col=21,endColumn=32';
  t.equal(out[0], `::error ${place},title=INVALID_PROPERTY_VALUE::unknown component 'TextHeadin'; did you mean 'TextHeading'?`);
  t.match(out[1], /^::notice file=a%2Cb\.json,line=16,.*title=MAX_CHARS_EXCEEDED::/);
});

t.test('an unreadable file is named, and the other files are validated', async (t) => {
  const out: string[] = [];
  const terminal = { out: (line: string) => out.push(line), err: t.fail, isColoured: false, cwd: folderWith(t, { 'a.json': wrong }) };
  const validated = flow.run(['validate', 'none.json', 'a.json', '--format', 'json'], terminal);
  await t.rejects(validated, { name: 'UsageError', message: /^none\.json cannot be read: ENOENT/ });
  t.equal(out.length, 1);
});

t.test('a file that is not UTF-8 is refused at the invalid byte', async (t) => {
  const bytes = Buffer.concat([Buffer.from('{\n "é": "'), Buffer.from([0xff, 0xfe]), Buffer.from('"}')]);
  const { code, out } = await run(folderWith(t, { 'a.json': bytes }), 'validate', 'a.json');
  t.equal(code, exit.failed);
  t.match(out[0], /^a\.json:2:8 {2}INVALID_FLOW_JSON/);
});

t.test('a missing or wrong verb, or missing files, are usage errors', async (t) => {
  for (const argv of [[], ['push'], ['validate']]) await t.rejects(run('.', ...argv), UsageError, argv.join(' '));
});

t.test('a frame underlines the first and last lines of a long range, and shortens long lines', async (t) => {
  const paint = painter(false);
  const lines = linesOf(['{', '  "a": [', ...Array.from({ length: 20 }, (_, i) => `    ${i},`), '  ]', '}'].join('\r\n'));
  const long = codeFrame(lines, { line_start: 2, column_start: 8, line_end: 23, column_end: 3 }, paint);
  t.strictSame(long.slice(0, 5), ['   1 | {', '   2 |   "a": [', '     |        ^', '   3 |     0,', '     |     ^^']);
  t.ok(long.some((line) => line.trim() === '...'));
  t.strictSame(long.slice(-3), ['  23 |   ]', '     |   ^', '  24 | }']);
  const [line, marks] = codeFrame(
    [`${'x'.repeat(5000)}"here"${'y'.repeat(5000)}`],
    { line_start: 1, column_start: 5001, line_end: 1, column_end: 5006 },
    paint,
  );
  t.ok(line!.length < 110);
  t.equal(marks!.indexOf('^'), line!.indexOf('"here"'));
  t.equal(marks!.trim().split(' ').at(-1), '^^^^^^');
});

t.test('marks align below wide and combining characters, and control characters are not printed', async (t) => {
  const text = '"日本\u0301\u001B[31m": 1';
  const [line, marks] = codeFrame(
    [text],
    { line_start: 1, column_start: text.length, line_end: 1, column_end: text.length },
    painter(false),
  );
  t.notOk(line!.includes('\u001B'));
  t.equal(marks!.indexOf('^') - 6, text.length - 1 + 2 - 1, 'two wide characters, one without width');
});

t.test('a watched file that is replaced is reported once', async (t) => {
  const folder = folderWith(t, { 'a.json': sound, 'b.json': sound });
  const stop = new AbortController();
  t.teardown(() => stop.abort());
  const changed = new Promise<readonly string[]>((resolve) =>
    watchFiles([join(folder, 'a.json'), join(folder, 'b.json')], resolve, stop.signal),
  );
  writeFileSync(join(folder, 'other.json'), sound);
  writeFileSync(join(folder, 'a.json'), wrong);
  t.strictSame(await changed, [join(folder, 'a.json')]);
});
