import { PlatformError } from '../errors.js';
import type { Json, JsonObject } from '../json.js';
import { chance } from './chance.js';
import { compile as compileChecked, type Definition } from './compile.js';
import { type Evaluated, type ExpressionEnvironment, evaluate as evaluateIn, render as renderIn } from './expression/expression.js';
import type { Container } from './floip.js';
import type { Finding } from './lint/finding.js';
import { lintJourney } from './lint/lint.js';
import type { Environment } from './session.js';

/** A definition that cannot be run. `findings` has its errors, as `lint` returns them. */
export class DefinitionInvalid extends PlatformError {
  readonly findings: readonly Finding[];

  constructor(findings: readonly Finding[]) {
    super(
      400,
      'invalid_journey',
      `the journey cannot be run: ${findings[0]?.message}${findings.length > 1 ? `, and ${findings.length - 1} more` : ''}`,
    );
    this.findings = findings;
  }
}

/**
 * Checks a flow interoperability container and makes it ready for `step`. Compiling the same container twice gives equal definitions.
 * @throws DefinitionInvalid
 */
export function compile(container: unknown): Definition {
  const errors = lintJourney(container).filter(({ severity }) => severity === 'error');
  if (errors.length > 0) throw new DefinitionInvalid(errors);
  return compileChecked(container as Container);
}

/** What an expression may ask for beyond its context. Each has a default, so that equal calls give equal values. */
export type EvaluateOptions = Partial<Environment>;

/**
 * The value of an expression, written without `@`, such as `contact.age + 1`; null when it has none. Never throws: `troubles` says what
 * was wrong.
 * @param context what the names of the expression mean
 */
export const evaluate = (expression: string, context: JsonObject = {}, options?: EvaluateOptions): Evaluated<Json> =>
  evaluateIn(expression, [context], environmentOf(options));

/** A template as text: what stands in it after `@` is evaluated, as in `Hello @contact.name`. Never throws. */
export const render = (template: string, context: JsonObject = {}, options?: EvaluateOptions): Evaluated<string> =>
  renderIn(template, [context], environmentOf(options));

const environmentOf = ({
  now = new Date(0).toISOString(),
  timeZone = 'UTC',
  country,
  seed = '',
}: EvaluateOptions = {}): ExpressionEnvironment => ({
  now: Date.parse(now),
  timeZone,
  country,
  random: chance(seed),
});
