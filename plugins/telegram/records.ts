import { collection } from '#core';
import { issuedAdviceCollection } from '#core/messaging';

/** The next update that a bot asks for. Stored with the updates before it, so that a crash loses and repeats none. */
export interface PositionRecord {
  /** The uuid of the number. */
  readonly number: string;
  /** The `update_id` of the next update. */
  readonly next: number;
  /** When the last update came. */
  readonly at: string;
}

export const positions = collection<PositionRecord>({ key: 'number', tenant: { number: 'number' } });

export const issuedAdvice = issuedAdviceCollection();
