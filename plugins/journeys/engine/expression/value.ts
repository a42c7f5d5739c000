import type { AnswerLocale } from '../answers/locale.js';
import { CalendarDate, ClockTime, DateTime } from './calendar.js';

/** The values of expressions: JSON, and types that JSON does not have. */
export type Value =
  | null
  | boolean
  | number
  /** An integer beyond 2^53. Smaller ones are numbers. */
  | bigint
  | string
  | Answer
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

/** The text of a contact's answer: a text like any other, and also the number, date or yes and no that a person reads in it. */
export class Answer {
  readonly text: string;
  /** The text, or a map with the text as its `__value__`. */
  readonly value: Value;
  readonly locale: AnswerLocale;

  constructor(text: string, value: Value, locale: AnswerLocale) {
    this.text = text;
    this.value = value;
    this.locale = locale;
  }
}

/** A range of integers such as `1..10//3`, both ends included. */
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

/** A function such as `&(&1 + 1)`. */
export class Lambda {
  readonly apply: (args: readonly Value[]) => Value;

  constructor(apply: (args: readonly Value[]) => Value) {
    this.apply = apply;
  }
}

/** The value of an unknown name. Templates print its source path. */
export class Missing {
  readonly path: string;

  constructor(path: string) {
    this.path = path;
  }
}

export type ExpressionErrorCode = 'parse' | 'not_a_number' | 'attribute_not_found' | 'bad_argument' | 'too_costly' | 'unknown_function';

/** An error of an expression. Callers of the expression language never see it; they get a warning (`Evaluated`). */
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

/** Whether a value is a map: a plain object. All other object types are classes, so that JSON from outside cannot imitate them. */
export function isMap(value: Value | undefined): value is ValueMap {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const prototype = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

export const isList = (value: Value | undefined): value is readonly Value[] => Array.isArray(value);

/**
 * Returns the `__value__` of a map that has one, else the value. Such a map is compared, calculated with and printed as its `__value__`. The
 * text of an answer, and the integer of a `bigInteger`.
 */
export function unwrap(value: Value): Value {
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Answer) return value.text;
  let plain: Value = value;
  for (let i = 0; i < 8 && isMap(plain) && Object.hasOwn(plain, '__value__'); i++) plain = integerIn(plain) ?? plain.__value__ ?? null;
  return plain;
}

/** Services can send such a map, too. */
const integerIn = ({ __value__: digits, __integer__: isInteger }: ValueMap): bigint | undefined =>
  isInteger === true && typeof digits === 'string' && /^-?\d{16,309}$/.test(digits) ? BigInt(digits) : undefined;

/** Truthiness: only false, nil and unknown names are not true; 0, empty text and empty lists are true. */
export function isTrue(value: Value): boolean {
  const plain = unwrap(value);
  return plain !== null && plain !== false && !(plain instanceof Missing);
}

/** Describes a value in a warning: its type, or a short form of it. */
export function describe(value: Value | undefined): string {
  if (value === null || value === undefined || value instanceof Missing) return 'nil';
  if (typeof value === 'string') return value.length > 40 ? `"${value.slice(0, 40)}…"` : `"${value}"`;
  if (typeof value !== 'object') return String(value);
  if (value instanceof Answer) return describe(value.text);
  if (isList(value)) return 'a list';
  if (value instanceof Lambda) return 'a function';
  if (value instanceof Range) return 'a range';
  return isTemporal(value) ? 'a date or time' : 'a map';
}
