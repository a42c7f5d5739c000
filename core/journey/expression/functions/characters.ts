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
  segmenter ??= new Intl.Segmenter('und', { granularity: 'grapheme' });
  return Array.from(segmenter.segment(text), ({ segment }) => segment);
}

export function firstCharacters(text: string, count: number, budget: Budget): string {
  const all = characters(text, budget);
  return typeof all === 'string' ? all.slice(0, count) : all.slice(0, count).join('');
}

export function lastCharacters(text: string, count: number, budget: Budget): string {
  const all = characters(text, budget);
  const start = Math.max(0, all.length - count);
  return typeof all === 'string' ? all.slice(start) : all.slice(start).join('');
}
