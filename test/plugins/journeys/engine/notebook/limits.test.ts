import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import t from 'tap';
import { checkNotebook } from '../../../../../plugins/journeys/engine/notebook/check-notebook.js';
import { completionsAt } from '../../../../../plugins/journeys/engine/notebook/completion.js';
import { formatNotebook } from '../../../../../plugins/journeys/engine/notebook/format.js';
import { NOTEBOOK_LIMITS } from '../../../../../plugins/journeys/engine/notebook/limits.js';
import { compileNotebook } from '../../../../../plugins/journeys/engine/notebook/notebook.js';
import { outlineOf } from '../../../../../plugins/journeys/engine/notebook/outline.js';
import { notebookOf } from '../../../../../plugins/journeys/engine/notebook/to-text/to-text.js';
import { runs } from '../../../../forms.js';

const folder = 'test/plugins/journeys/engine/notebook/cases';
const texts = readdirSync(folder)
  .filter((file) => file.endsWith('.md'))
  .map((file) => readFileSync(join(folder, file), 'utf8'));

const RUNS = runs(1500);
const SEED = 20_250_116;
/** Far above what any of these takes; below what would count as hanging. The machine may be busy. */
const LONGEST_MS = 10_000;

const fence = (code: string): string => `\`\`\`stack\n${code}\n\`\`\`\n`;
/** The text, shortened to a number of characters. */
const filled = (part: string, length = NOTEBOOK_LIMITS.bytes - 200): string => part.repeat(Math.floor(length / part.length));
/** So many lines, fewer than there may be. */
const lined = (line: string): string => `${line}\n`.repeat(Math.min(19_000, Math.floor(1_000_000 / (line.length + 1))));
const inCard = (code: string): string => fence(`card A do\n${code}\nend`);

const hostile: Readonly<Record<string, string>> = {
  'ten megabytes': 'a'.repeat(10_000_000),
  'ten million lines': '\n'.repeat(10_000_000),
  'open brackets': inCard(`x = ${filled('(')}`),
  'open brackets of two kinds, closed in the wrong order': inCard(`x = ${filled('([', 500_000)}${filled(')]', 500_000)}`),
  'brackets closed by others': inCard(`x = ${filled('(', 500_000)}${filled(']', 500_000)}`),
  quotes: inCard(`x = ${filled('"')}`),
  'texts that are never closed': inCard(lined(' x = "')),
  'texts of two kinds in one another': inCard(lined(` x = "'`)),
  'long texts that are never closed': fence(lined('card A do\n text("""')),
  'a text full of cards': inCard(`text("${filled('\ncard A do do')}")`),
  'a text full of quotes': inCard(`x = "${filled('\\"')}"`),
  fences: lined('```stack'),
  'fences with half a text in each': lined('```stack\n"\n```'),
  comments: filled('<!-- '),
  'a table that never ends': `<!--\n table: "x"\n-->\n${filled('|')}`,
  'an empty comment over many lines': `<!--\n${lined('')} dictionary "`,
  'a heading of spaces': `# x${filled(' #')}y`,
  'cards in cards': fence(lined('card A do')),
  'cards on one line': fence(filled('card A do ')),
  'ifs in ifs': inCard(`x = ${filled('if a do ')}`),
  'calls of if in one another': inCard(`x = ${filled('if(a, ')}`),
  nots: inCard(`x = ${filled('not ')}`),
  'a chain of or': inCard(`x = a${filled(' or a')}`),
  signs: inCard(`x = ${filled('-')}`),
  ampersands: inCard(`x = a ${filled('& ')}`),
  'a long name': inCard(filled('a')),
  'a long number': inCard(`x = ${filled('1')}`),
  'what looks like dates': inCard(`x = ${filled('1-1')}`),
  'what looks like times': inCard(`x = ${filled('10:30:')}`),
  'letters of no kind that is known': inCard(filled('é', 500_000)),
  commas: inCard(`f(${filled(',')})`),
  arguments: inCard(`text(${filled('1,')})`),
  options: inCard(`get(${filled('a: 1,')})`),
  'unknown items': inCard(lined(' zzz(1)')),
  'unknown cards': inCard(lined(' then(Bxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx)')),
  choices: inCard(`buttons(${filled('A: "x",')}) do\n text("x")\n end`),
  triggers: fence(lined('trigger(on: "x") when a')),
  'many cards with characters of two halves on one line': fence(
    Array.from({ length: 1900 }, (_, i) => `card A${i} do log("😀") end`).join(' '),
  ),
  zeros: filled('\0'),
  'halves of characters': filled('\ud800', 300_000),
};

t.test('hostile texts are refused, or compiled, in bounded time', async (t) => {
  for (const [about, text] of Object.entries(hostile)) {
    const began = performance.now();
    const { container, findings } = compileNotebook(text);
    const took = performance.now() - began;
    t.ok(took < LONGEST_MS, `${about}: ${took.toFixed(0)} ms`);
    t.ok(container || findings.length > 0, `${about}: says why`);
    t.ok(findings.length <= NOTEBOOK_LIMITS.findings, about);
  }
});

