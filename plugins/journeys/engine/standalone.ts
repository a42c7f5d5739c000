import { type Json, type JsonObject, PlatformError, withTextIntegers } from '#core/basics';
import { compile as compileChecked, type Definition } from './compile.js';
import { type Evaluated, type ExpressionEnvironment, evaluate as evaluateIn, render as renderIn } from './expression/expression.js';
import type { Container } from './floip.js';
import type { Finding } from './lint/finding.js';
import { lintJourney } from './lint/lint.js';
import { seededRandom } from './seeded-random.js';
import type { Environment } from './session.js';

/** Thrown for a definition with errors. `findings` lists the errors as `lint` returns them. */
export class DefinitionInvalid extends PlatformError {
  readonly findings: readonly Finding[];

  constructor(findings: readonly Finding[]) {
    super(
      400,
      'invalid_journey',
      `the journey has errors; the first: ${findings[0]?.path || '/'}: ${findings[0]?.message}. ${findings[0]?.fix}${findings.length > 1 ? ` (${findings.length - 1} more in findings)` : ''}`,
    );
    this.findings = findings;
  }
}

/**
 * Checks and compiles a flow interoperability container for `step`. Compiling the same container twice gives equal definitions.
 * @throws DefinitionInvalid when lint finds errors
 */
export function compile(container: unknown): Definition {
  const errors = lintJourney(container).filter(({ severity }) => severity === 'error');
  if (errors.length > 0) throw new DefinitionInvalid(errors);
  return compileChecked(container as Container);
}

/**
 * The clock, time zone, random seed, and the country and language in which the contact writes. All have fixed defaults, so that equal calls
 * give equal values.
 */
export type EvaluateOptions = Partial<Environment> & Pick<ExpressionEnvironment, 'language'>;

/**
 * Evaluates an expression, written without `@`, such as `contact.age + 1`. Never throws: an expression with an error has the value
 * null, and `warnings` says why. An integer that a double would round is a text.
 * @param context the values of the names in the expression
 */
export function evaluate(expression: string, context: JsonObject = {}, options?: EvaluateOptions): Evaluated<Json> {
  const { value, warnings } = evaluateIn(expression, [context], environmentOf(options));
  return { value: withTextIntegers(value), warnings };
}

/** Renders a template, such as `Hello @contact.name`, as text. Never throws: an expression with an error is printed as written. */
export const render = (template: string, context: JsonObject = {}, options?: EvaluateOptions): Evaluated<string> =>
  renderIn(template, [context], environmentOf(options));

const environmentOf = ({
  now = new Date(0).toISOString(),
  timeZone = 'UTC',
  country,
  language,
  seed = '',
}: EvaluateOptions = {}): ExpressionEnvironment => ({
  now: Date.parse(now),
  timeZone,
  country,
  language,
  random: seededRandom(seed),
});
