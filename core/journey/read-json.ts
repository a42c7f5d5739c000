import type { Json } from './json.js';

/** Levels of JSON that came from outside: as many as a request to the API may have. */
const MAX_LEVELS = 64;

/** What a text holds as JSON: nil, and why, when that is nothing to go on with. */
export type ReadJson = { readonly value: Json; readonly fault?: 'no_json' | 'too_deep' };

/**
 * Reads a text that came from outside. JSON nested so deeply that writing it down again would overflow the stack is refused;
 * numbers that are too large to be one are nil, which is how JSON would write them.
 */
export function readJsonText(text: string): ReadJson {
  let value: Json;
  try {
    value = JSON.parse(text) as Json;
  } catch {
    return { value: null, fault: 'no_json' };
  }
  const held = [value];
  return isTooDeep(held) ? { value: null, fault: 'too_deep' } : { value: held[0] ?? null };
}

/** A text read as JSON; nil when it is none, or none to go on with. What was sent or came back is there as text. */
export const readJson = (text: string | null): Json => (text === null || text.trim() === '' ? null : readJsonText(text).value);

/** What is said of a text that is `too_deep`. */
export const TOO_DEEP = `JSON nested more than ${MAX_LEVELS} levels deep`;

/** Without recursion, as depth is what it looks for. */
function isTooDeep(held: Json[]): boolean {
  let level: object[] = [held];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_LEVELS) return true;
    const next: object[] = [];
    for (const item of level as Record<string, unknown>[]) {
      for (const key of Object.keys(item)) {
        const inner = item[key];
        if (typeof inner === 'object' && inner !== null) next.push(inner);
        else if (typeof inner === 'number' && !Number.isFinite(inner)) item[key] = null;
      }
    }
    level = next;
  }
  return false;
}
