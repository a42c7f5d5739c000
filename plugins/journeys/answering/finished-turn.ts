import { advice, type ContactRecord, type NumberRecord, PlatformError, type Transaction } from '#core';
import type { TurnResult } from '#core/areas';
import type { SelectedSession } from './choose.js';

/** A computed turn that is not committed yet. */
export interface FinishedTurn extends SelectedSession {
  readonly number: NumberRecord;
  readonly contact: ContactRecord;
  /** The message that it answers; null when the wait timed out. */
  readonly message: string | null;
  readonly result: TurnResult;
}

/**
 * Writes to a contact or a message. A write that the platform refuses, as over a limit, is skipped with the advice
 * `journey_write_refused`, so that one bad write does not stop the journey. @returns undefined for a refused write
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
      fix: 'Change the journey to write less: contact fields are part of every later turn and delivery.',
      about: { contact: contact.uuid, journey: journey.uuid },
    });
    return undefined;
  }
}