t.test('what is over a limit is refused with the limit', async (t) => {
  const card = (i: number): string => `card A${i} do\n  log("x")\nend`;
  const overs: [about: string, text: string, message: RegExp][] = [
    ['bytes', `é${'a'.repeat(NOTEBOOK_LIMITS.bytes - 1)}`, /at most 1048576 bytes/],
    ['lines', '\n'.repeat(NOTEBOOK_LIMITS.lines), /at most 20000 lines/],
    ['words', inCard(`x = [${filled('1,', 900_000)}]`), /at most 250000 words/],
    ['cards', fence(Array.from({ length: NOTEBOOK_LIMITS.cards + 1 }, (_, i) => card(i)).join('\n')), /at most 2000 cards/],
    ['blocks', inCard(' log("x")\n'.repeat(NOTEBOOK_LIMITS.blocks + 1)), /at most 2000 blocks, this has 2001/],
    ['depth', inCard(`x = ${'('.repeat(33)}1${')'.repeat(33)}`), /at most 32 brackets/],
    ['an expression', inCard(`x = "${'a'.repeat(65_536)}"`), /at most 65536 characters/],
  ];
  for (const [about, text, message] of overs) {
    const { container, findings } = compileNotebook(text);
    t.equal(container, undefined, about);
    t.match(findings, [{ severity: 'error', message }], about);
    t.equal(findings.length, 1, `${about}: nothing else is reported`);
  }
});

t.test('what is at a limit is taken', async (t) => {
  const taken = (text: string): unknown => compileNotebook(text).findings.filter(({ severity }) => severity === 'error');
  t.strictSame(taken(inCard(' log("x")\n'.repeat(NOTEBOOK_LIMITS.blocks))), []);
  t.strictSame(taken(inCard(`x = ${'('.repeat(32)}1${')'.repeat(32)}`)), []);
  t.strictSame(taken(`${inCard('log("x")')}${'\n'.repeat(NOTEBOOK_LIMITS.lines - 6)}`), []);
});

const PIECES = [
  ...[
    '(',
    ')',
    '[',
    ']',
    '"',
    "'",
    '"""\n',
    '\n',
    ' ',
    ',',
    ':',
    '.',
    '@',
    '&',
    '#',
    '=',
    '==',
    '-',
    '<!--',
    '-->',
    '```',
    '```stack\n',
    '~~~',
  ],
  ...[
    'card ',
    'do',
    'end',
    'if ',
    'else',
    'when ',
    'and ',
    'not ',
    'then(',
    'then: ',
    'text(',
    'buttons(',
    'list(',
    'ask(',
    'stack ',
    'trigger(',
    '&1',
    '1',
    'x',
  ],
  ...['\r\n', '\t', '\u00a0', '😀', '\ud800', '\0', '|', '\\', '2025-01-31', '# Title\n'],
];
interface Edit {
  readonly at: number;
  readonly remove: number;
  readonly insert: string;
}
const edits: fc.Arbitrary<Edit[]> = fc.array(
  fc.record({ at: fc.nat(2000), remove: fc.nat(12), insert: fc.oneof(fc.constantFrom(...PIECES), fc.constant('')) }),
  { minLength: 1, maxLength: 6 },
);

t.test('whatever is done to a notebook, it is read without more than findings', async (t) => {
  fc.assert(
    fc.property(fc.constantFrom(...texts), edits, fc.double({ min: 0, max: 1, noNaN: true }), (source, changes, where) => {
      let text = source;
      for (const { at, remove, insert } of changes) {
        const place = at % (text.length + 1);
        text = text.slice(0, place) + insert + text.slice(place + remove);
      }
      const began = performance.now();
      const { container, findings } = checkNotebook(text);
      const lines = text
        .replace(/^\ufeff/, '')
        .replaceAll('\r\n', '\n')
        .split('\n');
      for (const { line, column, message, fix } of findings) {
        const length = Array.from(lines[line - 1] ?? '').length;
        if (lines[line - 1] === undefined || column < 1 || column > length + 1)
          throw new Error(`${message} at ${line}:${column} is nowhere`);
        if (message === '' || fix === '') throw new Error('a finding says nothing');
      }
      if ((container === undefined) !== compileNotebook(text).findings.some(({ severity }) => severity === 'error'))
        throw new Error('there is a container and there are errors, or neither');
      const { text: once } = formatNotebook(text);
      if (formatNotebook(once).text !== once) throw new Error('laying out again changes something');
      outlineOf(text);
      completionsAt(text, Math.floor(where * text.length));
      if (container) notebookOf(container);
      if (performance.now() - began > LONGEST_MS) throw new Error('this takes too long');
    }),
    { numRuns: RUNS, seed: SEED },
  );
  t.pass(`${RUNS} texts`);
});
