/** Exceptions of the word check: files, and phrases in which a listed word is right. */
export interface Allowed {
  readonly files: readonly string[];
  readonly phrases: readonly RegExp[];
}

/** Terms of the API specification need no phrase: they are in backticks, which the check skips. */
export const allowed: Allowed = {
  files: ['scripts/words/rules.ts', 'scripts/words/allowed.ts', 'test/spec/words.test.ts'],
  // Industries of the network's business profiles.
  phrases: [/RETAIL TRAVEL/g],
};
