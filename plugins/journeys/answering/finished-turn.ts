import { advice, type ContactRecord, type NumberRecord, PlatformError, type Transaction } from '#core';
import type { TurnResult } from '#core/areas';
import type { SelectedSession } from './choose.js';

/** A turn that was taken, and for whom. */
export interface FinishedTurn extends SelectedSession {
  readonly number: NumberRecord;
  readonly contact: ContactRecord;
  /** The message it answers; null when the wait timed out. */
  readonly message: string | null;
  readonly result: TurnResult;
}

/** What a turn writes beyond what a contact or a message may hold is left out, and said so; the journey goes on. */
export async function refusable<T>(
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
      message: `Journey '${journey.name}' wrote something that is not kept: ${error.message}.`,
      fix: 'Let the journey write less: what is kept of a contact is part of every later turn and delivery.',
      about: { contact: contact.uuid, journey: journey.uuid },
    });
    return undefined;
  }
}
