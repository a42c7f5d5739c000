import { badRequest } from './api-error.js';
import { plainEntities, type TelegramEntity } from './types.js';

/** A text without its markup. */
export interface FormattedText {
  readonly text: string;
  readonly entities: readonly TelegramEntity[];
}

export const unparsable = (reason: string) => badRequest(`can't parse entities: ${reason}`);

const NO_SURROGATE_HALF = /^[\udc00-\udfff]/;
const MAX_URL = 4_096;
/** Entities that the network finds by itself: commands, links and addresses. */
const FOUND: readonly (readonly ['bot_command' | 'url' | 'email' | 'hashtag', RegExp])[] = [
  ['bot_command', /(?<![\w/])\/[A-Za-z]\w{0,31}(?:@\w+)?/g],
  ['email', /(?<![\w.+-])[\w.+-]+@[\w-]+(?:\.[\w-]+)+/g],
  ['url', /(?<![\w@/.])(?:https?:\/\/)?(?:[a-z\d-]+\.)+(?:com|org|net|test|dev|io|me)\b(?:\/[^\s<>"]*)?/gi],
  ['hashtag', /(?<![\w#])#[\p{L}\p{N}_]*\p{L}[\p{L}\p{N}_]*/gu],
];

/** An `http` address with a dot in its host, as links and buttons need; undefined for others. `tg:` is for addresses inside of the network. */
export function linkOf(address: string): string | undefined {
  if (address.length === 0 || address.length > MAX_URL) return undefined;
  if (/^tg:/i.test(address)) return address;
  const whole = /^[a-z][a-z\d+.-]*:(?!\d)/i.test(address) ? address : `http://${address}`;
  if (!URL.canParse(whole)) return undefined;
  const url = new URL(whole);
  return /^https?:$/.test(url.protocol) && /[^.]\.[^.]/.test(url.hostname) ? url.href : undefined;
}

/** Checks entities that a client gives. @throws ApiError */
export function checkedEntities(text: string, value: unknown): TelegramEntity[] {
  if (!Array.isArray(value)) throw unparsable('expected an Array of MessageEntity');
  return value.map((one: unknown) => {
    const { type, offset, length, url, language } = Object(one) as Record<string, unknown>;
    if (typeof type !== 'string') throw unparsable('Field "type" must be of type String');
    if (!Number.isSafeInteger(offset) || !Number.isSafeInteger(length)) throw unparsable('Field "offset" must be of type Number');
    const [from, count] = [offset as number, length as number];
    const until = from + count;
    if (from < 0 || count <= 0)
      throw badRequest(`receive an entity with incorrect ${from < 0 ? 'offset' : 'length'} ${from < 0 ? from : count}`);
    if (from >= text.length) throw badRequest(`entity begins after the end of the text at UTF-16 offset ${from}`);
    if (until > text.length)
      throw badRequest(`entity beginning at UTF-16 offset ${from} ends after the end of the text at UTF-16 offset ${until}`);
    for (const [word, at] of [['begins', from] as const, ['ends', until] as const]) {
      const bytes = Buffer.byteLength(text.slice(0, at));
      if (NO_SURROGATE_HALF.test(text.slice(at))) throw badRequest(`entity ${word} in a middle of a UTF-16 symbol at byte offset ${bytes}`);
    }
    const place = { offset: from, length: count };
    if (type === 'text_link') {
      const link = linkOf(String(url ?? ''));
      if (link === undefined) throw badRequest(`entity URL ${JSON.stringify(url)} is invalid`);
      return { type, ...place, url: link };
    }
    if (type === 'pre') return { type, ...place, ...(typeof language === 'string' && { language }) };
    const plain = plainEntities.find((name) => name === type);
    if (!plain) throw unparsable('unsupported MessageEntity type specified');
    return { type: plain, ...place };
  });
}

/** The text as it is shown: without space at its ends, with the entities in order and those that the network finds by itself. */
export function shown({ text, entities }: FormattedText): FormattedText {
  const start = text.length - text.trimStart().length;
  const trimmed = text.trim();
  const given = entities.flatMap((entity) => {
    const offset = Math.max(entity.offset - start, 0);
    const length = Math.min(entity.offset + entity.length - start, trimmed.length) - offset;
    return length > 0 ? [{ ...entity, offset, length }] : [];
  });
  const isOpaque = ({ type }: TelegramEntity): boolean => ['code', 'pre', 'text_link'].includes(type);
  const taken = given.filter(isOpaque);
  for (const [type, pattern] of FOUND) {
    for (const { 0: found, index } of trimmed.matchAll(pattern)) {
      const isTaken = taken.some(({ offset, length }) => offset < index + found.length && index < offset + length);
      const entity = { type, offset: index, length: found.length };
      if (isTaken) continue;
      given.push(entity);
      taken.push(entity);
    }
  }
  return { text: trimmed, entities: given.sort((a, b) => a.offset - b.offset || b.length - a.length) };
}
