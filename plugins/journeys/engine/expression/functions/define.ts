import type { Numeric } from '../../answers/numbers.js';
import { withoutNoise } from '../arithmetic.js';
import type { Budget } from '../budget.js';
import type { CalendarDate, DateTime } from '../calendar.js';
import { dateOf, dateTimeOf, numeric, toNumber } from '../operators.js';
import { rangeItems, type TextContext, valueText } from '../text.js';
import {
  Answer,
  describe,
  ExpressionError,
  isList,
  isMap,
  isTemporal,
  Lambda,
  Missing,
  Range,
  unwrap,
  type Value,
  type ValueMap,
} from '../value.js';

export interface ExpressionEnvironment {
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly timeZone: string;
  /** The country in which contacts write telephone numbers and dates: ISO 3166-1 alpha-2. */
  readonly country?: string | undefined;
  /** The language in which the contact writes numbers and months: ISO 639 or BCP 47. */
  readonly language?: string | undefined;
  /** Whether the value of a path is the text of a contact's answer, such as `['age']` or `['block', 'value']`. By default none is. */
  readonly isAnswer?: ((path: readonly string[]) => boolean) | undefined;
  /**
   * The value of a name with the text of contacts in it marked (`contact-text.ts`); undefined for a value without such text. By default all
   * values are.
   */
  readonly typed?: ((name: string, value: Value) => Value | undefined) | undefined;
  /** The next random number, `0 <= n < 1`. */
  readonly random: () => number;
}

export interface CallContext extends TextContext {
  readonly budget: Budget;
  readonly environment: ExpressionEnvironment;
  /** Adds a warning about a call that nevertheless has a value. */
  readonly warn: (expression: string, reason: string) => void;
}

export type Arguments = readonly Value[];
type Run = (args: Arguments, call: CallContext) => Value;
type RunLazily = (args: readonly (() => Value)[]) => Value;

export interface FunctionDefinition {
  readonly name: string;
  /** As authors write it: `?` marks an optional parameter, `...` a repeated one. */
  readonly signature: string;
  readonly summary: string;
  /** An expression, and the text that a template prints for it. A test runs it. */
  readonly example: readonly [expression: string, printed: string];
  readonly minArguments: number;
  readonly maxArguments: number;
  readonly run?: Run;
  /** For functions that do not evaluate all their arguments. */
  readonly runLazily?: RunLazily;
}

/** Defines a function: `define('left(text, count)', summary, ["left('abc', 2)", 'ab'], run)`. The signature determines name and arity. */
export const define = (signature: string, summary: string, example: readonly [string, string], run: Run): FunctionDefinition => ({
  ...shapeOf(signature),
  signature,
  summary,
  example,
  run,
});

/** Like `define`, for a function that evaluates its arguments itself. */
export const defineLazy = (
  signature: string,
  summary: string,
  example: readonly [string, string],
  runLazily: RunLazily,
): FunctionDefinition => ({ ...shapeOf(signature), signature, summary, example, runLazily });

function shapeOf(signature: string): { name: string; minArguments: number; maxArguments: number } {
  const [name = '', inside = ''] = signature.slice(0, -1).split('(');
  const parameters = inside === '' ? [] : inside.split(', ');
  const repeated = parameters.some((parameter) => parameter.endsWith('...'));
  const minArguments = parameters.filter((parameter) => !parameter.endsWith('?') && !parameter.endsWith('...')).length;
  return { name, minArguments, maxArguments: repeated ? Number.POSITIVE_INFINITY : parameters.length };
}

const argumentError = (value: Value | undefined, wanted: string): ExpressionError =>
  new ExpressionError('bad_argument', `${describe(value)} is not ${wanted}`);

const plainArgument = (value: Value | undefined): Value => {
  const plain = unwrap(value ?? null);
  return plain instanceof Missing ? null : plain;
};

const answerOrPlain = (value: Value | undefined): Value => (value instanceof Answer ? value : plainArgument(value));

/** A text, or another scalar as text. @throws ExpressionError for nil, lists, maps, ranges and functions */
export function textArgument(value: Value | undefined, call: CallContext): string {
  const plain = plainArgument(value);
  if (plain === null || isList(plain) || isMap(plain) || plain instanceof Lambda || plain instanceof Range)
    throw argumentError(plain, 'text');
  return valueText(plain, call);
}

/** Any value as text; empty for a missing one. */
export function looseText(value: Value | undefined, call: CallContext): string {
  return valueText(value ?? null, call);
}

export function numberArgument(value: Value | undefined): Numeric {
  return toNumber(answerOrPlain(value));
}

export function integerArgument(value: Value | undefined): number {
  const number = numberArgument(value);
  if (typeof number === 'bigint') throw argumentError(number, 'an integer below 2^53');
  const whole = withoutNoise(number);
  if (!Number.isSafeInteger(whole)) throw argumentError(whole, 'an integer');
  return whole;
}

export function countArgument(value: Value | undefined): number {
  const number = integerArgument(value);
  if (number < 0) throw argumentError(number, 'zero or more');
  return number;
}

export function listArgument(value: Value | undefined, call: CallContext): readonly Value[] {
  const plain = plainArgument(value);
  if (plain instanceof Range) return rangeItems(plain, call.budget);
  if (!isList(plain)) throw argumentError(plain, 'a list');
  call.budget.spendList(plain.length);
  return plain;
}

/** A map with all its keys; unlike other arguments it is not replaced by its `__value__`. */
export function mapArgument(value: Value | undefined): ValueMap {
  if (!isMap(value)) throw argumentError(value, 'a map');
  return value;
}

export function lambdaArgument(value: Value | undefined): Lambda {
  if (!(value instanceof Lambda)) throw argumentError(value, 'a function such as &(&1)');
  return value;
}

export function dateArgument(value: Value | undefined, call: CallContext): CalendarDate | DateTime {
  const plain = answerOrPlain(isMap(value) && isTemporal(value.date ?? null) ? value.date : value);
  const date = dateOf(plain, call.timeZone);
  if (!date) throw argumentError(plain, 'a date');
  return date;
}

export function dateTimeArgument(value: Value | undefined, call: CallContext): DateTime {
  return dateTimeOf(dateArgument(value, call), call.timeZone);
}

export const isNil = (value: Value | undefined): boolean => plainArgument(value) === null;

export const numericArgument = (value: Value | undefined): Numeric | undefined => numeric(answerOrPlain(value));
