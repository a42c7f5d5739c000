import { createRequire } from 'node:module';
import type { RE2JS } from 're2js';
import { messageOf } from '#core/basics';
import { findDate } from '../../answers/dates.js';
import { findNumber, type Numeric } from '../../answers/numbers.js';
import { findPhone } from '../../answers/phones.js';
import { timesIn } from '../../answers/times.js';
import { generations } from '../../generations.js';
import { difference } from '../arithmetic.js';
import { CalendarDate, DateTime } from '../calendar.js';
import { compare, dateOf, dateTimeOf } from '../operators.js';
import { unwrap, type Value } from '../value.js';
import { dateOfDateTime } from './dates.js';
import { type Arguments, type CallContext, define, type FunctionDefinition, isNil, looseText, numericArgument } from './define.js';

// Loaded on first use, because it takes long to import.
const require = createRequire(import.meta.url);
const re2 = (): typeof import('re2js') => require('re2js');

const MAX_PATTERN = 1000;
const MAX_SUBJECT = 10_000;
const PHONE_STEPS = 100;
/** Compiled patterns by source; for an invalid pattern, the reason. */
const compiled = generations<RE2JS | string>(500);

/** Functions that search a text. A result with details is a map that counts as true or false. */
export const patterns: readonly FunctionDefinition[] = [
  define(
    'has_pattern(text, pattern)',
    'Whether a regular expression matches somewhere, ignoring case.',
    [String.raw`has_pattern('Buy cheese', 'buy (\w+)')`, 'true'],
    hasPattern,
  ),
  define(
    'has_number(text)',
    'Whether the text contains a number; `.number` is the first number found.',
    ["has_number('about 1,000 of them').number", '1000'],
    ([text], call) => {
      const number = numberIn(text, call);
      return { __value__: number !== undefined, number: number ?? null };
    },
  ),
  ...comparisons('has_number', 'number', (text, other, call) => {
    const [number, bound] = [numberIn(text, call), numericArgument(other)];
    return number === undefined || bound === undefined ? undefined : difference(number, bound);
  }),
  define(
    'has_date(text)',
    'Whether the text contains a date; `.date` and `.datetime` are the first date found.',
    ["has_date('on 31/01/2022 please').date", '2022-01-31'],
    ([text], call) => {
      const found = findDateIn(text, call);
      if (!found) return { __value__: false, date: null, datetime: null };
      const datetime = dateTimeOf(found, call.timeZone);
      return { __value__: true, date: dateOfDateTime(datetime, call.timeZone), datetime };
    },
  ),
  ...comparisons('has_date', 'date', (text, other, call) => {
    const found = findDateIn(text, call);
    const bound = dateOf(unwrap(other ?? null), call.timeZone);
    if (!found || !bound) return undefined;
    const dayOnly = bound instanceof CalendarDate && found instanceof DateTime;
    return compare(dayOnly ? dateOfDateTime(found, call.timeZone) : found, bound, call);
  }),
  define(
    'has_time(text)',
    'Whether the text contains a time of day; `.match` is the first time found.',
    ["has_time('at 9:30').match", '09:30:00'],
    ([text], call) => {
      const [first] = timesIn(looseText(text, call));
      return first ? { __value__: true, match: first.time } : false;
    },
  ),
  define(
    'has_email(text)',
    'Whether the text contains an e-mail address; `.email` is the first address found.',
    ["has_email('write to a@@b.org!').email", 'a@b.org'],
    ([text], call) => {
      const email = findEmail(looseText(text, call));
      return { __value__: email !== undefined, email: email ?? null };
    },
  ),
  define(
    'has_phone(text, country?)',
    'Whether the text contains a telephone number; `.phonenumber` is that number with its country code.',
    ["has_phone('call 206 779 9294', 'US').phonenumber", '+12067799294'],
    hasPhone,
  ),
];

