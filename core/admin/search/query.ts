import type { SearchQuery } from '../../contract/search.js';
import { beginningOf } from '../../cut-text.js';

/** Words and quoted phrases. */
const WORD = /"([^"]+)"?|[^\s"]+/g;
/** More words only make a search slow. */
const MAX_WORDS = 12;
/** The length of an excerpt, and the part of it before the first word, in characters. */
const EXCERPT = 160;
const BEFORE = 40;

/** The second half of a character whose first half was cut off. */
const HALF = /^[\uDC00-\uDFFF]/;
const PLAIN = /^[\p{ASCII}]*$/u;

/** A text in lower case and without accents, as searches compare it. */
export const folded = (text: string): string =>
  PLAIN.test(text) ? text.toLowerCase() : text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();

/** Undefined if the text has no words, or too many. */
export function queryOf(text: string): SearchQuery | undefined {
  const words = [...new Set(Array.from(text.matchAll(WORD), ([word, phrase]) => folded(phrase ?? word).trim()))].filter(Boolean);
  if (words.length === 0 || words.length > MAX_WORDS) return undefined;
  return {
    words,
    excerptOf(text) {
      const known = folded(text);
      return words.every((word) => known.includes(word)) ? excerptAt(text, known.indexOf(words[0]!)) : undefined;
    },
  };
}

/** The part of a text around a position in its folded form, on one line. */
function excerptAt(text: string, position: number): string {
  const at = text.length === folded(text).length ? position : originalPosition(text, position);
  const from = at <= BEFORE ? 0 : at - BEFORE;
  const part = beginningOf(text.slice(from, from + EXCERPT + 1), EXCERPT)
    .replace(HALF, '')
    .replace(/\s+/g, ' ');
  return `${from > 0 ? '…' : ''}${part.trim()}${from + EXCERPT < text.length ? '…' : ''}`;
}

/** Accents that are characters of their own make the original longer than its folded form. */
function originalPosition(text: string, position: number): number {
  let at = 0;
  let seen = 0;
  for (const character of text) {
    if (seen >= position) break;
    at += character.length;
    seen += folded(character).length;
  }
  return at;
}
