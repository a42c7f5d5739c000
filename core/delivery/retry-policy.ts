/** The retry policy of deliveries (Limits, "Webhook timing and retries"). All durations are milliseconds. */
export interface RetryPolicy {
  /** Time-out of an attempt, from name resolution to the response. */
  readonly deadlineMs: number;
  /** Delay before each retry, if attempts fail immediately. The length of the list is the number of retries. */
  readonly gapsMs: readonly number[];
  /** Random variation, as fractions of the gap: between `shortest` and `shortest + span`. */
  readonly jitter: { readonly shortest: number; readonly span: number };
  /** A delivery is dropped when its endpoint stays offline longer. */
  readonly windowMs: number;
  /** Additional time that a due retry may wait in the platform's own queue before it is dropped. */
  readonly graceMs: number;
  /** Minimum delay between two attempts, even if the first was late. */
  readonly minGapMs: number;
  /** An attempt that starts this many times without an outcome counts as failed: it may be the cause of the crashes. */
  readonly maxInterruptions: number;
}

/** The values of the API specification. The jitter of -10 % to +4 % of a gap keeps the last retry inside the window. */
export const defaultRetryPolicy: RetryPolicy = {
  deadlineMs: 5_000,
  gapsMs: [17_000, 19_000, 24_000, 31_000, 47_000],
  jitter: { shortest: -0.1, span: 0.14 },
  windowMs: 140_000,
  graceMs: 30_000,
  minGapMs: 5_000,
  maxInterruptions: 3,
};

/** The default policy with changes. @throws TypeError when the last retry could be due after the window */
export function retryPolicyWith(changes: Partial<RetryPolicy>): RetryPolicy {
  const policy = { ...defaultRetryPolicy, ...changes };
  const last = anchor(policy, policy.gapsMs.length) + (policy.gapsMs.at(-1) ?? 0) * (policy.jitter.shortest + policy.jitter.span);
  if (last > policy.windowMs) {
    throw new TypeError(`the last retry could be due ${last} ms after the first failure, but the window ends after ${policy.windowMs} ms`);
  }
  return policy;
}

/** Policies of platforms that do not use the default, by their options object. */
const policies = new WeakMap<object, RetryPolicy>();

/**
 * Sets other delivery times than those of the API specification in platform options, for tests that must not wait.
 * @throws TypeError when the last retry could be due after the window
 */
export function withDeliveryTimes<O extends object>(options: O, times: Partial<RetryPolicy>): O {
  const changed = { ...options };
  policies.set(changed, retryPolicyWith(times));
  return changed;
}

/** The retry policy of a platform that is created with these options. */
export const retryPolicyOf = (options: object): RetryPolicy => policies.get(options) ?? defaultRetryPolicy;

const anchor = ({ gapsMs }: RetryPolicy, n: number): number => gapsMs.slice(0, n).reduce((sum, gap) => sum + gap, 0);

/**
 * When retry `n` (1 to 5) is due: about 17, 36, 60, 91 and 138 s after the first failure. Counted from the first failure and not from
 * the previous attempt: otherwise attempts that time out after 5 s would always push the fifth retry out of the window.
 */
export function retryDue(policy: RetryPolicy, n: number, firstFailedAt: number, random: number): number {
  return firstFailedAt + anchor(policy, n) + policy.gapsMs[n - 1]! * (policy.jitter.shortest + policy.jitter.span * random);
}

/**
 * When retry `n` is due, seen at `now`, when the previous attempt has failed. Never earlier than the minimum gap after the previous
 * attempt. If the wall
 * clock was set back, so that the first failure seems to be in the future, never later than the retry policy allows.
 */
export function retryAt(policy: RetryPolicy, n: number, firstFailedAt: number, random: number, now: number): number {
  const due = Math.max(retryDue(policy, n, firstFailedAt, random), now + policy.minGapMs);
  const gap = policy.gapsMs[n - 1]!;
  const longest = gap * (1 + policy.jitter.shortest + policy.jitter.span);
  // The previous attempt may have been as early as its own jitter allows.
  const slack = (policy.gapsMs[n - 2] ?? 0) * -policy.jitter.shortest;
  return due - now > longest + slack ? now + longest : due;
}

/**
 * Returns why a retry is too late and must be dropped; undefined if it may be sent. `promotedAt`, the time at which the due retry joined
 * the
 * queue, must be inside the window. The wait in the queue may then exceed the window by the grace period. First attempts never expire.
 */
export function expiry(
  policy: RetryPolicy,
  { firstFailedAt, promotedAt, now }: { firstFailedAt: number | undefined; promotedAt: number; now: number },
): 'expired' | 'expired_in_queue' | undefined {
  if (firstFailedAt === undefined) return undefined;
  if (promotedAt - firstFailedAt > policy.windowMs) return 'expired';
  return now - firstFailedAt > policy.windowMs + policy.graceMs ? 'expired_in_queue' : undefined;
}
