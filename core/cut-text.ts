/** Cuts a text to at most `limit` UTF-16 units, and never within a surrogate pair: half a character cannot be encoded as UTF-8. */
export const beginningOf = (text: string, limit: number): string => {
  if (text.length <= limit) return text;
  return text.slice(0, isHalf(text, limit) ? limit - 1 : limit);
};

/** Whether a cut at `at` would split a surrogate pair. */
const isHalf = (text: string, at: number): boolean => (text.codePointAt(at - 1) ?? 0) > 0xffff;
