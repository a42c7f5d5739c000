import { CalendarDate, ClockTime, DateTime } from './calendar.js';

/** What an expression works with: JSON, and the few things JSON has no word for. */
export type Value =
  | null
  | boolean
  | number
  | string
  | readonly Value[]
  | ValueMap
  | CalendarDate
  | DateTime
  | ClockTime
  | Range
  | Lambda
  | Missing;

export interface ValueMap {
  readonly [key: string]: Value;
}

/** `1..10//3`: whole numbers from the first to the last. */
export class Range {
  readonly first: number;
  readonly last: number;
  readonly step: number;

  constructor(first: number, last: number, step: number) {
    this.first = first;
    this.last = last;
    this.step = step;
  }

  get length(): number {
    return Math.max(0, Math.floor((this.last - this.first) / this.step) + 1);
  }
}

/** `&(&1 + 1)`: something to do with each item of a list. */
export class Lambda {
  readonly apply: (args: readonly Value[]) => Value;

  constructor(apply: (args: readonly Value[]) => Value) {
    this.apply = apply;
  }
}

/** A name that stands for nothing; it remembers how it was written, because a template prints it back. */
export class Missing {
  readonly path: string;

  constructor(path: string) {
    this.path = path;
  }
}

export type ExpressionErrorCode = 'parse' | 'not_a_number' | 'attribute_not_found' | 'bad_argument' | 'too_costly' | 'unknown_function';

/** An expression that has no value. It never leaves the expression language; the outside sees a trouble. */
export class ExpressionError extends Error {
  override readonly name = 'ExpressionError';
  readonly code: ExpressionErrorCode;

  constructor(code: ExpressionErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}

export const isTemporal = (value: Value): value is CalendarDate | DateTime | ClockTime =>
  value instanceof CalendarDate || value instanceof DateTime || value instanceof ClockTime;

/** Maps are plain objects; everything special has a class, which no JSON can pretend to have. */
export function isMap(value: Value | undefined): value is ValueMap {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const prototype = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

export const isList = (value: Value | undefined): value is readonly Value[] => Array.isArray(value);

/** The plain value of a map that has one: `{__value__, name, label}` counts and prints as its `__value__`. */
export function unwrap(value: Value): Value {
  let plain = value;
  for (let i = 0; i < 8 && isMap(plain) && Object.hasOwn(plain, '__value__'); i++) plain = plain.__value__ ?? null;
  return plain;
}

/** Only null, missing and false are not true; zero, empty text and empty lists are. */
export function isTrue(value: Value): boolean {
  const plain = unwrap(value);
  return plain !== null && plain !== false && !(plain instanceof Missing);
}

/** What a value is called in a message to an author. */
export function nameOf(value: Value | undefined): string {
  if (value === null || value === undefined || value instanceof Missing) return 'nil';
  if (typeof value === 'string') return value.length > 40 ? `"${value.slice(0, 40)}…"` : `"${value}"`;
  if (typeof value !== 'object') return String(value);
  if (isList(value)) return 'a list';
  if (value instanceof Lambda) return 'a function';
  if (value instanceof Range) return 'a range';
  return isTemporal(value) ? 'a date or time' : 'a map';
}
