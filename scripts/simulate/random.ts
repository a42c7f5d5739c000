import { createHash } from 'node:crypto';

/** Random values from a seed and a name (xoshiro128**). Streams with different names are independent, so a new use of one changes no other. */
export class Random {
  readonly #seed: string;
  readonly #state: Uint32Array;

  constructor(seed: string) {
    this.#seed = seed;
    const bytes = createHash('sha256').update(seed).digest();
    this.#state = Uint32Array.from({ length: 4 }, (_, i) => bytes.readUInt32LE(4 * i));
  }

  /** An independent stream with a name. */
  stream(name: string): Random {
    return new Random(`${this.#seed}/${name}`);
  }

  /** An integer from 0 to 2³² - 1. */
  bits(): number {
    const state = this.#state as unknown as [number, number, number, number];
    const product = Math.imul(state[1], 5);
    const result = Math.imul((product << 7) | (product >>> 25), 9) >>> 0;
    const shifted = state[1] << 9;
    state[2] ^= state[0];
    state[3] ^= state[1];
    state[1] ^= state[2];
    state[0] ^= state[3];
    state[2] ^= shifted;
    state[3] = (state[3] << 11) | (state[3] >>> 21);
    return result;
  }

  /** At least 0, below 1. */
  unit(): number {
    return this.bits() / 2 ** 32;
  }

  /** An integer from 0 to `limit - 1`. */
  below(limit: number): number {
    return Math.floor(this.unit() * limit);
  }

  /** A number from `min` to `max`. */
  between(min: number, max: number): number {
    return min + this.unit() * (max - min);
  }

  chance(probability: number): boolean {
    return this.unit() < probability;
  }

  pick<T>(from: readonly T[]): T {
    if (from.length === 0) throw new RangeError('nothing to pick from');
    return from[this.below(from.length)]!;
  }

  /** Each element with the given probability, in order. */
  subset<T>(of: readonly T[], probability: number): T[] {
    return of.filter(() => this.chance(probability));
  }

  /** A time with an exponential distribution, as between independent events. */
  exponential(mean: number): number {
    return -Math.log(1 - this.unit()) * mean;
  }

  fill<T extends NodeJS.ArrayBufferView>(view: T): T {
    const bytes = new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
    for (let i = 0; i < bytes.length; i++) bytes[i] = this.bits() >>> 24;
    return view;
  }
}
