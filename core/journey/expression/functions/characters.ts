const segmenter = new Intl.Segmenter('und', { granularity: 'grapheme' });
const PLAIN = /^[\x20-\x7e]*$/;

/** The characters of a text as people count them: an emoji or an accented letter is one. */
export function characters(text: string): readonly string[] | string {
  return PLAIN.test(text) ? text : Array.from(segmenter.segment(text), ({ segment }) => segment);
}

export function firstCharacters(text: string, count: number): string {
  const all = characters(text);
  return typeof all === 'string' ? all.slice(0, count) : all.slice(0, count).join('');
}

export function lastCharacters(text: string, count: number): string {
  const all = characters(text);
  const start = Math.max(0, all.length - count);
  return typeof all === 'string' ? all.slice(start) : all.slice(start).join('');
}
