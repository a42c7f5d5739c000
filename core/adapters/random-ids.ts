import { randomBytes, randomFillSync, randomInt, randomUUID } from 'node:crypto';
import type { Ids } from '../ports/ids.js';

/** The widest range `randomInt` takes. */
const STEPS = 2 ** 48 - 1;

/** Where the version of a UUID stands, and its time before that: 12 digits and 2 dashes. */
const VERSION_AT = 14;

/** Asking the operating system for a few bytes costs as much as asking for these. */
const POOL_BYTES = 4096;

/** Identity and chance from the operating system. */
export class RandomIds implements Ids {
  #at = 0;
  #beginning = '';
  readonly #pool = Buffer.allocUnsafeSlow(POOL_BYTES);
  #used = POOL_BYTES;

  /** Of version 7: those made later sort later, so that a store adds them at the end of its orders. 74 bits are random. */
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
    // What is no number of bytes is refused there.
    if (!Number.isInteger(bytes) || bytes < 0 || bytes > POOL_BYTES) return randomBytes(bytes).toString('base64url');
    if (this.#used + bytes > POOL_BYTES) {
      randomFillSync(this.#pool);
      this.#used = 0;
    }
    const [start, end] = [this.#used, this.#used + bytes];
    const secret = this.#pool.toString('base64url', start, end);
    // It lives on only where it was wanted.
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
