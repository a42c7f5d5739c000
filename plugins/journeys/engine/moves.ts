import type { Outcome } from './blocks/block-type.js';
import type { Exit } from './compile.js';

export interface Failure {
  readonly code: string;
  readonly reason: string;
}

/** The next action inside a step: the outcome of a block, or what follows from one. */
export type Move =
  | Outcome
  | { readonly kind: 'enter'; readonly block: string }
  | { readonly kind: 'take'; readonly exit: Exit }
  /** A failure that no exit can catch, such as an exceeded limit. */
  | ({ readonly kind: 'stop' } & Failure)
  /** An uncaught failure whose `failure` event has been emitted already. */
  | ({ readonly kind: 'failed' } & Failure);

export const stop = (code: string, reason: string): Move => ({ kind: 'stop', code, reason });

export const fail = (code: string, reason: string): Extract<Outcome, { kind: 'fail' }> => ({ kind: 'fail', code, reason });
