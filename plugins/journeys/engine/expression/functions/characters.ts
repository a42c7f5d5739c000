import { beginningOf } from '#core/basics';
import type { Budget } from '../budget.js';

/** Created on first use, because creating it is slow and few texts need it. */
let segmenter: Intl.Segmenter | undefined;

/** Scripts without combining marks (Latin, Greek, Cyrillic, kana, Chinese, Korean): each UTF-16 unit is one character. */
const SIMPLE =
  /^[\x20-\x7e\xa0-\u02ff\u0370-\u0482\u048a-\u0587\u2010-\u2027\u20a0-\u20bf\u3000-\u3029\u3041-\u3096\u30a1-\u30fe\u4e00-\u9fff\uac00-\ud7a3]*$/;

/** Evaluation cost per UTF-16 code unit of all other texts, which are slow to segment. */
const STEPS_PER_UNIT = 4;

/** The characters (grapheme clusters) of a text: an emoji or an accented letter is one. */
export function characters(text: string, budget: Budget): readonly string[] | string {
  if (SIMPLE.test(text)) return text;
  budget.spend(text.length * STEPS_PER_UNIT);
  return charactersOf(text);
}

/** Units per segment call. The segmenter copies its whole input for every character, so long texts are passed in pieces. */
const SEGMENT_UNITS = 256;

/** The characters of any text, in linear time. */
export function charactersOf(text: string): readonly string[] {
  segmenter ??= new Intl.Segmenter('und', { granularity: 'grapheme' });
  const found: string[] = [];
  let pieceUnits = SEGMENT_UNITS;
  for (let at = 0; at < text.length; ) {
    const isLast = at + pieceUnits >= text.length;
    const segments = Array.from(segmenter.segment(beginningOf(text.slice(at), pieceUnits)), ({ segment }) => segment);
    // The last character may continue after this piece; it is segmented again with the next one.
    const complete = isLast ? segments : segments.slice(0, -1);
    if (complete.length === 0 && pieceUnits < MAX_CHARACTER) {
      pieceUnits *= 2;
      continue;
    }
    const taken = complete.length === 0 ? segments : complete;
    found.push(...taken);
    at += taken.reduce((total, { length }) => total + length, 0);
    pieceUnits = SEGMENT_UNITS;
  }
  return found;
}

/** The maximum units of one character; a letter with more combining marks counts as several. */
const MAX_CHARACTER = 4096;

export function firstCharacters(text: string, count: number, budget: Budget): string {
  const all = characters(text, budget);
  return typeof all === 'string' ? all.slice(0, count) : all.slice(0, count).join('');
}

export function lastCharacters(text: string, count: number, budget: Budget): string {
  const all = characters(text, budget);
  const start = Math.max(0, all.length - count);
  return typeof all === 'string' ? all.slice(start) : all.slice(start).join('');
}
