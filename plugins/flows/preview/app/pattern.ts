/** Longer texts are not checked, because the pattern may backtrack catastrophically. */
const MAX_MATCHED = 200;
/** Milliseconds per text after which a pattern counts as slow. */
const BUDGET = 100;

/**
 * Matches the `pattern` of an input. Regular expressions in browsers backtrack and cannot be interrupted; `(a+)+` doubles its time with
 * every character. So prefixes of the text are matched first, shortest first, and a pattern that exceeds `BUDGET` is not used again. Slow
 * and invalid patterns accept every text, and so do texts that are too long.
 * @param now returns milliseconds
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

  /** Backtracking is slow where a match fails, so each prefix is matched with each character that could make it fail. */
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

/** Undefined for an invalid pattern; phones ignore it too. */
function compiled(pattern: string): RegExp | undefined {
  try {
    return new RegExp(`^(?:${pattern})$`);
  } catch {
    return undefined;
  }
}
