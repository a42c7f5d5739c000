/** The beginning of a text, of so many UTF-16 units at most; half a character is no text that can be stored or sent. */
export const beginningOf = (text: string, limit: number): string => {
  if (text.length <= limit) return text;
  return text.slice(0, isHalf(text, limit) ? limit - 1 : limit);
};

/** Whether a cut here would leave the first half of a character before it. */
const isHalf = (text: string, at: number): boolean => (text.codePointAt(at - 1) ?? 0) > 0xffff;
