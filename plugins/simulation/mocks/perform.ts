import { readAnswer, TOO_DEEP } from '#core/basics';
import type { JourneysService } from '../../journeys/plugin.js';
import {
  callOf,
  type EffectResult,
  type HttpAnswer,
  type HttpCall,
  type HttpEffect,
  type ModelEffect,
  type Perform,
  type Performer,
  redacted,
  requestText,
} from '../../journeys/plugin.js';
import type { MockSequence } from './mocks.js';

/** How a simulation treats HTTP requests of its journey: a matching mock responds; a request without one is sent, or fails with `failUnmocked`. */
export interface MockedHttp {
  readonly sequence: MockSequence;
  readonly failUnmocked: boolean;
  /** Called with each response to a request that was sent, without secrets. */
  readonly onAnswer?: ((answer: SentRequest) => void) | undefined;
  /** Called with each request, those of skills too. */
  readonly onCall?: ((call: TracedCall) => void) | undefined;
  /** Calls models in place of the connections of the number. */
  readonly model?: Performer<ModelEffect> | undefined;
}

/** A request of a simulation, without secrets. */
export interface TracedCall extends HttpCall {
  /** The mock that responded, counted from 1; null if none did. */
  readonly mock: number | null;
  /** The mock that comes closest of those that did not respond, and why. */
  readonly nearest: string | null;
  readonly answer: HttpAnswer | null;
}

/** A request that was sent for real, and its response. */
export interface SentRequest extends HttpAnswer {
  readonly method: string;
  readonly url: string;
}

/**
 * Performs effects of a simulated journey like those of a real one, with three differences: mocks answer HTTP requests (rules 4 to 6),
 * a missing template gives a warning, and deferred effects run immediately so that the response shows them. Mocks see secrets redacted.
 */
export function simulatedPerformer(
  { journeys }: { readonly journeys: Pick<JourneysService, 'performer'> },
  number: string,
  { sequence, failUnmocked, onAnswer, onCall, model }: MockedHttp,
): Perform {
  const real = journeys.performer(number);

  const http: Performer<HttpEffect> = async (effect) => {
    const call = callOf(requestText(effect, redacted));
    const mocked = sequence.match(call.method, call.url);
    const result = await answerTo(effect, call, mocked);
    if (onCall && 'call' in result) {
      const nearest = sequence.nearest(call.method, call.url, mocked?.position) ?? null;
      const answer = result.kind === 'http' ? result.answer : null;
      onCall({ ...result.call, mock: mocked ? mocked.position + 1 : null, nearest, answer });
    }
    return result;
  };

  async function answerTo(effect: HttpEffect, call: HttpCall, mocked: ReturnType<MockSequence['match']>): Promise<EffectResult> {
    if (mocked) {
      const { mock, params } = mocked;
      const { status, headers, body } = mock;
      const failures = readAnswer(body).error === null ? [] : [TOO_DEEP];
      return { kind: 'http', call: { ...call, params, status, mocked: true, failures }, answer: { status, headers, body } };
    }
    if (failUnmocked) {
      return {
        kind: 'http',
        call: { ...call, failures: [sequence.explainMiss(call.method, call.url)] },
        answer: null,
        error: 'not_mocked',
      };
    }
    const result = await real({ ...effect, cacheMs: 0, deferred: false });
    if (result.kind === 'http' && result.answer) onAnswer?.({ method: call.method, url: call.url, ...result.answer });
    return result;
  }

  return journeys.performer(number, {
    http: async (effect, about) => {
      const result = await http(effect, about);
      return effect.deferred && result.kind === 'http' ? { kind: 'deferred', call: result.call } : result;
    },
    // A simulation sends nothing, so a missing template need not fail the turn.
    template: async (effect) => {
      const result = await real(effect);
      return result.kind === 'failed' ? { kind: 'template', warning: result.reason } : result;
    },
    ...(model && { model }),
  });
}
