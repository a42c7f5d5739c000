import type { LogFields } from '../../ports/logger.js';

/** Names of fields that are always redacted: `hmac_secret`, `apiKey`, `Authorization`; `token_id` is not. */
const SECRET = /(token|secret|authori[sz]ation|key|password|passphrase|cookie|signature|credential)s?$/i;
export const REDACTED = '[redacted]';
const MAX_DEPTH = 8;
const MAX_ENTRIES = 50;
const MAX_VALUES = 1000;
const MAX_TEXT = 4096;
const MAX_LINE_TEXT = 32_768;
/** Room for the mark that says how much was cut off. The result with its mark is within the limits, so that a second logger does not cut it again. */
const MARK = 20;

/**
 * Converts the fields of a line to JSON of bounded size, without cycles, with fields named like secrets redacted. `mask`
 * receives every text, including names and error texts, before any of it is cut off.
 */
export function plainFields(fields: LogFields, mask: (text: string) => string = same): Record<string, unknown> {
  let values = MAX_VALUES;
  let characters = MAX_LINE_TEXT;
  const ancestors = new Set<object>();

  return entries(Object.entries(fields), 0);

  function text(original: string): string {
    const from = mask(original);
    const shown = cut(from, Math.min(MAX_TEXT, characters));
    characters = Math.max(0, characters - from.length);
    return shown;
  }

  function json(value: unknown, depth: number): unknown {
    if (values-- <= 0) return '[more]';
    if (typeof value === 'string') return text(value);
    if (typeof value === 'number') return Number.isFinite(value) ? value : String(value);
    if (typeof value === 'bigint') return text(String(value));
    if (typeof value === 'function' || typeof value === 'symbol') return `[${typeof value}]`;
    if (typeof value !== 'object' || value === null) return value;
    if (ancestors.has(value)) return '[circular]';
    if (depth >= MAX_DEPTH) return '[deeper]';
    ancestors.add(value);
    try {
      return nested(value, depth);
    } catch (error) {
      return `[unreadable: ${text(plainMessage(error))}]`;
    } finally {
      ancestors.delete(value);
    }
  }

  function nested(value: object, depth: number): unknown {
    if (value instanceof Date) return Number.isNaN(value.getTime()) ? 'Invalid Date' : value.toISOString();
    if (value instanceof URL) return text(withoutCredentials(value));
    if (value instanceof RegExp) return text(String(value));
    if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return `[${value.byteLength} bytes]`;
    if (value instanceof Error) {
      const { name, message, stack, cause } = value;
      const rest = Object.entries(value).filter(([field]) => field !== 'cause');
      const described: [string, unknown][] = [['name', name], ['message', message], ...rest];
      if (cause !== undefined) described.push(['cause', cause]);
      described.push(['stack', stack]);
      return entries(described, depth);
    }
    if (value instanceof Map)
      return entries(
        [...value].map(([key, entry]) => [typeof key === 'string' ? key : plainMessage(key), entry]),
        depth,
      );
    if (Array.isArray(value) || value instanceof Set) return list([...value], depth);
    return entries(Object.entries(value), depth);
  }

  function list(items: unknown[], depth: number): unknown[] {
    // Headers can also be lists of names and values, in pairs or flat.
    const isNamed = (i: number): boolean => typeof items[i - 1] === 'string' && SECRET.test(items[i - 1] as string);
    const some = items.length > MAX_ENTRIES ? items.slice(0, MAX_ENTRIES - 1) : items;
    const shown = some.map((item, i) => (isNamed(i) ? REDACTED : json(item, depth + 1)));
    return items.length > some.length ? [...shown, `[${items.length - some.length} more]`] : shown;
  }

  function entries(pairs: [string, unknown][], depth: number): Record<string, unknown> {
    const named = pairs.find(([name]) => name === 'name' || name === 'key')?.[1];
    const isNamed = typeof named === 'string' && SECRET.test(named);
    const isSecret = (name: string): boolean => SECRET.test(name) || (isNamed && name === 'value');
    const some = pairs.length > MAX_ENTRIES ? pairs.slice(0, MAX_ENTRIES - 1) : pairs;
    const shown = some.map(([name, value]): [string, unknown] => [text(name), isSecret(name) ? REDACTED : json(value, depth + 1)]);
    if (pairs.length > some.length) shown.push(['[more]', pairs.length - some.length]);
    return Object.fromEntries(shown);
  }
}

/** Shortens a text. A text that is not longer than the mark stays unchanged. */
function cut(text: string, length: number): string {
  if (text.length <= Math.max(length, MARK)) return text;
  const shown = Math.max(0, length - MARK);
  return `${text.slice(0, shown)}[${text.length - shown} more]`;
}

/** Converts any value to text of bounded length. */
export function plainMessage(value: unknown, mask: (text: string) => string = same): string {
  try {
    return cut(mask(String(value)), MAX_TEXT);
  } catch {
    return '[unprintable]';
  }
}

function withoutCredentials(url: URL): string {
  const shown = new URL(url);
  shown.username = '';
  shown.password = '';
  if (shown.search !== '') shown.search = REDACTED;
  return String(shown);
}

const same = (text: string): string => text;
