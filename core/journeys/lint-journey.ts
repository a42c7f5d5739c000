import type { Finding } from '../engine/lint/finding.js';
import { type AssetLookup, unknownAssets } from '../engine/lint/references.js';

// Imported lazily: the checks load every block and expression, a third of the time to import the platform.

/** Checks a definition without running it. Returns errors first, then warnings, each in document order. */
export async function lintJourney(definition: unknown, hasAsset: AssetLookup = unknownAssets): Promise<readonly Finding[]> {
  const { lintJourney: lint } = await import('../engine/lint/lint.js');
  return lint(definition, hasAsset);
}

/** Whether a definition can run at all; assets that it refers to may be missing. */
export async function canRun(definition: unknown): Promise<boolean> {
  const { checkContainer } = await import('../engine/container.js');
  return checkContainer(definition).every(({ severity }) => severity !== 'error');
}
