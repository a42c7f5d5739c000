import { randomBytes, randomInt, randomUUID } from 'node:crypto';
import type { Ids } from '../ports/ids.js';

/** The widest range `randomInt` takes. */
const STEPS = 2 ** 48 - 1;

/** Identity and chance from the operating system. */
export class RandomIds implements Ids {
  uuid(): string {
    return randomUUID();
  }

  secret(bytes: number): string {
    return randomBytes(bytes).toString('base64url');
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
