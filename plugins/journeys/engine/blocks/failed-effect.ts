import type { EffectResult } from '../effect.js';
import type { Outcome } from './block-type.js';

export function failedEffect(result: EffectResult): Outcome {
  if (result.kind === 'failed') return { kind: 'fail', code: result.code, reason: result.reason };
  return { kind: 'fail', code: 'effect_failed', reason: `unexpected result of kind '${result.kind}'` };
}
