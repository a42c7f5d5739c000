import type { Clock } from '../../ports/clock.js';

/** What the wall clock may be off from one look to the next without having been set: rounding, and a time server's nudges. */
const NUDGE_MS = 100;

/**
 * The wall clock in milliseconds, except that it goes on when that is set back, so that nobody waits longer than he was
 * told. When it is set on, this time follows: what was due meanwhile is overdue.
 */
export class SteadyTime {
  readonly #clock: Clock;
  /** How far the wall clock was before the monotonic one when it was last set. */
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
      // What was set back before is made up for first.
      this.#aheadMs = Math.max(0, this.#aheadMs - Math.round(setOn));
    }
    return wall + this.#aheadMs;
  }

  /** By how much it is before the wall clock. */
  get aheadMs(): number {
    this.now();
    return this.#aheadMs;
  }
}
