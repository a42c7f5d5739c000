/** Where the words of `rules.ts` are right: terms of the interface, terms of the field, and the list itself. */
export const allowed: { readonly files: readonly string[]; readonly phrases: readonly RegExp[] } = {
  files: ['scripts/words/rules.ts', 'scripts/words/allowed.ts', 'test/spec/words.test.ts'],
  phrases: [/\bhandle[sd]? by name\b/gi, /\bgoes on to\b/gi, /\bDomain Name\b/gi, /\bwhat (is|are|does|do) [^.?\n]*\?/gi],
};
