/** Longer texts are not matched against a pattern, which its author may have written carelessly. */
const MAX_MATCHED = 200;
/** Milliseconds that looking at one text may take before the pattern is given up. */
const BUDGET = 100;

/**
 * Matches the `pattern` of an input. A browser's expressions backtrack and cannot be stopped, and `(a+)+` doubles its time with
 * every character: so beginnings of the text are tried first, from the shortest, and a pattern that becomes slow is given up
 * while it is still slow and not yet endless. What is given up, too long, or no expression at all is not checked.
 * @param now milliseconds
 */
export function createPatterns(now: () => number = () => performance.now()) {
  const given = new Map<string, { value: string; isMatch: boolean }>();
  const slow = new Set<string>();

  return function matches(pattern: string, value: string): boolean {
    if (value.length > MAX_MATCHED || slow.has(pattern)) return true;
    const known = given.get(pattern);
    if (known?.value === value) return known.isMatch;
    const expression = compiled(pattern);
    if (!expression) return true;
    if (isSlow(expression, value)) {
      slow.add(pattern);
      return true;
    }
    const isMatch = expression.test(value);
    given.set(pattern, { value, isMatch });
    return isMatch;
  };

  /** A text is slow where it stops to fit, so each beginning ends in each of the characters it could stop at. */
  function isSlow(expression: RegExp, value: string): boolean {
    const ends = ['\0', ...new Set(value)];
    const start = now();
    for (let length = 1; length <= value.length; length++) {
      for (const end of ends) {
        expression.test(value.slice(0, length) + end);
        if (now() - start > BUDGET) return true;
      }
    }
    return false;
  }
}

/** Nothing for what nobody could ever match; on the phone it is ignored too. */
function compiled(pattern: string): RegExp | undefined {
  try {
    return new RegExp(`^(?:${pattern})$`);
  } catch {
    return undefined;
  }
}
