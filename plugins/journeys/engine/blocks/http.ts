import { exactJson, type Json } from '#core/basics';
import { asText, listAt, objectAt } from '../compile.js';
import type { HttpEffect } from '../effect.js';
import { withoutNoise } from '../expression/arithmetic.js';
import type { BlockType, Run } from './block-type.js';
import { numberOf, pairsAt } from './config.js';
import {
  addressTemplate,
  bodyTemplate,
  checkRequest,
  HTTP_TIMEOUT_MS,
  type HttpReply,
  methodOf,
  secretTemplate,
  timeoutOf,
  withReply,
} from './http-effect.js';
import { REQUEST } from './settings.js';

const MAX_RETRIES = 3;
const RETRIED: readonly (number | string)[] = ['timeout', 'unreachable', 429, 502, 503, 504];

/** Sends an HTTP request; the value is `{status, body, json, headers, error}`. A failed request does not fail the block: exits can test its value. */
export const http: BlockType = {
  settings: {
    ...REQUEST,
    query: 'any',
    json: 'any',
    timeout_ms: 'any',
    cache_ttl_ms: 'any',
    mode: 'any',
    retry: { max: 'any', on: 'any' },
  },

  enter: (run) => ({ kind: 'effect', effect: effectOf(run) }),
  performed: (run, result) => withReply(run, result, (reply) => ({ kind: 'continue', value: replyValue(reply) })),

  check(block, report) {
    const { config } = block;
    checkRequest(block, report);
    if (config.json) report.expression('config.json', config.json);
    const timeout = numberOf(config.timeout_ms);
    if (timeout !== undefined && timeout > HTTP_TIMEOUT_MS.max) {
      report.warning('config.timeout_ms', `the maximum time-out is ${HTTP_TIMEOUT_MS.max} ms, which is used instead`);
    }
    const max = numberOf(objectAt(config, 'retry').max);
    if (max !== undefined && max > MAX_RETRIES)
      report.warning('config.retry.max', `the maximum is ${MAX_RETRIES} retries, which is used instead`);
  },
};

const replyValue = ({ isJson: _, ...reply }: HttpReply): Json => ({ __value__: reply.status, ...reply });

function effectOf(run: Run): HttpEffect {
  const { config } = run;
  const headers = pairsAt(config, 'headers').map(([name, value]) => [name, secretTemplate(run, value)] as const);
  const json = typeof config.json === 'string' && config.json !== '' ? exactJson(run.value(config.json), withoutNoise) : undefined;
  const isTyped = headers.some(([name]) => name.toLowerCase() === 'content-type');
  const retry = objectAt(config, 'retry');
  const on = listAt(retry, 'on').map((code) => (typeof code === 'number' ? code : asText(code)));
  return {
    kind: 'http',
    method: methodOf(config.method),
    url: addressTemplate(run, config.url),
    query: pairsAt(config, 'query').map(([name, value]) => [name, secretTemplate(run, value)] as const),
    headers: json === undefined || isTyped ? headers : [...headers, ['content-type', 'application/json']],
    body: json ?? bodyTemplate(run, config.body),
    timeoutMs: timeoutOf(config.timeout_ms),
    cacheMs: Math.max(0, numberOf(config.cache_ttl_ms) ?? 0),
    retry: { max: Math.min(Math.max(0, Math.floor(numberOf(retry.max) ?? 0)), MAX_RETRIES), on: on.length > 0 ? on : RETRIED },
    deferred: config.mode === 'async',
  };
}
