import type { HttpOutcome } from '../ports/http-client.js';
import { type RetryPolicy, retryAt } from './retry-policy.js';

/** Outcomes that cancel a delivery by the API specification, but that an operator may choose to retry. */
export const retrySwitches = ['http_408', 'http_429', 'http_502', 'unknown_host'] as const;
/** An outcome that cancels a delivery by the API specification, but that an operator may choose to retry. */
export type RetrySwitch = (typeof retrySwitches)[number];

/** The result of one attempt. `status` is the endpoint's; 502 or 504 for a failure of the network; 0 when nothing was sent. */
export type AttemptResult =
  | { readonly kind: 'delivered'; readonly status: number }
  /** The call succeeded, and `request` makes another one immediately. No failure is counted, and the order stays. */
  | { readonly kind: 'next'; readonly status: number }
  | {
      readonly kind: 'cancel' | 'retry';
      readonly status: number;
      /** Error code: the reason of a cancellation, or the failure. */
      readonly reason: string;
      /** The error as a sentence. */
      readonly error: string;
      /** For `retry`: milliseconds before the retry, instead of the gap of the policy. The window of the policy does not apply then. */
      readonly afterMs?: number;
    };

/** The result of a call that no other one follows. */
type LastResult = Exclude<AttemptResult, { readonly kind: 'next' }>;

const NOT_SENT: Readonly<Record<string, string>> = { BLOCKED_ADDRESS: 'blocked_address', BAD_URL: 'bad_url', BAD_REQUEST: 'bad_request' };
/** Statuses recorded for network failures, from the table of the API specification. */
const UNRESOLVABLE = 502;
const NO_ANSWER = 504;

/**
 * Classifies an outcome by the table of the API specification (Limits, "Webhook timing and retries", rule 3): every 4XX, 502 and an
 * unresolvable name cancel the delivery; all other failures are retried. `alsoRetry` lists exceptions.
 */
export function classify(outcome: HttpOutcome, policy: RetryPolicy, alsoRetry: readonly RetrySwitch[] = []): LastResult {
  if (outcome.kind === 'timeout') {
    return { kind: 'retry', status: NO_ANSWER, reason: 'timeout', error: `no response within ${policy.deadlineMs / 1000} seconds` };
  }
  if (outcome.kind === 'unreachable') return unreachable(outcome, alsoRetry);
  const { status } = outcome;
  if (status >= 200 && status < 300) return { kind: 'delivered', status };
  const endsRetries = ((status >= 400 && status < 500) || status === 502) && !alsoRetry.some((one) => one === `http_${status}`);
  if (endsRetries) {
    const reason = status === 502 ? 'http_502' : 'http_4xx';
    return { kind: 'cancel', status, reason, error: `the endpoint answered ${status}, which ends retries` };
  }
  const redirect = status >= 300 && status < 400 ? '; redirects are not followed' : '';
  return { kind: 'retry', status, reason: `http_${status}`, error: `the endpoint answered ${status}${redirect}` };
}

function unreachable(
  { permanent, code, reason: error }: Extract<HttpOutcome, { kind: 'unreachable' }>,
  alsoRetry: readonly RetrySwitch[],
): LastResult {
  const notSent = NOT_SENT[code];
  if (notSent !== undefined) return { kind: 'cancel', status: 0, reason: notSent, error };
  if (permanent) {
    return { kind: alsoRetry.includes('unknown_host') ? 'retry' : 'cancel', status: UNRESOLVABLE, reason: 'dns_not_found', error };
  }
  return { kind: 'retry', status: NO_ANSWER, reason: code === 'TLS' ? 'tls' : 'network_error', error };
}

/** The result of a 2XX response with an invalid body, with strict answers. `fault` is text that follows "but". */
export const badAnswer = (status: number, fault: string): AttemptResult => ({
  kind: 'retry',
  status,
  reason: 'bad_answer',
  error: `the endpoint answered ${status}, but ${fault}`,
});

/** The result of an attempt that was interrupted too many times. The endpoint may have received it. */
const tooManyInterruptions: AttemptResult = {
  kind: 'retry',
  status: 0,
  reason: 'interrupted',
  error: 'the platform stopped or failed each time it made this attempt',
};

/** Before the reason for which a request could not be made. */
const NOT_MADE = 'the request could not be made: ';
const isNotMade = (error: string | undefined): boolean => error?.startsWith(NOT_MADE) === true;

type Interrupted = { readonly last_error?: string | undefined; readonly interruptions?: number | undefined };

/**
 * The last error of a delivery whose request could not be made. If an earlier start of the attempt has no outcome, the endpoint may have received
 * it, so its error stays.
 */
export const errorNotMade = ({ interruptions, last_error: before }: Interrupted, reason: string): string | undefined =>
  interruptions === undefined || isNotMade(before) ? `${NOT_MADE}${reason}` : before;

/** The last error of a delivery whose attempt has started and has no outcome. */
export const errorInterrupted = ({ last_error: before }: Interrupted): string | undefined => (isNotMade(before) ? undefined : before);

/** The result of an attempt that was started too many times without an outcome. */
export const interruptedResult = ({ last_error: error }: Interrupted): AttemptResult =>
  error !== undefined && isNotMade(error) ? { kind: 'retry', status: 0, reason: 'not_sent', error } : tooManyInterruptions;

/** Whether the last attempt of a delivery was interrupted too many times: the endpoint may have received it. */
export const wasInterrupted = ({ last_error }: { readonly last_error?: string | undefined }): boolean =>
  last_error === tooManyInterruptions.error;

export type Verdict =
  | { readonly kind: 'delivered' }
  | { readonly kind: 'next' }
  | { readonly kind: 'cancelled'; readonly reason: string }
  | { readonly kind: 'retry'; readonly dueAt: number; readonly firstFailedAt: number }
  | { readonly kind: 'dropped'; readonly reason: 'exhausted' | 'expired' };

/** Calls of one delivery: a sender that always makes another one must end. */
const MAX_CALLS = 100;

/**
 * Decides whether a result settles the delivery or leads to another attempt. `attempts` counts the earlier attempts, `calls` those of them that
 * led to a next one, `resent` the attempts that sent their request twice: each of these replaces a retry, so that no endpoint gets more requests than the policy allows. Times are Unix milliseconds.
 */
export function judge(
  policy: RetryPolicy,
  result: AttemptResult,
  about: { attempts: number; calls?: number; resent?: number | undefined; firstFailedAt: number | undefined; now: number; random: number },
): Verdict {
  const { attempts, calls = 0, resent = 0, firstFailedAt, now, random } = about;
  if (result.kind === 'delivered') return { kind: 'delivered' };
  if (result.kind === 'next') return calls < MAX_CALLS ? { kind: 'next' } : { kind: 'cancelled', reason: 'too_many_calls' };
  if (result.kind === 'cancel') return { kind: 'cancelled', reason: result.reason };
  const attempt = attempts - calls;
  if (attempt + resent >= policy.gapsMs.length) return { kind: 'dropped', reason: 'exhausted' };
  // Each attempt moves the window on, so that the delay that the sender chose never ends after it.
  if (result.afterMs !== undefined) return { kind: 'retry', firstFailedAt: now, dueAt: now + result.afterMs };
  const first = firstFailedAt ?? now;
  if (now - first > policy.windowMs) return { kind: 'dropped', reason: 'expired' };
  return { kind: 'retry', firstFailedAt: first, dueAt: retryAt(policy, attempt + 1, first, random, now) };
}
