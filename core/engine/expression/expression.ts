import { messageOf } from '../../errors.js';
import type { Json } from '../../json.js';
import type { Meter } from './budget.js';
import { Evaluation, type Trouble } from './evaluate.js';
import type { ExpressionEnvironment } from './functions/define.js';
import { machineDate, wholeDate } from './literals.js';
import { dateTimeOf } from './operators.js';
import type { Scope } from './scope.js';
import { plainOf } from './text.js';
import { ExpressionError, isTrue } from './value.js';

export type { Meter } from './budget.js';
export type { Trouble } from './evaluate.js';
export type { ExpressionEnvironment } from './functions/define.js';
export type { Scope } from './scope.js';

/** A value, and what was wrong on the way. Nothing here ever throws. */
export interface Evaluated<T> {
  readonly value: T;
  readonly troubles: readonly Trouble[];
}

/** The value of an expression, written without `@`; nil when it has none. */
export const evaluate = (source: string, scope: Scope, environment: ExpressionEnvironment, meter?: Meter): Evaluated<Json> =>
  safely(source, null, scope, environment, meter, (evaluation) => plainOf(evaluation.expression(source), evaluation.call));

/** Whether an expression is true. One that cannot be worked out is not. */
export const holds = (source: string, scope: Scope, environment: ExpressionEnvironment, meter?: Meter): Evaluated<boolean> =>
  safely(source, false, scope, environment, meter, (evaluation) => isTrue(evaluation.expression(source)));

/** A template as text; one over the limit of a source prints as nothing, so that its expressions never reach a contact. */
export const render = (source: string, scope: Scope, environment: ExpressionEnvironment, meter?: Meter): Evaluated<string> =>
  source.includes('@')
    ? safely(source, '', scope, environment, meter, (evaluation) => evaluation.template(source))
    : { value: source, troubles: [] };

/** The value of a template: typed when it is a single block, text otherwise; nil when the single block has none. */
export const resolve = (source: string, scope: Scope, environment: ExpressionEnvironment, meter?: Meter): Evaluated<Json> =>
  source.includes('@')
    ? safely<Json>(source, null, scope, environment, meter, (evaluation) => plainOf(evaluation.templateValue(source), evaluation.call))
    : { value: source, troubles: [] };

/** The moment that a text spells as the language or machines write dates, in milliseconds since 1970: midnight of a day without a time. */
export function dateTimeIn(text: string, timeZone: string): number | undefined {
  const date = wholeDate(text, timeZone) ?? machineDate(text, timeZone);
  return date && dateTimeOf(date, timeZone).ms;
}

function safely<T>(
  source: string,
  otherwise: T,
  scope: Scope,
  environment: ExpressionEnvironment,
  meter: Meter | undefined,
  work: (evaluation: Evaluation) => T,
): Evaluated<T> {
  const evaluation = new Evaluation(scope, environment, meter);
  try {
    return { value: work(evaluation), troubles: evaluation.troubles };
  } catch (error) {
    // Anything else would be a bug of ours; an author's journey goes on all the same, and the trouble says what happened.
    const code = error instanceof ExpressionError ? error.code : 'bad_argument';
    const reason = messageOf(error);
    return { value: otherwise, troubles: [...evaluation.troubles, { expression: source, code, reason }] };
  }
}
