import { RE2JS } from 're2js';

const patterns = new Map<string, RE2JS>();
const MAX_PATTERNS = 1_000;

/** A regular expression as text, or as `/…/i`. Runs in linear time. @throws Error when it is not a regular expression */
export function patternOf(text: string): RE2JS {
  const known = patterns.get(text);
  if (known) return known;
  const [, source = text, flags = ''] = /^\/(.*)\/(i?)$/s.exec(text) ?? [];
  const pattern = RE2JS.compile(source, flags === 'i' ? RE2JS.CASE_INSENSITIVE : 0);
  if (patterns.size >= MAX_PATTERNS) patterns.clear();
  patterns.set(text, pattern);
  return pattern;
}
