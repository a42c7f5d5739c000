import type { ReadNotebook } from '../read-notebook.js';
import type { Card, Span } from '../syntax.js';
import { reservedWords, type Tokens } from '../tokens.js';
import type { Written } from './parts.js';

/** A replacement of a range of the text. */
export interface TextChange {
  readonly from: number;
  readonly to: number;
  readonly insert: string;
}

export const replaced = ({ start, end }: Span, insert: string): TextChange => ({ from: start, to: end, insert });

/** An edit that the text cannot express, with the reason for its author. */
export class Refused extends Error {}

/** The code of a text with new content, in the style of the old one: its quotes, and its indent. */
export function textLike({ source, tokens }: ReadNotebook, { start, end }: Span, content: string): string {
  const i = tokens.before(end);
  const indent = indentOfFence(tokens, start);
  if (tokens.kinds[i] !== 'heredoc') return literal(content, source[start] as '"' | "'", indent);
  const written = source.slice(start, end);
  const margin = written.slice(written.lastIndexOf('\n') + 1, -'"""'.length);
  if (/^[ \t]*"""/m.test(content))
    throw new Refused('A text between """ cannot contain a line that begins with """. Change it in the text.');
  const lines = content.split('\n').map((line) => (line === '' ? '' : margin + line));
  return `${written.slice(0, written.indexOf('\n') + 1)}${lines.join('\n')}\n${margin}"""`;
}

/** A text between quotes. @param indent the spaces that Markdown removes from each line */
export function literal(content: string, quote: '"' | "'" = '"', indent = 0): string {
  if (content.endsWith('\\')) throw new Refused('A text between quotes cannot end with a backslash.');
  return `${quote}${content.replaceAll(quote, `\\${quote}`).replaceAll('\n', `\n${' '.repeat(indent)}`)}${quote}`;
}

export const indentOfFence = ({ fences }: Tokens, at: number): number => fences.find(({ from, to }) => from <= at && at < to)?.indent ?? 0;

/** The white space before a place, if nothing else is before it on its line. */
export function marginAt(source: string, at: number): string {
  const before = source.slice(source.lastIndexOf('\n', at - 1) + 1, at);
  return /^[ \t]*$/.test(before) ? before : '';
}

const NAME = /^[A-Za-z_]\w*$/;

/** Whether a name can be written without quotes, and before a colon. */
export const isPlainName = (name: string): boolean => NAME.test(name) && !reservedWords.has(name);

/** A card as a place that something leads to. */
export const targetLike = (name: string): string => (isPlainName(name) ? name : literal(name));

const hasComment = ({ comments }: Tokens, from: number, to: number): boolean =>
  comments.some((start, i) => i % 2 === 0 && from <= start && start < to);

/** Removes options of a choice, and a comma for each run of them. Comments between them stay. */
export function withoutOptions({ tokens, source }: ReadNotebook, options: readonly Written[], removed: ReadonlySet<number>): TextChange[] {
  if (removed.size === options.length) throw new Refused('A choice needs at least one button.');
  const changes: TextChange[] = [];
  for (let first = 0; first < options.length; first++) {
    if (!removed.has(first)) continue;
    let last = first;
    while (removed.has(last + 1)) last++;
    const [from, to] = [options[first]!.part.start, options[last]!.part.end];
    const before = options[first - 1]?.part.end;
    const after = options[last + 1]?.part.start;
    if (before !== undefined && !hasComment(tokens, before, to)) changes.push({ from: before, to, insert: '' });
    else if (after !== undefined && !hasComment(tokens, from, after)) changes.push({ from, to: after, insert: '' });
    else {
      if (hasComment(tokens, from, to)) throw new Refused('There is a comment between these buttons. Delete them in the text.');
      const comma = tokens.before(after ?? from);
      const [start, end] = [tokens.starts[comma]!, tokens.ends[comma]!];
      // A comment behind an option on a line of its own takes the place of the option.
      const gap = start === to && marginAt(source, from) !== '' ? /^[ \t]*/.exec(source.slice(end))![0].length : 0;
      changes.push({ from, to, insert: '' }, { from: start, to: end + gap, insert: '' });
    }
    first = last;
  }
  return changes.toSorted((a, b) => a.from - b.from);
}

/** Removes a statement: with its line, if nothing else is on it. */
export function withoutStatement(source: string, { start, end }: Span): TextChange {
  const from = source.lastIndexOf('\n', start - 1) + 1;
  const lineEnd = source.indexOf('\n', end);
  const to = lineEnd < 0 ? source.length : lineEnd + 1;
  const isAlone = /^[ \t]*$/.test(source.slice(from, start)) && /^\s*$/.test(source.slice(end, to));
  return isAlone ? { from, to, insert: '' } : { from: start, to: end, insert: '' };
}

/** Removes the definitions of a card with the comments directly above each, and one of the empty lines around them. */
export function withoutCards(notebook: ReadNotebook, definitions: readonly Card[]): TextChange[] {
  const { source } = notebook;
  const removed: { from: number; to: number; insert: '' }[] = [];
  for (const card of definitions) {
    const [from, to] = linesOf(notebook, card);
    const last = removed.at(-1);
    if (last && last.to >= from) last.to = to;
    else removed.push({ from, to, insert: '' });
    const { fence } = card;
    const own = removed.at(-1)!;
    const before = own.from === fence.from ? '' : /(?:^|\n)([ \t]*\n)$/.exec(source.slice(fence.from, own.from))?.[1];
    if (before === undefined || source[to - 1] !== '\n') continue;
    const [empty] = /^(?:[ \t]*\n)*/.exec(source.slice(to, fence.to))!;
    own.to = to + empty.length;
    if (own.to === fence.to) own.from -= before.length;
  }
  return removed;
}

/** The lines of a definition and of the comments directly above it; only its own characters, if it shares a line with others. */
function linesOf({ source, tokens, lines }: ReadNotebook, { start, end, fence }: Card): readonly [from: number, to: number] {
  const rest = /^[ \t]*(?:#[^\n]*)?(?:\n|$)/.exec(source.slice(end, fence.to));
  let from = source.lastIndexOf('\n', start - 1) + 1;
  if (!rest || !/^[ \t]*$/.test(source.slice(from, start))) return [start, end];
  for (let line = lines.lineOf(start) - 1; line >= 0 && lines.startOf(line) >= fence.from; line--) {
    const [at, next] = [lines.startOf(line), lines.startOf(line + 1)];
    if (!/^[ \t]*#/.test(source.slice(at, next)) || !hasComment(tokens, at, next)) break;
    from = at;
  }
  return [from, end + rest[0].length];
}
