import type { HttpOutcome, PluginContext } from '#core';
import { readJsonText, readShownJson, TOO_DEEP } from '#core/basics';
import { isPacked } from '#core/ports';
import type { EffectResult, HttpAnswer, HttpCall, HttpEffect } from '../engine/effect.js';
import { JOURNEY_LIMITS } from '../engine/limits.js';
import { callOf, requestText } from '../running/http-request.js';
import type { Performer } from '../running/performers.js';
import { type JourneySecrets, redactor } from '../secrets/secrets.js';
import type { HttpCache } from './http-cache.js';

const RETRY_AFTER_MS = 500;

/** The outcome of one attempt: the response, an error code, and a sentence for each failure. */
interface CallOutcome {
  readonly answer: HttpAnswer | null;
  readonly error?: string;
  readonly failures: readonly string[];
}

/**
 * Sends requests of journeys. Inserts secrets into the request, and redacts them in the response and in the record of the call.
 * The HTTP client blocks private addresses.
 */
export function performHttp(
  { http, clock }: Pick<PluginContext, 'http' | 'clock'>,
  secrets: JourneySecrets,
  cache: HttpCache,
): Performer<HttpEffect> {
  return async (effect, { number }): Promise<EffectResult> => {
    const values = await secrets.values(number);
    const hide = redactor(values);
    const request = withUserAgent(requestText(effect, (name) => values.get(name) ?? ''));
    const call = withoutSecrets(callOf(request), hide);
    if (effect.deferred) return { kind: 'deferred', call };
    const missing = namesIn(effect).find((name) => !values.has(name));
    if (missing !== undefined) return failed(call, 'unknown_secret', [`secret ${missing} not found`]);
    if (Buffer.byteLength(request.body ?? '') > JOURNEY_LIMITS.payload) {
      return failed(call, 'too_large', [`request larger than ${JOURNEY_LIMITS.payload} bytes`]);
    }

    const key = effect.method === 'GET' && effect.cacheMs > 0 ? JSON.stringify([number, request]) : undefined;
    const known = key === undefined ? undefined : cache.get(key);
    if (known) return { kind: 'http', call: { ...call, status: known.status }, answer: known };

    const failures: string[] = [];
    for (let attempt = 0; ; attempt++) {
      const { answer, error, failures: found } = readOutcome(await sendOnce(request), effect, hide);
      failures.push(...found);
      if (attempt < effect.retry.max && isRetried(effect, answer, error)) {
        await clock.sleep(RETRY_AFTER_MS * 2 ** attempt, undefined, {
          kind: 'http_retry',
          title: `retry of ${call.method} ${call.url} of a journey`,
        });
        continue;
      }
      if (!answer) return failed(call, error ?? 'unreachable', failures);
      const isGood = answer.status >= 200 && answer.status < 300 && error === undefined;
      if (key !== undefined && isGood) cache.set(key, answer, effect.cacheMs);
      return { kind: 'http', call: { ...call, status: answer.status, failures }, answer, ...(error !== undefined && { error }) };
    }

    function sendOnce({ method, url, headers, body }: typeof request): Promise<HttpOutcome> {
      return http.send({
        method,
        url,
        headers,
        ...(body !== null && { body }),
        deadlineMs: effect.timeoutMs,
        maxResponseBytes: JOURNEY_LIMITS.payload,
      });
    }
  };
}

/** Added here and not only by the HTTP client, because the record of the call shows it. */
function withUserAgent(request: ReturnType<typeof requestText>): typeof request {
  const hasOwn = Object.keys(request.headers).some((name) => name.toLowerCase() === 'user-agent');
  return hasOwn ? request : { ...request, headers: { 'User-Agent': 'Posthorn', ...request.headers } };
}

const failed = (call: HttpCall, error: string, failures: readonly string[]): EffectResult => ({
  kind: 'http',
  call: { ...call, failures },
  answer: null,
  error,
});

const namesIn = ({ url, query, headers, body }: HttpEffect): readonly string[] =>
  [url, ...query.map(([, value]) => value), ...headers.map(([, value]) => value), body ?? ''].flatMap((written) =>
    typeof written === 'string' ? [] : written.flatMap((part) => (typeof part === 'string' ? [] : part.secret)),
  );

function readOutcome(outcome: HttpOutcome, { timeoutMs }: HttpEffect, hide: (text: string) => string): CallOutcome {
  if (outcome.kind === 'timeout') return { answer: null, error: 'timeout', failures: [`timeout after ${timeoutMs} ms`] };
  if (outcome.kind === 'unreachable') {
    if (outcome.code === 'BLOCKED_ADDRESS') return { answer: null, error: 'blocked_address', failures: ['blocked address'] };
    const error = outcome.code === 'BAD_URL' || outcome.code === 'BAD_REQUEST' ? 'invalid_request' : 'unreachable';
    return { answer: null, error, failures: [hide(outcome.reason)] };
  }
  if (outcome.cut) return { answer: null, error: 'too_large', failures: [`response larger than ${JOURNEY_LIMITS.payload} bytes`] };
  const headers = Object.fromEntries(Object.entries(outcome.headers).map(([name, value]) => [name, hide(value)]));
  if (outcome.body.byteLength > 0 && isPacked(outcome.headers)) {
    const answer = { status: outcome.status, headers, body: null };
    return { answer, error: 'encoded', failures: ['the response has a content-encoding, although the request asked for none'] };
  }
  const body = hide(decodedBody(outcome.body, headers['content-type']));
  const claimsJson = /^application\/(?:[\w.+-]+\+)?json\b/i.test(headers['content-type'] ?? '');
  const { fault } = readJsonText(body);
  const isBroken = claimsJson && body.trim() !== '' && fault === 'no_json';
  const failures = fault === 'too_deep' ? [TOO_DEEP] : isBroken ? ['invalid JSON body'] : [];
  return { answer: { status: outcome.status, headers, body }, failures };
}

/** Decodes a body by the charset of its content type; as UTF-8 if the charset is missing or unknown. */
function decodedBody(body: Uint8Array, type = ''): string {
  const [, charset = 'utf-8'] = /charset="?([\w-]+)/i.exec(type) ?? [];
  try {
    return new TextDecoder(charset).decode(body);
  } catch {
    return new TextDecoder().decode(body);
  }
}

const isRetried = ({ retry }: HttpEffect, answer: HttpAnswer | null, error: string | undefined): boolean =>
  retry.on.includes(error ?? '') ||
  (answer !== null && retry.on.some((code) => String(code) === String(answer.status) || code === `${Math.floor(answer.status / 100)}xx`));

function withoutSecrets(call: HttpCall, hide: (text: string) => string): HttpCall {
  const each = (record: Readonly<Record<string, string>>): Record<string, string> =>
    Object.fromEntries(Object.entries(record).map(([name, value]) => [name, hide(value)]));
  const body = call.body === null ? null : hide(call.body);
  return { ...call, url: hide(call.url), headers: each(call.headers), query: each(call.query), body, json: readShownJson(body) };
}
