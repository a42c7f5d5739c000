import { type Json, messageOf } from '#core/basics';
import type { TemplatePart } from '../contact-text.js';
import type { Meter } from './budget.js';
import { Evaluation, type ExpressionWarning } from './evaluate.js';
import type { ExpressionEnvironment } from './functions/define.js';
import { parseDate, parseMachineDate } from './literals.js';
import { dateTimeOf } from './operators.js';
import type { Scope } from './scope.js';
import { jsonOf } from './text.js';
import { Answer, ExpressionError, isTrue, type Value } from './value.js';

export type { Meter } from './budget.js';
export type { ExpressionWarning } from './evaluate.js';
export type { ExpressionEnvironment } from './functions/define.js';
export type { Scope } from './scope.js';

/** A value, and warnings about its evaluation. The functions here never throw. */
export interface Evaluated<T> {
  readonly value: T;
  /** The value is the text of a contact's answer. */
  readonly isAnswer?: true;
  readonly warnings: readonly ExpressionWarning[];
}

/** Evaluates an expression, written without `@`; null when it has no value. */
export const evaluate = (source: string, scope: Scope, environment: ExpressionEnvironment, meter?: Meter): Evaluated<Json> =>
  withAnswer(
    safely<Json | Answer>(source, null, scope, environment, meter, (evaluation) => jsonOrAnswer(evaluation.expression(source), evaluation)),
  );

/** Whether an expression is true. False for an expression with an error. */
export const holds = (source: string, scope: Scope, environment: ExpressionEnvironment, meter?: Meter): Evaluated<boolean> =>
  safely(source, false, scope, environment, meter, (evaluation) => isTrue(evaluation.expression(source)));

/** Renders a template as text; empty when the template exceeds the length limit, so that contacts never see its source. */
export const render = (source: string, scope: Scope, environment: ExpressionEnvironment, meter?: Meter): Evaluated<string> =>
  source.includes('@')
    ? safely(source, '', scope, environment, meter, (evaluation) => evaluation.template(source))
    : { value: source, warnings: [] };

/** Like `render`, in parts; none when the template exceeds the length limit. */
export const renderParts = (
  source: string,
  scope: Scope,
  environment: ExpressionEnvironment,
  meter?: Meter,
): Evaluated<readonly TemplatePart[]> =>
  safely<readonly TemplatePart[]>(source, [], scope, environment, meter, (evaluation) => evaluation.templateParts(source));

/** Evaluates a template: the typed value when it is a single expression (null when it has none), else a text. */
export const resolve = (source: string, scope: Scope, environment: ExpressionEnvironment, meter?: Meter): Evaluated<Json> =>
  source.includes('@')
    ? withAnswer(
        safely<Json | Answer>(source, null, scope, environment, meter, (evaluation) =>
          jsonOrAnswer(evaluation.templateValue(source), evaluation),
        ),
      )
    : { value: source, warnings: [] };

/**
 * Parses a date in the formats of the language, ISO 8601 or RFC 2822. Returns milliseconds since 1970; a date without a time is midnight.
 */
export function dateTimeIn(text: string, timeZone: string): number | undefined {
  const date = parseDate(text, timeZone) ?? parseMachineDate(text, timeZone);
  return date && dateTimeOf(date, timeZone).ms;
}

const jsonOrAnswer = (value: Value, { call }: Evaluation): Json | Answer => (value instanceof Answer ? value : jsonOf(value, call));

const withAnswer = (evaluated: Evaluated<Json | Answer>): Evaluated<Json> => {
  const { value, warnings } = evaluated;
  return value instanceof Answer ? { value: value.text, isAnswer: true, warnings } : (evaluated as Evaluated<Json>);
};

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
    return { value: work(evaluation), warnings: evaluation.warnings };
  } catch (error) {
    // Other exceptions are bugs of the engine; the journey continues, and the warning has the message.
    const code = error instanceof ExpressionError ? error.code : 'bad_argument';
    const reason = messageOf(error);
    return { value: otherwise, warnings: [...evaluation.warnings, { expression: source, code, reason }] };
  }
}
