import type { Clock, Timer } from '../../ports/clock.js';

/** One timer for the next of many due times. */
export class WakeTimer {
  readonly #clock: Clock;
  readonly #run: () => void;
  #set: { readonly firesAt: number; readonly timer: Timer } | undefined;

  constructor(clock: Clock, run: () => void) {
    this.#clock = clock;
    this.#run = run;
  }

  /** Fires at `dueAt`, unless it fires earlier already. Both times are of the queue's clock; undefined changes nothing. */
  at(dueAt: number | undefined, now: number): void {
    if (dueAt === undefined) return;
    const firesAt = this.#clock.monotonic() + dueAt - now;
    if (this.#set && this.#set.firesAt <= firesAt) return;
    this.cancel();
    const timer = this.#clock.after(dueAt - now, () => {
      this.#set = undefined;
      this.#run();
    });
    this.#set = { firesAt, timer };
  }

  cancel(): void {
    this.#set?.timer.cancel();
    this.#set = undefined;
  }
}
