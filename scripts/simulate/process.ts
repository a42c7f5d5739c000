import type { Random } from './random.js';

/** The clocks of a machine, which may be wrong and run at the wrong speed. */
export class MachineClock {
  /** Milliseconds by which its wall clock is ahead, apart from its drift. */
  offsetMs = 0;
  #rate = 1;
  #ahead = 0;
  #since = 0;

  /** Milliseconds of this clock for each true one. */
  get rate(): number {
    return this.#rate;
  }

  /** Changes its speed at a true time. */
  setRate(rate: number, now: number): void {
    this.#ahead += (now - this.#since) * (this.#rate - 1);
    this.#since = now;
    this.#rate = rate;
  }

  /** Milliseconds since the beginning that the machine has counted at a true time: never goes backwards. */
  counted(now: number): number {
    return now + this.#ahead + (now - this.#since) * (this.#rate - 1);
  }
}

/** One run of a program in the simulation: a platform until it ends, or everything outside of the platforms. Its timers end with it. */
export class Process {
  readonly name: string;
  readonly random: Random;
  readonly clock: MachineClock;
  isAlive = true;
  /** Until when it is paused, as by a debugger or a virtual machine that is moved. */
  pausedUntil = 0;

  constructor(name: string, random: Random, clock: MachineClock) {
    this.name = name;
    this.random = random;
    this.clock = clock;
  }
}
