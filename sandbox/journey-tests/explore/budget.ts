/** The turns that `posthorn test explore` runs at most, without a flag. */
export const DEFAULT_BUDGET = 5_000;
