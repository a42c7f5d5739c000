import { nearest } from '#core/basics';
import type { TextRange, ValidationError } from '../validate/result.js';

/** A change of the text that follows a suggestion. */
export interface Replacement extends TextRange {
  /** The text that replaces the range, as JSON. */
  readonly text: string;
  readonly suggestion: string;
}

const SUGGESTED = /; did you mean '([^']+)'\?$/;
const QUOTED = /'([^']*)'/g;

/**
 * The change that a message with `did you mean` suggests; undefined for other messages, and where the range of the finding does not contain
 * the name that is wrong.
 * @param lines of the text
 */
export function replacementFor({ message, pointers: [pointer] }: ValidationError, lines: readonly string[]): Replacement | undefined {
  const suggestion = SUGGESTED.exec(message)?.[1];
  if (suggestion === undefined || !pointer || pointer.line_start !== pointer.line_end) return undefined;
  const { path: _, ...range } = pointer;
  const token = lines[range.line_start - 1]?.slice(range.column_start - 1, range.column_end);
  const written = token === undefined ? undefined : textIn(token);
  if (written === undefined) return undefined;
  const names = [...message.matchAll(QUOTED)].map(([, name]) => name!).slice(0, -1);
  const wrong = names.find((name) => name === written) ?? names.find((name) => written.includes(name) && nearest(name, [suggestion]));
  if (wrong === undefined || wrong === '') return undefined;
  return { ...range, text: JSON.stringify(written.replace(wrong, () => suggestion)), suggestion };
}

/** The text of a JSON string; undefined for other values. */
function textIn(token: string): string | undefined {
  try {
    const value: unknown = JSON.parse(token);
    return typeof value === 'string' ? value : undefined;
  } catch {
    return undefined;
  }
}
