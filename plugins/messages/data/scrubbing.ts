import { createHmac } from 'node:crypto';
import { createRequire } from 'node:module';
import type { RE2JS } from 're2js';
import { InvalidRequest, type Json, type JsonObject } from '#core';
import type { ScrubbingRule, ScrubbingRules } from './schemas.js';

// Loaded on first use, because it takes long to import.
const require = createRequire(import.meta.url);
const re2 = (): typeof import('re2js') => require('re2js');

/** Cursors contain the rules, and are part of a path. */
const MAX_CHARACTERS = 2_000;

type Replace = (text: string) => string;

/** Rules whose regular expressions are compiled. */
export type Scrubbing = Readonly<Record<'inbound' | 'outbound', (item: JsonObject) => JsonObject>>;

/**
 * Compiles rules. `key` makes the hashes of an account: equal texts have equal hashes, which cannot be computed from a list of phone
 * numbers. The regular expressions are those of RE2, whose time grows linearly with the text.
 * @throws InvalidRequest
 */
export function scrubbingOf(rules: ScrubbingRules, key: string): Scrubbing {
  if (JSON.stringify(rules).length > MAX_CHARACTERS) refuse([], `scrubbing_rules has more than ${MAX_CHARACTERS} characters`);
  const of = (direction: keyof Scrubbing) => {
    const compiled = Object.entries(rules[direction] ?? {}).map(
      ([path, rule]) => [path.split('.'), replacing(rule, key, [direction, path])] as const,
    );
    return (item: JsonObject) => compiled.reduce((scrubbed, [path, replace]) => scrubbedAt(scrubbed, path, replace) as JsonObject, item);
  };
  return { inbound: of('inbound'), outbound: of('outbound') };
}

function replacing({ type, search, replace = '' }: ScrubbingRule, key: string, path: readonly string[]): Replace {
  if (type === 'hash') return (text) => createHmac('sha256', key).update(text).digest('hex');
  if (search === undefined) return refuse([...path, 'search'], 'A rule of type regex needs search');
  const pattern = compile(search, path);
  return (text) => replaced(pattern, text, replace);
}

/** Replaces all matches. `$1` or `\\1` is a group of the match; RE2's own replacement throws for groups that there are not. */
function replaced(pattern: RE2JS, text: string, replacement: string): string {
  const matcher = pattern.matcher(text);
  let result = '';
  let last = 0;
  while (matcher.find()) {
    const group = (whole: string, n: string) => (Number(n) <= pattern.groupCount() ? (matcher.group(Number(n)) ?? '') : whole);
    result += text.slice(last, matcher.start()) + replacement.replace(/[$\\](\d)/g, group);
    last = matcher.end();
  }
  return result + text.slice(last);
}

function compile(search: string, path: readonly string[]): RE2JS {
  try {
    return re2().RE2JS.compile(search);
  } catch (error) {
    return refuse([...path, 'search'], `search is not a valid regular expression: ${(error as Error).message}`);
  }
}

function refuse(path: readonly string[], message: string): never {
  throw new InvalidRequest([{ path: ['scrubbing_rules', ...path], rule: 'any.invalid', message }]);
}

/** The value with the field at the path replaced, in each object of a list; unchanged if it has no such field. */
function scrubbedAt(value: Json, path: readonly string[], replace: Replace): Json {
  if (isList(value)) return value.map((one) => scrubbedAt(one, path, replace));
  const [name, ...rest] = path;
  if (name === undefined) return value === null ? null : replace(typeof value === 'string' ? value : JSON.stringify(value));
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return value;
  return { ...value, [name]: scrubbedAt(value[name]!, rest, replace) };
}

const isList = (value: Json): value is readonly Json[] => Array.isArray(value);
