import { timingSafeEqual } from 'node:crypto';

/** Compares secrets in a time that tells nothing of them. */
export function isSame(given: string, right: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(right)];
  return a.length === b.length && timingSafeEqual(a, b);
}
