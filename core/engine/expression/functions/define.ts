import type { Budget } from '../budget.js';
import type { CalendarDate, DateTime } from '../calendar.js';
import { dateOf, dateTimeOf, numeric, toNumber } from '../operators.js';
import { rangeItems, textOf, type Writing } from '../text.js';
import { ExpressionError, isList, isMap, isTemporal, Lambda, Missing, nameOf, Range, unwrap, type Value, type ValueMap } from '../value.js';

/** What expressions know of the world. */
export interface ExpressionEnvironment {
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly timeZone: string;
  /** Where telephone numbers without a country are from, as two capital letters. */
  readonly country?: string | undefined;
  /** The next number of a row of chance, from 0 up to but not 1. */
  readonly random: () => number;
}

/** What a function is given beside its arguments. */
export interface Call extends Writing {
  readonly budget: Budget;
  readonly environment: ExpressionEnvironment;
  /** Says what is wrong with something that has a value all the same. */
  readonly warn: (expression: string, reason: string) => void;
}

export type Arguments = readonly Value[];
type Run = (args: Arguments, call: Call) => Value;
type RunLazily = (args: readonly (() => Value)[]) => Value;

/** One function of the language: everything that is known of it, in one place. */
export interface FunctionDefinition {
  readonly name: string;
  /** As an author writes it: `?` marks what may be left out, `...` what may be repeated. */
  readonly signature: string;
  readonly summary: string;
  /** An expression, and what a template prints for it. */
  readonly example: readonly [expression: string, printed: string];
  readonly least: number;
  readonly most: number;
  readonly run?: Run;
  /** For functions that do not need all of their arguments. */
  readonly runLazily?: RunLazily;
}

/** `define('left(text, count)', 'The first characters of a text.', ["left('abc', 2)", 'ab'], run)`; the signature gives name and arity. */
export const define = (signature: string, summary: string, example: readonly [string, string], run: Run): FunctionDefinition => ({
  ...shape(signature),
  signature,
  summary,
  example,
  run,
});

/** As `define`, for a function that evaluates its arguments itself. */
export const defineLazy = (
  signature: string,
  summary: string,
  example: readonly [string, string],
  runLazily: RunLazily,
): FunctionDefinition => ({ ...shape(signature), signature, summary, example, runLazily });

function shape(signature: string): { name: string; least: number; most: number } {
  const [name = '', inside = ''] = signature.slice(0, -1).split('(');
  const parameters = inside === '' ? [] : inside.split(', ');
  const repeated = parameters.some((parameter) => parameter.endsWith('...'));
  const least = parameters.filter((parameter) => !parameter.endsWith('?') && !parameter.endsWith('...')).length;
  return { name, least, most: repeated ? Number.POSITIVE_INFINITY : parameters.length };
}

const wrong = (value: Value | undefined, wanted: string): ExpressionError =>
  new ExpressionError('bad_argument', `${nameOf(value)} is not ${wanted}`);

const settled = (value: Value | undefined): Value => {
  const plain = unwrap(value ?? null);
  return plain instanceof Missing ? null : plain;
};

/** Text, or what has a plain text of its own. */
export function textArgument(value: Value | undefined, call: Call): string {
  const plain = settled(value);
  if (plain === null || isList(plain) || isMap(plain) || plain instanceof Lambda || plain instanceof Range) throw wrong(plain, 'text');
  return textOf(plain, call);
}

/** Text for a test: what is not there is empty text. */
export function looseText(value: Value | undefined, call: Call): string {
  return textOf(value ?? null, call);
}

export function numberArgument(value: Value | undefined): number {
  return toNumber(settled(value));
}

export function integerArgument(value: Value | undefined): number {
  const number = numberArgument(value);
  if (!Number.isSafeInteger(number)) throw wrong(number, 'a whole number');
  return number;
}

export function countArgument(value: Value | undefined): number {
  const number = integerArgument(value);
  if (number < 0) throw wrong(number, 'zero or more');
  return number;
}

export function listArgument(value: Value | undefined, call: Call): readonly Value[] {
  const plain = settled(value);
  if (plain instanceof Range) return rangeItems(plain, call.budget);
  if (!isList(plain)) throw wrong(plain, 'a list');
  call.budget.spendList(plain.length);
  return plain;
}

/** Maps keep their details here: `__value__` is not taken in their place. */
export function mapArgument(value: Value | undefined): ValueMap {
  if (!isMap(value)) throw wrong(value, 'a map');
  return value;
}

export function lambdaArgument(value: Value | undefined): Lambda {
  if (!(value instanceof Lambda)) throw wrong(value, 'a function such as &(&1)');
  return value;
}

/** A date, a date with a time, or text that spells one. */
export function dateArgument(value: Value | undefined, call: Call): CalendarDate | DateTime {
  const plain = settled(isMap(value) && isTemporal(value.date ?? null) ? value.date : value);
  const date = dateOf(plain, call.timeZone);
  if (!date) throw wrong(plain, 'a date');
  return date;
}

export function dateTimeArgument(value: Value | undefined, call: Call): DateTime {
  return dateTimeOf(dateArgument(value, call), call.timeZone);
}

/** Absent arguments and nil alike. */
export const isNil = (value: Value | undefined): boolean => settled(value) === null;

export const numericArgument = (value: Value | undefined): number | undefined => numeric(settled(value));