/** Defines `has_…_eq`, `_gt`, `_gte`, `_lt` and `_lte`: false when either side is missing. */
function comparisons(
  name: string,
  thing: string,
  difference: (text: Value | undefined, other: Value | undefined, call: CallContext) => number | undefined,
) {
  const values = thing === 'number' ? ['7', '7'] : ['31/01/2022', '2022-01-31'];
  const rules = [
    ['eq', 'is', (by: number) => by === 0],
    ['gt', 'is more than', (by: number) => by > 0],
    ['gte', 'is at least', (by: number) => by >= 0],
    ['lt', 'is less than', (by: number) => by < 0],
    ['lte', 'is at most', (by: number) => by <= 0],
  ] as const;
  return rules.map(([suffix, words, holds]) =>
    define(
      `${name}_${suffix}(text, ${thing})`,
      `Whether the first ${thing} in the text ${words} this ${thing}.`,
      [`${name}_${suffix}('it is ${values[0]}', '${values[1]}')`, String(holds(0))],
      ([text, other], call) => {
        const by = difference(text, other, call);
        return by !== undefined && holds(by);
      },
    ),
  );
}

function hasPattern([text, source]: Arguments, call: CallContext): boolean {
  const written = looseText(source, call).trim();
  const pattern = patternOf(written);
  if (typeof pattern === 'string') {
    call.warn(written, pattern);
    return false;
  }
  const subject = looseText(text, call).trim().slice(0, MAX_SUBJECT);
  call.budget.spend((subject.length * pattern.programSize()) >> 6);
  return pattern.matcher(subject).find();
}

export function patternFault(source: string): string | undefined {
  const pattern = patternOf(source.trim());
  return typeof pattern === 'string' ? pattern : undefined;
}

function patternOf(source: string): RE2JS | string {
  let pattern = compiled.get(source);
  if (pattern === undefined) {
    pattern = compile(source);
    compiled.set(source, pattern, 1);
  }
  return pattern;
}

function compile(source: string): RE2JS | string {
  if (source.length > MAX_PATTERN) return `the pattern has more than ${MAX_PATTERN} characters; shorten it`;
  const { RE2JS } = re2();
  try {
    return RE2JS.compile(source, RE2JS.CASE_INSENSITIVE);
  } catch (error) {
    return `the pattern '${source.slice(0, 60)}' is invalid: ${messageOf(error)}`;
  }
}

function numberIn(value: Value | undefined, call: CallContext): Numeric | undefined {
  const plain = unwrap(value ?? null);
  if (typeof plain === 'number' || typeof plain === 'bigint') return plain;
  return findNumber(looseText(plain, call), call.environment);
}

const findDateIn = (text: Value | undefined, call: CallContext): CalendarDate | DateTime | undefined => {
  const plain = unwrap(text ?? null);
  if (plain instanceof CalendarDate || plain instanceof DateTime) return plain;
  return findDate(looseText(plain, call), call.environment, call.timeZone);
};

/** Searches around every `@`: a pattern that begins with the name would be tried at every position of the text. */
function findEmail(text: string): string | undefined {
  for (let at = text.indexOf('@'); at >= 0; at = text.indexOf('@', at + 1)) {
    const name = /[\w.%+'-]{1,64}$/.exec(text.slice(Math.max(0, at - 64), at))?.[0];
    const host = /^(?:[A-Za-z0-9-]{1,63}\.){1,8}[A-Za-z]{2,24}\.?/.exec(text.slice(at + 1, at + 256))?.[0];
    if (name && host) return `${name}@${host}`;
  }
  return undefined;
}

function hasPhone([text, country]: Arguments, call: CallContext): Value {
  call.budget.spend(PHONE_STEPS);
  const locale = isNil(country) ? call.environment : { country: looseText(country, call) };
  const number = findPhone(looseText(text, call), locale) ?? null;
  return { __value__: number !== null, phonenumber: number };
}
