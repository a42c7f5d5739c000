import { collection } from '#core';

/** An operator is typing; the contact sees that until a moment. */
export interface TypingRecord {
  readonly conversation: string;
  readonly number: string;
  readonly contact: string;
  readonly until: string;
}

export const typings = collection<TypingRecord>({ key: 'conversation' });
