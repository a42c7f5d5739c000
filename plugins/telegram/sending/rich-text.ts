import { parseMarkdown, type Span } from '#core/messaging';

/** A part of a text with a format, in UTF-16 units, as the Bot API has it. */
export interface Entity {
  readonly type: 'bold' | 'italic' | 'strikethrough' | 'code' | 'pre' | 'text_link';
  readonly offset: number;
  readonly length: number;
  readonly url?: string;
}

/** A text and its formats. Entities cannot fail to parse, which texts with `parse_mode` can. */
export interface RichText {
  readonly text: string;
  readonly entities: readonly Entity[];
}

const FENCED = /```(?:[\w+-]{0,20}\n)?([\s\S]{1,4096}?)\n?```/g;
const TYPES = { strong: 'bold', emphasis: 'italic', strike: 'strikethrough', code: 'code', link: 'text_link' } as const;

/** Converts the Markdown of a message. */
export function richText(markdown: string): RichText {
  let text = '';
  const entities: Entity[] = [];
  let from = 0;
  for (const found of markdown.matchAll(FENCED)) {
    add(parseMarkdown(markdown.slice(from, found.index)));
    entities.push({ type: 'pre', offset: text.length, length: found[1]!.length });
    text += found[1]!;
    from = found.index + found[0].length;
  }
  add(parseMarkdown(markdown.slice(from)));
  return { text, entities };

  function add(spans: readonly Span[]): void {
    for (const { type, text: own = '', url, children } of spans) {
      const offset = text.length;
      const at = entities.length;
      text += own;
      if (children) add(children);
      const length = text.length - offset;
      // Before those that it contains: clients show the order of entities with the same offset as their nesting.
      if (type !== 'text' && length > 0) entities.splice(at, 0, { type: TYPES[type], offset, length, ...(url !== undefined && { url }) });
    }
  }
}

/** A text as it is, without Markdown. */
export const plainText = (text: string): RichText => ({ text, entities: [] });

/** Joins texts with blank lines; empty ones are left out. */
export function joined(parts: readonly RichText[], between = '\n\n'): RichText {
  let text = '';
  const entities: Entity[] = [];
  for (const part of parts) {
    if (part.text === '') continue;
    if (text !== '') text += between;
    for (const one of part.entities) entities.push({ ...one, offset: one.offset + text.length });
    text += part.text;
  }
  return { text, entities };
}

/** A text in bold. */
export const bold = (text: string): RichText => ({ text, entities: text === '' ? [] : [{ type: 'bold', offset: 0, length: text.length }] });

/** Splits a text into parts of at most `max` UTF-16 units: between paragraphs, else lines, else words, else characters. */
export function split(whole: RichText, max: number): RichText[] {
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

function part({ text, entities }: RichText, from: number, to: number): RichText {
  const own: Entity[] = [];
  for (const one of entities) {
    const start = Math.max(one.offset, from);
    const end = Math.min(one.offset + one.length, to);
    if (start < end) own.push({ ...one, offset: start - from, length: end - start });
  }
  return { text: text.slice(from, to), entities: own };
}
