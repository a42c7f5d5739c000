import type { HttpEffect } from '../effect.js';
import type { BlockType, Run } from './block-type.js';
import { numberOf, pairsAt } from './config.js';
import { addressTemplate, bodyTemplate, checkRequest, methodOf, secretTemplate, timeoutOf, withReply } from './http-effect.js';
import { REQUEST } from './settings.js';

const DEFAULT_LENGTH = 10_000;

/**
 * Sends an HTTP request, in the form of release candidate 4: the value is the status, `block.response` the body (parsed when it is
 * JSON), and `block.response_headers` its headers.
 */
export const webhook: BlockType = {
  settings: { ...REQUEST, query_params: 'any', auth: 'ignored', max_content_length: 'any', wait_for_response: 'any' },

  enter: (run) => ({ kind: 'effect', effect: effectOf(run) }),
  performed: (run, result) =>
    withReply(run, result, ({ status, body, json, isJson, headers, error }) => {
      const isTooLong = body !== null && body.length > (numberOf(run.config.max_content_length) ?? DEFAULT_LENGTH);
      const response = isTooLong ? null : isJson ? json : body;
      const failure = isTooLong ? 'too_large' : error;
      return {
        kind: 'continue',
        value: { __value__: status, status, response, headers, error: failure },
        details: { value: status, response, response_headers: headers, ...(failure !== null && { error: failure }) },
      };
    }),
  check: (block, report) => checkRequest(block, report, 'query_params'),
};

const effectOf = (run: Run): HttpEffect => ({
  kind: 'http',
  method: methodOf(run.config.method),
  url: addressTemplate(run, run.config.url),
  query: pairsAt(run.config, 'query_params').map(([name, value]) => [name, secretTemplate(run, value)] as const),
  headers: pairsAt(run.config, 'headers').map(([name, value]) => [name, secretTemplate(run, value)] as const),
  body: bodyTemplate(run, run.config.body),
  timeoutMs: timeoutOf(run.config.timeout),
  cacheMs: 0,
  retry: { max: 0, on: [] },
  deferred: run.config.wait_for_response === false,
});
