import { type FormattedText, linkOf, unparsable } from './formatted-text.js';
import type { TelegramEntity } from './types.js';

/** Start tags, and the entity of each. */
const TAGS: Readonly<Record<string, TelegramEntity['type']>> = {
  ...{ a: 'text_link', b: 'bold', strong: 'bold', i: 'italic', em: 'italic', u: 'underline', ins: 'underline', code: 'code', pre: 'pre' },
  ...{ s: 'strikethrough', strike: 'strikethrough', del: 'strikethrough', span: 'spoiler', 'tg-spoiler': 'spoiler' },
  ...{ blockquote: 'blockquote', 'tg-emoji': 'custom_emoji' },
};
const NAMED: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"' };
const REFERENCE = /&(?:#(\d+|x[\da-f]+)|(lt|gt|amp|quot));?/gi;

interface OpenTag {
  readonly tag: string;
  readonly argument: string | undefined;
  readonly offset: number;
}

/** Reads `parse_mode: HTML`. Offsets in errors count bytes, as in those of the network. @throws ApiError */
export function parseHtml(source: string): FormattedText {
  const entities: TelegramEntity[] = [];
  const open: OpenTag[] = [];
  let text = '';
  let at = 0;
  const byteOf = (index: number): number => Buffer.byteLength(source.slice(0, index));
  while (at < source.length) {
    const begin = source.indexOf('<', at);
    text += decoded(source.slice(at, begin === -1 ? undefined : begin));
    if (begin === -1) break;
    const byte = byteOf(begin);
    if (source[begin + 1] === '/') {
      const last = open.pop();
      if (!last) throw unparsable(`Unexpected end tag at byte offset ${byte}`);
      const [whole, name = ''] = /^<\/([^\s>]*)\s*>/.exec(source.slice(begin)) ?? [];
      if (whole === undefined) throw unparsable(`Unclosed end tag at byte offset ${byte}`);
      if (name !== '' && name.toLowerCase() !== last.tag)
        throw unparsable(`Unmatched end tag at byte offset ${byte}, expected "</${last.tag}>", found "</${name.toLowerCase()}>"`);
      if (text.length > last.offset) addTo(entities, last, text);
      at = begin + whole.length;
    } else {
      const [start, name = ''] = /^<([^\s>]*)/.exec(source.slice(begin))!;
      if (begin + start.length >= source.length) throw unparsable(`Unclosed start tag at byte offset ${byte}`);
      const tag = name.toLowerCase();
      if (!Object.hasOwn(TAGS, tag)) throw unparsable(`Unsupported start tag "${tag}" at byte offset ${byte}`);
      const { argument, end } = argumentOf(source, begin + start.length, tag, byteOf, byte);
      if (tag === 'span' && argument !== 'tg-spoiler') throw unparsable(`Tag "span" must have class "tg-spoiler" at byte offset ${byte}`);
      open.push({ tag, argument, offset: text.length });
      at = end;
    }
  }
  const unclosed = open.at(-1);
  if (unclosed) throw unparsable(`Can't find end tag corresponding to start tag "${unclosed.tag}"`);
  return { text, entities };
}

/** The attribute of a tag that counts, and the place after the tag. */
function argumentOf(source: string, from: number, tag: string, byteOf: (index: number) => number, byte: number) {
  let argument: string | undefined;
  let at = from;
  const skip = (): void => {
    while (/\s/.test(source[at] ?? '')) at++;
  };
  for (;;) {
    skip();
    if (source[at] === '>') return { argument, end: at + 1 };
    const name = /^[^\s=>]*/.exec(source.slice(at))![0];
    if (at + name.length >= source.length) throw unparsable(`Unclosed start tag at byte offset ${byte}`);
    if (name === '') throw unparsable(`Empty attribute name in the tag "${tag}" at byte offset ${byte}`);
    at += name.length;
    skip();
    let value = '';
    if (source[at] === '=') {
      at++;
      skip();
      const quote = source[at];
      if (quote === '"' || quote === "'") {
        const end = source.indexOf(quote, at + 1);
        if (end === -1) throw unparsable(`Unclosed start tag at byte offset ${byte}`);
        value = decoded(source.slice(at + 1, end));
        at = end + 1;
      } else {
        const token = /^[a-z\d.-]*/i.exec(source.slice(at))![0];
        if (!/^[\s>]/.test(source.slice(at + token.length))) throw unparsable(`Unexpected end of name token at byte offset ${byteOf(at)}`);
        value = token.toLowerCase();
        at += token.length;
      }
    } else if (!(tag === 'blockquote' && name === 'expandable'))
      throw unparsable(`Expected equal sign in declaration of an attribute of the tag "${tag}" at byte offset ${byte}`);
    const key = `${tag} ${name.toLowerCase()}`;
    if (['a href', 'span class', 'tg-emoji emoji-id'].includes(key)) argument = value;
    else if (key === 'blockquote expandable') argument = 'expandable';
    else if (key === 'code class' && value.startsWith('language-')) argument = value.slice('language-'.length);
  }
}

function addTo(entities: TelegramEntity[], { tag, argument, offset }: OpenTag, text: string): void {
  const place = { offset, length: text.length - offset };
  const type = TAGS[tag]!;
  const inner = entities.at(-1);
  if (type === 'text_link') {
    const url = linkOf(argument || text.slice(offset));
    if (url !== undefined) entities.push({ type, ...place, url });
  } else if (type === 'custom_emoji') entities.push({ type, ...place, custom_emoji_id: argument ?? '' });
  else if (tag === 'blockquote' && argument) entities.push({ type: 'expandable_blockquote', ...place });
  else if (tag === 'code' && argument) entities.push({ type: 'pre', ...place, language: argument });
  else if (tag === 'pre') {
    // `<pre><code class="language-…">` is one block.
    const isSame = inner?.type === 'pre' && inner.offset === offset && inner.length === place.length;
    if (!isSame) entities.push({ type: 'pre', ...place });
  } else entities.push({ type: type as 'bold', ...place });
}

const decoded = (text: string): string =>
  text.replace(REFERENCE, (whole, code: string | undefined, name: string | undefined) => {
    if (name !== undefined) return NAMED[name.toLowerCase()]!;
    const point = /^x/i.test(code!) ? Number.parseInt(code!.slice(1), 16) : Number(code);
    return point > 0 && point <= 0x10ffff && !(point >= 0xd800 && point < 0xe000) ? String.fromCodePoint(point) : whole;
  });
