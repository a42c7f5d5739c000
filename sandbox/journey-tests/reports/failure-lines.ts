import { ownCommand } from '../../../core/own-command.js';
import { codeFrame, linesOf } from '../../reports/code-frame.js';
import { escapeControls } from '../../terminal/escape.js';
import type { Paint } from '../../terminal/painter.js';
import type { Unmet } from '../run/expectations.js';
import type { TestResult } from '../run/run-test.js';
import type { TranscriptLine } from '../run/transcript.js';

/** Of a longer transcript, only the last lines are shown. */
const MAX_LINES = 30;

/** A failed test for people: its transcript, the failing line of its file, what differs, and the command that repeats it. */
export function failureLines(file: string, text: string | undefined, test: TestResult, paint: Paint): string[] {
  const { name, failure } = test;
  const { at, message, unmet, transcript, journey } = failure!;
  const hidden = Math.max(0, transcript.length - MAX_LINES);
  return [
    `  ${paint('red', '✗')} ${paint('bold', escapeControls(name))}  ${paint('dim', `${file}:${at.line}:${at.column}`)}`,
    '',
    ...(hidden > 0 ? [`    ${paint('dim', `… ${hidden} more`)}`] : []),
    ...transcript.slice(-MAX_LINES).flatMap((line) => shownLine(line, paint)),
    '',
    `    ${paint('red', escapeControls(message))}`,
    ...(text === undefined
      ? []
      : codeFrame(
          linesOf(text),
          { line_start: at.line, line_end: at.line, column_start: at.column, column_end: lengthOf(text, at.line) },
          paint,
        ).map((line) => `  ${line}`)),
    ...unmet.flatMap((one) => unmetLines(one, paint)),
    ...(journey
      ? [`    ${paint('dim', 'journey')}   ${journey.file}:${journey.at.line}:${journey.at.column}  ${escapeControls(journey.card)}`]
      : []),
    `    ${paint('dim', 'repeat')}    ${repeatCommand(file, test)}`,
  ];
}

const lengthOf = (text: string, line: number): number => (linesOf(text)[line - 1] ?? '').trimEnd().length;

const MARKS = { contact: '▶', journey: '◀', note: '·' } as const;

function shownLine({ from, text, options }: TranscriptLine, paint: Paint): string[] {
  const labels = options ? [options.map((label) => `[${escapeControls(label)}]`).join(' ')] : [];
  const lines = [...text.split('\n').map(escapeControls), ...labels];
  return lines.map((line, i) => `    ${i === 0 ? MARKS[from] : ' '} ${from === 'note' ? paint('dim', line) : line}`.trimEnd());
}

function unmetLines({ key, path, expected, received, texts, hint }: Unmet, paint: Paint): string[] {
  const lines = texts
    ? diffLines(texts.expected, texts.received, paint)
    : [
        `      ${paint('green', `- expected  ${escapeControls(expected)}`)}`,
        `      ${paint('red', `+ received  ${escapeControls(received)}`)}`,
      ];
  return [`    ${key}${path}`, ...lines, ...(hint === undefined ? [] : [`      ${paint('dim', escapeControls(hint))}`])];
}

/** The lines that differ between the common beginning and the common end, with a line around them. */
export function diffLines(expected: string, received: string, paint: Paint): string[] {
  const [before, after] = [expected.split('\n'), received.split('\n')];
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start++;
  let end = 0;
  while (end < before.length - start && end < after.length - start && before.at(-1 - end) === after.at(-1 - end)) end++;
  const mark = (lines: readonly string[], sign: string, style: 'green' | 'red'): string[] =>
    lines.map((line) => `      ${paint(style, `${sign} ${escapeControls(line)}`)}`);
  return [
    ...before.slice(Math.max(0, start - 1), start).map((line) => `        ${escapeControls(line)}`),
    ...mark(before.slice(start, before.length - end), '-', 'green'),
    ...mark(after.slice(start, after.length - end), '+', 'red'),
    ...before.slice(before.length - end, before.length - end + 1).map((line) => `        ${escapeControls(line)}`),
  ];
}

/** The name of the failed test that stands for a file with mistakes. */
export const fileTest = (file: string): string => `${file} can be read`;

/** The command line that runs only this test. */
export const repeatCommand = (file: string, { name, plugins = [] }: Pick<TestResult, 'name' | 'plugins'>): string =>
  [
    `${ownCommand()} test ${quoted(file)}`,
    ...(name === fileTest(file) ? [] : [named(name)]),
    ...plugins.map((one) => `--plugin ${quoted(one)}`),
  ].join(' ');

/** A name that begins like a flag has to be attached to its own. */
const named = (name: string): string => (name.startsWith('-') ? `--name=${quoted(name)}` : `-t ${quoted(name)}`);

const quoted = (text: string): string => (/^[\w./:@%+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);
