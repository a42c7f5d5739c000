import type { HttpOutcome } from '../ports/http-client.js';

/** The delivery law (Limits, "Webhook timing and retries"), as numbers. All durations are milliseconds. */
export const law = {
  /** The whole exchange, from name resolution to the response. */
  deadlineMs: 5_000,
  /** From each failure to the next try, when tries fail at once: 17, 36, 60, 91 and 138 s after the first failure. */
  gapsMs: [17_000, 19_000, 24_000, 31_000, 47_000],
  /** A gap may be a tenth shorter or 4 % longer, so that the last try always lies inside the window. */
  jitter: { shortest: -0.1, span: 0.14 },
  /** A delivery is dropped when its endpoint stays offline longer. */
  windowMs: 140_000,
  /** What our own queue may add to that before a try is given up. */
  graceMs: 30_000,
  /** Between two tries, however late the first of them was. */
  leastGapMs: 5_000,
  /** How often a try may be begun without an end before the delivery is dropped: it may be what the platform fails at. */
  interruptions: 3,
} as const;

const anchorsMs = law.gapsMs.map((_, n) => law.gapsMs.slice(0, n + 1).reduce((sum, gap) => sum + gap, 0));

/**
 * When retry `n` (1 to 5) is due. Anchored at the first failure, not chained from the last one: chained, tries that take
 * five seconds each would push the fifth out of the window every time.
 */
export function retryDue(n: number, firstFailedAt: number, random: number): number {
  return firstFailedAt + anchorsMs[n - 1]! + law.gapsMs[n - 1]! * (law.jitter.shortest + law.jitter.span * random);
}

/** What one attempt came to. `status` is the receiver's, or the one that stands for a failure of the network; 0 when nothing was sent. */
export type AttemptResult =
  | { readonly kind: 'delivered'; readonly status: number }
  | { readonly kind: 'cancel'; readonly status: number; readonly reason: string; readonly error: string }
  | { readonly kind: 'retry'; readonly status: number; readonly reason: string; readonly error: string };

/** Failures before anything left this machine. */
const NOT_SENT: Readonly<Record<string, string>> = { BLOCKED_ADDRESS: 'blocked_address', BAD_URL: 'bad_url', BAD_REQUEST: 'bad_request' };

/** The interface's table of outcomes, literally: every 4XX and 502 ends it, all other failures are tried again. */
export function classify(outcome: HttpOutcome, alsoRetry: readonly number[] = []): AttemptResult {
  if (outcome.kind === 'timeout') {
    return { kind: 'retry', status: 504, reason: 'timeout', error: `no response within ${law.deadlineMs / 1000} seconds` };
  }
  if (outcome.kind === 'unreachable') {
    const { permanent, code, reason } = outcome;
    const notSent = NOT_SENT[code];
    if (notSent !== undefined) return { kind: 'cancel', status: 0, reason: notSent, error: reason };
    return permanent
      ? { kind: 'cancel', status: 502, reason: 'dns_not_found', error: reason }
      : { kind: 'retry', status: 504, reason: 'network_error', error: reason };
  }
  const { status } = outcome;
  if (status >= 200 && status < 300) return { kind: 'delivered', status };
  const ends = ((status >= 400 && status < 500) || status === 502) && !alsoRetry.includes(status);
  if (ends) {
    const reason = status === 502 ? 'http_502' : 'http_4xx';
    return { kind: 'cancel', status, reason, error: `the endpoint answered ${status}, which ends retries` };
  }
  const redirect = status >= 300 && status < 400 ? '; redirects are not followed' : '';
  return { kind: 'retry', status, reason: `http_${status}`, error: `the endpoint answered ${status}${redirect}` };
}

export type Verdict =
  | { readonly kind: 'delivered' }
  | { readonly kind: 'cancelled'; readonly reason: string }
  | { readonly kind: 'retry'; readonly dueAt: number; readonly firstFailedAt: number }
  | { readonly kind: 'dropped'; readonly reason: 'exhausted' | 'expired' };

/** What follows from an attempt. `attempt` is 0 for the first; times are milliseconds of the clock. */
export function judge(
  result: AttemptResult,
  { attempt, firstFailedAt, now, random }: { attempt: number; firstFailedAt: number | undefined; now: number; random: number },
): Verdict {
  if (result.kind === 'delivered') return { kind: 'delivered' };
  if (result.kind === 'cancel') return { kind: 'cancelled', reason: result.reason };
  if (attempt >= law.gapsMs.length) return { kind: 'dropped', reason: 'exhausted' };
  const first = firstFailedAt ?? now;
  if (now - first > law.windowMs) return { kind: 'dropped', reason: 'expired' };
  return { kind: 'retry', firstFailedAt: first, dueAt: Math.max(retryDue(attempt + 1, first, random), now + law.leastGapMs) };
}

/**
 * A retry that comes too late to be worth making. The window counts when it joins the queue, which is when it is due or, if
 * that is later, when the platform starts; what our own queue adds has its grace. What has never failed has no window.
 */
export function isExpired({
  firstFailedAt,
  promotedAt,
  now,
}: {
  firstFailedAt: number | undefined;
  promotedAt: number;
  now: number;
}): boolean {
  if (firstFailedAt === undefined) return false;
  return promotedAt - firstFailedAt > law.windowMs || now - firstFailedAt > law.windowMs + law.graceMs;
}
