import type { HttpEffect } from '../effect.js';
import type { BlockType, Run } from './block-type.js';
import { numberOf, pairsAt } from './config.js';
import { addressTemplate, bodyTemplate, checkRequest, methodOf, secretTemplate, timeoutOf, withReply } from './http-effect.js';
import { REQUEST } from './settings.js';

/** Sends an HTTP request, in the format of notebooks: `body` is the parsed value when the response is JSON. */
export const notebookWebhook: BlockType = {
  settings: { ...REQUEST, query: 'any', cache_ttl: 'any', mode: 'any' },

  enter: (run) => ({ kind: 'effect', effect: effectOf(run) }),
  performed: (run, result) =>
    withReply(run, result, ({ status, body, json, isJson, headers, error }) => ({
      kind: 'continue',
      value: { __value__: status, status, body: isJson ? json : body, headers, error },
    })),
  check: (block, report) => checkRequest(block, report),
};

const DEFAULT_CACHE_MS = 60_000;

const effectOf = (run: Run): HttpEffect => ({
  kind: 'http',
  method: methodOf(run.config.method),
  url: addressTemplate(run, run.config.url),
  query: pairsAt(run.config, 'query').map(([name, value]) => [name, secretTemplate(run, value)] as const),
  headers: pairsAt(run.config, 'headers').map(([name, value]) => [name, secretTemplate(run, value)] as const),
  body: bodyTemplate(run, run.config.body),
  timeoutMs: timeoutOf(run.config.timeout),
  cacheMs: Math.max(0, numberOf(run.config.cache_ttl) ?? DEFAULT_CACHE_MS),
  retry: { max: 0, on: [] },
  deferred: run.config.mode === 'async',
});
