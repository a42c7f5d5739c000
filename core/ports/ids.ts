/** Identity and chance. */
export interface Ids {
  /** Of version 4, or of version 7: nobody can guess it. */
  uuid(): string;
  /** `bytes` of entropy as base64url text. */
  secret(bytes: number): string;
  /** Decimal digits, the first not 0. */
  digits(count: number): string;
  /** At least 0, below 1. */
  random(): number;
}
