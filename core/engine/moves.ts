import type { Outcome } from './blocks/block-type.js';
import type { Exit } from './compile.js';

export interface Failure {
  readonly code: string;
  readonly reason: string;
}

/** What is to be done next inside a step: what a block said, or what follows from it. */
export type Move =
  | Outcome
  | { readonly kind: 'enter'; readonly block: string }
  | { readonly kind: 'take'; readonly exit: Exit }
  /** A failure that no exit catches. */
  | ({ readonly kind: 'stop' } & Failure)
  /** A failure that was told already. */
  | ({ readonly kind: 'failed' } & Failure);

export const stop = (code: string, reason: string): Move => ({ kind: 'stop', code, reason });

export const fail = (code: string, reason: string): Extract<Outcome, { kind: 'fail' }> => ({ kind: 'fail', code, reason });
