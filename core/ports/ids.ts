/** Ids and random values. */
export interface Ids {
  /** A UUID of version 4 or 7 that cannot be guessed. */
  uuid(): string;
  /** `bytes` random bytes as base64url text. */
  secret(bytes: number): string;
  /** `count` decimal digits, the first not 0. */
  digits(count: number): string;
  /** At least 0, below 1. */
  random(): number;
}
