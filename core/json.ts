/** JSON, as it crosses threads and is stored. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };
/** A JSON object. */
export type JsonObject = { readonly [key: string]: Json };

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

/** The JSON of an answer, and what is wrong with it in a word, when it is more than anybody reads. */
export function readAnswer(body: string | null): { readonly json: Json; readonly error: 'too_large' | null } {
  const { value, fault } = readJsonText(body ?? '');
  return { json: value, error: fault === 'too_deep' ? 'too_large' : null };
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
    for (const item of level as Record<string | number, unknown>[]) {
      // The keys of a long list would be as many texts.
      const keys = Array.isArray(item) ? undefined : Object.keys(item);
      const count = keys?.length ?? (item as unknown as unknown[]).length;
      for (let i = 0; i < count; i++) {
        const key = keys?.[i] ?? i;
        const inner = item[key];
        if (typeof inner === 'object' && inner !== null) next.push(inner);
        else if (typeof inner === 'number' && !Number.isFinite(inner)) item[key] = null;
      }
    }
    level = next;
  }
  return false;
}
