import { IS_ASCII, withoutInvisible } from './digits.js';

/** Letters and signs that phones write instead of others. */
const TYPED: readonly (readonly [RegExp, string])[] = [
  [/[‘’ʼ‛`´]/g, "'"],
  [/[“”„‟«»]/g, '"'],
  [/[‐‑‒–—―−]/g, '-'],
  [/\p{Emoji_Modifier}/gu, ''],
  [/i\u0307/g, 'i'],
  [/ß/g, 'ss'],
];

/** Anything but printable ASCII with single spaces, which most texts are. */
const UNUSUAL = /[^ -_a-~]| {2}/;
const PLAIN_WORD = /^[a-z0-9](?:[\w'-]*[a-z0-9])?$/i;

/**
 * A text without differences that people do not see or type by accident: case, doubled white space, the signs that phones put in place of
 * ' " - and full-width letters, the look of emojis.
 */
export function foldedInside(text: string): string {
  if (!UNUSUAL.test(text)) return text.toLowerCase();
  const plain = withoutInvisible(text.normalize('NFKC')).toLowerCase();
  return TYPED.reduce((changed, [sign, other]) => changed.replace(sign, other), plain).replace(/[\s\p{Zs}]+/gu, ' ');
}

/** Like `foldedInside`, also without white space around the text. */
export const folded = (text: string): string => foldedInside(text).trim();

const AROUND = String.raw`[\s"'()\[\]{}<>*_~.!?…,;:¡¿。！？、،؟।]+`;
const SURROUNDING = new RegExp(`^${AROUND}|${AROUND}$`, 'g');

/** A keyword or an option as it is compared: also without quotes, brackets, marks of formatting, and punctuation around it. */
export function wordKey(text: string): string {
  const whole = folded(text);
  return whole.replace(SURROUNDING, '') || whole;
}

/** A text without the accents of Latin letters. In other scripts such marks are vowels, or make other letters. */
export const withoutAccents = (text: string): string =>
  text
    .normalize('NFD')
    .replace(/(?<=[a-z])[\u0300-\u036f]+/gi, '')
    .normalize('NFC');

/** The letters and digits of a text, in lower case, for comparing it with a label that has emojis or accents; empty if it has none. */
export const letterKey = (text: string): string =>
  withoutAccents(folded(text))
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, ' ')
    .trim();

const BETWEEN_WORDS = /[\s,:;!?.]+/;
const EMOJI = String.raw`(?:\p{Extended_Pictographic}\p{Emoji_Modifier}?|\p{RI}{2})`;
const PIECE = new RegExp(String.raw`[\p{L}\p{M}\p{N}](?:[\p{L}\p{M}\p{N}'’_-]*[\p{L}\p{M}\p{N}])?|${EMOJI}`, 'gu');

/** The words of a list, such as `yes no`, as they are compared. */
export const wantedWords = (list: string): readonly string[] =>
  folded(list)
    .split(BETWEEN_WORDS)
    .filter((word) => word !== '');

/**
 * The words of a text that are among the wanted ones, as written. Emojis, quotes, brackets and other signs end a word; hyphens and
 * apostrophes inside do not.
 */
export function matchingWords(text: string, wanted: readonly string[]): readonly string[] {
  const words = new Set(wanted);
  const isPlain = IS_ASCII.test(text);
  const found: string[] = [];
  for (const word of (isPlain ? text : withoutInvisible(text)).split(BETWEEN_WORDS)) {
    if (words.has(isPlain ? word.toLowerCase() : folded(word))) found.push(word);
    else if (!PLAIN_WORD.test(word)) found.push(...(word.match(PIECE) ?? []).filter((piece) => words.has(folded(piece))));
  }
  return found;
}

const YES = `yes|y|yeah|yep|yup|sure|ok|okay|oui|ouais|sí|si|sim|ja|jawohl|jo|да|ага|так|tak|evet|ya|iya|ndiyo|ndio|yebo|ewe|نعم|اجل|ايوه|بله|ہاں|جی|
हाँ|हां|जी|হ্যাঁ|হা|জি|是|是的|好|好的|对|對|はい|うん|ええ|네|예|응|ใช่|አዎ|አዎን|כן|ναι|👍|👌|✅|✔|🙆`;
const NO = `no|n|nope|nah|non|não|nao|nein|nee|nej|nei|нет|не|ні|nie|hayır|hayir|tidak|nggak|hapana|cha|hayi|لا|كلا|نه|نہیں|नहीं|नही|না|জি না|不|不是|不要|没有|
いいえ|いや|아니요|아니오|아니|ไม่|ไม่ใช่|አይ|አይደለም|לא|όχι|👎|❌|🙅`;
const setOf = (list: string): ReadonlySet<string> => new Set(list.split(/\|\s*/).map(folded));
const [yes, no] = [setOf(YES), setOf(NO)];

/** Whether a text says yes or no, in a word of one of many languages or as an emoji; undefined for any other text. */
export function readYesNo(text: string): boolean | undefined {
  if (text.length > 40) return undefined;
  const key = wordKey(text.replace(/(\p{Extended_Pictographic})(?:\p{Emoji_Modifier}?\1)*/gu, '$1'));
  return yes.has(key) ? true : no.has(key) ? false : undefined;
}
