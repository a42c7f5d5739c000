/** A JSON value, in records and worker messages. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };
/** A JSON object. */
export type JsonObject = { readonly [key: string]: Json };

/** The same limit as for request bodies (`kernel/json-body.ts`). */
const MAX_LEVELS = 64;

/** A parsed text. When it is invalid or too deep, `value` is null and `fault` says why. */
export type ReadJson = { readonly value: Json; readonly fault?: 'no_json' | 'too_deep' };

/**
 * Parses JSON from outside. Refuses JSON nested so deeply that serializing it would overflow the stack. Numbers beyond the range of a
 * double become null, as `JSON.stringify` would write them.
 */
export function readJsonText(text: string): ReadJson {
  let value: Json;
  try {
    value = JSON.parse(text) as Json;
  } catch {
    return { value: null, fault: 'no_json' };
  }
  const root = [value];
  return isTooDeep(root) ? { value: null, fault: 'too_deep' } : { value: root[0] ?? null };
}

/** Parses the body of a response. Returns null for a body that is not JSON; `too_large` marks JSON that is too deep. */
export function readAnswer(body: string | null): { readonly json: Json; readonly error: 'too_large' | null } {
  const { value, fault } = readJsonText(body ?? '');
  return { json: value, error: fault === 'too_deep' ? 'too_large' : null };
}

/** Parses JSON from outside; null when the text is empty, not JSON, or too deep. */
export const readJson = (text: string | null): Json => (text === null || text.trim() === '' ? null : readJsonText(text).value);

/** The message for `too_deep`. */
export const TOO_DEEP = `JSON nested more than ${MAX_LEVELS} levels deep`;

/** Also replaces infinite numbers by null. Iterative, because recursion would overflow on the input that this function looks for. */
function isTooDeep(root: Json[]): boolean {
  let level: object[] = [root];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_LEVELS) return true;
    const next: object[] = [];
    for (const item of level as Record<string | number, unknown>[]) {
      // `Object.keys` of a long list would allocate a string per item.
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
