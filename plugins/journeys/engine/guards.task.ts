import type { JsonObject } from '#core/basics';
import { objectAt } from './compile.js';
import { ConversationEnvironment } from './conversation-environment.js';
import { type ExpressionWarning, holds } from './expression/expression.js';
import { type WithModules, withModules } from './language.js';
import { JOURNEY_LIMITS } from './limits.js';
import { seededRandom } from './seeded-random.js';
import type { Environment } from './session.js';

export interface GuardsInput {
  /** Conditions of triggers, in the order in which their journeys are tried. */
  readonly guards: readonly string[];
  /** `contact`, `event` and the other names that a new session would have. */
  readonly context: JsonObject;
  readonly environment: Environment;
}

export interface GuardsOutput {
  /** The position of the first condition that is true; -1 if none is. */
  readonly first: number;
  readonly warnings: readonly ExpressionWarning[];
}

/** Finds the first condition that is true. A condition with an error is false, with a warning. All share one budget. */
export function firstTrueGuard({ guards, context, environment }: GuardsInput): GuardsOutput {
  const conversation = { globals: context, contact: objectAt(context, 'contact') };
  const around = new ConversationEnvironment(environment, seededRandom(environment.seed), conversation);
  const meter = { remaining: JOURNEY_LIMITS.expressions };
  const warnings: ExpressionWarning[] = [];
  const first = guards.findIndex((guard) => {
    const found = holds(guard, [context], around, meter);
    warnings.push(...found.warnings);
    return found.value;
  });
  return { first, warnings };
}

export default (input: GuardsInput & WithModules): GuardsOutput | Promise<GuardsOutput> => withModules(input, () => firstTrueGuard(input));
