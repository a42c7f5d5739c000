import type { HttpOutcome } from '../ports/http-client.js';
import { type RetryPolicy, retryAt } from './retry-policy.js';

/** Outcomes that end retries by the interface, and that an operator may want tried again all the same. */
export const retrySwitches = ['http_408', 'http_429', 'http_502', 'unknown_host'] as const;
/** An outcome that ends retries by the interface, and that somebody wants tried again. */
export type RetrySwitch = (typeof retrySwitches)[number];

/** What one attempt came to. `status` is the receiver's, or the one that stands for a failure of the network; 0 when nothing was sent. */
export type AttemptResult =
  | { readonly kind: 'delivered'; readonly status: number }
  | {
      readonly kind: 'cancel' | 'retry';
      readonly status: number;
      /** For machines: why a delivery was cancelled, or what failed. */
      readonly reason: string;
      /** For people. */
      readonly error: string;
    };

/** Failures before anything left this machine. */
const NOT_SENT: Readonly<Record<string, string>> = { BLOCKED_ADDRESS: 'blocked_address', BAD_URL: 'bad_url', BAD_REQUEST: 'bad_request' };
/** How failures of the network that have no HTTP status are recorded. */
const UNRESOLVABLE = 502;
const NO_ANSWER = 504;

/** The interface's table of outcomes, literally: every 4XX, 502 and an unresolvable name end it, all other failures are tried again. */
export function classify(outcome: HttpOutcome, policy: RetryPolicy, alsoRetry: readonly RetrySwitch[] = []): AttemptResult {
  if (outcome.kind === 'timeout') {
    return { kind: 'retry', status: NO_ANSWER, reason: 'timeout', error: `no response within ${policy.deadlineMs / 1000} seconds` };
  }
  if (outcome.kind === 'unreachable') return unreachable(outcome, alsoRetry);
  const { status } = outcome;
  if (status >= 200 && status < 300) return { kind: 'delivered', status };
  const ends = ((status >= 400 && status < 500) || status === 502) && !alsoRetry.some((one) => one === `http_${status}`);
  if (ends) {
    const reason = status === 502 ? 'http_502' : 'http_4xx';
    return { kind: 'cancel', status, reason, error: `the endpoint answered ${status}, which ends retries` };
  }
  const redirect = status >= 300 && status < 400 ? '; redirects are not followed' : '';
  return { kind: 'retry', status, reason: `http_${status}`, error: `the endpoint answered ${status}${redirect}` };
}

function unreachable(
  { permanent, code, reason: error }: Extract<HttpOutcome, { kind: 'unreachable' }>,
  alsoRetry: readonly RetrySwitch[],
): AttemptResult {
  const notSent = NOT_SENT[code];
  if (notSent !== undefined) return { kind: 'cancel', status: 0, reason: notSent, error };
  if (permanent) {
    return { kind: alsoRetry.includes('unknown_host') ? 'retry' : 'cancel', status: UNRESOLVABLE, reason: 'dns_not_found', error };
  }
  return { kind: 'retry', status: NO_ANSWER, reason: code === 'TLS' ? 'tls' : 'network_error', error };
}

/** A 2XX whose body is not what was asked for, where that counts as a failure. */
export const badAnswer = (status: number, fault: string): AttemptResult => ({
  kind: 'retry',
  status,
  reason: 'bad_answer',
  error: `the endpoint answered ${status}, but ${fault}`,
});

/** A try that was begun again and again, and never ended. Nobody knows whether the endpoint has it. */
export const neverEnded: AttemptResult = {
  kind: 'retry',
  status: 0,
  reason: 'interrupted',
  error: 'the platform stopped or failed every time it was sent',
};

export type Verdict =
  | { readonly kind: 'delivered' }
  | { readonly kind: 'cancelled'; readonly reason: string }
  | { readonly kind: 'retry'; readonly dueAt: number; readonly firstFailedAt: number }
  | { readonly kind: 'dropped'; readonly reason: 'exhausted' | 'expired' };

/** What follows from an attempt. `attempt` is 0 for the first; times are milliseconds of the clock. */
export function judge(
  policy: RetryPolicy,
  result: AttemptResult,
  { attempt, firstFailedAt, now, random }: { attempt: number; firstFailedAt: number | undefined; now: number; random: number },
): Verdict {
  if (result.kind === 'delivered') return { kind: 'delivered' };
  if (result.kind === 'cancel') return { kind: 'cancelled', reason: result.reason };
  if (attempt >= policy.gapsMs.length) return { kind: 'dropped', reason: 'exhausted' };
  const first = firstFailedAt ?? now;
  if (now - first > policy.windowMs) return { kind: 'dropped', reason: 'expired' };
  return { kind: 'retry', firstFailedAt: first, dueAt: retryAt(policy, attempt + 1, first, random, now) };
}
