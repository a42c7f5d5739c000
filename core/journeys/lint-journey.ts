import type { Finding } from '../engine/lint/finding.js';
import { type Known, nothingKnown } from '../engine/lint/references.js';

// The checks know every block and expression, which is a third of what importing the platform costs: they come with the first journey.

/** Everything that can be said of a definition without running it, errors first, in the order of the document otherwise. */
export async function lintJourney(definition: unknown, known: Known = nothingKnown): Promise<readonly Finding[]> {
  const { lintJourney: lint } = await import('../engine/lint/lint.js');
  return lint(definition, known);
}

/** Whether it can be run at all, though what it refers to may be missing. */
export async function canRun(definition: unknown): Promise<boolean> {
  const { checkContainer } = await import('../engine/container.js');
  return checkContainer(definition).every(({ severity }) => severity !== 'error');
}
