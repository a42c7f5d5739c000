import type { World } from './world.js';

const TROUBLE_MS = 20_000;
/** A cluster has recovered this long after the last fault: leases last up to 24 s, pauses between attempts up to 15 s, operators look each 30 s. */
const RECOVERY_MS = 120_000;

/** When faults of a run begin and end. */
export class FaultTimes {
  readonly #world: Pick<World, 'now'>;
  #lasting = 0;
  #beganAt = Number.NEGATIVE_INFINITY;
  #endedAt = Number.NEGATIVE_INFINITY;

  constructor(world: Pick<World, 'now'>) {
    this.#world = world;
  }

  /** A fault begins. @returns a function that ends it */
  begin(): () => void {
    this.#lasting++;
    this.#beganAt = this.#world.now;
    return () => {
      this.#lasting--;
      this.#endedAt = this.#world.now;
    };
  }

  /** Whether one has begun or ended just now. */
  get isTroubled(): boolean {
    return Math.max(this.#beganAt, this.#endedAt) > this.#world.now - TROUBLE_MS;
  }

  /** Whether the last one ended so long ago that everything has recovered. */
  get isCalm(): boolean {
    return this.#lasting === 0 && this.#world.now - this.#endedAt > RECOVERY_MS;
  }
}
