import type { EffectResult } from '../effect.js';
import type { Outcome } from './block-type.js';

/** What a block says of a result it cannot go on with. */
export function unperformed(result: EffectResult): Outcome {
  if (result.kind === 'failed') return { kind: 'fail', code: result.code, reason: result.reason };
  return { kind: 'fail', code: 'effect_failed', reason: `a result of kind '${result.kind}' was not expected` };
}
