import type { Clock } from '#core';
import { attemptOf, createBudget, type RateLimit } from '#core/messaging';
import type { Settings } from '../options.js';

/** Share of the messages per second that may be sent in one burst. */
const BURST_SHARE = 0.2;

interface Attempt {
  readonly uuid: string;
  readonly run: number;
  readonly attempts: number;
  readonly number: string;
}

/** The limits of the network: messages per second of a number, and to each contact. After a restart, its own errors slow the number down. */
export type SendBudget = ReturnType<typeof sendBudget>;

export function sendBudget(clock: Pick<Clock, 'now' | 'monotonic'>, { messagesPerSecond, pairBurst, pairSeconds }: Settings) {
  const budget = createBudget(clock);
  // A burst and the rate together stay below the limit in any second.
  const burst = Math.max(1, messagesPerSecond * BURST_SHARE);
  const everyMs = 1_000 / Math.max(1, messagesPerSecond - burst);
  const pair = (number: string, conversation: string): string => `${number}/${conversation}`;
  const ofPair = (number: string, conversation: string): RateLimit => ({
    key: pair(number, conversation),
    everyMs: pairSeconds * 1_000,
    burst: pairBurst,
  });

  return {
    /** Reserves a message of a conversation. @returns milliseconds until it may be sent */
    waitMs: (attempt: Attempt, conversation: string): number =>
      budget.waitMs(attemptOf(attempt), [{ key: attempt.number, everyMs, burst }, ofPair(attempt.number, conversation)]),

    /** The limit that an attempt waits for, and until when in Unix milliseconds; undefined if it does not wait. */
    holdOf(attempt: Attempt): { readonly at: number; readonly limit: 'number' | 'pair' | 'refusals' } | undefined {
      const hold = budget.holdOf(attemptOf(attempt), attempt.number);
      return hold && { at: hold.at, limit: hold.isBlocked ? 'refusals' : hold.key === attempt.number ? 'number' : 'pair' };
    },

    /** Milliseconds until a message to the contact of a conversation may be sent when `ahead` other messages are sent to it before. */
    pairWaitMs: (number: string, conversation: string, ahead: number): number => budget.aheadMs(ofPair(number, conversation), ahead),

    /** Messages to either of two merged contacts count for the one that remains. */
    join: (number: string, merged: string, kept: string): void => budget.join(pair(number, merged), pair(number, kept)),

    /** The network has refused a message of the number because of its rate: sends nothing for a while. */
    slowDown: (number: string, ms: number): void => budget.block(number, ms),
  };
}
