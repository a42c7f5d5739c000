import { randomBytes, randomFillSync, randomInt, randomUUID } from 'node:crypto';
import type { Ids } from '../ports/ids.js';

/** The widest range that `randomInt` supports. */
const STEPS = 2 ** 48 - 1;

/** The position of the version digit of a UUID, after its time: 12 digits and 2 dashes. */
const VERSION_AT = 14;

/** Bytes read from the operating system at a time; reading only a few costs as much. */
const POOL_BYTES = 4096;

/** Ids and random values from the operating system. */
export class RandomIds implements Ids {
  #at = 0;
  #beginning = '';
  readonly #pool = Buffer.allocUnsafeSlow(POOL_BYTES);
  #used = POOL_BYTES;

  /** Version 7: later ids sort later, so that a store appends them to its indexes. 74 bits are random. */
  uuid(): string {
    const now = Date.now();
    if (now !== this.#at) {
      this.#at = now;
      const time = now.toString(16).padStart(12, '0');
      this.#beginning = `${time.slice(0, 8)}-${time.slice(8)}-7`;
    }
    return this.#beginning + randomUUID().slice(VERSION_AT + 1);
  }

  secret(bytes: number): string {
    // `randomBytes` rejects invalid sizes.
    if (!Number.isInteger(bytes) || bytes < 0 || bytes > POOL_BYTES) return randomBytes(bytes).toString('base64url');
    if (this.#used + bytes > POOL_BYTES) {
      randomFillSync(this.#pool);
      this.#used = 0;
    }
    const [start, end] = [this.#used, this.#used + bytes];
    const secret = this.#pool.toString('base64url', start, end);
    // The pool keeps no copy of a secret.
    this.#pool.fill(0, start, end);
    this.#used = end;
    return secret;
  }

  digits(count: number): string {
    let digits = String(randomInt(1, 10));
    while (digits.length < count) digits += String(randomInt(0, 10));
    return digits;
  }

  random(): number {
    return randomInt(STEPS) / STEPS;
  }
}
