import { readDate } from '../answers/dates.js';
import { type Numeric, numericOf, readNumber } from '../answers/numbers.js';
import { readTime } from '../answers/times.js';
import { readYesNo } from '../answers/words.js';
import { add, difference, divide, multiply, remainder, subtract } from './arithmetic.js';
import { CalendarDate, ClockTime, DateTime, dateTimeAt, HOUR_MS, MINUTE_MS, SECOND_MS, wallOfDate } from './calendar.js';
import { parseClockTime, parseDate } from './literals.js';
import type { Operator } from './syntax.js';
import { type TextContext, valueText } from './text.js';
import { Answer, describe, ExpressionError, isList, isMap, isTemporal, Missing, Range, unwrap, type Value } from './value.js';

const NUMERIC = /^\s*[+-]?(?:\d+(?:\.\d+)?|\.\d+)\s*$/;

/**
 * The number of a number, of an answer as a person reads it, or of another text as services and authors write numbers; undefined for other
 * values.
 */
export function numeric(value: Value): Numeric | undefined {
  if (typeof value === 'number') return value;
  if (value instanceof Answer) return readNumber(value.text, value.locale);
  const plain = unwrap(value);
  if (typeof plain === 'number' || typeof plain === 'bigint') return plain;
  return typeof plain === 'string' && plain.length <= 400 && NUMERIC.test(plain) ? numericOf(plain.trim()) : undefined;
}

export function toNumber(value: Value): Numeric {
  const number = numeric(value);
  if (number !== undefined) return number;
  const plain = unwrap(value);
  if (plain instanceof Missing) throw new ExpressionError('attribute_not_found', `@${plain.path} does not exist`);
  if (plain === null) throw new ExpressionError('bad_argument', 'nil is not a number');
  throw new ExpressionError('not_a_number', `${describe(plain)} is not a number`);
}

type Binary = (left: Value, right: Value, writing: TextContext) => Value;

/** The binary operators. The evaluator implements `or` and `and` itself, because they short-circuit. */
export const binaries: Readonly<Record<Exclude<Operator, 'or' | 'and'>, Binary>> = {
  '=': (left, right, writing) => equal(left, right, writing),
  '!=': (left, right, writing) => !equal(left, right, writing),
  '<': (left, right, writing) => compare(left, right, writing) < 0,
  '<=': (left, right, writing) => compare(left, right, writing) <= 0,
  '>': (left, right, writing) => compare(left, right, writing) > 0,
  '>=': (left, right, writing) => compare(left, right, writing) >= 0,
  '&': (left, right, writing) => {
    const text = valueText(left, writing) + valueText(right, writing);
    writing.budget.spendText(text.length);
    return text;
  },
  '+': (left, right) => add(toNumber(left), toNumber(right)),
  '-': (left, right) => subtract(toNumber(left), toNumber(right)),
  '*': (left, right) => multiply(toNumber(left), toNumber(right)),
  '/': (left, right) => divide(toNumber(left), toNumber(right)),
  '%': (left, right) => remainder(toNumber(left), toNumber(right)),
};

/**
 * Equality with casts, since answers are texts: a text compares as a number, boolean or date when the other operand is one, and an answer
 * also as yes or no. A choice equals its label as well as its name, because notebooks compare it with either.
 */
export function equal(a: Value, b: Value, writing: TextContext): boolean {
  const left = absentAsNil(unwrap(a));
  const right = absentAsNil(unwrap(b));
  if (left === right || isLabelled(a, right) || isLabelled(b, left)) return true;
  if (left === null || right === null) return false;
  if (typeof left === 'object' || typeof right === 'object') return equalObjects(answerOr(a, left), answerOr(b, right), writing);
  if (isNumber(left) || isNumber(right)) {
    const [first, second] = [numeric(answerOr(a, left)), numeric(answerOr(b, right))];
    return first !== undefined && second !== undefined && difference(first, second) === 0;
  }
  if (typeof left === typeof right) return false;
  const saysYes = typeof left === 'boolean' ? right === left || yesNo(b) === left : yesNo(a) === right;
  return saysYes || String(left).toLowerCase() === String(right).toLowerCase();
}

const isLabelled = (choice: Value, text: Value): boolean =>
  typeof text === 'string' && isMap(choice) && choice.label === text && Object.hasOwn(choice, '__value__');

