/** The delivery law (Limits, "Webhook timing and retries"), as numbers. All durations are milliseconds. */
export interface Law {
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
  readonly leastGapMs: number;
  /** How often a try may be begun without an end before it counts as failed: it may be what the platform fails at. */
  readonly interruptions: number;
}

/** The interface's numbers. A gap is at most a tenth shorter or 4 % longer, so that the last try always lies inside the window. */
export const theLaw: Law = {
  deadlineMs: 5_000,
  gapsMs: [17_000, 19_000, 24_000, 31_000, 47_000],
  jitter: { shortest: -0.1, span: 0.14 },
  windowMs: 140_000,
  graceMs: 30_000,
  leastGapMs: 5_000,
  interruptions: 3,
};

/** The law with other numbers. @throws TypeError when its last try could not be made */
export function lawWith(changes: Partial<Law>): Law {
  const law = { ...theLaw, ...changes };
  const last = anchor(law, law.gapsMs.length) + (law.gapsMs.at(-1) ?? 0) * (law.jitter.shortest + law.jitter.span);
  if (last > law.windowMs) {
    throw new TypeError(`the last retry could come ${last} ms after the first failure, and the window is shut after ${law.windowMs} ms`);
  }
  return law;
}

/** Platforms whose times are not the interface's, by the options they are made with. */
const chosen = new WeakMap<object, Law>();

/**
 * Platform options with other delivery times than the interface's, for tests that must not wait.
 * @throws TypeError when the last retry could come after the window
 */
export function withDeliveryTimes<O extends object>(options: O, times: Partial<Law>): O {
  const changed = { ...options };
  chosen.set(changed, lawWith(times));
  return changed;
}

/** The delivery times of a platform that is made with these options. */
export const lawOf = (options: object): Law => chosen.get(options) ?? theLaw;

const anchor = ({ gapsMs }: Law, n: number): number => gapsMs.slice(0, n).reduce((sum, gap) => sum + gap, 0);

/**
 * When retry `n` (1 to 5) is due: 17, 36, 60, 91 and 138 s after the first failure, give or take. Anchored there and not
 * chained from the last try: chained, tries that take five seconds each would push the fifth out of the window every time.
 */
export function retryDue(law: Law, n: number, firstFailedAt: number, random: number): number {
  return firstFailedAt + anchor(law, n) + law.gapsMs[n - 1]! * (law.jitter.shortest + law.jitter.span * random);
}

/**
 * When retry `n` is due for somebody who looks at the clock `now`, after the try before. Never sooner than the least gap; and
 * when the wall clock was set back, so that the first failure seems to be in the future, never later than the law could say.
 */
export function retryAt(law: Law, n: number, firstFailedAt: number, random: number, now: number): number {
  const due = Math.max(retryDue(law, n, firstFailedAt, random), now + law.leastGapMs);
  const gap = law.gapsMs[n - 1]!;
  const longest = gap * (1 + law.jitter.shortest + law.jitter.span);
  // The try before may have come as early as its own gap allows.
  const slack = (law.gapsMs[n - 2] ?? 0) * -law.jitter.shortest;
  return due - now > longest + slack ? now + longest : due;
}

/**
 * Why a retry comes too late to be worth making, if it does. The window counts when it joins the queue, which is when it is
 * due and the platform runs; what our own queue adds has its grace. What has never failed has no window.
 */
export function expiry(
  law: Law,
  { firstFailedAt, promotedAt, now }: { firstFailedAt: number | undefined; promotedAt: number; now: number },
): 'expired' | 'expired_in_queue' | undefined {
  if (firstFailedAt === undefined) return undefined;
  if (promotedAt - firstFailedAt > law.windowMs) return 'expired';
  return now - firstFailedAt > law.windowMs + law.graceMs ? 'expired_in_queue' : undefined;
}
