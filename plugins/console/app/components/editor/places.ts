import type { Text } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import type { Diagnostic, TextPosition } from './editor-props.js';

/** The offset of a place; of one that the text does not have, the nearest. */
export function offsetOf(text: Text, { line, column }: TextPosition): number {
  const { from, to } = text.line(Math.max(1, Math.min(text.lines, line)));
  return line > text.lines ? text.length : Math.min(to, from + Math.max(0, column - 1));
}

export function placeOf(text: Text, offset: number): TextPosition {
  const { number, from } = text.lineAt(offset);
  return { line: number, column: offset - from + 1 };
}

/** The offsets of a problem. Without an end it has the word at its place, or else one character. */
export function rangeOf(text: Text, { line, column, end }: Pick<Diagnostic, 'line' | 'column' | 'end'>): { from: number; to: number } {
  const from = offsetOf(text, { line, column });
  if (end) return { from, to: Math.max(from, offsetOf(text, end)) };
  const rest = text.lineAt(from).text.slice(from - text.lineAt(from).from);
  return { from, to: from + Math.min(rest.length, Math.max(1, /^[\w.-]*/.exec(rest)![0].length)) };
}

/** Pixels: beside a place near the start of a line, the whole start stays visible. */
const MARGIN = 120;

/** Scrolls to the middle of the editor. */
export const scrollTo = (offset: number) => EditorView.scrollIntoView(offset, { y: 'center', xMargin: MARGIN });
