import type { Tokens } from './tokens.js';

/** The content of a text token: without quotes, with escaped quotes of its own kind unescaped. */
export function contentOf(tokens: Tokens, i: number): string {
  const { source } = tokens;
  const [start, end] = [tokens.starts[i]!, tokens.ends[i]!];
  if (tokens.kinds[i] === 'heredoc') return heredocContent(source.slice(start, end));
  const quote = source[start]!;
  const inside = source.slice(start + 1, end - 1);
  const plain = inside.includes('\\') ? inside.replaceAll(`\\${quote}`, quote) : inside;
  const indent = plain.includes('\n') ? indentAround(tokens, start) : 0;
  return indent === 0 ? plain : plain.replace(new RegExp(`\n {1,${indent}}`, 'g'), '\n');
}

/** The lines between the quotes without the indent of the closing quotes. The content ends with a line break. */
function heredocContent(written: string): string {
  const [, ...lines] = written.split('\n');
  const indent = lines.pop()!.length - '"""'.length;
  return lines.map((line) => `${line.slice(indentOf(line, indent))}\n`).join('');
}

/** Length of the white space at the start of a line, up to a maximum. */
export function indentOf(line: string, most: number): number {
  let at = 0;
  while (at < most && (line[at] === ' ' || line[at] === '\t')) at++;
  return at;
}

/** Indent of the fence around an offset. */
const indentAround = ({ fences }: Tokens, at: number): number => fences.find(({ from, to }) => from <= at && at < to)?.indent ?? 0;

/** A text as a literal of an expression. Only double quotes are escaped. */
export const quoted = (content: string): string => `"${content.includes('"') ? content.replaceAll('"', '\\"') : content}"`;

/** Doubles every `@` that would begin an expression in a template. */
export const withoutTemplates = (content: string): string => content.replace(/@(?=[A-Za-z_([])/g, '@@');
