import type { HttpOutcome } from '#core';
import { isPacked } from '#core/ports';
import type { Trouble } from '../schemas.js';

export const ANSWER_LIMITS = { bytes: 256 * 1024, depth: 32 } as const;

export type Answer =
  | { readonly kind: 'answered'; readonly status: number; readonly headers: Readonly<Record<string, string>>; readonly body: Uint8Array }
  | { readonly kind: 'trouble'; readonly trouble: Trouble; readonly status?: number };

/**
 * Classifies the outcome of a call: `answered` requires a 2xx status and, if the body matters, a complete and unencoded body. Reasons never
 * contain text that the integration sent.
 */
export function readOutcome(outcome: HttpOutcome, bodyMatters: boolean): Answer {
  if (outcome.kind === 'timeout') return trouble('timeout', `no complete response within ${Math.round(outcome.elapsedMs / 100) / 10} s`);
  if (outcome.kind === 'unreachable') return trouble('unreachable', outcome.reason);
  const { status, headers, body, cut } = outcome;
  if (status >= 300 && status < 400) return trouble('redirected', `it responded ${status}; redirects are not followed`, status);
  if (status < 200 || status >= 300) return trouble('refused', `it responded ${status}`, status);
  if (!bodyMatters) return { kind: 'answered', status, headers, body };
  if (cut) return trouble('too_large', `the response is larger than ${ANSWER_LIMITS.bytes} bytes or was cut off`, status);
  if (isPacked(headers)) return trouble('encoded', 'the response has a content encoding; send it without compression', status);
  return { kind: 'answered', status, headers, body };
}

/** Parses the JSON object in a body, and returns it with its text. */
export function readObject(
  body: Uint8Array,
): { readonly value: Readonly<Record<string, unknown>>; readonly json: string } | { readonly trouble: Trouble } {
  let json: string;
  let value: unknown;
  try {
    json = new TextDecoder('utf-8', { fatal: true }).decode(body);
    value = JSON.parse(json);
  } catch {
    return { trouble: { kind: 'not_json', reason: 'the response is not JSON' } };
  }
  if (!isObject(value)) return { trouble: { kind: 'bad_answer', reason: 'the response is not a JSON object' } };
  if (depthOf(json) > ANSWER_LIMITS.depth) {
    return { trouble: { kind: 'too_deep', reason: `the response is nested more than ${ANSWER_LIMITS.depth} levels deep` } };
  }
  return { value, json };
}

export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const trouble = (kind: Trouble['kind'], reason: string, status?: number): Answer => ({
  kind: 'trouble',
  trouble: { kind, reason },
  ...(status !== undefined && { status }),
});

const TEXT_OR_BRACKET = /"[^"\\]*(?:\\.[^"\\]*)*"|[[\]{}]/g;

/** Measured in the text: `JSON.parse` drops values of duplicate keys, but the parser for the order of keys does not. */
function depthOf(json: string): number {
  let [depth, deepest] = [0, 0];
  for (const [found] of json.matchAll(TEXT_OR_BRACKET)) {
    if (found === '[' || found === '{') deepest = Math.max(deepest, ++depth);
    else if (found === ']' || found === '}') depth--;
  }
  return deepest;
}
