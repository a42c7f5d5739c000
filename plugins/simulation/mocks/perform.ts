import type { PluginContext } from '#core';
import { callOf, type HttpEffect, type Perform, type Performer, readAnswer, redacted, requestText, TOO_DEEP } from '#core/areas';
import type { MockRow } from './mocks.js';

/** What answers the requests of a simulated journey: mocks where they match; what does not match is sent, or refused. */
export interface MockedHttp {
  readonly row: MockRow;
  readonly failUnmocked: boolean;
}

/**
 * What a simulated journey needs of the world. It is what a real one gets, but for its requests (rules 4 to 6), for templates, and for
 * what a real turn does later, which a simulation does at once to show it. Secrets stand by their names in what mocks are compared with.
 */
export function simulatedWorld({ effects }: Pick<PluginContext, 'effects'>, number: string, { row, failUnmocked }: MockedHttp): Perform {
  const real = effects.performer(number);

  const http: Performer<HttpEffect> = async (effect) => {
    const call = callOf(requestText(effect, redacted));
    const mocked = row.take(call.method, call.url);
    if (mocked) {
      const { mock, params } = mocked;
      const { status, headers, body } = mock;
      const failures = readAnswer(body).error === null ? [] : [TOO_DEEP];
      return { kind: 'http', call: { ...call, params, status, mocked: true, failures }, answer: { status, headers, body } };
    }
    if (failUnmocked) {
      return { kind: 'http', call: { ...call, failures: [row.miss(call.method, call.url)] }, answer: null, error: 'not_mocked' };
    }
    return real({ ...effect, cacheMs: 0, deferred: false });
  };

  return effects.performer(number, {
    http: async (effect, about) => {
      const result = await http(effect, about);
      return effect.deferred && result.kind === 'http' ? { kind: 'deferred', call: result.call } : result;
    },
    // Nothing is sent, so a template that the number does not have is shown by its name and parameters, and the turn warns of it.
    template: async (effect) => {
      const result = await real(effect);
      return result.kind === 'failed' ? { kind: 'template', warning: result.reason } : result;
    },
  });
}
