import { beginningOf } from '../../../cut-text.js';
import type { Budget } from '../budget.js';

/** Made when a text needs it: it takes long to make, and few texts do. */
let segmenter: Intl.Segmenter | undefined;

/** Latin, Greek, Cyrillic, kana, Chinese and Korean without combining marks: what a text of these has as length is what people count. */
const SIMPLE =
  /^[\x20-\x7e\xa0-\u02ff\u0370-\u0482\u048a-\u0587\u2010-\u2027\u20a0-\u20bf\u3000-\u3029\u3041-\u3096\u30a1-\u30fe\u4e00-\u9fff\uac00-\ud7a3]*$/;

/** Finding the characters of other texts is slow. */
const STEPS_PER_UNIT = 4;

/** The characters of a text as people count them: an emoji or an accented letter is one. */
export function characters(text: string, budget: Budget): readonly string[] | string {
  if (SIMPLE.test(text)) return text;
  budget.spend(text.length * STEPS_PER_UNIT);
  return charactersOf(text);
}

/** Units looked at together. The segmenter copies the whole text for every character it finds, so it is never given a long one. */
const SEGMENT_UNITS = 256;

/** The characters of any text, in time that grows with its length. */
export function charactersOf(text: string): readonly string[] {
  segmenter ??= new Intl.Segmenter('und', { granularity: 'grapheme' });
  const found: string[] = [];
  let stretch = SEGMENT_UNITS;
  for (let at = 0; at < text.length; ) {
    const isLast = at + stretch >= text.length;
    const segments = Array.from(segmenter.segment(beginningOf(text.slice(at), stretch)), ({ segment }) => segment);
    // The last may go on beyond the stretch; it is looked at again, with what follows.
    const whole = isLast ? segments : segments.slice(0, -1);
    if (whole.length === 0 && stretch < MAX_CHARACTER) {
      stretch *= 2;
      continue;
    }
    const kept = whole.length === 0 ? segments : whole;
    found.push(...kept);
    at += kept.reduce((total, { length }) => total + length, 0);
    stretch = SEGMENT_UNITS;
  }
  return found;
}

/** Nobody writes a character of so many units; a letter with more marks counts as several. */
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
