import { advice, type ContactRecord, type NumberRecord, PlatformError, type Transaction } from '#core';
import type { TurnResult } from '../running/run-turn.js';
import type { SelectedSession } from './choose.js';

/** A computed turn that is not committed yet. */
export interface FinishedTurn extends SelectedSession {
  readonly number: NumberRecord;
  readonly contact: ContactRecord;
  /** The message that the turn answers; null when the wait timed out. */
  readonly message: string | null;
  readonly result: TurnResult;
}

/**
 * Writes contact fields or message labels. If the platform refuses the write, for example because of a limit, the write is skipped and the
 * advice `journey_write_refused` is issued, so that one bad write does not stop the journey. @returns undefined for a refused write
 */
export async function tryWrite<T>(
  tx: Transaction,
  { number, contact, journey }: FinishedTurn,
  write: () => Promise<T>,
): Promise<T | undefined> {
  try {
    return await write();
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error;
    tx.emit(advice, {
      name: 'journey_write_refused',
      number: number.uuid,
      message: `A write of journey '${journey.name}' was refused: ${error.message}.`,
      fix: 'Change the block of the journey that sets contact fields or labels, so that the error in this message no longer applies. The rest of the turn has taken effect.',
      about: { contact: contact.uuid, journey: journey.uuid },
    });
    return undefined;
  }
}
