import { type FormattedText, linkOf, unparsable } from './formatted-text.js';
import type { TelegramEntity } from './types.js';

type Style = 'bold' | 'italic' | 'underline' | 'strikethrough' | 'spoiler' | 'code' | 'pre' | 'text_link' | 'custom_emoji' | 'blockquote';

/** How errors name the entities. */
const NAMES: Readonly<Record<Style, string>> = {
  ...{
    bold: 'Bold',
    italic: 'Italic',
    underline: 'Underline',
    strikethrough: 'Strikethrough',
    spoiler: 'Spoiler',
    code: 'Code',
    pre: 'Pre',
  },
  ...{ text_link: 'TextUrl', custom_emoji: 'CustomEmoji', blockquote: 'BlockQuote' },
};
const RESERVED = '_*[]()~`>#+-=|{}.!\n';
/** Longer markers come first, so that `__` is an underline. */
const MARKERS: readonly (readonly [marker: string, style: Style, end: string])[] = [
  ['__', 'underline', '__'],
  ['_', 'italic', '_'],
  ['*', 'bold', '*'],
  ['~', 'strikethrough', '~'],
  ['||', 'spoiler', '||'],
  ['```', 'pre', '```'],
  ['`', 'code', '`'],
  ['![', 'custom_emoji', ']'],
  ['[', 'text_link', ']'],
];

interface Open {
  readonly style: Style;
  readonly end: string;
  readonly offset: number;
  readonly byte: number;
  readonly language?: string;
}

/** Reads `parse_mode: MarkdownV2`. Offsets in errors count bytes, as in those of the network. @throws ApiError */
export function parseMarkdown(source: string): FormattedText {
  const entities: TelegramEntity[] = [];
  const open: Open[] = [];
  let text = '';
  let at = 0;
  const byteOf = (index: number): number => Buffer.byteLength(source.slice(0, index));
  const close = (extra: object = {}): void => {
    const { style, offset, language } = open.pop()!;
    const length = text.length - offset;
    if (length > 0) entities.push({ type: style, offset, length, ...(language && { language }), ...extra } as TelegramEntity);
  };
  const unfinished = ({ style, byte }: Open): never => {
    throw unparsable(`Can't find end of ${NAMES[style]} entity at byte offset ${byte}`);
  };
  /** Ends a block quotation, in which nothing else may be open. */
  const endQuote = (type?: 'expandable_blockquote'): void => {
    const last = open.at(-1)!;
    if (last.style !== 'blockquote') unfinished(last);
    close(type && { type });
  };

  while (at < source.length) {
    const character = source[at]!;
    const following = source.charCodeAt(at + 1);
    const last = open.at(-1);
    const isRaw = last?.style === 'code' || last?.style === 'pre';
    const isInQuote = open[0]?.style === 'blockquote';
    const startsLine = at === 0 || source[at - 1] === '\n';
    if (character === '\\' && following > 0 && following <= 126) {
      text += source[at + 1];
      at += 2;
    } else if (isRaw ? character !== '`' : !RESERVED.includes(character)) {
      text += character;
      at++;
    } else if (character === '\n') {
      if (isInQuote && source[at + 1] !== '>') endQuote();
      text += character;
      at++;
    } else if (character === '>' && startsLine && (isInQuote || open.length === 0)) {
      if (!isInQuote) open.push({ style: 'blockquote', end: '', offset: text.length, byte: byteOf(at) });
      at++;
    } else if (last && last.end !== '' && source.startsWith(last.end, at) && !(last.end === '_' && source[at + 1] === '_')) {
      at += last.end.length;
      if (last.end !== ']') close();
      else if (source[at] === '(') at = linkAt(source, at, byteOf(at), close, last.style);
      else if (last.style === 'custom_emoji') throw unparsable(`Custom emoji entity must contain a tg://emoji URL`);
      else close({ url: linkOf(text.slice(last.offset)) ?? '' });
    } else if (isInQuote && last?.style === 'blockquote' && /^\|\|(\n|$)/.test(source.slice(at))) {
      endQuote('expandable_blockquote');
      at += 2;
    } else {
      const found = isRaw ? undefined : MARKERS.find(([marker]) => source.startsWith(marker, at));
      if (!found) throw unparsable(`Character '${character}' is reserved and must be escaped with the preceding '\\'`);
      const [marker, style, end] = found;
      const byte = byteOf(at);
      at += marker.length;
      // The word after the marker of a block, if a line break follows it.
      const language = style === 'pre' ? /^([^\s`]*)\n/.exec(source.slice(at)) : null;
      if (language) at += language[0].length;
      open.push({ style, end, offset: text.length, byte, ...(language?.[1] && { language: language[1] }) });
    }
  }
  if (open.length === 1 && open[0]!.style === 'blockquote') endQuote();
  const last = open.at(-1);
  if (last) unfinished(last);
  return { text, entities: entities.filter((entity) => entity.type !== 'text_link' || entity.url !== '') };
}

/** Reads the address after the text of a link. @returns the place after it */
function linkAt(source: string, begin: number, byte: number, close: (extra: object) => void, style: Style): number {
  let url = '';
  for (let at = begin + 1; at < source.length; at++) {
    const following = source.charCodeAt(at + 1);
    if (source[at] === ')') {
      close(style === 'custom_emoji' ? { custom_emoji_id: /^tg:\/\/emoji\?id=(\d+)/.exec(url)?.[1] ?? '' } : { url: linkOf(url) ?? '' });
      return at + 1;
    }
    url += source[at] === '\\' && following > 0 && following <= 126 ? source[++at] : source[at];
  }
  throw unparsable(`Can't find end of ${style === 'text_link' ? 'a URL' : 'a custom emoji URL'} at byte offset ${byte}`);
}
