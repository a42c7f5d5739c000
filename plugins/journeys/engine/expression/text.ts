import { bigInteger, exactJson, type Json } from '#core/basics';
import { withEscapedMarks } from '../contact-text.js';
import { numberText, withoutNoise } from './arithmetic.js';
import type { Budget } from './budget.js';
import { CalendarDate, ClockTime, DateTime, dateText, dateTimeText, timeText } from './calendar.js';
import { Answer, ExpressionError, isList, isMap, Lambda, Missing, Range, unwrap, type Value, type ValueMap } from './value.js';

export interface TextContext {
  readonly budget: Budget;
  readonly timeZone: string;
}

export const FUNCTION_AS_TEXT = "a function cannot be used as text; to test two conditions write 'and' instead of '&'";

/** A value as a template prints it: nil as empty text, lists as their items without a separator, maps as JSON. */
export function valueText(value: Value, writing: TextContext): string {
  if (typeof value === 'string') return value;
  if (value === null) return '';
  if (typeof value === 'number') return numberText(value);
  if (typeof value !== 'object') return String(value);
  return textOfObject(unwrap(value), writing);
}

function textOfObject(value: Value, writing: TextContext): string {
  if (value === null || typeof value !== 'object') return valueText(value, writing);
  if (value instanceof CalendarDate) return dateText(value);
  if (value instanceof DateTime) return dateTimeText(value, writing.timeZone);
  if (value instanceof ClockTime) return timeText(value);
  if (value instanceof Range) return `${value.first}..${value.last}${Math.abs(value.step) === 1 ? '' : `//${value.step}`}`;
  if (value instanceof Missing) return '';
  if (value instanceof Lambda) throw new ExpressionError('bad_argument', FUNCTION_AS_TEXT);
  return isList(value) ? listText(value, writing) : jsonText(value, writing);
}

function listText(list: readonly Value[], writing: TextContext): string {
  return writing.budget.nested(() => {
    let text = '';
    for (const item of list) {
      writing.budget.spend(1);
      text += valueText(item, writing);
      writing.budget.spendText(text.length);
    }
    return text;
  });
}

export function jsonText(value: Value, writing: TextContext): string {
  const text = withEscapedMarks(exactJson(jsonOf(value, writing), withoutNoise));
  writing.budget.spendText(text.length);
  return text;
}

/** Converts the value of an expression to JSON. Unlike `unwrap`, keeps `__value__` and its details. */
export function jsonOf(value: Value, writing: TextContext): Json {
  if (typeof value === 'bigint') return bigInteger(value);
  if (value === null || typeof value !== 'object') return value;
  if (value instanceof Answer) return jsonOf(value.value, writing);
  if (isList(value)) return plainList(value, writing);
  if (isMap(value)) return plainMap(value, writing);
  if (value instanceof Range) return rangeItems(value, writing.budget);
  if (value instanceof Missing || value instanceof Lambda) return null;
  return textOfObject(value, writing);
}

export function rangeItems(range: Range, budget: Budget): readonly number[] {
  budget.spendList(range.length);
  return Array.from({ length: range.length }, (_, i) => range.first + i * range.step);
}

function plainList(list: readonly Value[], writing: TextContext): Json {
  return writing.budget.nested(() =>
    list.map((item) => {
      writing.budget.spend(1);
      return jsonOf(item, writing);
    }),
  );
}

function plainMap(map: ValueMap, writing: TextContext): Json {
  return writing.budget.nested(() => {
    const entries = Object.entries(map).map(([key, item]) => {
      writing.budget.spend(1);
      return [key, jsonOf(item, writing)] as const;
    });
    // Not by assignment, which would set the prototype for a key named __proto__.
    return Object.fromEntries(entries);
  });
}
