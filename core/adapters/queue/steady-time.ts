import type { Clock } from '../../ports/clock.js';

/** Smaller differences between two readings are not clock changes, but rounding and adjustments by a time server. */
const NUDGE_MS = 100;

/**
 * The wall clock in milliseconds, but never going back: when the clock is set back, this time continues, so that no wait gets longer.
 * When the clock is set forward, this time follows, and due times that were skipped are overdue.
 */
export class SteadyTime {
  readonly #clock: Clock;
  /** Difference between wall clock and monotonic clock at the last change. */
  #lead: number;
  #aheadMs = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#lead = clock.now().getTime() - clock.monotonic();
  }

  now(): number {
    const wall = this.#clock.now().getTime();
    const lead = wall - this.#clock.monotonic();
    const setOn = lead - this.#lead;
    if (Math.abs(setOn) > NUDGE_MS) {
      this.#lead = lead;
      // A forward change first compensates for earlier backward changes.
      this.#aheadMs = Math.max(0, this.#aheadMs - Math.round(setOn));
    }
    return wall + this.#aheadMs;
  }

  /** Milliseconds ahead of the wall clock. */
  get aheadMs(): number {
    this.now();
    return this.#aheadMs;
  }
}
