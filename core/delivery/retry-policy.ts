/** The delivery law (Limits, "Webhook timing and retries"), as numbers. All durations are milliseconds. */
export interface RetryPolicy {
  /** The whole exchange, from name resolution to the response. */
  readonly deadlineMs: number;
  /** From each failure to the next try, when tries fail at once. */
  readonly gapsMs: readonly number[];
  /** A gap may vary by so much of itself: `shortest` at the least, `shortest + span` at the most. */
  readonly jitter: { readonly shortest: number; readonly span: number };
  /** A delivery is dropped when its endpoint stays offline longer. */
  readonly windowMs: number;
  /** What our own queue may add to that before a try is given up. */
  readonly graceMs: number;
  /** Between two tries, however late the first of them was. */
  readonly minGapMs: number;
  /** How often a try may be begun without an end before it counts as failed: it may be what the platform fails at. */
  readonly maxInterruptions: number;
}

/** The interface's numbers. A gap is at most a tenth shorter or 4 % longer, so that the last try always lies inside the window. */
export const defaultRetryPolicy: RetryPolicy = {
  deadlineMs: 5_000,
  gapsMs: [17_000, 19_000, 24_000, 31_000, 47_000],
  jitter: { shortest: -0.1, span: 0.14 },
  windowMs: 140_000,
  graceMs: 30_000,
  minGapMs: 5_000,
  maxInterruptions: 3,
};

/** The law with other numbers. @throws TypeError when its last try could not be made */
export function retryPolicyWith(changes: Partial<RetryPolicy>): RetryPolicy {
  const policy = { ...defaultRetryPolicy, ...changes };
  const last = anchor(policy, policy.gapsMs.length) + (policy.gapsMs.at(-1) ?? 0) * (policy.jitter.shortest + policy.jitter.span);
  if (last > policy.windowMs) {
    throw new TypeError(`the last retry could come ${last} ms after the first failure, and the window is shut after ${policy.windowMs} ms`);
  }
  return policy;
}

/** Platforms whose times are not the interface's, by the options they are made with. */
const chosen = new WeakMap<object, RetryPolicy>();

/**
 * Platform options with other delivery times than the interface's, for tests that must not wait.
 * @throws TypeError when the last retry could come after the window
 */
export function withDeliveryTimes<O extends object>(options: O, times: Partial<RetryPolicy>): O {
  const changed = { ...options };
  chosen.set(changed, retryPolicyWith(times));
  return changed;
}

/** The delivery times of a platform that is made with these options. */
export const retryPolicyOf = (options: object): RetryPolicy => chosen.get(options) ?? defaultRetryPolicy;

const anchor = ({ gapsMs }: RetryPolicy, n: number): number => gapsMs.slice(0, n).reduce((sum, gap) => sum + gap, 0);

/**
 * When retry `n` (1 to 5) is due: 17, 36, 60, 91 and 138 s after the first failure, give or take. Anchored there and not
 * chained from the last try: chained, tries that take five seconds each would push the fifth out of the window every time.
 */
export function retryDue(policy: RetryPolicy, n: number, firstFailedAt: number, random: number): number {
  return firstFailedAt + anchor(policy, n) + policy.gapsMs[n - 1]! * (policy.jitter.shortest + policy.jitter.span * random);
}

/**
 * When retry `n` is due for somebody who looks at the clock `now`, after the try before. Never sooner than the least gap; and
 * when the wall clock was set back, so that the first failure seems to be in the future, never later than the law could say.
 */
export function retryAt(policy: RetryPolicy, n: number, firstFailedAt: number, random: number, now: number): number {
  const due = Math.max(retryDue(policy, n, firstFailedAt, random), now + policy.minGapMs);
  const gap = policy.gapsMs[n - 1]!;
  const longest = gap * (1 + policy.jitter.shortest + policy.jitter.span);
  // The try before may have come as early as its own gap allows.
  const slack = (policy.gapsMs[n - 2] ?? 0) * -policy.jitter.shortest;
  return due - now > longest + slack ? now + longest : due;
}

/**
 * Why a retry comes too late to be worth making, if it does. The window counts when it joins the queue, which is when it is
 * due and the platform runs; what our own queue adds has its grace. What has never failed has no window.
 */
export function expiry(
  policy: RetryPolicy,
  { firstFailedAt, promotedAt, now }: { firstFailedAt: number | undefined; promotedAt: number; now: number },
): 'expired' | 'expired_in_queue' | undefined {
  if (firstFailedAt === undefined) return undefined;
  if (promotedAt - firstFailedAt > policy.windowMs) return 'expired';
  return now - firstFailedAt > policy.windowMs + policy.graceMs ? 'expired_in_queue' : undefined;
}
