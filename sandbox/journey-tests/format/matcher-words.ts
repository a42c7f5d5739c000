/** The operators of matchers, and what they accept. */
export const matcherWords = {
  equals: { about: 'Equals this value; objects have exactly these keys.' },
  contains: { about: 'A text contains this text, or each text of this list; a list contains an item that fits this value.' },
  matches: { about: 'A text matches this regular expression somewhere; /…/i ignores case.' },
  not: { about: 'Does not fit this value or matcher.' },
  one_of: { about: 'Fits one of these values or matchers.' },
  any: { about: 'true: has any value other than null.' },
  absent: { about: 'true: the value is absent or null; false: it is not.' },
  length: { about: 'Has this number of characters, items or keys; also a matcher of the number.' },
  at_least: { about: 'A number of at least this.' },
  at_most: { about: 'A number of at most this.' },
  ordered: { about: 'A list with an item for each of these, in this order, and no others.' },
  unordered: { about: 'A list with an item for each of these, in any order, and no others.' },
  subset: { about: 'A list whose every item fits one of these; some of these may be missing.' },
  superset: { about: 'A list with an item for each of these; it may have others.' },
} as const;

export type MatcherWord = keyof typeof matcherWords;

/** Whether a value is a matcher: an object whose keys are all operators. */
export function isMatcher(value: unknown): value is Readonly<Partial<Record<MatcherWord, unknown>>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const keys = Object.keys(value);
  return keys.length > 0 && keys.every((key) => Object.hasOwn(matcherWords, key));
}
