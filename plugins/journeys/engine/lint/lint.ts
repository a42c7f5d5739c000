import { pointerOf, stepsOf } from '#core/basics';
import { checkJourney } from '../container.js';
import { unknownChannel } from './channel.js';
import { codes } from './codes.js';
import type { Finding } from './finding.js';
import { type AssetLookup, unknownAssets } from './references.js';

/** Checks a definition without running it. Returns errors first, then warnings, each in document order. */
export function lintJourney(definition: unknown, hasAsset: AssetLookup = unknownAssets, channel = unknownChannel): readonly Finding[] {
  const findings = checkJourney(definition, hasAsset, channel).map(({ severity, code, path, block, message }): Finding => {
    const steps = stepsOf(path, definition);
    return { severity, code, path: pointerOf(steps), ...(block !== undefined && { block }), message, fix: codes[code].fix };
  });
  return [...findings.filter(({ severity }) => severity === 'error'), ...findings.filter(({ severity }) => severity === 'warning')];
}