const isNumber = (value: Value): boolean => typeof value === 'number' || typeof value === 'bigint';
const yesNo = (value: Value): boolean | undefined => (value instanceof Answer ? readYesNo(value.text) : undefined);
/** An answer itself, which reads more than its text. */
const answerOr = (value: Value, unwrapped: Value): Value => (value instanceof Answer ? value : unwrapped);

const absentAsNil = (value: Value): Value => (value instanceof Missing ? null : value);

function equalObjects(left: Value, right: Value, writing: TextContext): boolean {
  if (isTemporal(left) || isTemporal(right)) {
    const pair = temporalPair(left, right, writing.timeZone);
    return pair !== undefined && pair[0] === pair[1];
  }
  if (left instanceof Range && right instanceof Range) {
    return left.first === right.first && left.last === right.last && left.step === right.step;
  }
  if (isList(left) && isList(right)) {
    return left.length === right.length && writing.budget.nested(() => left.every((item, i) => equalItem(item, right[i], writing)));
  }
  if (!isMap(left) || !isMap(right)) return false;
  const keys = Object.keys(left);
  if (keys.length !== Object.keys(right).length) return false;
  return writing.budget.nested(() => keys.every((key) => Object.hasOwn(right, key) && equalItem(left[key], right[key], writing)));
}

function equalItem(left: Value | undefined, right: Value | undefined, writing: TextContext): boolean {
  writing.budget.spend(1);
  return equal(left ?? null, right ?? null, writing);
}

/** Compares numbers, dates and times, or texts. @throws ExpressionError for values without an order */
export function compare(a: Value, b: Value, writing: TextContext): number {
  const left = unwrap(a);
  const right = unwrap(b);
  const numbers = [numeric(a), numeric(b)] as const;
  if (numbers[0] !== undefined && numbers[1] !== undefined) return difference(numbers[0], numbers[1]);
  if (typeof left === 'object' || typeof right === 'object' || (typeof left === 'string' && typeof right === 'string')) {
    const pair = temporalPair(answerOr(a, left), answerOr(b, right), writing.timeZone);
    if (pair) return pair[0] - pair[1];
  }
  if (typeof left === 'string' && typeof right === 'string') return left < right ? -1 : left > right ? 1 : 0;
  throw noOrder(numbers[0] === undefined ? left : right);
}

function noOrder(value: Value): ExpressionError {
  if (value instanceof Missing) return new ExpressionError('attribute_not_found', `@${value.path} does not exist`);
  if (value === null) return new ExpressionError('bad_argument', 'nil is not a number');
  return new ExpressionError('not_a_number', `${describe(value)} is not a number`);
}

/** Both values in milliseconds, if both are dates or both are times of day, or texts of these; undefined otherwise. */
function temporalPair(left: Value, right: Value, zone: string): readonly [number, number] | undefined {
  const clocks = [clockMs(left), clockMs(right)] as const;
  if (clocks[0] !== undefined && clocks[1] !== undefined && (left instanceof ClockTime || right instanceof ClockTime)) {
    return [clocks[0], clocks[1]];
  }
  const a = dateOf(left, zone);
  const b = a && dateOf(right, zone);
  return a && b ? [instant(a, zone), instant(b, zone)] : undefined;
}

function clockMs(value: Value): number | undefined {
  const time =
    value instanceof ClockTime
      ? value
      : value instanceof Answer
        ? readTime(value.text)
        : typeof value === 'string' && value.includes(':')
          ? parseClockTime(value)
          : undefined;
  return time && time.hour * HOUR_MS + time.minute * MINUTE_MS + time.second * SECOND_MS;
}

export function dateOf(value: Value, zone: string): CalendarDate | DateTime | undefined {
  if (value instanceof CalendarDate || value instanceof DateTime) return value;
  if (value instanceof Answer) return readDate(value.text, value.locale, zone);
  return typeof value === 'string' ? parseDate(value, zone) : undefined;
}

const instant = (date: CalendarDate | DateTime, zone: string): number => dateTimeOf(date, zone).ms;

/** A date as a date-time, at midnight if it has no time. */
export const dateTimeOf = (date: CalendarDate | DateTime, zone: string): DateTime =>
  date instanceof DateTime ? date : dateTimeAt(wallOfDate(date), zone);
