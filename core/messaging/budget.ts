import type { Clock } from '../ports/clock.js';

/** A limit of what may be sent: `burst` requests together, and one more every `everyMs`, counted by its key, such as the uuid of a number. */
export interface RateLimit {
  readonly key: string;
  readonly everyMs: number;
  readonly burst: number;
}

/** When an attempt may be sent, in milliseconds, and the key of the limit that it waits for. */
interface Grant {
  readonly at: number;
  readonly key: string;
}

const MAX_KEYS = 100_000;
const MAX_GRANTS = 100_000;

/** Names an attempt of a delivery for a budget. */
export const attemptOf = ({ uuid, run, attempts }: { uuid: string; run: number; attempts: number }): string => `${uuid} ${run} ${attempts}`;

/** Spaces attempts so that the limits of a receiver are not exceeded. */
export type Budget = ReturnType<typeof createBudget>;

/**
 * Creates a budget, for `waitMs` of a sender. In memory: after a restart it is full. On monotonic time: with a wall clock that is set back, every
 * attempt would wait for as long.
 */
export function createBudget(clock: Pick<Clock, 'now' | 'monotonic'>) {
  /** When the burst would be empty again, by key (generic cell rate algorithm). */
  const usedUntil = new Map<string, number>();
  /** Reserved starts by attempt: its second start after the wait must not count again. */
  const grants = new Map<string, Grant>();
  const blockedUntil = new Map<string, number>();

  return {
    /** Reserves an attempt, which counts for each of its limits. @returns milliseconds until it may be sent */
    waitMs(attempt: string, limits: readonly RateLimit[]): number {
      const now = clock.monotonic();
      const granted = grants.get(attempt) ?? grant(limits, now);
      const at = limits.reduce((latest, { key }) => Math.max(latest, blockedUntil.get(key) ?? 0), granted.at);
      if (at <= now) {
        grants.delete(attempt);
        return 0;
      }
      if (grants.size >= MAX_GRANTS) grants.clear();
      grants.set(attempt, granted);
      return Math.ceil(at - now);
    },

    /**
     * The limit that an attempt waits for, and until when in Unix milliseconds; undefined if it does not wait.
     * @param blockable the key that `block` may have blocked
     */
    holdOf(attempt: string, blockable: string): (Grant & { readonly isBlocked: boolean }) | undefined {
      const now = clock.monotonic();
      const granted = grants.get(attempt);
      if (!granted) return undefined;
      const blocked = blockedUntil.get(blockable) ?? 0;
      const isBlocked = blocked > granted.at;
      const at = isBlocked ? blocked : granted.at;
      return at > now
        ? { at: Math.ceil(clock.now().getTime() + at - now), key: isBlocked ? blockable : granted.key, isBlocked }
        : undefined;
    },

    /** Milliseconds until an attempt may be sent when `ahead` others of the same key are sent before it. */
    aheadMs({ key, everyMs, burst }: RateLimit, ahead: number): number {
      const now = clock.monotonic();
      return Math.max(0, Math.max(now, usedUntil.get(key) ?? 0) + (ahead + 1 - burst) * everyMs - now);
    },

    /** Requests under either key count for `kept`, as for two contacts that turn out to be one. */
    join(merged: string, kept: string): void {
      const until = Math.max(usedUntil.get(merged) ?? 0, usedUntil.get(kept) ?? 0);
      if (until > 0) usedUntil.set(kept, until);
    },

    /** The receiver has refused a request because of its rate: sends nothing of the key for a while. */
    block(key: string, ms: number): void {
      blockedUntil.set(key, Math.max(blockedUntil.get(key) ?? 0, clock.monotonic() + ms));
    },
  };

  function grant(limits: readonly RateLimit[], now: number): Grant {
    let latest: Grant = { at: now, key: '' };
    for (const limit of limits) {
      const at = reserve(limit, now);
      if (at >= latest.at) latest = { at, key: limit.key };
    }
    return latest;
  }

  /** @returns when the attempt may be sent, in monotonic milliseconds */
  function reserve({ key, everyMs, burst }: RateLimit, now: number): number {
    const until = Math.max(now, usedUntil.get(key) ?? 0) + everyMs;
    usedUntil.delete(key);
    usedUntil.set(key, until);
    // The oldest entries are the longest unused.
    if (usedUntil.size > MAX_KEYS) usedUntil.delete(usedUntil.keys().next().value!);
    return until - burst * everyMs;
  }
}
