import { fields, oneOf, type TypeOf, text } from '../../shape.js';
import { checkJourney } from '../container.js';
import { fixes, type ProblemCode } from './codes.js';
import { pointerOf, stepsOf } from './pointer.js';
import { type Known, nothingKnown } from './references.js';

export const findingSchema = fields(
  {
    severity: oneOf('error', 'warning'),
    code: oneOf(...(Object.keys(fixes) as [ProblemCode, ...ProblemCode[]])),
    /** A JSON pointer into the definition. */
    path: text().allow(''),
    message: text(),
    /** What to do about it. */
    fix: text(),
  },
  /** The name of the block it is about. */
  { block: text().allow('') },
);

/** Something an author should know of a journey before it is published. Errors keep it from production. */
export type Finding = TypeOf<typeof findingSchema>;

/** Everything that can be said of a definition without running it, errors first, in the order of the document otherwise. */
export function lintJourney(definition: unknown, known: Known = nothingKnown): readonly Finding[] {
  const findings = checkJourney(definition, known).map(({ severity, code, path, block, message }): Finding => {
    const steps = stepsOf(path, definition);
    return { severity, code, path: pointerOf(steps), ...(block !== undefined && { block }), message, fix: fixes[code] };
  });
  return [...findings.filter(({ severity }) => severity === 'error'), ...findings.filter(({ severity }) => severity === 'warning')];
}
