import type { Clock } from '#core';
import type { Settings } from '../options.js';

/** A rate limit: `burst` events together, and one more every `everyMs`. */
interface Rate {
  readonly everyMs: number;
  readonly burst: number;
}

/** When a message may be sent, in milliseconds, and the limit that it waits for: of its number, its contact, or after refusals. */
interface Grant {
  readonly at: number;
  readonly limit: 'number' | 'pair' | 'refusals';
}

/** Names an attempt of a delivery for the budget. */
export const attemptOf = ({ uuid, run, attempts }: { uuid: string; run: number; attempts: number }): string => `${uuid} ${run} ${attempts}`;

/** Share of the messages per second that may be sent in one burst. */
const BURST_SHARE = 0.2;
const MAX_PAIRS = 100_000;
const MAX_GRANTS = 100_000;

/**
 * Spaces messages so that the network's limits are not exceeded: per number, and per contact. In memory: after a restart the budgets are
 * full, and the network's own errors slow the number down. On monotonic time: with a wall clock that is set back, every message of a number
 * would wait for as long.
 */
export type Budget = ReturnType<typeof createBudget>;

export function createBudget(clock: Pick<Clock, 'now' | 'monotonic'>, { messagesPerSecond, pairBurst, pairSeconds }: Settings) {
  // A burst and the rate together stay below the limit in any second.
  const burst = Math.max(1, messagesPerSecond * BURST_SHARE);
  const ofNumber: Rate = { everyMs: 1_000 / Math.max(1, messagesPerSecond - burst), burst };
  const ofPair: Rate = { everyMs: pairSeconds * 1_000, burst: pairBurst };
  /** When the burst would be empty again, by number and by contact (generic cell rate algorithm). */
  const usedUntil = new Map<string, number>();
  /** Reserved starts by attempt: its second start after the wait must not count again. */
  const grants = new Map<string, Grant>();
  const blockedUntil = new Map<string, number>();

  return {
    /** Reserves a message of a conversation. @returns milliseconds until it may be sent */
    waitMs(attempt: string, number: string, conversation: string): number {
      const now = clock.monotonic();
      const granted = grants.get(attempt) ?? grant(number, conversation, now);
      const at = Math.max(granted.at, blockedUntil.get(number) ?? 0);
      if (at <= now) {
        grants.delete(attempt);
        return 0;
      }
      if (grants.size >= MAX_GRANTS) grants.clear();
      grants.set(attempt, granted);
      return Math.ceil(at - now);
    },

    /** The budget that an attempt waits for, and until when in Unix milliseconds; undefined if it does not wait. */
    holdOf(attempt: string, number: string): Grant | undefined {
      const now = clock.monotonic();
      const granted = grants.get(attempt);
      if (!granted) return undefined;
      const blocked = blockedUntil.get(number) ?? 0;
      const hold: Grant = blocked > granted.at ? { at: blocked, limit: 'refusals' } : granted;
      return hold.at > now ? { ...hold, at: Math.ceil(clock.now().getTime() + hold.at - now) } : undefined;
    },

    /** Milliseconds until a message to the contact of a conversation may be sent when `ahead` other messages are sent to it before. */
    pairWaitMs(number: string, conversation: string, ahead: number): number {
      const now = clock.monotonic();
      const until = Math.max(now, usedUntil.get(`${number}/${conversation}`) ?? 0) + (ahead + 1) * ofPair.everyMs;
      return Math.max(0, until - ofPair.burst * ofPair.everyMs - now);
    },

    /** Messages to either of two merged contacts count for the one that remains. */
    join(number: string, merged: string, kept: string): void {
      const until = Math.max(usedUntil.get(`${number}/${merged}`) ?? 0, usedUntil.get(`${number}/${kept}`) ?? 0);
      if (until > 0) usedUntil.set(`${number}/${kept}`, until);
    },

    /** The network has refused a message of the number because of its rate: sends nothing for a while. */
    slowDown(number: string, ms: number): void {
      blockedUntil.set(number, Math.max(blockedUntil.get(number) ?? 0, clock.monotonic() + ms));
    },
  };

  function grant(number: string, conversation: string, now: number): Grant {
    const [byNumber, byPair] = [reserve(number, ofNumber, now), reserve(`${number}/${conversation}`, ofPair, now)];
    return { at: Math.max(now, byNumber, byPair), limit: byPair >= byNumber ? 'pair' : 'number' };
  }

  /** @returns when the event may happen, in monotonic milliseconds */
  function reserve(key: string, { everyMs, burst }: Rate, now: number): number {
    const until = Math.max(now, usedUntil.get(key) ?? 0) + everyMs;
    usedUntil.delete(key);
    usedUntil.set(key, until);
    // The oldest entries are the longest unused.
    if (usedUntil.size > MAX_PAIRS) usedUntil.delete(usedUntil.keys().next().value!);
    return until - burst * everyMs;
  }
}
