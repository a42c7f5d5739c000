/**
 * Limits of a notebook. Every function of this folder takes time linear in the text. Text over `bytes` or `lines` is refused before
 * it is read.
 */
export const NOTEBOOK_LIMITS = {
  /** UTF-8 bytes: 1 MiB. */
  bytes: 1_048_576,
  lines: 20_000,
  /** Names, literals and signs of the code. */
  tokens: 250_000,
  cards: 2000,
  /** Compiled blocks; the limit of containers too. */
  blocks: 2000,
  /** Nested brackets and `if`s in one expression. */
  depth: 32,
  /** Reported findings. Parsing stops there. */
  findings: 200,
  /** Terms of an `and` or `or` chain that compile to nested calls; longer chains become one call. */
  chain: 16,
} as const;
