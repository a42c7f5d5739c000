/** A JSON value, in records and worker messages. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };
/** A JSON object. */
export type JsonObject = { readonly [key: string]: Json };

/** Whether a value is an object and no list. */
export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Ids and times, of which JSON escapes nothing. */
const PLAIN = /^[\w./:+-]*$/;

/** A string as JSON: faster than `JSON.stringify` for an id or a time. */
export const quoted = (text: string): string => (PLAIN.test(text) ? `"${text}"` : JSON.stringify(text));

/** The same limit as for request bodies (`kernel/json-body.ts`). */
const MAX_LEVELS = 64;

/** A parsed text. When it is invalid or too deep, `value` is null and `fault` says why. `overflows`: a number was too large and is null. */
export type ReadJson = { readonly value: Json; readonly fault?: 'no_json' | 'too_deep'; readonly overflows?: true };

/**
 * Parses JSON from outside, also with a byte order mark. Refuses JSON nested so deeply that serializing it would overflow the stack. Numbers
 * beyond the range of a double become null, as `JSON.stringify` would write them.
 */
export function readJsonText(text: string): ReadJson {
  let value: Json;
  try {
    value = JSON.parse(text.startsWith('\ufeff') ? text.slice(1) : text) as Json;
  } catch {
    return { value: null, fault: 'no_json' };
  }
  const root = [value];
  const found = searchedLevels(root);
  if (found === 'too_deep') return { value: null, fault: found };
  return { value: root[0] ?? null, ...(found === 'overflows' && { overflows: true }) };
}

/** Like `readJsonText`, but integers that a double would round keep their digits: they become objects that `exactJson` writes as they were. */
export const readExactJson = (text: string): ReadJson => readJsonText(withExactIntegers(text));

/** JSON text in which integers that a double would round are objects (`bigInteger`). */
export const withExactIntegers = (json: string): string => replacingIntegers(json, (digits) => JSON.stringify(bigInteger(digits)));

/** Like `readJson`, for showing JSON to people and clients: integers that a double would round are texts of their digits. */
export const readShownJson = (text: string | null): Json =>
  readJson(text === null ? null : replacingIntegers(text, (digits) => `"${digits}"`));

/** A number of 16 digits outside texts, or something like it in a text. */
const LONG_DIGITS = /(?:^|[[:,\s])-?\d{16}/;
const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/gs;

function replacingIntegers(json: string, form: (digits: string) => string): string {
  const isRounded = (token: string): boolean =>
    token.length > 15 && /^-?[1-9]\d*$/.test(token) && Number.isFinite(Number(token)) && String(Number(token)) !== token;
  return LONG_DIGITS.test(json) ? json.replace(TOKEN, (token) => (isRounded(token) ? form(token) : token)) : json;
}

/** The form of an integer in JSON values where a number would be rounded. Expressions read it as a number. */
export const bigInteger = (digits: bigint | string): JsonObject => ({ __value__: String(digits), __integer__: true });

// Inside a text the quotes would be escaped, so this finds only objects.
const BIG_INTEGER = /\{"__value__":"(-?\d+)","__integer__":true\}/g;

const LONG_DECIMAL = /\d[\d.]{15}/;

/** The JSON text of a value, with big integers as numbers. @param numberOf changes decimals of 15 and more digits, at any depth */
export function exactJson(value: Json, numberOf?: (number: number) => number): string {
  let json = JSON.stringify(value);
  if (numberOf && LONG_DECIMAL.test(json))
    json = JSON.stringify(value, (_, inner) => (typeof inner === 'number' ? numberOf(inner) : inner));
  return hasBigIntegers(json) ? json.replace(BIG_INTEGER, '$1') : json;
}

/** Whether a JSON text has big integers. */
export const hasBigIntegers = (json: string): boolean => json.includes('"__integer__":true');

/** Writes big integers in a JSON text as texts of their digits, for readers whose numbers are doubles. */
export const integersAsText = (json: string): string => (hasBigIntegers(json) ? json.replace(BIG_INTEGER, '"$1"') : json);

/** A value for readers whose numbers are doubles: its big integers are texts of their digits. */
export function withTextIntegers<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  const json = JSON.stringify(value);
  return hasBigIntegers(json) ? (JSON.parse(integersAsText(json)) as T) : value;
}

/**
 * Parses the body of a response exactly. For a body that is not JSON, `json` is null and `isJson` false; `too_large` marks JSON that is too
 * deep.
 */
export function readAnswer(body: string | null): {
  readonly json: Json;
  readonly isJson: boolean;
  readonly overflows: boolean;
  readonly error: 'too_large' | null;
} {
  const { value, fault, overflows = false } = readExactJson(body ?? '');
  return { json: value, isJson: fault === undefined, overflows, error: fault === 'too_deep' ? 'too_large' : null };
}

/** Parses JSON from outside; null when the text is empty, not JSON, or too deep. */
export const readJson = (text: string | null): Json => (text === null || text.trim() === '' ? null : readJsonText(text).value);

/** A value that is an object, such as a part of JSON of others; else an empty one. */
export const objectOf = (value: unknown): JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : {};

/** The message for `too_deep`. */
export const TOO_DEEP = `JSON nested more than ${MAX_LEVELS} levels deep`;

/** Replaces infinite numbers by null. Iterative, because recursion would overflow on JSON that is too deep. */
function searchedLevels(root: Json[]): 'too_deep' | 'overflows' | undefined {
  let level: object[] = [root];
  let overflows = false;
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_LEVELS) return 'too_deep';
    const next: object[] = [];
    for (const item of level as Record<string | number, unknown>[]) {
      // `Object.keys` of a long list would allocate a string per item.
      const keys = Array.isArray(item) ? undefined : Object.keys(item);
      const count = keys?.length ?? (item as unknown as unknown[]).length;
      for (let i = 0; i < count; i++) {
        const key = keys?.[i] ?? i;
        const inner = item[key];
        if (typeof inner === 'object' && inner !== null) next.push(inner);
        else if (typeof inner === 'number' && !Number.isFinite(inner)) {
          item[key] = null;
          overflows = true;
        }
      }
    }
    level = next;
  }
  return overflows ? 'overflows' : undefined;
}
