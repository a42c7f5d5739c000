import type { Paint } from '../terminal/painter.js';

/** A range of a text. Lines and columns count from 1, the end is inclusive, columns are UTF-16 units. */
export interface FrameRange {
  readonly line_start: number;
  readonly line_end: number;
  readonly column_start: number;
  readonly column_end: number;
}

/** Maximum number of characters of a line to show, and how many of them precede the range. */
const WINDOW = 96;
const BEFORE = 40;
/** Of a longer range, only the first and last lines are shown. */
const MAX_LINES = 6;

/** Splits a text into lines, as the ranges count them. */
export const linesOf = (text: string): string[] => text.replace(/^\uFEFF/, '').split(/\r\n?|\n/);

/** The lines of a range, underlined to the character, with a line of context before and after. */
export function codeFrame(lines: readonly string[], range: FrameRange, paint: Paint): string[] {
  const { line_start, line_end } = range;
  const first = Math.max(1, line_start - 1);
  const last = Math.min(lines.length, line_end + 1);
  const width = String(last).length;
  const offset = Math.max(0, range.column_start - 1 - BEFORE);
  const begin = range.column_start - 1 > WINDOW - BEFORE ? offset : 0;
  const frame: string[] = [];
  let isCut = false;
  for (let line = first; line <= last; line++) {
    const isInside = line >= line_start && line <= line_end;
    if (isInside && line_end - line_start >= MAX_LINES && line > line_start + 2 && line < line_end - 1) {
      if (!isCut) frame.push(paint('dim', `  ${' '.repeat(width)} ...`));
      isCut = true;
      continue;
    }
    const text = lines[line - 1] ?? '';
    frame.push(`${paint('dim', `  ${String(line).padStart(width)} |`)} ${shown(text.slice(begin, begin + WINDOW))}`.trimEnd());
    if (isInside) frame.push(`${paint('dim', `  ${' '.repeat(width)} |`)} ${underline(text, line, range, begin, paint)}`);
  }
  return frame;
}

/** The carets below a line of the range. */
function underline(text: string, line: number, range: FrameRange, begin: number, paint: Paint): string {
  const indent = text.length - text.trimStart().length;
  const from = line === range.line_start ? range.column_start - 1 : indent;
  const to = line === range.line_end ? range.column_end : text.trimEnd().length;
  const start = Math.max(from, begin);
  const end = Math.min(Math.max(to, start + 1), begin + WINDOW);
  const gap = ' '.repeat(widthOf(text.slice(begin, start)));
  return gap + paint('red', '^'.repeat(Math.max(1, widthOf(text.slice(start, end)))));
}

/** A line with spaces instead of control characters, so that columns and carets align. */
const shown = (text: string): string => text.replace(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu, ' ');

function widthOf(text: string): number {
  let width = 0;
  for (const char of text) {
    if (/\p{M}/u.test(char)) continue;
    width += /\p{Extended_Pictographic}|\p{Script=Han}|\p{Script=Hangul}|\p{Script=Hiragana}|\p{Script=Katakana}/u.test(char) ? 2 : 1;
  }
  return width;
}
