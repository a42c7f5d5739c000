import { collection } from '#core';

/** A typing indicator that the contact sees `until` this time. */
export interface TypingRecord {
  readonly conversation: string;
  readonly number: string;
  readonly contact: string;
  readonly until: string;
}

export const typings = collection<TypingRecord>({ key: 'conversation', tenant: { number: 'number' } });
