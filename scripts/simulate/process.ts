import type { Random } from './random.js';

/** The clock of a machine, which may be wrong and run at the wrong speed. */
export interface MachineClock {
  /** Added to the true time, in milliseconds. */
  offsetMs: number;
  /** Milliseconds of this clock for each true one. */
  rate: number;
}

/** One run of a program in the simulation: a platform until it ends, or everything outside of the platforms. Its timers end with it. */
export class Process {
  readonly name: string;
  readonly random: Random;
  readonly clock: MachineClock;
  /** The time at which its monotonic clock was 0. */
  readonly startedAt: number;
  isAlive = true;
  /** Until when it is paused, as by a debugger or a virtual machine that is moved. */
  pausedUntil = 0;

  constructor(name: string, random: Random, clock: MachineClock, startedAt: number) {
    this.name = name;
    this.random = random;
    this.clock = clock;
    this.startedAt = startedAt;
  }
}
