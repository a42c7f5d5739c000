import type { ContactRecord, NumberRecord, TurnResult } from '#core';
import type { Way } from './choose.js';

/** A turn that was taken, and for whom. */
export interface TakenTurn extends Way {
  readonly number: NumberRecord;
  readonly contact: ContactRecord;
  /** The message it answers; null when nobody wrote in time. */
  readonly message: string | null;
  readonly result: TurnResult;
}
