import { type Json, messageOf } from '#core/basics';
import type { Budget } from '../budget.js';
import { jsonOf } from '../text.js';
import { ExpressionError, type Value } from '../value.js';
import { define, type FunctionDefinition } from './define.js';

/** A function of expressions, ours or of a plugin. */
export type ExpressionFunction = Pick<FunctionDefinition, 'name' | 'signature' | 'summary' | 'example'>;

/**
 * Declares a function for expressions: `functionType('celsius(fahrenheit)', 'Converts a temperature.', ['celsius(50)', '10'], ([f]) => …)`.
 * @param signature name and parameters; `?` marks an optional one, `...` a repeated one
 * @param summary what it does, in completions
 * @param example a call, and the text that a template prints for it
 * @param run computes the value, and depends on its arguments only; dates are texts. Its exception becomes the warning of the expression
 */
export const functionType = (
  signature: string,
  summary: string,
  example: readonly [expression: string, printed: string],
  run: (args: readonly (Json | undefined)[]) => Json,
): ExpressionFunction =>
  define(signature, summary, example, (args, call) => {
    const given = args.map((arg) => jsonOf(arg, call));
    let value: unknown;
    try {
      value = run(given);
    } catch (error) {
      throw new ExpressionError('bad_argument', messageOf(error));
    }
    return plain(value, call.budget, signature);
  });

/** A value without anything that JSON does not have, at its cost. */
function plain(value: unknown, budget: Budget, signature: string): Value {
  budget.spend(1);
  if (value === null || value === undefined) return null;
  if (typeof value === 'string') budget.spendText(value.length);
  if (typeof value === 'string' || typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value))) return value;
  if (Array.isArray(value)) {
    budget.spendList(value.length);
    return budget.nested(() => value.map((item) => plain(item, budget, signature)));
  }
  const isObject = typeof value === 'object' && [Object.prototype, null].includes(Object.getPrototypeOf(value));
  if (!isObject) throw new ExpressionError('bad_argument', `${signature} has a value that is not JSON: ${String(value).slice(0, 40)}`);
  return budget.nested(() => Object.fromEntries(Object.entries(value).map(([key, item]) => [key, plain(item, budget, signature)])));
}
