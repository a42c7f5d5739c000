import { parseMarkdown, type Span } from './markdown.js';

/** A format of a part of a text: offset and length are UTF-16 units. */
export interface Mark {
  readonly type: Exclude<Span['type'], 'text'> | 'pre';
  readonly offset: number;
  readonly length: number;
  /** Of a link. */
  readonly url?: string;
}

/** A text without Markdown, and its formats: marks that contain others come first. */
export interface RichText {
  readonly text: string;
  readonly marks: readonly Mark[];
}

const FENCED = /```(?:[\w+-]{0,20}\n)?([\s\S]{1,4096}?)\n?```/g;

/** Reads the Markdown of a message, with blocks of code between lines of three backticks. */
export function richText(markdown: string): RichText {
  let text = '';
  const marks: Mark[] = [];
  let from = 0;
  for (const found of markdown.matchAll(FENCED)) {
    add(parseMarkdown(markdown.slice(from, found.index)));
    marks.push({ type: 'pre', offset: text.length, length: found[1]!.length });
    text += found[1]!;
    from = found.index + found[0].length;
  }
  add(parseMarkdown(markdown.slice(from)));
  return { text, marks };

  function add(spans: readonly Span[]): void {
    for (const { type, text: own = '', url, children } of spans) {
      const offset = text.length;
      const at = marks.length;
      text += own;
      if (children) add(children);
      const length = text.length - offset;
      if (type !== 'text' && length > 0) marks.splice(at, 0, { type, offset, length, ...(url !== undefined && { url }) });
    }
  }
}

/** A text as it is, without Markdown. */
export const plainText = (text: string): RichText => ({ text, marks: [] });

/** Joins texts with blank lines; empty ones are left out. */
export function joinedTexts(parts: readonly RichText[], between = '\n\n'): RichText {
  let text = '';
  const marks: Mark[] = [];
  for (const part of parts) {
    if (part.text === '') continue;
    if (text !== '') text += between;
    for (const one of part.marks) marks.push({ ...one, offset: one.offset + text.length });
    text += part.text;
  }
  return { text, marks };
}

/** A text that is strong. */
export const strongText = (text: string): RichText => ({
  text,
  marks: text === '' ? [] : [{ type: 'strong', offset: 0, length: text.length }],
});

/** Splits a text into parts of at most `max` UTF-16 units: between paragraphs, else lines, else words, else characters. */
export function splitText(whole: RichText, max: number): RichText[] {
  const parts: RichText[] = [];
  let from = 0;
  while (whole.text.length - from > max) {
    const to = breakIn(whole.text, from, from + max);
    parts.push(part(whole, from, to));
    from = to;
    while (/\s/.test(whole.text[from] ?? '')) from++;
  }
  parts.push(part(whole, from, whole.text.length));
  return parts.filter(({ text }) => text.trim() !== '');
}

function breakIn(text: string, from: number, to: number): number {
  const piece = text.slice(from, to + 1);
  for (const mark of ['\n\n', '\n', ' ']) {
    const at = piece.lastIndexOf(mark);
    // A part that is nearly empty would only make more messages.
    if (at > piece.length / 4) return from + at;
  }
  // Not between the halves of a character.
  return /[\uD800-\uDBFF]/.test(text[to - 1]!) ? to - 1 : to;
}

function part({ text, marks }: RichText, from: number, to: number): RichText {
  const own: Mark[] = [];
  for (const one of marks) {
    const start = Math.max(one.offset, from);
    const end = Math.min(one.offset + one.length, to);
    if (start < end) own.push({ ...one, offset: start - from, length: end - start });
  }
  return { text: text.slice(from, to), marks: own };
}
