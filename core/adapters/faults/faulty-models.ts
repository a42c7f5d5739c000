import type { Clock } from '../../ports/clock.js';
import type { FaultEffect, Faults } from '../../ports/faults.js';
import type { ModelFailure, ModelOutcome, Models } from '../../ports/model.js';

/** The time that a model gets before a timeout, by the platform's clock. */
const MODEL_TIMEOUT_MS = 60_000;

/** Models whose requests can fail on purpose. */
export const faultyModels = (models: Models, { faults, clock }: { readonly faults: Faults; readonly clock: Clock }): Models => ({
  open(connection) {
    const model = models.open(connection);
    return {
      async generate(request) {
        const fault = faults.fire('model', { model: request.model, vendor: connection.vendor });
        if (!fault) return model.generate(request);
        const { delay_ms: delayMs = 1_000, kind } = fault.effect;
        if (kind === 'delay' || kind === 'timeout') {
          await clock.during(() => clock.sleep(kind === 'delay' ? delayMs : MODEL_TIMEOUT_MS));
          if (kind === 'delay') return model.generate(request);
        }
        return failureOf(fault.effect);
      },
    };
  },
});

const codes: Partial<Record<FaultEffect['kind'], ModelFailure>> = { timeout: 'model_timeout', bad_json: 'model_bad_answer' };

function failureOf({ kind, status = 500 }: FaultEffect): ModelOutcome {
  const ofStatus = status === 429 ? 'model_rate_limited' : status < 500 ? 'model_refused' : 'model_unavailable';
  const code = kind === 'status' ? ofStatus : (codes[kind] ?? 'model_unavailable');
  return { kind: 'failed', code, reason: `a fault rule made this request fail: ${kind === 'status' ? `status ${status}` : kind}` };
}
